"""Contractions: dot_general and convolution.

Both are bilinear; both name axes by position instead of requiring one order of axes, so that no transposes are needed.

    dot_general(x, y, *, contracting, batching=((), ()), precision="default", element_type=None)
    convolution(x, kernel, *, strides, padding, lhs_dilation=(), rhs_dilation=(), lhs_spec, rhs_spec, out_spec,
                feature_group_count=1, batch_group_count=1, precision="default", element_type=None)

`contracting` and `batching` are pairs of tuples: the axes of x, and the axes of y that go with them in order.
The three specs of a convolution are permutations: (batch, feature, *spatial) for the operand and the result,
(output feature, input feature, *spatial) for the kernel. Empty strides and dilations mean 1 everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, Literal, TypeAlias, final, get_args

from treadle_ir.core import dtypes
from treadle_ir.core.dtypes import DType
from treadle_ir.core.families import Contraction
from treadle_ir.core.primitive import check_word
from treadle_ir.core.registry import register
from treadle_ir.core.sizes import is_symbolic_dim, max_dim
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

AxisPairs: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
Precision: TypeAlias = Literal["default", "high", "highest"]
_PRECISIONS: Final = get_args(Precision)
NO_PAIRS: Final[AxisPairs] = ((), ())


def contraction_dtype(name: str, x: ArrayType, y: ArrayType, element_type: DType | None) -> DType:
    """Return the element type of a product of x and y, which is `element_type` if that is given.

    Raises:
        DTypeError: x and y have different element types, or `element_type` is of another kind or narrower.
    """
    if x.dtype != y.dtype:
        raise DTypeError(
            f"{name}: operands have types {x} and {y}, whose element types must be equal",
            fix="convert first with .astype(...), or use the function of treadle.numpy, which promotes",
        )
    if dtypes.is_float0(x.dtype):
        raise DTypeError(
            f"{name}: operands are {x} and {y}, but float0 takes no part in arithmetic",
            fix="float0 is the tangent of integers and booleans: leave it out of computations",
        )
    if element_type is None or element_type == x.dtype:
        dtypes.dtype_name(x.dtype)
        return x.dtype
    kinds = (
        dtypes.is_bool,
        dtypes.is_signed,
        dtypes.is_unsigned,
        dtypes.is_floating,
        dtypes.is_complex,
    )
    if not any(kind(x.dtype) and kind(element_type) for kind in kinds):
        raise DTypeError(
            f"{name}: a product of {dtypes.dtype_name(x.dtype)} cannot be {dtypes.dtype_name(element_type)}, "
            "which is of another kind",
            fix="leave the preferred element type out and convert the result",
        )
    if dtypes.bit_width(element_type) < dtypes.bit_width(x.dtype):
        raise DTypeError(
            f"{name}: a product of {dtypes.dtype_name(x.dtype)} cannot be {dtypes.dtype_name(element_type)}, "
            "which is narrower",
            fix="leave the preferred element type out and convert the result",
        )
    return element_type


def free_axes(ndim: int, *taken: Sequence[int]) -> tuple[int, ...]:
    """Return the axes that are in none of the lists, in order."""
    used = {axis for axes in taken for axis in axes}
    return tuple([axis for axis in range(ndim) if axis not in used])


@register
@final
@frozen
class DotGeneral(Contraction):
    """Multiply and sum over the contracted axes, for each index of the batching axes.

    Shapes:
        x: batching, free and contracted axes in any order; y likewise
        result: [*batching, *free axes of x, *free axes of y]

    Constraints:
        (C1) contracted and batching axes are in range and disjoint
        (C2) paired axes have equal sizes, and as many are listed for x as for y
        (C3) x and y have one element type; `element_type`, if given, is of its kind and not narrower

    Raises:
        ShapeError: C1 or C2.
        DTypeError: C3.

    Source: StableHLO specification, `dot_general`.
    """

    name: ClassVar[str] = "dot_general"
    contracting: AxisPairs
    batching: AxisPairs = NO_PAIRS
    precision: Precision = "default"
    element_type: DType | None = None

    def __post_init__(self) -> None:
        check_word(self.name, "precision", self.precision, _PRECISIONS)

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the free axes of both operands after the batching axes."""
        x, y = operands
        assert isinstance(x, ArrayType)
        assert isinstance(y, ArrayType)
        for operand, which in ((x, 0), (y, 1)):  # C1
            axes = self.batching[which] + self.contracting[which]
            if len(set(axes)) != len(axes) or not all(0 <= axis < operand.ndim for axis in axes):
                raise ShapeError(
                    f"dot_general: axes {axes} (batching, then contracted) of operand {which} are not distinct "
                    f"axes of {operand}",
                    fix=f"name axes from 0 to {operand.ndim - 1}, each once",
                )
        for word, (left, right) in (
            ("batching", self.batching),
            ("contracted", self.contracting),
        ):  # C2
            sizes = tuple([x.shape[i] for i in left]), tuple([y.shape[i] for i in right])
            if sizes[0] != sizes[1]:
                raise ShapeError(
                    f"dot_general: the {word} axes {left} of {x} and {right} of {y} have sizes "
                    f"{sizes[0]} and {sizes[1]}, which must be equal",
                )
        dtype = contraction_dtype(self.name, x, y, self.element_type)  # C3
        shape = (
            *(x.shape[i] for i in self.batching[0]),
            *(x.shape[i] for i in free_axes(x.ndim, self.batching[0], self.contracting[0])),
            *(y.shape[i] for i in free_axes(y.ndim, self.batching[1], self.contracting[1])),
        )
        return (ArrayType(shape, dtype, x.weak and y.weak),)


