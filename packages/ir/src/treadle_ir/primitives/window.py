"""Sliding windows: reduce_window_add, _maximum, _minimum, and the operations of their derivatives.

    reduce_window_add, reduce_window_maximum, reduce_window_minimum(x, *, window_dimensions, window_strides=(),
            padding=(), base_dilation=(), window_dilation=())
    select_and_scatter_add(source, x, *, select, window_dimensions, ...the same)
    select_and_gather_add(tangents, x, *, select, window_dimensions, ...the same)

Each list has one entry per axis of x; by default, strides and dilations are 1 and padding is (0, 0).
Padding does not contribute: its elements are the identity of the reduction.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, Final, Literal, TypeAlias, final, get_args

from treadle_ir.core.families import Windowing
from treadle_ir.core.primitive import check_word
from treadle_ir.core.registry import register
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.errors.kinds import DTypeError, ShapeError
from treadle_ir.primitives.contract import dilated, window_counts
from treadle_ir.primitives.elementwise import check_kind
from treadle_ir.process.frozen_classes import frozen
from treadle_ir.tracing.array import Array, Operand
from treadle_ir.tracing.trace import bind

Padding: TypeAlias = tuple[tuple[int, int], ...]
Selection: TypeAlias = Literal["ge", "le"]
_SELECTIONS: Final = get_args(Selection)


@frozen
class Windowed(Windowing):
    """Family: an operation at each position of a window that slides over an array.

    Constraints:
        (C1) every list has one entry per axis of the array
        (C2) window dimensions, strides and dilations are positive
        (C3) the padded, dilated array has no negative size
    """

    window_dimensions: tuple[int, ...]
    window_strides: tuple[int, ...]
    padding: Padding
    base_dilation: tuple[int, ...]
    window_dilation: tuple[int, ...]

    def places(self, x: ArrayType) -> tuple[int, ...]:
        """Return the number of positions of the window along each axis.

        Raises:
            ShapeError: C1 to C3.
        """
        settings: tuple[tuple[str, Sequence[Any]], ...] = (
            ("window_dimensions", self.window_dimensions),
            ("window_strides", self.window_strides),
            ("padding", self.padding),
            ("base_dilation", self.base_dilation),
            ("window_dilation", self.window_dilation),
        )
        for word, setting in settings:
            if len(setting) != x.ndim:  # C1
                raise ShapeError(
                    f"{self.name}: {word} has {len(setting)} entries for the {x.ndim} axes of {x}",
                    fix="give one entry per axis; 1 (padding: (0, 0)) where nothing slides",
                )
            if word != "padding" and any(n < 1 for n in setting):  # C2
                raise ShapeError(
                    f"{self.name}: {word} is {setting}, whose entries must be positive"
                )
        for size, (low, high), hole in zip(
            x.shape, self.padding, self.base_dilation, strict=True
        ):  # C3
            if low + dilated(size, hole) + high < 0:
                raise ShapeError(
                    f"{self.name}: padding {(low, high)} takes more than the {size} elements there are"
                )
        return window_counts(
            x.shape,
            self.window_dimensions,
            self.window_strides,
            self.padding,
            self.base_dilation,
            self.window_dilation,
        )


@frozen
class ReduceWindowFamily(Windowed):
    """Family: one reduction of each window's elements.

    Shapes:
        x: any
        result: one element per position of the window

    Source: StableHLO specification, `reduce_window`.
    """

    kinds: ClassVar[str] = "iuf"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return an array with one element per position of the window."""
        (x,) = operands
        assert isinstance(x, ArrayType)
        check_kind(self.name, self.kinds, x.dtype)
        return (x.with_shape(self.places(x)),)


@register
@final
class ReduceWindowAdd(ReduceWindowFamily):
    """The sum of each window's elements."""

    __slots__ = ()
    name: ClassVar[str] = "reduce_window_add"
    kinds: ClassVar[str] = "iufc"


@register
@final
class ReduceWindowMaximum(ReduceWindowFamily):
    """The greatest of each window's elements; NaN if one is NaN."""

    __slots__ = ()
    name: ClassVar[str] = "reduce_window_maximum"
    kinds: ClassVar[str] = "biuf"


@register
@final
class ReduceWindowMinimum(ReduceWindowFamily):
    """The least of each window's elements; NaN if one is NaN."""

    __slots__ = ()
    name: ClassVar[str] = "reduce_window_minimum"
    kinds: ClassVar[str] = "biuf"


