"""Arrays as compiled code should see them."""

from typing import TYPE_CHECKING, Any, TypeVar

from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

_Array = TypeVar("_Array")


def _bare(_: Any, array: types.Array) -> Any:
    """Return the same array without its owner, so that no reference to it is counted.

    Counting is an atomic operation for every array that a function is given. Only for arrays that
    the function was given: one that it made itself is freed after the last use of its own name.
    """

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        view = make_array(array)(context, builder, arguments[0])
        nothing = cgutils.get_null_value(view.meminfo.type)
        view.meminfo = nothing
        return view._getvalue()  # noqa: SLF001  as Numba's own intrinsics do

    return array(array), generate


if TYPE_CHECKING:

    def bare(array: _Array) -> _Array:
        """Return the same array without its owner."""

else:
    bare = intrinsic(_bare)
