"""JAX's `lax`: the instructions under their JAX names, with little on top.

Unlike the functions of `treadle.numpy` these promote nothing and broadcast scalars only: operands that are arrays
must have one element type and one shape. Python numbers take the element type of the arrays beside them.

Long because it is one namespace of short functions, whose signatures and examples are most of it.
"""

from __future__ import annotations

import builtins
import enum
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from treadle_ir import Array, DType, default_dtype, ops as raw_ops
from treadle_ir.dtypes import is_bool, is_complex, is_floating, is_inexact, is_integer
from treadle_ir.tree import tree_flatten, tree_map, tree_unflatten
from treadle_numpy import elementwise, logic
from treadle_numpy.coercion import (
    ArrayLike,
    UnsupportedError,
    ValueArgumentError,
    array_from,
    array_of,
    as_axis,
    as_index,
    as_shape,
    coerce,
    common_shape,
    converted,
    filled,
    operand_type,
    ops,
    shape_of,
    with_dtype,
)
from treadle_numpy.collectives import (
    all_gather as all_gather,
    axis_index as axis_index,
    axis_size as axis_size,
    pmax as pmax,
    pmean as pmean,
    pmin as pmin,
    psum as psum,
)
from treadle_numpy.contraction import contracted
from treadle_numpy.control import (
    associative_scan as associative_scan,
    cond as cond,
    fori_loop as fori_loop,
    map as map,
    scan as scan,
    switch as switch,
    while_loop as while_loop,
)
from treadle_numpy.convolution import (
    ConvDimensionNumbers as ConvDimensionNumbers,
    conv as conv,
    conv_dimension_numbers as conv_dimension_numbers,
    conv_general_dilated as conv_general_dilated,
    conv_with_general_padding as conv_with_general_padding,
    padtype_to_pads as padtype_to_pads,
)
from treadle_numpy.dtypes import DTypeLike, as_dtype
from treadle_numpy.indexing import gather_mode, wrapped
from treadle_numpy.manipulation import (
    ShapeValueError,
    slice_along,
    stack as _stack,
    tile as _tile,
    unstack as unstack,
)
from treadle_numpy.reinterpret import bitcast
from treadle_numpy.sorting import top_k as _top_k
from treadle_numpy.strict import strict
from treadle_numpy.updates import instruction_of


class Precision(enum.Enum):
    """How exactly an accelerator multiplies."""

    DEFAULT = 0
    HIGH = 1
    HIGHEST = 2

    def __str__(self) -> str:
        return self.name


class RoundingMethod(enum.IntEnum):
    """Where halves are rounded to."""

    AWAY_FROM_ZERO = 0
    TO_NEAREST_EVEN = 1


class GatherScatterMode(enum.Enum):
    """What becomes of positions out of range."""

    CLIP = 0
    FILL_OR_DROP = 1
    PROMISE_IN_BOUNDS = 2
    ONE_HOT = 3

    @staticmethod
    def from_any(s: Any) -> GatherScatterMode:
        """The mode that a name or a mode means."""
        if isinstance(s, GatherScatterMode):
            return s
        names = {
            "clip": "CLIP",
            None: "FILL_OR_DROP",
            "fill": "FILL_OR_DROP",
            "drop": "FILL_OR_DROP",
        }
        return GatherScatterMode[names.get(s, str(s).upper())]


class GatherDimensionNumbers(NamedTuple):
    """Which axes of a gather are what."""

    offset_dims: tuple[int, ...]
    collapsed_slice_dims: tuple[int, ...]
    start_index_map: tuple[int, ...]
    operand_batching_dims: tuple[int, ...] = ()
    start_indices_batching_dims: tuple[int, ...] = ()


class ScatterDimensionNumbers(NamedTuple):
    """Which axes of a scatter are what."""

    update_window_dims: Sequence[int]
    inserted_window_dims: Sequence[int]
    scatter_dims_to_operand_dims: Sequence[int]
    operand_batching_dims: Sequence[int] = ()
    scatter_indices_batching_dims: Sequence[int] = ()


DotDimensionNumbers = tuple[
    tuple[Sequence[int], Sequence[int]], tuple[Sequence[int], Sequence[int]]
]
ConvGeneralDilatedDimensionNumbers = None | ConvDimensionNumbers | tuple[str, str, str]
PrecisionLike = None | str | Precision | tuple[str, str] | tuple[Precision, Precision]


