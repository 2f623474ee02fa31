"""Arithmetic on 32-bit words, because Numba itself widens every sum and product to 64 bits.

The code is plain LLVM, so it gives the same results on a processor and on a graphics card.
"""

from typing import TYPE_CHECKING, Any

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

_WORD, _DOUBLE = ir.IntType(32), ir.IntType(64)
_PAIR = types.UniTuple(types.uint32, 2)


def _times(_: Any, __: Any, ___: Any) -> Any:
    """Return the upper and lower word of a product."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        product = builder.mul(*(builder.zext(word, _DOUBLE) for word in arguments))
        upper = builder.trunc(builder.lshr(product, ir.Constant(_DOUBLE, 32)), _WORD)
        lower = builder.trunc(product, _WORD)
        return context.make_tuple(builder, signature.return_type, (upper, lower))

    return _PAIR(types.uint32, types.uint32), generate


def _plus(_: Any, __: Any, ___: Any) -> Any:
    """Return a sum modulo 2^32."""

    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.add(*arguments)

    return types.uint32(types.uint32, types.uint32), generate


def _xor(_: Any, __: Any, ___: Any) -> Any:
    def generate(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.xor(*arguments)

    return types.uint32(types.uint32, types.uint32), generate


if TYPE_CHECKING:
    from numpy import uint32 as Word  # noqa: N812

    def times(one: Word, other: Word) -> tuple[Word, Word]:
        """Return the upper and the lower word of a product."""

    def plus(one: Word, other: Word) -> Word:
        """Return a sum modulo 2^32."""

    def xor(one: Word, other: Word) -> Word:
        """Return the bits in which two words differ."""

else:
    times, plus, xor = intrinsic(_times), intrinsic(_plus), intrinsic(_xor)
