"""Reductions by any function of two elements, or of two trees of them: of axes, and of sliding windows.

The function is associative and has the initial value as identity. So elements may be combined in any grouping, here in
a logarithmic number of steps that each combine many pairs at once; their order is kept, so the function need not be
commutative. It is staged on scalars. A program of elementwise instructions is applied to arrays as it is; any other is
mapped by `vmap`. Everything is made of slices and of the function itself, and has its derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, final

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    DTypeError,
    Elementwise,
    Operand,
    ShapeError,
    ops,
    type_of,
)
from treadle_ir.errors import StructureError
from treadle_ir.primitives.contract import window_counts
from treadle_ir.tracing import installed_vmap, interpret_unchecked as interpret
from treadle_ir.tree import explain_difference, tree_unflatten
from treadle_numpy.lax.control.staging import flatten_operands, stage_body
from treadle_numpy.operands.arrays import array_of
from treadle_numpy.operands.broadcast import broadcast_to_shape
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.shapes import size_of
from treadle_numpy.operands.trees import Tree

TreeComputation: TypeAlias = Callable[[Tree, Tree], Tree]
Arrays: TypeAlias = list[Array]


@final
class Fold:
    """A reduction's arrays, initial values, and its function on many elements at once."""

    def __init__(
        self, name: str, operands: Tree, init_values: Tree, computation: TreeComputation
    ) -> None:
        """Stage the function on scalars of the operands' element types.

        Raises:
            ArgumentError: there are no operands.
            ShapeError: they have unequal shapes, or initial values are not scalars.
            StructureError, DTypeError: the function returns something else than it takes.
        """
        leaves, self.structure = flatten_operands(name, "operands", operands)
        starts, given = flatten_operands(name, "init_values", init_values)
        if given != self.structure:
            lines = "; ".join(explain_difference(self.structure, given))
            raise StructureError(
                f"{name}: operands and initial values have different structures: {lines}",
                fix="give one initial value for each operand",
            )
        if not leaves:
            raise ArgumentError(f"{name}: there are no operands")
        self.name: Final = name
        self.operands: Final[Arrays] = [array_of(leaf) for leaf in leaves]
        self.shape: Final = self.operands[0].shape
        if any(x.shape != self.shape for x in self.operands):
            raise ShapeError(
                f"{name}: operands have shapes {[x.shape for x in self.operands]}, which must be equal"
            )
        if any(start.shape for start in starts):
            raise ShapeError(
                f"{name}: initial values must be scalars, got {[s.shape for s in starts]}"
            )
        types = [ArrayType((), x.dtype) for x in self.operands]
        self.inits: Final = [converted(s, t.dtype) for s, t in zip(starts, types, strict=True)]
        self._computation: Final = computation
        body = stage_body(
            f"the computation of {name}",
            computation,
            (self.structure, self.structure),
            [*types, *types],
        )
        (returned,) = body.structures
        if returned != self.structure:
            lines = "; ".join(explain_difference(self.structure, returned))
            raise StructureError(
                f"{name}: the computation returns a structure that differs from its arguments': {lines}",
                fix="return the same containers as the operands have",
            )
        for wanted, found in zip(types, body.result_types[0], strict=True):
            if found.shape or found.dtype != wanted.dtype:
                raise DTypeError(
                    f"{name}: the computation returns {found} where it takes {wanted}",
                    fix="return what has the types of the first argument",
                )
        from treadle_ir.rewrite import inline  # noqa: PLC0415 - `import treadle` does without it

        self._program: Final = inline(body.program)
        self._captured: Final = body.captured
        self._elementwise: Final = all(
            isinstance(equation.primitive, Elementwise) for equation in self._program.equations
        ) and not any(type_of(each).shape for each in self._captured)

    def combine(self, left: Sequence[Operand], right: Sequence[Operand]) -> Arrays:
        """Return the function of all pairs of elements."""
        shape = next((x.shape for x in (*left, *right) if x.shape), ())
        if self._elementwise:
            results = interpret(self._program, *self._captured, *left, *right)
            return [broadcast_to_shape(array_of(x), shape) for x in results]
        whole = [
            ops.reshape(broadcast_to_shape(array_of(x), shape), shape=(size_of(shape),))
            for x in (*left, *right)
        ]
        count = len(left)
        mapped = installed_vmap(f"{self.name} with a computation that is not elementwise")(
            self._computation
        )(
            tree_unflatten(self.structure, whole[:count]),
            tree_unflatten(self.structure, whole[count:]),
        )
        flat, _ = flatten_operands(self.name, "the result ", mapped)
        return [ops.reshape(x, shape=shape) for x in flat]

    def along_first(self) -> Tree:
        """Return the elements along the first axis combined, in a tree as the operands were."""
        results = self._halved(self.operands)
        return tree_unflatten(self.structure, self.combine(self.inits, results))

    def _halved(self, arrays: Arrays) -> Arrays:
        """Neighbours combined until one is left; the initial values where there are none."""
        count = arrays[0].shape[0]
        rest = arrays[0].shape[1:]
        if not count:
            return [broadcast_to_shape(array_of(init), rest) for init in self.inits]
        while count > 1:
            pairs = count // 2
            even, odd = [[_cut(x, 0, start, pairs, 2) for x in arrays] for start in (0, 1)]
            combined = self.combine(even, odd)
            if count % 2:
                last = [_cut(x, 0, count - 1, 1, 1) for x in arrays]
                combined = [
                    ops.concatenate([x, y], dimension=0)
                    for x, y in zip(combined, last, strict=True)
                ]
            arrays, count = combined, pairs + count % 2
        return [ops.reshape(x, shape=rest) for x in arrays]

    def windows(
        self,
        window: tuple[int, ...],
        strides: tuple[int, ...],
        padding: tuple[tuple[int, int], ...],
        base: tuple[int, ...],
        holes: tuple[int, ...],
    ) -> Tree:
        """Return the elements of each window combined, one axis after the other, the last first."""
        counts = window_counts(self.shape, window, strides, padding, base, holes)
        if 0 in counts:
            empty = [np.zeros(counts, x.dtype) for x in self.operands]
            return tree_unflatten(self.structure, [array_of(x) for x in empty])
        arrays = [
            ops.pad(
                x,
                init,
                low=[low for low, _ in padding],
                high=[high for _, high in padding],
                interior=[b - 1 for b in base],
            )
            for x, init in zip(self.operands, self.inits, strict=True)
        ]
        for axis in reversed(range(len(window))):
            arrays = self._slid(
                arrays, axis, window[axis], strides[axis], holes[axis], counts[axis]
            )
        return tree_unflatten(self.structure, self.combine(self.inits, arrays))

    def _slid(
        self, arrays: Arrays, axis: int, width: int, stride: int, hole: int, count: int
    ) -> Arrays:
        """Return the windows along one axis: of widths 1, 2, 4, ..., and from these of the width that there is."""
        result: Arrays | None = None
        offset, done = 0, 1
        remaining = width
        while remaining:
            if remaining & 1:  # the next part of each window, in the elements' order
                part = [_cut(x, axis, offset, count, stride) for x in arrays]
                result = part if result is None else self.combine(result, part)
                offset += done * hole
            remaining >>= 1
            if remaining:
                shift = done * hole
                size = arrays[0].shape[axis] - shift
                first, second = [
                    [_cut(x, axis, start, size, 1) for x in arrays] for start in (0, shift)
                ]
                arrays = self.combine(first, second)
                done *= 2
        assert result is not None
        return result


def _cut(x: Array, axis: int, start: int, count: int, stride: int) -> Array:
    """So many elements along an axis from a start, a stride apart."""
    begin, end, steps = [0] * x.ndim, list(x.shape), [1] * x.ndim
    begin[axis], end[axis], steps[axis] = start, start + (count - 1) * stride + 1, stride
    return ops.slice(x, start=begin, limit=end, strides=steps)
