"""How elementwise functions are made: one primitive on promoted operands.

`x + y` on two arrays of one type, and on an array and a Python number, must cost little more than the bind:
`binary` has a fast path for those, which the operators of arrays share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol, TypeVar

from treadle_ir import Array, ArrayType, Operand, Primitive, ops
from treadle_ir.calling import composed
from treadle_ir.core.dtypes import BY_NAME, MINIFLOATS, is_bool, is_complex, is_inexact
from treadle_ir.primitives.compare import Compare, Direction
from treadle_ir.tracing import EvalTrace, current_trace
from treadle_numpy.operands.arrays import array_of, bind
from treadle_numpy.operands.broadcast import broadcast_pair, promote_shapes
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.promote import inexact_operand, with_dtype
from treadle_numpy.operands.scalars import scalar_like


class UnaryFunction(Protocol):
    """A function of one operand, as an instance of it shows to type checkers."""

    __name__: str
    __qualname__: str

    def __call__(self, x: ArrayLike, /) -> Array:
        """Return the result."""
        ...


class BinaryFunction(Protocol):
    """A function of two operands, as an instance of it shows to type checkers."""

    __name__: str
    __qualname__: str

    def __call__(self, x: ArrayLike, y: ArrayLike, /) -> Array:
        """Return the result."""
        ...


Named = TypeVar("Named", bound=UnaryFunction | BinaryFunction)
INT32: Final = BY_NAME["i32"]
_PYTHONS: Final = frozenset([float, int])  # numbers that arrays are held of
INEXACT: Final = frozenset(
    [BY_NAME[name] for name in (*MINIFLOATS, "bf16", "f16", "f32", "f64", "c64", "c128")]
)


def _named(function: Named, name: str, doc: str, example: str) -> Named:
    function.__name__ = function.__qualname__ = name
    function.__module__ = "treadle_numpy.numpy"  # where pickle finds it
    function.__doc__ = f"{doc}\n\n    Example:\n        >>> {example}\n" if example else doc
    return function


def unary(name: str, primitive: Primitive, doc: str, example: str = "") -> UnaryFunction:
    """Return a function of one operand, which integers enter as floats of default width."""

    def converting(x: ArrayLike, /) -> Array:
        return bind(primitive, inexact_operand(name, x))

    whole = composed(converting)  # large integers become floats on the way, in one pass
    of_number = composed(numbers=["x"])(converting)  # found again as a whole

    def function(x: ArrayLike, /) -> Array:
        try:
            direct = x.type.dtype in INEXACT  # type: ignore[union-attr]  # NumPy's arrays take the slow path
        except AttributeError:
            direct = False
        if direct:
            return current_trace().process(primitive, (x,))[0]  # type: ignore[arg-type, return-value]
        if x.__class__ in _PYTHONS:
            return of_number(x)
        return whole(x) if isinstance(x, Array) else converting(x)

    return _named(function, name, doc, example)


def unary_same(name: str, primitive: Primitive, doc: str, example: str = "") -> UnaryFunction:
    """Return a function of one operand that keeps its element type, whatever that is."""

    def function(x: ArrayLike, /) -> Array:
        return bind(primitive, coerce(name, 0, x))

    return _named(function, name, doc, example)


def rounding(name: str, primitive: Primitive, doc: str, example: str = "") -> UnaryFunction:
    """Return a function of one real operand that keeps its element type and leaves integers alone."""

    inexact = unary(name, primitive, doc)

    def function(x: ArrayLike, /) -> Array:
        if getattr(x, "dtype", None) in INEXACT:
            return inexact(x)
        operand = coerce(name, 0, x)
        return bind(primitive, operand) if is_inexact(operand.dtype) else array_of(operand)

    return _named(function, name, doc, example)


def binary(
    name: str,
    primitive: Primitive,
    doc: str,
    example: str = "",
    *,
    inexact: bool = False,
    by_parts: Callable[[Operand, Operand], Array] | None = None,
    mixed: Callable[[ArrayLike, ArrayLike], Array | None] | None = None,
) -> BinaryFunction:
    """Return a function of two operands: promoted, broadcast, one primitive.

    `inexact` makes floats of integers first; `by_parts` is what it comes to for complex numbers, if not the primitive;
    `mixed` may know better than promotion what to do with operands of two element types, or says None.
    """
    plain = {
        dtype
        for dtype in BY_NAME.values()
        if (is_inexact(dtype) or not inexact) and (by_parts is None or not is_complex(dtype))
    }

    def promoting(x: ArrayLike, y: ArrayLike, /) -> Array:
        operands = promote_shapes(name, x, y, inexact=inexact)
        if by_parts is not None and is_complex(operands[0].dtype):
            return by_parts(*operands)
        return bind(primitive, *operands)

    whole = composed(numbers=["x", "y"])(
        promoting
    )  # found again as a whole, and one pass over large arrays

    # On the fast paths the operands are arrays, which type checkers cannot see.
    def function(x: ArrayLike, y: ArrayLike, /) -> Array:
        kind = type(y)
        if kind is float or kind is int:
            try:
                array_type = x.type  # type: ignore[union-attr]
            except AttributeError:
                array_type = None
            if array_type is not None and (not inexact or array_type.dtype in INEXACT):
                scalar = scalar_like(y, array_type)
                if scalar is not None:
                    return current_trace().process(primitive, (x, scalar))[0]  # type: ignore[arg-type, return-value]
        elif kind is type(x):
            left: ArrayType
            right: ArrayType
            try:
                left, right = x.type, y.type  # type: ignore[union-attr]  # NumPy's arrays have none
                direct = left.dtype in plain and left.dtype is right.dtype
            except AttributeError:
                direct = False
            if direct and left is right:
                return current_trace().process(primitive, (x, y))[0]  # type: ignore[arg-type, return-value]
            if direct and left.weak is right.weak:
                trace = current_trace()
                if trace.__class__ is not EvalTrace or not left.shape or not right.shape:
                    pair = broadcast_pair(name, x, y)  # type: ignore[arg-type]
                    return trace.process(primitive, pair)[0]  # type: ignore[return-value]
                # Without transformations as a whole: one call, one pass, and what is divided over devices stays so.
        if mixed is not None:
            known = mixed(x, y)
            if known is not None:
                return known
        # A number together with NumPy's arrays stays a number: as a NumPy array it would not yield to their type.
        numbers = kind in _PYTHONS and x.__class__ in _PYTHONS
        return (whole if numbers or isinstance(x, Array) or isinstance(y, Array) else promoting)(
            x, y
        )

    return _named(function, name, doc, example)


def integers(function: str, x: object, y: object) -> list[Operand]:
    """Two operands of one element type and shape; booleans as 32-bit integers, since they have no such operation."""
    operands = promote_shapes(function, x, y)
    if is_bool(operands[0].dtype):
        return [with_dtype(each, operand_type(each), INT32, False) for each in operands]
    return operands


def complex_order(direction: Direction) -> Callable[[Operand, Operand], Array]:
    """Compares complex numbers by real part, then by imaginary part, as NumPy does."""

    def compare(x: Operand, y: Operand) -> Array:
        left, right = ops.real(x), ops.real(y)
        tie = ops.compare(left, right, direction="eq")
        first = ops.compare(left, right, direction=direction)
        second = ops.compare(ops.imag(x), ops.imag(y), direction=direction)
        return ops.select(tie, second, first)

    return compare


def comparison(name: str, direction: Direction, doc: str, example: str = "") -> BinaryFunction:
    """Return a function that compares two operands, complex ones by real part, then by imaginary part."""
    by_parts = None if direction in ("eq", "ne") else complex_order(direction)
    return binary(name, Compare(direction), doc, example, by_parts=by_parts)
