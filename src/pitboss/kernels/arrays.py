"""Array types, and views of arrays for compiled code."""

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numba.core import cgutils, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Ints = NDArray[np.int32]
Shorts = NDArray[np.int16]
Small = NDArray[np.int8]
Bytes = NDArray[np.uint8]
Numbers = NDArray[np.uint64]
Masks = NDArray[np.int8]
Rewards = NDArray[np.float64]
Flags = NDArray[np.bool_]

_Array = TypeVar("_Array")


def _bare(_: Any, array: types.Array) -> Any:
    """Return a view of an array without reference counting.

    Reference counting costs an atomic operation for every array argument. Use this only for
    arguments: an array that the function created itself would be freed too early.
    """

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        view = make_array(array)(context, builder, arguments[0])
        nothing = cgutils.get_null_value(view.meminfo.type)
        view.meminfo = nothing
        return view._getvalue()  # noqa: SLF001  as Numba's own intrinsics do

    return array(array), generate


if TYPE_CHECKING:

    def bare(array: _Array) -> _Array:
        """Return a view of an array without reference counting."""

else:
    bare = intrinsic(_bare)
