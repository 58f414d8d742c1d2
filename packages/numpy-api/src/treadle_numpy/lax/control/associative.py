"""All partial results of an associative operation, in a logarithmic number of steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar, overload

from treadle_ir import ArgumentError, Array, Operand, ops
from treadle_ir.errors import StructureError, flags, functions
from treadle_ir.tree import explain_difference, tree_unflatten
from treadle_numpy.lax.control.staging import flatten_operands, paths_of
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.axes import as_axis
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.trees import Container, Tree

__all__ = ["associative_scan"]

Elements = TypeVar("Elements")


@overload
def associative_scan(
    fn: Callable[[Array, Array], Array],
    elems: Operand,
    reverse: bool = False,
    axis: int = 0,
) -> Array: ...
@overload
def associative_scan(
    fn: Callable[[Tree, Tree], Elements],
    elems: Container,
    reverse: bool = False,
    axis: int = 0,
) -> Elements: ...
@overload
def associative_scan(
    fn: Callable[[Elements, Elements], Elements],
    elems: Elements,
    reverse: bool = False,
    axis: int = 0,
) -> Elements: ...
def associative_scan(
    fn: Callable[[Tree, Tree], Tree],
    elems: Tree,
    reverse: bool = False,
    axis: int = 0,
) -> Tree:
    """Compute all prefix results of an associative operation along an axis, in a logarithmic number of steps.

    Args:
        fn: an associative function of two pytrees like `elems`, with any size along the axis; it must work
            elementwise along the axis, and returns a pytree of the same structure and shapes.
        elems: a pytree of arrays with the same size along the axis.
        reverse: whether to start from the end.
        axis: the axis.

    Returns:
        A pytree like `elems`; element `i` along the axis combines the elements `0` to `i`.

    Raises:
        ArgumentError: `elems` have different sizes along the axis.

    Source: Ladner and Fischer, "Parallel prefix computation", 1980.

    Example:
        >>> import numpy as np
        >>> print(associative_scan(lambda a, b: a + b, np.arange(5)))
        [ 0  1  3  6 10]
    """
    flags("associative_scan", reverse=reverse)
    functions("associative_scan", fn=fn)
    if not callable(fn):
        raise ArgumentError("associative_scan: the first argument must be a function")
    leaves, structure = flatten_operands("associative_scan", "elems", elems)
    arrays = [array_of(leaf) for leaf in leaves]
    if not arrays:
        return elems
    axes = [as_axis("associative_scan", axis, x.ndim) for x in arrays]
    sizes = {x.shape[own] for x, own in zip(arrays, axes, strict=True)}
    if len(sizes) > 1:
        paths = paths_of(structure)
        each = [
            f"elems{path} has {x.shape[own]}"
            for path, x, own in zip(paths, arrays, axes, strict=True)
        ]
        raise ArgumentError(
            f"associative_scan: sizes along axis {axis} must be equal, but {', '.join(each[:20])}"
        )
    if reverse:
        arrays = [ops.reverse(x, dimensions=(own,)) for x, own in zip(arrays, axes, strict=True)]

    def combine(left: list[Array], right: list[Array]) -> list[Array]:
        result = fn(tree_unflatten(structure, left), tree_unflatten(structure, right))
        combined, returned = flatten_operands("associative_scan", "the result of fn", result)
        if returned != structure:
            lines = "; ".join(explain_difference(structure, returned))
            raise StructureError(
                f"associative_scan: fn must return the structure that it takes, but it differs {lines}",
                fix="return the same containers as `elems` has",
            )
        return [converted(array_of(leaf), leaf.dtype) for leaf in combined]

    results = _partial_results(combine, arrays, axes)
    if reverse:
        results = [ops.reverse(x, dimensions=(own,)) for x, own in zip(results, axes, strict=True)]
    return tree_unflatten(structure, results)


Combine: TypeAlias = Callable[[list[Array], list[Array]], list[Array]]


def _partial_results(combine: Combine, arrays: list[Array], axes: Sequence[int]) -> list[Array]:
    """Partial results: of pairs first, half as many; then between them. Calls itself log2(size) times."""
    size = arrays[0].shape[axes[0]]
    if size < 2:
        return arrays
    arrays = [converted(x, x.dtype) for x in arrays]  # no longer weak

    def part(values: Sequence[Array], start: int, stop: int, stride: int = 1) -> list[Array]:
        return [_every(x, own, start, stop, stride) for x, own in zip(values, axes, strict=True)]

    pairs = combine(part(arrays, 0, size - 1, 2), part(arrays, 1, size, 2))
    odd = _partial_results(combine, pairs, axes)
    count = size // 2
    inner = count - 1 if size % 2 == 0 else count
    first = part(arrays, 0, 1)
    if inner:
        even = combine(part(odd, 0, inner), part(arrays, 2, size, 2))
        even = [
            ops.concatenate([x, y], dimension=own)
            for x, y, own in zip(first, even, axes, strict=True)
        ]
    else:
        even = first
    return [_interleaved(x, y, own) for x, y, own in zip(even, odd, axes, strict=True)]


def _every(x: Array, axis: int, start: int, stop: int, stride: int) -> Array:
    low, high, strides = [0] * x.ndim, list(x.shape), [1] * x.ndim
    low[axis], high[axis], strides[axis] = start, stop, stride
    return ops.slice(x, start=tuple(low), limit=tuple(high), strides=tuple(strides))


def _interleaved(even: Array, odd: Array, axis: int) -> Array:
    """Compute `even[0], odd[0], even[1], ...`; there are as many of both, or one more of the even ones."""
    count = odd.shape[axis]
    pairs = [_apart(_every(x, axis, 0, count, 1), axis) for x in (even, odd)]
    joined = ops.concatenate(pairs, dimension=axis + 1)
    shape = list(even.shape)
    shape[axis] = 2 * count
    woven = ops.reshape(joined, shape=tuple(shape))
    if even.shape[axis] == count:
        return woven
    last = _every(even, axis, count, count + 1, 1)
    return ops.concatenate([woven, last], dimension=axis)


def _apart(x: Array, axis: int) -> Array:
    shape = list(x.shape)
    shape.insert(axis + 1, 1)
    return ops.reshape(x, shape=tuple(shape))
