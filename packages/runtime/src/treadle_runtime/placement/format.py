"""The order of an array's elements in the memory of its devices: `Layout`, and with the devices, `Format`.

Arrays of treadle are row-major: the last axis is contiguous. So a format says where an array is, and asks for that
order, or for none. Within a program any order can be asked for, by `with_layout_constraint`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Final, TypeAlias, TypeVar, final

from treadle_ir import ArgumentError, ShapeError, UnsupportedError, ops, type_of
from treadle_ir.calling import as_operand
from treadle_ir.errors import integer, integers, refused, sequence
from treadle_ir.process import frozen
from treadle_ir.tree import spread_prefix, tree_flatten, tree_leaves
from treadle_runtime.placement.sharding import Sharding

T = TypeVar("T")


@final
class AutoLayout:
    """The class of `Layout.AUTO`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "AUTO"

    def __reduce__(self) -> str:
        return "AUTO"


AUTO: Final = AutoLayout()


@final
@frozen
class Layout:
    """The order of an array's elements in memory.

    Args:
        major_to_minor: the axes, from the axis with the largest stride to the contiguous axis.
        tiling: the tiles into which the elements are grouped; arrays have none, `()`.
        sub_byte_element_size_in_bits: how many bits an element takes, if less than a byte; else 0.

    `Layout.AUTO` leaves the order to the compiler.

    Raises:
        ArgumentError: `major_to_minor` is not a sequence of integers.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental.layout import Layout
        >>> tnp.ones((2, 3)).format.layout.major_to_minor, Layout((1, 0)).major_to_minor
        ((0, 1), (1, 0))
    """

    AUTO: ClassVar[AutoLayout] = AUTO
    major_to_minor: tuple[int, ...]
    tiling: tuple[tuple[int, ...], ...] | None = None
    sub_byte_element_size_in_bits: int = 0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "major_to_minor", integers("Layout", "major_to_minor", self.major_to_minor))
        if self.tiling is not None:
            tiles = sequence("Layout", "tiling", self.tiling)
            put(self, "tiling", tuple([integers("Layout", "each tile", tile) for tile in tiles]))
        bits = integer(
            "Layout", "sub_byte_element_size_in_bits", self.sub_byte_element_size_in_bits
        )
        put(self, "sub_byte_element_size_in_bits", bits)

    def update(self, **changes: Any) -> Layout:  # Any: as the constructor takes them
        """Return a copy with the attributes in `changes` replaced."""
        return replace(self, **changes)

    def check_compatible_aval(self, aval_shape: tuple[int, ...]) -> None:
        """Check that arrays of this rank can have this layout.

        Raises:
            ShapeError: they have a different number of axes. (Also a ValueError.)

        Example:
            >>> from treadle.experimental.layout import Layout
            >>> Layout((0, 1)).update(major_to_minor=(1, 0)).check_compatible_aval((2, 3))
        """
        ndim = len(integers("check_compatible_aval", "aval_shape", aval_shape))
        if ndim != len(self.major_to_minor):
            raise _of_other_rank("check_compatible_aval", self, ndim)


@final
@frozen
class Format:
    """A layout, on the devices of a sharding.

    Raises:
        ArgumentError: `layout` or `sharding` is none, or there is a layout and no sharding. (Also a ValueError.)

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.layout import Format, Layout
        >>> x = tnp.ones((2, 3))
        >>> treadle.device_put(x, Format(Layout((0, 1)), x.sharding)).format == x.format
        True
    """

    layout: Layout | AutoLayout | None = None
    sharding: Sharding | None = None

    def __post_init__(self) -> None:
        if self.layout is not None and not isinstance(self.layout, Layout | AutoLayout):
            raise refused("Format", "layout", "a Layout, Layout.AUTO or None", self.layout)
        if self.sharding is not None and not isinstance(self.sharding, Sharding):
            raise refused("Format", "sharding", "a sharding or None", self.sharding)
        if isinstance(self.layout, Layout) and self.sharding is None:
            raise ArgumentError(
                f"Format: there is a layout, {self.layout}, and no sharding",
                fix="say where: Format(layout, x.sharding)",
            )


def row_major(ndim: int) -> Layout:
    """Return the layout of every array of treadle: the last axis is contiguous."""
    return Layout(tuple(range(ndim)), ())


def sharding_of_format(what: str, given: Format, ndim: int | None = None) -> Sharding | None:
    """Return the sharding of the format `given`, after a check that arrays can have its layout.

    Raises:
        UnsupportedError: its layout is not the layout of arrays.
        ShapeError: its layout is for arrays of a different rank.
    """
    layout = given.layout
    if not isinstance(layout, Layout):
        return given.sharding
    order = layout.major_to_minor
    if ndim is not None and len(order) != ndim:
        raise _of_other_rank(what, layout, ndim)
    if order != tuple(range(len(order))) or layout.tiling or layout.sub_byte_element_size_in_bits:
        raise UnsupportedError(
            f"{what}: the layout is {layout}, but arrays are row-major",
            fix="leave the layout out, or Layout.AUTO; within jit, use with_layout_constraint",
        )
    return given.sharding


def _of_other_rank(what: str, layout: Layout, ndim: int) -> ShapeError:
    return ShapeError(
        f"{what}: the layout {layout} is for {len(layout.major_to_minor)} axes, "
        f"but the array has {ndim}",
        fix="name each axis of the array once in major_to_minor",
    )


Layouts: TypeAlias = Any  # Any: a Layout, or a tree of them


def with_layout_constraint(x: T, layouts: Layouts) -> T:
    """Return the arrays of `x` with their elements in a given order in memory, within a compiled function.

    No element changes, and the operations that follow may become faster or slower. Only intermediate values of a
    compiled function can have such a layout: its arguments and results are row-major, like all arrays.

    Args:
        x: a tree of arrays.
        layouts: a `Layout`, or a tree of them that `x` begins with.

    Raises:
        ArgumentError: a leaf of `layouts` is not a `Layout`. (Also a ValueError.)
        ShapeError: a layout does not contain each axis of its array once.
        UnsupportedError: a layout has tiles.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental.layout import Layout, with_layout_constraint
        >>> columns = Layout((1, 0))
        >>> f = treadle.jit(lambda x: with_layout_constraint(2 * x, columns) + 1)
        >>> print(f(tnp.ones((2, 3))))
        [[3. 3. 3.]
         [3. 3. 3.]]
    """
    name = "with_layout_constraint"
    leaves, structure = tree_flatten(x)
    for each in tree_leaves(layouts, is_leaf=lambda each: each is None):
        if not isinstance(each, Layout):
            raise refused(name, "each of the layouts", "a Layout", each)
    wanted = spread_prefix(f"{name}: the layouts and the arrays", layouts, x)
    found: T = structure.unflatten(
        [_ordered(name, leaf, layout) for leaf, layout in zip(leaves, wanted, strict=True)]
    )
    return found


def _ordered(name: str, leaf: Any, layout: Layout) -> Any:
    """Return an array or a number, with its elements in the order that `layout` gives."""
    operand = as_operand(leaf)
    ndim = type_of(operand).ndim
    if len(layout.major_to_minor) != ndim:
        raise _of_other_rank(name, layout, ndim)
    if layout.tiling or layout.sub_byte_element_size_in_bits:
        raise UnsupportedError(
            f"{name}: the layout is {layout}, but only the order of the axes can be asked for",
            fix="leave tiling and sub_byte_element_size_in_bits out",
        )
    return ops.layout_constraint(operand, major_to_minor=layout.major_to_minor)
