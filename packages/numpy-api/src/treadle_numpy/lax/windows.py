"""Reductions of windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, overload

import numpy as np

from treadle_ir import ArgumentError, Array, ShapeError
from treadle_ir.calling import composed, operand_or_none
from treadle_ir.core.dtypes import is_complex
from treadle_ir.errors import functions, integers, integers_or_none, names, pairs, shown
from treadle_numpy.lax.folding import Fold, TreeComputation
from treadle_numpy.lax.monoids import MONOIDS, Computation, Monoid, monoid_of
from treadle_numpy.operands.coerce import ArrayLike, coerce, coerce_array
from treadle_numpy.operands.promote import as_dtype_of
from treadle_numpy.operands.shapes import as_shape
from treadle_numpy.operands.trees import Container, Tree

__all__ = ["padtype_to_pads", "reduce_window"]

Padding: TypeAlias = str | Sequence[tuple[int, int]]
"""What padding is put around: a word ('SAME', 'SAME_LOWER', 'VALID'), or how much on both sides of each axis."""


def padtype_to_pads(
    in_shape: Sequence[int],
    window_shape: Sequence[int],
    window_strides: Sequence[int],
    padding: Padding,
) -> list[tuple[int, int]]:
    """Return how much is put on both sides of each axis by "SAME", "SAME_LOWER" or "VALID".

    "VALID" puts nothing. The other two put as much as makes one place for every stride begun, with the odd one behind
    ("SAME") or in front ("SAME_LOWER").

    Raises:
        ArgumentError: an unknown padding, or lists of different lengths.

    Example:
        >>> padtype_to_pads((8, 8), (3, 2), (1, 2), "SAME")
        [(1, 1), (0, 0)]
    """
    in_shape = as_shape("padtype_to_pads", in_shape)
    window_shape = integers("padtype_to_pads", "window_shape", window_shape)
    window_strides = integers("padtype_to_pads", "window_strides", window_strides)
    names("padtype_to_pads", padding=padding)
    kind = str(padding).upper()
    if kind == "VALID":
        return [(0, 0)] * len(in_shape)
    if kind not in ("SAME", "SAME_LOWER"):
        raise ArgumentError(
            f"Unrecognized padding type: expected 'VALID', 'SAME' or 'SAME_LOWER', got {shown(padding)}"
        )
    if (
        not len(in_shape) == len(window_shape) == len(window_strides)
        or min(window_strides, default=1) < 1
    ):
        raise ArgumentError(
            f"padtype_to_pads: a window {window_shape} with strides {window_strides} for the axes of {in_shape}",
            fix="give a window size and a positive stride for each axis",
        )
    pads = []
    for size, window, stride in zip(in_shape, window_shape, window_strides, strict=True):
        count = -(-size // stride)
        total = max((count - 1) * stride + window - size, 0)
        small, large = total // 2, total - total // 2
        pads.append((small, large) if kind == "SAME" else (large, small))
    return pads


def as_padding(function: str, padding: object) -> tuple[tuple[int, int], ...]:
    """Return how much is put on both sides of each axis, as primitives take it.

    Raises:
        ArgumentError: it is not a sequence of pairs of integers.
    """
    return tuple([(low, high) for low, high in pairs(function, "padding", padding)])


@overload
def reduce_window(
    operand: ArrayLike,
    init_value: ArrayLike,
    computation: Computation,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: Padding = "VALID",
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> Array: ...
@overload
def reduce_window(
    operand: Container,
    init_value: Container,
    computation: TreeComputation,
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: Padding = "VALID",
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> Container: ...
def reduce_window(
    operand: Tree,
    init_value: Tree,
    computation: Callable[..., Tree],
    window_dimensions: Sequence[int],
    window_strides: Sequence[int] | None = None,
    padding: Padding = "VALID",
    base_dilation: Sequence[int] | None = None,
    window_dilation: Sequence[int] | None = None,
) -> Tree:
    """Combine the elements of each window by an associative function of two elements.

    `lax.add`, `max` and `min` are recognised and are single instructions; for others, windows of n elements take a
    logarithmic number of steps along each axis.

    Args:
        operand: an array, or a tree of arrays of one shape.
        init_value: the identity of the function, as for `reduce`.
        computation: the function, as for `reduce`.
        window_dimensions: the size of the window along each axis.
        window_strides: the step of the window along each axis; 1 by default.
        padding: "SAME", "SAME_LOWER", "VALID", or a pair of numbers for each axis: how many copies of the initial
            value are added on both sides.
        base_dilation: the distance of elements along each axis; 1 by default.
        window_dilation: the distance of the window's elements along each axis; 1 by default.

    Raises:
        ShapeError: lists do not have one positive entry for each axis, or an initial value is not a scalar.
        ArgumentError: another padding.
        StructureError, DTypeError: the function returns something else than it takes.

    Example:
        >>> import numpy as np
        >>> print(reduce_window(np.array([1.0, 2.0, 3.0, 4.0], np.float32), 1.0, lambda a, b: a * b, (2,)))
        [ 2.  6. 12.]
    """
    name = "reduce_window"
    functions(name, computation=computation)
    base_dilation = integers_or_none(name, "base_dilation", base_dilation)
    window_strides = integers_or_none(name, "window_strides", window_strides)
    window = integers(name, "window_dimensions", window_dimensions)
    window_dilation = integers_or_none(name, "window_dilation", window_dilation)
    reduced = _known_reduction(operand, computation)
    fold = Fold(name, operand, init_value, computation) if reduced is None else None
    whole = fold or coerce_array(name, 0, operand)
    shape = whole.shape
    ones = (1,) * len(shape)
    strides = window_strides or ones
    base, holes = base_dilation or ones, window_dilation or ones
    lists = (window, strides, base, holes)
    if any(len(each) != len(shape) or min(each, default=1) < 1 for each in lists):
        raise ShapeError(
            f"reduce_window: the window {window}, strides {strides}, base_dilation {base} and window_dilation {holes} "
            f"must have one positive number for each of the {len(shape)} axes of {shape}"
        )
    if isinstance(padding, str):
        sizes = [(n - 1) * b + 1 if n else 0 for n, b in zip(shape, base, strict=True)]
        extents = [(w - 1) * h + 1 for w, h in zip(window, holes, strict=True)]
        padding = padtype_to_pads(sizes, extents, strides, padding)
    pads = as_padding(name, padding)
    if len(pads) != len(shape):
        raise ShapeError(f"reduce_window: padding has {len(pads)} pairs for {len(shape)} axes")
    if isinstance(whole, Fold):
        return whole.windows(window, strides, pads, base, holes)
    assert reduced is not None
    low, high = zip(*pads, strict=True) if pads else ((), ())
    combined = _with_constant if _is_usual(init_value) else _with_number
    return combined(whole, init_value, reduced.name, window, strides, low, high, base, holes)


def _is_usual(start: Tree) -> bool:
    """Return whether an initial value is a number that reductions commonly start with."""
    return isinstance(start, int | float | np.number) and start in (0, np.inf, -np.inf)


def _combined(
    x: Array,
    start: Tree,
    name: str,
    window: tuple[int, ...],
    strides: tuple[int, ...],
    low: tuple[int, ...],
    high: tuple[int, ...],
    base: tuple[int, ...],
    holes: tuple[int, ...],
) -> Array:
    """Return a reduction of windows by a monoid of this name."""
    monoid = MONOIDS[name]
    assert monoid.reduce_window is not None
    result = monoid.reduce_window(
        x,
        window_dimensions=window,
        window_strides=strides,
        padding=tuple(zip(low, high, strict=True)),
        base_dilation=base,
        window_dilation=holes,
    )
    return monoid.combine(result, as_dtype_of(coerce("reduce_window", 1, start), x))


# A constant that changes nothing is left out by XLA, which else goes over the results once more; any other number is an
# operand, so that it does not make another program.
_with_constant: Final = composed(_combined)
_with_number: Final = composed(numbers=["start"])(_combined)


def _known_reduction(operand: Tree, computation: Callable[..., Tree]) -> Monoid | None:
    """The monoid of an array's elements that a function is, if it is one and windows have an instruction for it."""
    x = operand_or_none(operand)
    if x is None:
        return None
    monoid = monoid_of(computation, x.dtype)
    if monoid is None or monoid.reduce_window is None:
        return None
    if is_complex(x.dtype) and monoid.name != "add":  # windows have extremes of real numbers only
        return None
    return monoid
