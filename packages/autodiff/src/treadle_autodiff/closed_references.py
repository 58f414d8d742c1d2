"""Functions that close over references, staged as programs that take and return what the references hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from treadle_autodiff.programs import held_in, strong
from treadle_ir import Operand, Operands, Type
from treadle_ir.core import unsharded
from treadle_ir.refs import Cell, as_body, discharged, holding, store
from treadle_ir.tracing import Staged, stage_tree
from treadle_ir.tree import tree_leaves, tree_unflatten

Out = TypeVar("Out")


class StagedWithReferences(NamedTuple, Generic[Out]):
    """A staged function, with the references that it closes over.

    Attributes:
        staged: the program. What the references hold are the first parameters after the captured arrays; what they
            hold in the end are the last results.
        out: what the function returned besides its results.
        cells: the references.
        own_count: the number of results of the function itself.
    """

    staged: Staged
    out: Out
    cells: Sequence[Cell]
    own_count: int

    def held(self) -> list[Operand]:
        """Return the arrays that the references hold now."""
        return tree_leaves([cell.load() for cell in self.cells])

    def store(self, held: Operands) -> None:
        """Write the arrays that the references hold in the end."""
        if self.cells:
            _, structure = held_in(self.cells)
            store(self.cells, tree_unflatten(structure, held))


def stage_with_references(
    function: Callable[..., tuple[Operands, Out]], types: Sequence[Type]
) -> StagedWithReferences[Out]:
    """Stage a function of operands of these types, which may read and write references from outside."""

    def run(cells: Sequence[Cell]) -> StagedWithReferences[Out]:
        held_types, structure = held_in(cells)

        def pure(*operands: Operand) -> tuple[Operands, tuple[Out, int]]:
            values, own = operands[: len(held_types)], operands[len(held_types) :]
            with holding(cells, tree_unflatten(structure, values)) as after:
                results, out = function(*own)
                held = [strong(x) for x in tree_leaves(after())]
            return [*results, *held], (out, len(results))

        staged, (out, count) = stage_tree(as_body(pure), *unsharded((*held_types, *types)))
        return StagedWithReferences(staged, out, cells, count)

    return discharged(run)