@frozen
class WindowSelection(Windowed):
    """Family: each window selects its greatest ("ge") or least ("le") element of x; the first one of several.

    An element beats the one selected so far if it is strictly greater (or less), or if that one is NaN.
    A window that holds no element of x selects none.
    """

    select: Selection

    def __post_init__(self) -> None:
        check_word(self.name, "select", self.select, _SELECTIONS)

    def check(self, other: ArrayType, x: ArrayType) -> None:
        """Refuse operands whose element types have no order or differ.

        Raises:
            DTypeError: x is complex, or the operands have different element types.
        """
        check_kind(self.name, "iuf", x.dtype)
        if other.dtype != x.dtype:
            raise DTypeError(
                f"{self.name}: operands have types {other} and {x}, whose element types must be equal"
            )


@register
@final
class SelectAndScatterAdd(WindowSelection):
    """Each element of `source` added at the position at which its window selects an element of x; zero elsewhere.

    The transpose of `select_and_gather_add`.

    Shapes:
        source: one element per position of the window
        x: any
        result: as x

    Constraints:
        (C4) source has one element per position of the window
        (C5) the operands have one element type, which has an order

    Source: StableHLO specification, `select_and_scatter`.
    """

    __slots__ = ()
    name: ClassVar[str] = "select_and_scatter_add"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return the type of x."""
        source, x = operands
        assert isinstance(source, ArrayType)
        assert isinstance(x, ArrayType)
        self.check(source, x)  # C5
        places = self.places(x)
        if source.shape != places:  # C4
            raise ShapeError(
                f"{self.name}: the source is {source}, but the window has {places} places in {x}"
            )
        return (ArrayType(x.shape, x.dtype, source.weak),)


@register
@final
class SelectAndGatherAdd(WindowSelection):
    """The element of `tangents` at the position at which each window selects an element of x; zero if it selects none.

    The derivative of reduce_window_maximum and reduce_window_minimum at x.

    Shapes:
        tangents, x: one shape
        result: one element per position of the window

    Constraints:
        (C4) the operands have one shape
        (C5) the operands have one element type, which has an order
    """

    __slots__ = ()
    name: ClassVar[str] = "select_and_gather_add"

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Return an array with one element per position of the window."""
        tangents, x = operands
        assert isinstance(tangents, ArrayType)
        assert isinstance(x, ArrayType)
        self.check(tangents, x)  # C5
        if tangents.shape != x.shape:  # C4
            raise ShapeError(
                f"{self.name}: operands have types {tangents} and {x}, whose shapes must be equal"
            )
        return (ArrayType(self.places(x), x.dtype, tangents.weak),)


def _filled(
    window: tuple[int, ...],
    strides: tuple[int, ...],
    padding: Padding,
    base_dilation: tuple[int, ...],
    window_dilation: tuple[int, ...],
) -> tuple[tuple[int, ...], tuple[int, ...], Padding, tuple[int, ...], tuple[int, ...]]:
    ones = (1,) * len(window)
    return (
        window,
        strides or ones,
        padding or ((0, 0),) * len(window),
        base_dilation or ones,
        window_dilation or ones,
    )


def _reduced(
    kind: type[ReduceWindowFamily],
    x: Operand,
    *,
    window_dimensions: tuple[int, ...],
    window_strides: tuple[int, ...] = (),
    padding: Padding = (),
    base_dilation: tuple[int, ...] = (),
    window_dilation: tuple[int, ...] = (),
) -> Array:
    """Return the reduction `kind` of each window's elements: see `ReduceWindowFamily`."""
    settings = _filled(window_dimensions, window_strides, padding, base_dilation, window_dilation)
    return bind(kind(*settings), x)[0]


# The same function for each member of the family; see the docstrings of their classes.
reduce_window_add: Final = partial(_reduced, ReduceWindowAdd)
reduce_window_maximum: Final = partial(_reduced, ReduceWindowMaximum)
reduce_window_minimum: Final = partial(_reduced, ReduceWindowMinimum)


def _selected(
    kind: type[WindowSelection],
    other: Operand,
    x: Operand,
    *,
    select: Selection,
    window_dimensions: tuple[int, ...],
    window_strides: tuple[int, ...] = (),
    padding: Padding = (),
    base_dilation: tuple[int, ...] = (),
    window_dilation: tuple[int, ...] = (),
) -> Array:
    """Apply `kind` to `other` and the elements of x that the windows select: see `WindowSelection`."""
    settings = _filled(window_dimensions, window_strides, padding, base_dilation, window_dilation)
    return bind(kind(*settings, select), other, x)[0]


select_and_scatter_add: Final = partial(_selected, SelectAndScatterAdd)
select_and_gather_add: Final = partial(_selected, SelectAndGatherAdd)