def _unary(name: str, instruction: str, doc: str) -> Callable[..., Array]:
    def function(x: ArrayLike, *, accuracy: Any = None) -> Array:
        return instruction_of(instruction)(coerce(name, 0, x))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _binary(name: str, instruction: str, doc: str) -> Callable[[ArrayLike, ArrayLike], Array]:
    def function(x: ArrayLike, y: ArrayLike) -> Array:
        return instruction_of(instruction)(*strict(name, x, y))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _compared(name: str) -> Callable[[ArrayLike, ArrayLike], Array]:
    def function(x: ArrayLike, y: ArrayLike) -> Array:
        return ops.compare(*strict(name, x, y), direction=name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The comparison `{name}`, elementwise."
    return function


abs = _unary("abs", "abs", "The absolute value.")
acos = _unary("acos", "acos", "The inverse cosine.")
acosh = _unary("acosh", "acosh", "The inverse hyperbolic cosine.")
asin = _unary("asin", "asin", "The inverse sine.")
asinh = _unary("asinh", "asinh", "The inverse hyperbolic sine.")
atan = _unary("atan", "atan", "The inverse tangent.")
atanh = _unary("atanh", "atanh", "The inverse hyperbolic tangent.")
bitwise_not = _unary("bitwise_not", "not_", "Each bit flipped.")
cbrt = _unary("cbrt", "cbrt", "The cube root.")
ceil = _unary("ceil", "ceil", "Rounded up.")
clz = _unary("clz", "count_leading_zeros", "The number of leading zero bits.")
cos = _unary("cos", "cosine", "The cosine.")
cosh = _unary("cosh", "cosh", "The hyperbolic cosine.")
digamma = _unary("digamma", "digamma", "The derivative of lgamma.")
erf = _unary("erf", "erf", "The error function.")
erf_inv = _unary("erf_inv", "erf_inv", "The inverse of erf.")
erfc = _unary("erfc", "erfc", "1 - erf(x).")
exp = _unary("exp", "exponential", "e ** x.")
exp2 = _unary("exp2", "exponential2", "2 ** x.")
expm1 = _unary("expm1", "exponential_minus_one", "e ** x - 1.")
floor = _unary("floor", "floor", "Rounded down.")
imag = _unary("imag", "imag", "The imaginary part.")
is_finite = _unary("is_finite", "is_finite", "Whether it is neither infinite nor NaN.")
lgamma = _unary("lgamma", "lgamma", "The logarithm of the gamma function's absolute value.")
log = _unary("log", "log", "The natural logarithm.")
log1p = _unary("log1p", "log_plus_one", "log(1 + x).")
logistic = _unary("logistic", "logistic", "1 / (1 + exp(-x)).")
neg = _unary("neg", "negate", "The opposite number.")
population_count = _unary("population_count", "popcnt", "The number of bits that are set.")
real = _unary("real", "real", "The real part.")
rsqrt = _unary("rsqrt", "rsqrt", "1 / sqrt(x).")
sign = _unary("sign", "sign", "The sign.")
sin = _unary("sin", "sine", "The sine.")
sinh = _unary("sinh", "sinh", "The hyperbolic sine.")
sqrt = _unary("sqrt", "sqrt", "The square root.")
square = _unary("square", "square", "x * x.")
tan = _unary("tan", "tan", "The tangent.")
tanh = _unary("tanh", "tanh", "The hyperbolic tangent.")
add = _binary("add", "add", "The sum.")
atan2 = _binary("atan2", "atan2", "The angle of the point (y, x).")
bitwise_and = _binary("bitwise_and", "and_", "Each bit of both.")
bitwise_or = _binary("bitwise_or", "or_", "Each bit of either.")
bitwise_xor = _binary("bitwise_xor", "xor", "Each bit of one but not both.")
complex = _binary("complex", "complex", "The complex number with these parts.")
div = _binary("div", "divide", "The quotient; of integers, rounded toward zero.")
max = _binary("max", "maximum", "The greater of two.")
min = _binary("min", "minimum", "The lesser of two.")
mul = _binary("mul", "multiply", "The product.")
nextafter = _binary("nextafter", "next_after", "The next number after x towards y.")
rem = _binary("rem", "remainder", "What division rounded toward zero leaves.")
shift_left = _binary("shift_left", "shift_left", "The bits moved up.")
shift_right_arithmetic = _binary(
    "shift_right_arithmetic", "shift_right_arithmetic", "The bits moved down, with sign."
)
shift_right_logical = _binary(
    "shift_right_logical", "shift_right_logical", "The bits moved down, with zeros."
)
sub = _binary("sub", "subtract", "The difference.")
eq, ne, lt, le, gt, ge = [_compared(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")]


def conj(x: ArrayLike) -> Array:
    """The complex conjugate; real numbers become complex."""
    operand = coerce("conj", 0, x)
    if is_complex(operand_type(operand).dtype):
        return ops.conjugate(operand)
    return ops.complex(operand, operand_type(operand).dtype.type(0))


def reciprocal(x: ArrayLike) -> Array:
    """`1 / x`."""
    return ops.integer_power(coerce("reciprocal", 0, x), exponent=-1)


def integer_pow(x: ArrayLike, y: int) -> Array:
    """`x ** y` for an integer that Python knows."""
    return ops.integer_power(coerce("integer_pow", 0, x), exponent=as_index("integer_pow", "y", y))


def pow(x: ArrayLike, y: ArrayLike) -> Array:
    """`x ** y`; an integer exponent beside a float is allowed."""
    base, exponent = coerce("pow", 0, x), coerce("pow", 1, y)
    types = operand_type(base), operand_type(exponent)
    if is_inexact(types[0].dtype) and is_integer(types[1].dtype):
        exponent = with_dtype(exponent, types[1], types[0].dtype, False)
        return ops.power(base, exponent)
    return ops.power(*strict("pow", base, exponent))


def round(x: ArrayLike, rounding_method: RoundingMethod = RoundingMethod.AWAY_FROM_ZERO) -> Array:
    """The nearest integer; halves away from zero, or to even."""
    operand = coerce("round", 0, x)
    even = RoundingMethod(rounding_method) is RoundingMethod.TO_NEAREST_EVEN
    return ops.round_nearest_even(operand) if even else ops.round_nearest_afz(operand)


def clamp(min: ArrayLike, x: ArrayLike, max: ArrayLike) -> Array:
    """`x` kept between two bounds."""
    return ops.clamp(*strict("clamp", min, x, max))


def select(pred: ArrayLike, on_true: ArrayLike, on_false: ArrayLike) -> Array:
    """`on_true` where the condition holds, else `on_false`."""
    return ops.select(coerce("select", 0, pred), *strict("select", on_true, on_false))


def select_n(which: ArrayLike, *cases: ArrayLike) -> Array:
    """From the case that `which` (a boolean, or an integer) names.

    Raises:
        ValueArgumentError: there is no case, or more than two with a boolean.

    Example:
        >>> print(select_n(np.array([0, 1], np.int32), np.array([1.0, 2.0]), np.array([3.0, 4.0])))
        [1. 4.]
    """
    if not cases:
        raise ValueArgumentError("select_n() must have at least one case")
    choice = coerce("select_n", 0, which)
    operands = strict("select_n", *cases)
    type = operand_type(choice)
    if is_bool(type.dtype):
        if len(operands) > 2:
            raise ValueArgumentError(
                f"with a boolean `which` there may be two cases, got {len(operands)}"
            )
        return ops.select(choice, operands[-1], operands[0])
    result = operands[-1]
    for i in range(len(operands) - 2, -1, -1):
        result = ops.select(
            ops.compare(choice, type.dtype.type(i), direction="le"), operands[i], result
        )
    return array_of(result)


def convert_element_type(operand: ArrayLike, new_dtype: DTypeLike) -> Array:
    """The same numbers in another element type."""
    x = coerce("convert_element_type", 0, operand)
    wanted = as_dtype("convert_element_type", new_dtype)
    assert wanted is not None
    return array_of(converted(x, wanted))


def bitcast_convert_type(operand: ArrayLike, new_dtype: DTypeLike) -> Array:
    """The same bits read as another element type; a narrower one adds a last axis, a wider one takes it away.

    Raises:
        DTypeError: one of the two types is boolean or complex, and the other is not the same.
        ShapeValueError: there is no last axis of the size that makes one wider element.

    Example:
        >>> print(bitcast_convert_type(np.float32(1.0), "uint8"))
        [  0   0 128  63]
    """
    x = array_of(coerce("bitcast_convert_type", 0, operand))
    wanted = as_dtype("bitcast_convert_type", new_dtype)
    assert wanted is not None
    return bitcast(x, wanted)


def reduce_precision(operand: ArrayLike, exponent_bits: int, mantissa_bits: int) -> Array:
    """Floats rounded to fewer bits."""
    return ops.reduce_precision(
        coerce("reduce_precision", 0, operand),
        exponent_bits=exponent_bits,
        mantissa_bits=mantissa_bits,
    )


def dtype(x: Any) -> DType:
    """The element type of a value."""
    return operand_type(coerce("dtype", 0, x)).dtype


# construction and shapes


def full(shape: Any, fill_value: ArrayLike, dtype: DTypeLike | None = None) -> Array:
    """An array of one value.

    Raises:
        ShapeValueError: the value is not a scalar.
    """
    value = coerce("full", 1, fill_value)
    if shape_of(value):
        raise ShapeValueError(
            f"full must be called with scalar fill_value, got fill_value.shape {shape_of(value)}."
        )
    wanted = as_dtype("full", dtype)
    value = value if wanted is None else converted(value, wanted)
    return filled(as_shape("full", shape), value[()] if isinstance(value, np.ndarray) else value)


def full_like(
    x: Any, fill_value: ArrayLike, dtype: DTypeLike | None = None, shape: Any = None
) -> Array:
    """One value in an array's shape and element type."""
    own = operand_type(coerce("full_like", 0, x))
    return full(
        own.shape if shape is None else shape, fill_value, own.dtype if dtype is None else dtype
    )


def iota(dtype: DTypeLike, size: int) -> Array:
    """The integers below `size`."""
    return broadcasted_iota(dtype, (size,), 0)


def broadcasted_iota(dtype: DTypeLike, shape: Any, dimension: int) -> Array:
    """The position along one axis, in an array of a shape."""
    sizes = as_shape("broadcasted_iota", shape)
    return ops.iota(
        shape=sizes,
        dtype=as_dtype("iota", dtype),
        dimension=as_axis("broadcasted_iota", dimension, len(sizes)),
    )


def broadcast(operand: ArrayLike, sizes: Sequence[int]) -> Array:
    """The array repeated along new leading axes."""
    x = array_of(coerce("broadcast", 0, operand))
    lead = as_shape("broadcast", sizes)
    places = tuple(range(len(lead), len(lead) + x.ndim))
    return ops.broadcast_in_dim(x, shape=(*lead, *x.shape), dimensions=places)


def broadcast_in_dim(operand: ArrayLike, shape: Any, broadcast_dimensions: Sequence[int]) -> Array:
    """The array repeated along new axes, and along its axes of size 1."""
    x = coerce("broadcast_in_dim", 0, operand)
    return ops.broadcast_in_dim(
        x, shape=as_shape("broadcast_in_dim", shape), dimensions=tuple(broadcast_dimensions)
    )


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """The shape that shapes broadcast to."""
    return common_shape("broadcast_shapes", [as_shape("broadcast_shapes", s) for s in shapes])


def reshape(operand: ArrayLike, new_sizes: Any, dimensions: Sequence[int] | None = None) -> Array:
    """The same elements in another shape, after a transposition if `dimensions` says so."""
    x = array_of(coerce("reshape", 0, operand))
    if dimensions is not None and tuple(dimensions) != tuple(range(x.ndim)):
        x = ops.transpose(x, permutation=tuple(dimensions))
    return ops.reshape(x, shape=as_shape("reshape", new_sizes))


def collapse(operand: Array, start_dimension: int, stop_dimension: int | None = None) -> Array:
    """Some neighbouring axes made one."""
    x = array_of(coerce("collapse", 0, operand))
    low, high, _ = slice_type(start_dimension, stop_dimension).indices(x.ndim)
    count = 1
    for n in x.shape[low:high]:
        count *= n
    return ops.reshape(x, shape=(*x.shape[:low], count, *x.shape[high:]))


slice_type: Final = type(np.s_[:])


def squeeze(array: ArrayLike, dimensions: Sequence[int]) -> Array:
    """The array without some axes of size 1.

    Raises:
        ShapeValueError: an axis has not size 1.
    """
    x = array_of(coerce("squeeze", 0, array))
    drop = [as_axis("squeeze", i, x.ndim) for i in dimensions]
    if any(x.shape[i] != 1 for i in drop):
        raise ShapeValueError(
            f"cannot select an axis to squeeze out which has size not equal to one, got {x.shape}"
        )
    return ops.reshape(x, shape=tuple([n for i, n in enumerate(x.shape) if i not in drop]))


def expand_dims(array: ArrayLike, dimensions: Sequence[int]) -> Array:
    """The array with axes of size 1 put in."""
    x = array_of(coerce("expand_dims", 0, array))
    ndim = x.ndim + len(dimensions)
    places = [as_axis("expand_dims", i, ndim) for i in dimensions]
    rest = iter(x.shape)
    return ops.reshape(x, shape=tuple([1 if i in places else next(rest) for i in range(ndim)]))


def transpose(operand: ArrayLike, permutation: Any) -> Array:
    """The axes in another order."""
    return ops.transpose(
        coerce("transpose", 0, operand), permutation=tuple([int(i) for i in permutation])
    )


def rev(operand: ArrayLike, dimensions: Sequence[int]) -> Array:
    """The elements in the opposite order along some axes."""
    return ops.reverse(coerce("rev", 0, operand), dimensions=tuple(dimensions))


def concatenate(operands: Any, dimension: int) -> Array:
    """Arrays one after the other along an axis.

    Raises:
        ValueArgumentError: there are no arrays.
    """
    parts = [array_of(coerce("concatenate", i, x)) for i, x in enumerate(operands)]
    if not parts:
        raise ValueArgumentError("concatenate requires a non-empty sequences of arrays")
    return parts[0] if len(parts) == 1 else ops.concatenate(parts, dimension=dimension)


def stack(operands: Sequence[ArrayLike], axis: int = 0) -> Array:
    """Arrays of one shape along a new axis."""
    return _stack(list(operands), axis)


def split(operand: ArrayLike, sizes: Sequence[int], axis: int = 0) -> list[Array]:
    """The array cut into parts of these sizes.

    Raises:
        ShapeValueError: the sizes do not sum up to that of the axis.
    """
    x = array_of(coerce("split", 0, operand))
    along = as_axis("split", axis, x.ndim)
    if builtins.sum(sizes) != x.shape[along]:
        raise ShapeValueError(
            f"Sum of sizes {tuple(sizes)} must be equal to dimension {along} of the operand shape {x.shape}"
        )
    parts, start = [], 0
    for size in sizes:
        parts.append(slice_along(x, along, start, start + size))
        start += size
    return parts


def tile(operand: ArrayLike, reps: Sequence[int]) -> Array:
    """The array repeated as a whole along each axis."""
    return _tile(operand, reps)


def pad(
    operand: ArrayLike, padding_value: ArrayLike, padding_config: Sequence[tuple[int, int, int]]
) -> Array:
    """The array with a value before, after and between its elements; negative padding takes elements away."""
    x, value = strict("pad", operand, padding_value)
    low, high, interior = zip(*padding_config, strict=True) if padding_config else ((), (), ())
    return ops.pad(x, value, low=low, high=high, interior=interior)


def slice(
    operand: ArrayLike,
    start_indices: Sequence[int],
    limit_indices: Sequence[int],
    strides: Sequence[int] | None = None,
) -> Array:
    """The elements at start, start + stride, ... below limit, on each axis."""
    x = coerce("slice", 0, operand)
    steps = (1,) * len(start_indices) if strides is None else tuple(strides)
    return ops.slice(x, start=tuple(start_indices), limit=tuple(limit_indices), strides=steps)


def slice_in_dim(
    operand: Any, start_index: int | None, limit_index: int | None, stride: int = 1, axis: int = 0
) -> Array:
    """A range along one axis."""
    x = array_of(coerce("slice_in_dim", 0, operand))
    along = as_axis("slice_in_dim", axis, x.ndim)
    size = x.shape[along]
    low = 0 if start_index is None else int(start_index) + (size if start_index < 0 else 0)
    high = size if limit_index is None else int(limit_index) + (size if limit_index < 0 else 0)
    start, limit, strides = [0] * x.ndim, list(x.shape), [1] * x.ndim
    start[along], limit[along], strides[along] = low, high, stride
    return ops.slice(x, start=tuple(start), limit=tuple(limit), strides=tuple(strides))


def index_in_dim(operand: Any, index: int, axis: int = 0, keepdims: bool = True) -> Array:
    """One position along one axis.

    Raises:
        IndexError: there is no such position.
    """
    x = array_of(coerce("index_in_dim", 0, operand))
    along = as_axis("index_in_dim", axis, x.ndim)
    size = x.shape[along]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for axis {axis} with size {size}")
    place = index % size
    part = slice_along(x, along, place, place + 1)
    return part if keepdims else squeeze(part, (along,))


def _starts(name: str, x: Array, start_indices: Any, negative: Any) -> list[Any]:
    if isinstance(start_indices, (Array, np.ndarray)) and shape_of(start_indices):
        whole = array_of(start_indices)
        parts: list[Any] = [
            ops.reshape(slice_along(whole, 0, i, i + 1), shape=()) for i in range(whole.shape[0])
        ]
    else:
        parts = list(start_indices)
    if len(parts) != x.ndim:
        raise ShapeValueError(
            f"{name}: {len(parts)} start indices for the {x.ndim} axes of {x.shape}"
        )
    flags = list(negative) if isinstance(negative, (tuple, list)) else [negative] * x.ndim
    return [
        _start(name, part, n, flag) for part, n, flag in zip(parts, x.shape, flags, strict=True)
    ]


def _start(name: str, index: Any, size: int, negative: bool) -> Any:
    whole = default_dtype(int)
    if isinstance(index, int):
        return whole.type(index + size if negative and index < 0 else index)
    operand = coerce(name, 1, index)
    if not is_integer(operand_type(operand).dtype):
        raise ValueArgumentError(
            f"{name}: start indices must be integers, got {operand_type(operand)}"
        )
    return wrapped(operand, size) if negative else converted(operand, whole)


def dynamic_slice(
    operand: Any, start_indices: Any, slice_sizes: Any, *, allow_negative_indices: Any = True
) -> Array:
    """A slice of fixed sizes from computed starts, clipped so that it lies inside.

    Example:
        >>> print(dynamic_slice(np.arange(5), (np.int32(3),), (3,)))
        [2 3 4]
    """
    x = array_of(coerce("dynamic_slice", 0, operand))
    starts = _starts("dynamic_slice", x, start_indices, allow_negative_indices)
    return ops.dynamic_slice(x, *starts, sizes=as_shape("dynamic_slice", slice_sizes))


def dynamic_slice_in_dim(
    operand: Any,
    start_index: Any,
    slice_size: int,
    axis: int = 0,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """`dynamic_slice` along one axis."""
    x = array_of(coerce("dynamic_slice_in_dim", 0, operand))
    along = as_axis("dynamic_slice_in_dim", axis, x.ndim)
    starts: list[Any] = [0] * x.ndim
    sizes = list(x.shape)
    starts[along], sizes[along] = (
        start_index,
        as_index("dynamic_slice_in_dim", "slice_size", slice_size),
    )
    return dynamic_slice(x, starts, sizes, allow_negative_indices=allow_negative_indices)


def dynamic_index_in_dim(
    operand: Any,
    index: Any,
    axis: int = 0,
    keepdims: bool = True,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """One computed position along one axis."""
    part = dynamic_slice_in_dim(
        operand, index, 1, axis, allow_negative_indices=allow_negative_indices
    )
    return part if keepdims else squeeze(part, (axis,))


def dynamic_update_slice(
    operand: Any, update: ArrayLike, start_indices: Any, *, allow_negative_indices: Any = True
) -> Array:
    """The array with a slice replaced, from computed starts, clipped so that the update lies inside."""
    x, new = strict("dynamic_update_slice", operand, update)
    x = array_of(x)
    return ops.dynamic_update_slice(
        x, array_of(new), *_starts("dynamic_update_slice", x, start_indices, allow_negative_indices)
    )


def dynamic_update_slice_in_dim(
    operand: Any,
    update: ArrayLike,
    start_index: Any,
    axis: int,
    *,
    allow_negative_indices: bool = True,
) -> Array:
    """`dynamic_update_slice` along one axis."""
    x = array_of(coerce("dynamic_update_slice_in_dim", 0, operand))
    starts: list[Any] = [0] * x.ndim
    starts[as_axis("dynamic_update_slice_in_dim", axis, x.ndim)] = start_index
    return dynamic_update_slice(x, update, starts, allow_negative_indices=allow_negative_indices)


def dynamic_update_index_in_dim(
    operand: Any, update: ArrayLike, index: Any, axis: int, *, allow_negative_indices: bool = True
) -> Array:
    """The array with one computed position along one axis replaced."""
    x = array_of(coerce("dynamic_update_index_in_dim", 0, operand))
    new = array_of(coerce("dynamic_update_index_in_dim", 1, update))
    along = as_axis("dynamic_update_index_in_dim", axis, x.ndim)
    if new.ndim != x.ndim:
        new = expand_dims(new, (along,))
    return dynamic_update_slice_in_dim(
        x, new, index, along, allow_negative_indices=allow_negative_indices
    )


def gather(
    operand: ArrayLike,
    start_indices: ArrayLike,
    dimension_numbers: GatherDimensionNumbers,
    slice_sizes: Any,
    *,
    unique_indices: bool = False,
    indices_are_sorted: bool = False,
    mode: Any = None,
    fill_value: Any = None,
) -> Array:
    """Slices of an array from computed places: the index vectors lie along the last axis."""
    d = dimension_numbers
    return ops.gather(
        array_of(coerce("gather", 0, operand)),
        array_of(coerce("gather", 1, start_indices)),
        offset_dims=tuple(d.offset_dims),
        collapsed_slice_dims=tuple(d.collapsed_slice_dims),
        start_index_map=tuple(d.start_index_map),
        slice_sizes=as_shape("gather", slice_sizes),
        operand_batching_dims=tuple(d.operand_batching_dims),
        start_indices_batching_dims=tuple(d.start_indices_batching_dims),
        mode=gather_mode(mode, "fill"),
        fill_value=fill_value,
        indices_are_sorted=indices_are_sorted,
        unique_indices=unique_indices,
    )


def _scatter(name: str, instruction: str, doc: str) -> Callable[..., Array]:
    def function(
        operand: ArrayLike,
        scatter_indices: ArrayLike,
        updates: ArrayLike,
        dimension_numbers: ScatterDimensionNumbers,
        *,
        indices_are_sorted: bool = False,
        unique_indices: bool = False,
        mode: Any = None,
    ) -> Array:
        d = dimension_numbers
        x, new = strict(name, operand, updates)
        return instruction_of(instruction)(
            array_of(x),
            array_of(coerce(name, 1, scatter_indices)),
            array_of(new),
            update_window_dims=tuple(d.update_window_dims),
            inserted_window_dims=tuple(d.inserted_window_dims),
            scatter_dims_to_operand_dims=tuple(d.scatter_dims_to_operand_dims),
            operand_batching_dims=tuple(d.operand_batching_dims),
            scatter_indices_batching_dims=tuple(d.scatter_indices_batching_dims),
            mode=gather_mode(mode, "fill"),
            indices_are_sorted=indices_are_sorted,
            unique_indices=unique_indices,
        )

    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


scatter = _scatter("scatter", "scatter", "The array with updates put at computed places.")
scatter_add = _scatter(
    "scatter_add", "scatter_add", "The array with updates added at computed places."
)
scatter_mul = _scatter(
    "scatter_mul", "scatter_multiply", "The array multiplied by updates at computed places."
)
scatter_min = _scatter(
    "scatter_min", "scatter_minimum", "The lesser of elements and updates at computed places."
)
scatter_max = _scatter(
    "scatter_max", "scatter_maximum", "The greater of elements and updates at computed places."
)

# reductions


def _reduction(name: str, instruction: str) -> Callable[..., Array]:
    def function(operand: ArrayLike, axes: Sequence[int]) -> Array:
        x = array_of(coerce(name, 0, operand))
        named = tuple(sorted(as_axis(name, axis, x.ndim) for axis in axes))
        return instruction_of(instruction)(x, axes=named)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The elements along some axes reduced by `{instruction}`."
    return function


reduce_sum = _reduction("reduce_sum", "reduce_add")
reduce_prod = _reduction("reduce_prod", "reduce_multiply")
reduce_max = _reduction("reduce_max", "reduce_maximum")
reduce_min = _reduction("reduce_min", "reduce_minimum")
reduce_and = _reduction("reduce_and", "reduce_and")
reduce_or = _reduction("reduce_or", "reduce_or")
reduce_xor = _reduction("reduce_xor", "reduce_xor")


def _running(name: str, instruction: str) -> Callable[..., Array]:
    def function(operand: ArrayLike, axis: int = 0, reverse: bool = False) -> Array:
        x = array_of(coerce(name, 0, operand))
        return instruction_of(instruction)(x, axis=as_axis(name, axis, x.ndim), reverse=reverse)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"The running `{instruction}` along an axis, from the end if `reverse`."
    return function


cumsum = _running("cumsum", "cumulative_add")
cumprod = _running("cumprod", "cumulative_multiply")
cummax = _running("cummax", "cumulative_maximum")
cummin = _running("cummin", "cumulative_minimum")
cumlogsumexp = _running("cumlogsumexp", "cumulative_logsumexp")


def argmax(operand: ArrayLike, axis: int, index_dtype: DTypeLike) -> Array:
    """The position of the greatest element along an axis."""
    x = array_of(coerce("argmax", 0, operand))
    return ops.argmax(
        x, axis=as_axis("argmax", axis, x.ndim), dtype=as_dtype("argmax", index_dtype)
    )


def argmin(operand: ArrayLike, axis: int, index_dtype: DTypeLike) -> Array:
    """The position of the least element along an axis."""
    x = array_of(coerce("argmin", 0, operand))
    return ops.argmin(
        x, axis=as_axis("argmin", axis, x.ndim), dtype=as_dtype("argmin", index_dtype)
    )


# Functions of two operands that reductions know, and their instructions.
_MONOIDS: Final[dict[Any, str]] = {
    function: instruction
    for instruction, functions in {
        "add": (add, elementwise.add),
        "multiply": (mul, elementwise.multiply),
        "maximum": (max, elementwise.maximum),
        "minimum": (min, elementwise.minimum),
        "and": (bitwise_and, elementwise.bitwise_and, logic.logical_and),
        "or": (bitwise_or, elementwise.bitwise_or, logic.logical_or),
        "xor": (bitwise_xor, elementwise.bitwise_xor),
    }.items()
    for function in functions
}


def _monoid(computation: Any) -> str | None:
    """The instruction that a reduction by a known function of two operands is."""
    try:
        return _MONOIDS.get(computation)
    except TypeError:  # it has no hash
        return None


def reduce(
    operands: Any,
    init_values: Any,
    computation: Callable[[Any, Any], Any],
    dimensions: Sequence[int],
) -> Any:
    """The elements along some axes combined, by lax.add, mul, max, min, bitwise_and, bitwise_or or bitwise_xor.

    Raises:
        UnsupportedError: another function than these.
    """
    name = _monoid(computation)
    if name is None:
        raise UnsupportedError(
            "reduce: only lax.add, mul, max, min, bitwise_and, bitwise_or and bitwise_xor are supported",
            fix="use lax.associative_scan or lax.scan for other functions",
        )
    x = array_of(coerce("reduce", 0, operands))
    axes = tuple(sorted(as_axis("reduce", i, x.ndim) for i in dimensions))
    combined = getattr(ops, f"reduce_{name}")(x, axes=axes)
    start = converted(coerce("reduce", 1, init_values), x.dtype)
    return instruction_of({"and": "and_", "or": "or_"}.get(name, name))(combined, start)


def reduce_window(
    operand: Any,
    init_value: Any,
    computation: Callable[[Any, Any], Any],
    window_dimensions: Any,
    window_strides: Any = None,
    padding: Any = "VALID",
    base_dilation: Any = None,
    window_dilation: Any = None,
) -> Array:
    """The elements of each window combined, by lax.add, max or min.

    Raises:
        UnsupportedError: another function than these.
    """
    name = _monoid(computation)
    if name not in ("add", "maximum", "minimum"):
        raise UnsupportedError("reduce_window: only lax.add, lax.max and lax.min are supported")
    x = array_of(coerce("reduce_window", 0, operand))
    ones = (1,) * x.ndim
    window, strides = tuple(window_dimensions), tuple(window_strides or ones)
    base, holes = tuple(base_dilation or ones), tuple(window_dilation or ones)
    if isinstance(padding, str):
        sizes = [(n - 1) * b + 1 if n else 0 for n, b in zip(x.shape, base, strict=True)]
        spread = [(w - 1) * h + 1 for w, h in zip(window, holes, strict=True)]
        padding = padtype_to_pads(sizes, spread, strides, padding)
    result = getattr(ops, f"reduce_window_{name}")(
        x,
        window_dimensions=window,
        window_strides=strides,
        padding=tuple([(int(a), int(b)) for a, b in padding]),
        base_dilation=base,
        window_dilation=holes,
    )
    start = converted(coerce("reduce_window", 1, init_value), x.dtype)
    return instruction_of(name)(result, start)


# sorting


def sort(operand: Any, dimension: int = -1, is_stable: bool = True, num_keys: int = 1) -> Any:
    """The array, or several arrays by the first ones, in ascending order along an axis."""
    several = isinstance(operand, (tuple, list))
    operands = [
        array_of(coerce("sort", i, x)) for i, x in enumerate(operand if several else [operand])
    ]
    along = as_axis("sort", dimension, operands[0].ndim)
    results = tuple(raw_ops.sort(operands, dimension=along, num_keys=num_keys, stable=is_stable))
    return results if several else results[0]


def sort_key_val(
    keys: Array, values: ArrayLike, dimension: int = -1, is_stable: bool = True
) -> Any:
    """Keys in ascending order along an axis, and values rearranged with them."""
    return sort((keys, values), dimension, is_stable)


def top_k(operand: ArrayLike, k: int, *, axis: int = -1) -> tuple[Array, Array]:
    """The `k` greatest elements along an axis, descending, and their positions."""
    return _top_k(operand, k, axis=axis)


# contraction


def dot_general(
    lhs: ArrayLike,
    rhs: ArrayLike,
    dimension_numbers: Any,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """Products summed over contracted axes, for each index of the batching axes."""
    x, y = strict("dot_general", lhs, rhs)
    (left, right), (batch_left, batch_right) = dimension_numbers
    return contracted(
        x,
        y,
        (tuple(left), tuple(right)),
        (tuple(batch_left), tuple(batch_right)),
        precision,
        preferred_element_type,
    )


def dot(
    lhs: ArrayLike,
    rhs: ArrayLike,
    *,
    dimension_numbers: Any = None,
    precision: Any = None,
    preferred_element_type: DTypeLike | None = None,
) -> Array:
    """The product of vectors and matrices.

    Raises:
        ShapeValueError: an operand has not one or two axes, or the summed axes have different sizes.
    """
    x, y = strict("dot", lhs, rhs)
    if dimension_numbers is None:
        rank = len(shape_of(x))
        if (
            not 1 <= rank <= 2
            or not 1 <= len(shape_of(y)) <= 2
            or shape_of(x)[-1] != shape_of(y)[0]
        ):
            raise ShapeValueError(
                f"Incompatible shapes for dot: got {shape_of(x)} and {shape_of(y)}."
            )
        dimension_numbers = (((rank - 1,), (0,)), ((), ()))
    return dot_general(x, y, dimension_numbers, precision, preferred_element_type)


def batch_matmul(lhs: Array, rhs: Array, precision: Any = None) -> Array:
    """The product of matrices in the last two axes, for each index of the leading ones."""
    rank = lhs.ndim
    batch = tuple(range(rank - 2))
    return dot_general(lhs, rhs, (((rank - 1,), (rank - 2,)), (batch, batch)), precision)


# others


def _stopped(x: Any) -> Any:
    if not isinstance(x, (Array, np.ndarray, np.generic, float, builtins.complex)):
        return x
    operand = coerce("stop_gradient", 0, x)
    type = operand_type(operand)
    return (
        array_of(ops.stop_gradient(operand))
        if is_floating(type.dtype) or is_complex(type.dtype)
        else x
    )


def stop_gradient(x: Any) -> Any:
    """The same values as a constant to derivatives; for trees, each leaf."""
    return tree_map(_stopped, x)


def optimization_barrier(operand: Any, /) -> Any:
    """The same values, across which a compiler does not move work."""
    leaves, structure = tree_flatten(operand)
    if not leaves:
        return operand
    arrays = [array_from("optimization_barrier", leaf, None) for leaf in leaves]
    return tree_unflatten(structure, raw_ops.optimization_barrier(*arrays))
