"""Collectives in two halves: `psum_scatter_start` begins one, and what it returns waits for it.

A program has the whole collective, where it starts. XLA itself splits collectives into a start and a wait on the
platforms where they run in parallel with other work, and moves the wait as far down as the first operation that needs
the result; so nothing is lost, and derivatives and batching work as for the collective.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, final

from treadle_ir import type_of
from treadle_ir.tree import tree_map
from treadle_numpy.lax.exchanges import psum_scatter
from treadle_numpy.operands.trees import Tree

__all__ = ["psum_scatter_start"]


@final
class Future:
    """The result of a collective that has started: `done()` waits for it, as often as it is called."""

    __slots__ = ("_result",)

    def __init__(self, result: Tree) -> None:
        self._result: Final = result

    def done(self) -> Tree:
        """Return the result."""
        return self._result

    def __repr__(self) -> str:
        return f"Future({tree_map(type_of, self._result)})"


def psum_scatter_start(
    x: Tree,
    axis_name: Hashable,
    *,
    scatter_dimension: int = 0,
    axis_index_groups: object = None,
    tiled: bool = False,
) -> Future:
    """Return the first half of `psum_scatter`: its `done()` is the sum's own part.

    What is written between both halves may run meanwhile, where the platform can do so. A `Future` is not an array:
    call `done()` within the function that started it. It can be differentiated and batched.

    Raises:
        NameError: no such axis is being mapped.
        ShapeError: `scatter_dimension` has another size.
        ArgumentError: `axis_index_groups` does not have each batch element once, in groups of one size.

    Example:
        `vmap(lambda row: lax.psum_scatter_start(row, "i").done(), axis_name="i")(x)` is `x.sum(0)` for a square matrix.

        The type of what one of four batch elements gets:

        >>> import numpy as np
        >>> from treadle_ir import ArrayType, stage
        >>> from treadle_ir.settings import named_axis
        >>> one = ArrayType((8, 3), np.dtype(np.float32))
        >>> with named_axis("i", 4):
        ...     staged = stage(lambda x: [psum_scatter_start(x, "i", tiled=True).done()], one)
        >>> print(staged.program.results[0].type)
        f32[2,3]
    """
    return Future(
        psum_scatter(
            x,
            axis_name,
            scatter_dimension=scatter_dimension,
            axis_index_groups=axis_index_groups,
            tiled=tiled,
        )
    )
