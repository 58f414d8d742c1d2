"""References among the primals of `jvp` and `linearize`: the tangent of what a reference holds is held by another.

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
from treadle_ir.errors import boundary
from treadle_ir.process import frozen
from treadle_ir.refs import Reference, is_reference, new_cell, references_once, store
from treadle_ir.tree import (
    PyTreeDef,
    flatten_leaves_and_structure,
    keystr,
    leaf_paths,
    leaves_in_any_order,
    tree_unflatten,
)


def has_references(trees: Tree) -> bool:
    """Return whether there are references, or views of them, among the leaves."""
    return any(map(is_reference, leaves_in_any_order(trees)))


@final
class GivenReferences:
    """Arguments of a function, or their tangents, some of which are references.

    Attributes:
        structure: of the arguments.
        references: the references, in the order of the leaves.
        places: for each leaf, whether it is a reference.
        values: the leaves, with what a reference holds in its place.
    """

    __slots__ = ("_leaves", "_paths", "places", "references", "structure", "values")

    def __init__(self, arguments: tuple[Tree, ...], what: str) -> None:
        self._leaves, self.structure = flatten_leaves_and_structure(arguments)
        self._paths: Final = [f"{what}{keystr(path)}" for path in leaf_paths(arguments)]
        self.places: Final = tuple([is_reference(leaf) for leaf in self._leaves])
        self.references: Final[list[Reference]] = [x for x in self._leaves if is_reference(x)]
        self.values: Final = [x.load() if is_reference(x) else x for x in self._leaves]

    def pure(self, name: str, function: Callable[..., Tree], has_aux: bool) -> Callable[..., Tree]:
        """A function of values: to the results with what references hold in the end, and auxiliary output."""
        split = results_and_aux(name, lambda tree: ([], tree), has_aux)
        places, structure = self.places, self.structure

        def pure(values: list[Tree]) -> Tree:
            given = [
                new_cell(value) if is_ref else value
                for is_ref, value in zip(places, values, strict=True)
            ]
            _, (output, aux) = split(function(*tree_unflatten(structure, given)))
            return (output, [x.load() for x in given if is_reference(x)]), aux

        return pure

    def store(self, held: Sequence[Tree]) -> None:
        """Write what the references hold in the end."""
        store(self.references, held)

    def check_tangents(self, name: str, tangents: GivenReferences) -> None:
        """Check that the tangents are references where these arguments are, and that each reference is given once.

        Raises:
            ArgumentError, StructureError: they are not.
        """
        same_structure("tangents", tangents.structure, "primals", self.structure)
        for number, (leaf, tangent) in enumerate(zip(self.places, tangents.places, strict=True)):
            if leaf is not tangent:
                one, other = self._paths[number], tangents._paths[number]
                refuse_tangent(name, *((one, other) if leaf else (other, one)))
        self.check_once(name, tangents)

    def check_like(self, name: str, examples: GivenReferences) -> None:
        """Check that there are references where there were references among the examples, and only there.

        Raises:
            ArgumentError: there are not.
        """
        for path, is_ref, was_ref in zip(self._paths, self.places, examples.places, strict=True):
            if is_ref is not was_ref:
                what = ("not a reference", "a reference") if was_ref else ("a reference", "not one")
                raise ArgumentError(
                    f"{name}: {path} is {what[0]}, but was {what[1]} among the examples",
                    fix="give references where the examples have references, and only there",
                )

    def check_once(self, name: str, *others: GivenReferences) -> None:
        """Check that each reference is given once, here or among others.

        Raises:
            ArgumentError: one is given twice.
        """
        every = (self, *others)
        references_once(
            name,
            [x for each in every for x in each.references],
            lambda: [
                path
                for each in every
                for path, is_ref in zip(each._paths, each.places, strict=True)
                if is_ref
            ],
        )


def refuse_tangent(name: str, reference: str, other: str) -> None:
    """Raise the error for a reference of which the tangent, or the primal, is none; both are named."""
    raise ArgumentError(
        f"{name}: {reference} is a reference, but {other} is not",
        fix="give a reference and a reference for its tangent, new_ref(zeros_like(ref[...])), "
        "or the values of both",
    )


@boundary
@final
@frozen
class PushedForward:
    """The derivative of a function of references: tangents of what they hold are read and written in references."""

    structure: PyTreeDef  # of the arguments
    places: tuple[bool, ...]  # for each leaf, whether it is a reference

    def __call__(self, f_jvp: Callable[..., Tree], *tangents: Tree) -> Tree:
        """Tangents of the results, by the derivative `f_jvp` of the pure function."""
        given = GivenReferences(tangents, "tangents")
        same_structure("the tangents", given.structure, "the primals", self.structure)
        for number, (wanted, found) in enumerate(zip(self.places, given.places, strict=True)):
            if wanted is not found:
                path = given._paths[number]
                primal = path.replace("tangents", "primals", 1)
                refuse_tangent("linearize", *((primal, path) if wanted else (path, primal)))
        given.check_once("linearize")
        tangent, held = f_jvp(given.values)
        given.store(held)
        return tangent