def dilated(size: int, dilation: int) -> int:
    """Return the length of `size` elements with `dilation - 1` holes between each element and the next."""
    if dilation == 1:  # also for a symbolic size, which may be 0
        return size
    return (size - 1) * dilation + 1 if size else 0


def has_one_feature(primitive: Convolution, kernel: Sequence[int]) -> bool:
    """Return whether each group of a convolution with a kernel of this shape has one input and one output feature."""
    output, features, *_ = primitive.rhs_spec
    return kernel[features] == 1 and kernel[output] == primitive.feature_group_count


def multiplies_padding(primitive: Convolution, kernel: ArrayType) -> bool:
    """Return whether weights that are NaN or infinite are multiplied by the zeros of the padding, which gives NaN.

    Padding is not made of elements, so a weight over it should contribute nothing. On the CPU, though, XLA passes
    convolutions of floats of up to 32 bits with several features to Eigen, which materialises the padding; XLA's own
    loops compute convolutions of a dilated operand.
    """
    part = dtypes.real_part(kernel.dtype) if dtypes.is_complex(kernel.dtype) else kernel.dtype
    return (
        dtypes.is_floating(part)
        and part.itemsize <= 4
        and len(primitive.padding) <= EIGENS_AXES
        and not has_one_feature(primitive, kernel.shape)
        and all([hole == 1 for hole in primitive.lhs_dilation])
    )


EIGENS_AXES: Final = 3
"""The greatest number of spatial axes of the convolutions that XLA passes to Eigen on the CPU."""


