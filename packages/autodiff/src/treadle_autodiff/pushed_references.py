"""References among the primals of `jvp`: the tangent of what a reference holds is what another reference holds.

The function that is differentiated is pure: it makes references of its own from the values of the given ones, and
returns what these hold in the end as further results. Those are written to the given references afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, final

from treadle_autodiff.checked_tangents import same_structure
from treadle_autodiff.user_function import Tree
from treadle_ir import ArgumentError
from treadle_ir.calling import results_and_aux
from treadle_ir.refs import Reference, is_reference, new_cell, references_once, store
from treadle_ir.tree import (
    flatten_leaves_and_structure,
    keystr,
    leaf_paths,
    tree_unflatten,
)


@final
class PushedReferences:
    """The primals and tangents of a call of `jvp`, some of which are references."""

    __slots__ = ("_primals", "_structure", "_tangents", "held")

    def __init__(self, primals: tuple[Tree, ...], tangents: tuple[Tree, ...]) -> None:
        leaves, self._structure = flatten_leaves_and_structure(primals)
        pushed, structure = flatten_leaves_and_structure(tangents)
        same_structure("tangents", structure, "primals", self._structure)
        for number, (leaf, tangent) in enumerate(zip(leaves, pushed, strict=True)):
            if is_reference(leaf) is not is_reference(tangent):
                path = keystr(leaf_paths(primals)[number])
                one, other = (
                    ("primals", "tangents") if is_reference(leaf) else ("tangents", "primals")
                )
                raise ArgumentError(
                    f"jvp: {one}{path} is a reference, but {other}{path} is not",
                    fix="give a reference and a reference for its tangent, new_ref(zeros_like(ref[...])), "
                    "or the values of both",
                )
        self._primals: Final = leaves
        self._tangents: Final = pushed
        both = self._references(leaves) + self._references(pushed)
        paths = [
            f"{tree}{keystr(path)}"
            for tree, given in (("primals", primals), ("tangents", tangents))
            for path, leaf in zip(leaf_paths(given), leaves, strict=True)
            if is_reference(leaf)
        ]
        references_once("jvp", both, lambda: paths)
        self.held: Final = (self._values(leaves),), (self._values(pushed),)
        """What `jvp` takes in the places of primals and tangents."""

    @staticmethod
    def _references(leaves: Sequence[Tree]) -> list[Reference]:
        return [leaf for leaf in leaves if is_reference(leaf)]

    @staticmethod
    def _values(leaves: Sequence[Tree]) -> list[Tree]:
        return [leaf.load() if is_reference(leaf) else leaf for leaf in leaves]

    def pure(self, function: Callable[..., Tree], has_aux: bool) -> Callable[[list[Tree]], Tree]:
        """A function of values: to the results with what references hold in the end, and auxiliary output."""
        split = results_and_aux("jvp", lambda tree: ([], tree), has_aux)

        def pure(values: list[Tree]) -> Tree:
            given = [
                new_cell(value) if is_reference(leaf) else value
                for leaf, value in zip(self._primals, values, strict=True)
            ]
            _, (output, aux) = split(function(*tree_unflatten(self._structure, given)))
            return (output, [cell.load() for cell in self._references(given)]), aux

        return pure

    def written(self, pushed: tuple[Tree, ...]) -> tuple[Tree, ...]:
        """The results of `jvp` of the function; what references hold in the end is written to them."""
        (output, held), (tangent, held_tangents), aux = pushed
        store(self._references(self._primals), held)
        store(self._references(self._tangents), held_tangents)
        return output, tangent, *aux