def window_counts(
    sizes: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    base_dilation: Sequence[int],
    window_dilation: Sequence[int],
) -> tuple[int, ...]:
    """Return the number of positions of a sliding window along each axis.

    Source: StableHLO specification, `reduce_window` and `convolution`.
    """
    counts = []
    for size, width, stride, (low, high), base, hole in zip(
        sizes, window, strides, padding, base_dilation, window_dilation, strict=True
    ):
        padded = low + dilated(size, base) + high
        spread = dilated(width, hole)
        if is_symbolic_dim(padded):
            counts.append(max_dim((padded - spread) // stride + 1, 0))
        else:
            counts.append((padded - spread) // stride + 1 if padded > 0 and padded >= spread else 0)
    return tuple(counts)


@register
@final
@frozen
class Convolution(Contraction):
    """The inner product of a kernel with the windows of an operand that it slides over.

    With groups, features (or the batch) are divided into equal groups that do not interact.

    Shapes:
        x: batch, feature and spatial axes in the positions of `lhs_spec`
        kernel: output feature, input feature and spatial axes in the positions of `rhs_spec`
        result: batch, feature and spatial axes in the positions of `out_spec`

    Constraints:
        (C1) the specs are permutations of the axes; ranks are equal and at least 2
        (C2) strides, padding and dilations have one entry per spatial axis; strides and dilations are positive
        (C3) x has feature_group_count times as many features as the kernel has input features
        (C4) feature_group_count and batch_group_count divide the kernel's output features; batch_group_count
             divides the batch; one of the two is 1
        (C5) x and kernel have one element type; `element_type`, if given, is of its kind and not narrower
        (C6) the padded, dilated operand has no negative size

    Raises:
        ShapeError: C1 to C4, C6.
        DTypeError: C5.

    Source: StableHLO specification, `convolution`.
    """

    name: ClassVar[str] = "convolution"
    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    lhs_dilation: tuple[int, ...]
    rhs_dilation: tuple[int, ...]
    lhs_spec: tuple[int, ...]
    rhs_spec: tuple[int, ...]
    out_spec: tuple[int, ...]
    feature_group_count: int = 1
    batch_group_count: int = 1
    precision: Precision = "default"
    element_type: DType | None = None

    def __post_init__(self) -> None:
        check_word(self.name, "precision", self.precision, _PRECISIONS)

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return an array with the batch, the output features, and one element per position of the window."""
        x, kernel = operands
        assert isinstance(x, ArrayType)
        assert isinstance(kernel, ArrayType)
        rank = x.ndim
        specs = (
            ("lhs_spec", self.lhs_spec),
            ("rhs_spec", self.rhs_spec),
            ("out_spec", self.out_spec),
        )
        for word, spec in specs:  # C1
            if rank < 2 or kernel.ndim != rank or sorted(spec) != list(range(rank)):
                raise ShapeError(
                    f"convolution: {word} is {spec} for operands {x} and {kernel}, "
                    "but must be a permutation of the axes of both",
                    fix="give operand and kernel one rank: batch, feature and the spatial axes",
                )
        settings = (
            ("strides", self.strides),
            ("padding", self.padding),
            ("lhs_dilation", self.lhs_dilation),
            ("rhs_dilation", self.rhs_dilation),
        )
        for word, setting in settings:  # C2
            if len(setting) != rank - 2:
                raise ShapeError(
                    f"convolution: {word} has {len(setting)} entries for {rank - 2} spatial axes"
                )
            if word != "padding" and any(n < 1 for n in setting):  # type: ignore[operator]  # padding left out
                raise ShapeError(
                    f"convolution: {word} is {setting}, whose entries must be positive"
                )
        features, groups, batches = (
            x.shape[self.lhs_spec[1]],
            self.feature_group_count,
            self.batch_group_count,
        )
        inputs, outputs = kernel.shape[self.rhs_spec[1]], kernel.shape[self.rhs_spec[0]]
        batch = x.shape[self.lhs_spec[0]]
        if groups < 1 or inputs * groups != features:  # C3
            raise ShapeError(
                f"convolution: the operand {x} has {features} features, but the kernel {kernel} takes {inputs} "
                f"in each of {groups} groups, {inputs * groups} in all",
                fix="check which axes are features (`dimension_numbers`), and feature_group_count",
            )
        if (
            batches < 1
            or outputs % groups
            or outputs % batches
            or batch % batches
            or (groups > 1 < batches)
        ):  # C4
            raise ShapeError(
                f"convolution: feature_group_count {groups} and batch_group_count {batches} do not divide "
                f"{outputs} output features and a batch of {batch}, or are both above 1",
            )
        dtype = contraction_dtype(self.name, x, kernel, self.element_type)  # C5
        sizes = [x.shape[i] for i in self.lhs_spec[2:]]
        for size, (low, high), hole in zip(
            sizes, self.padding, self.lhs_dilation, strict=True
        ):  # C6
            if low + dilated(size, hole) + high < 0:
                raise ShapeError(
                    f"convolution: padding {(low, high)} takes more than the {size} elements there are"
                )
        window = [kernel.shape[i] for i in self.rhs_spec[2:]]
        counts = window_counts(
            sizes, window, self.strides, self.padding, self.lhs_dilation, self.rhs_dilation
        )
        shape = [0] * rank
        for axis, size in zip(self.out_spec, (batch // batches, outputs, *counts), strict=True):
            shape[axis] = size
        return (ArrayType(tuple(shape), dtype, x.weak and kernel.weak),)


def dot_general(
    x: Operand,
    y: Operand,
    *,
    contracting: AxisPairs,
    batching: AxisPairs = NO_PAIRS,
    precision: Precision = "default",
    element_type: DType | None = None,
) -> Array:
    """Multiply and sum over the contracted axes, for each index of the batching axes: see `DotGeneral`."""
    return bind(DotGeneral(contracting, batching, precision, element_type), x, y)[0]


def convolution(
    x: Operand,
    kernel: Operand,
    *,
    padding: tuple[tuple[int, int], ...],
    lhs_spec: tuple[int, ...],
    rhs_spec: tuple[int, ...],
    out_spec: tuple[int, ...],
    strides: tuple[int, ...] = (),
    lhs_dilation: tuple[int, ...] = (),
    rhs_dilation: tuple[int, ...] = (),
    feature_group_count: int = 1,
    batch_group_count: int = 1,
    precision: Precision = "default",
    element_type: DType | None = None,
) -> Array:
    """Return the inner product of a kernel with the windows of an operand that it slides over: see `Convolution`."""
    ones = (1,) * len(padding)
    primitive = Convolution(
        strides=strides or ones,
        padding=padding,
        lhs_dilation=lhs_dilation or ones,
        rhs_dilation=rhs_dilation or ones,
        lhs_spec=lhs_spec,
        rhs_spec=rhs_spec,
        out_spec=out_spec,
        feature_group_count=feature_group_count,
        batch_group_count=batch_group_count,
        precision=precision,
        element_type=element_type,
    )
    return bind(primitive, x, kernel)[0]
