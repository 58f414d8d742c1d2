"""References in the stages of a jitted call, which hold the pure function of `with_refs`.

A stage shows the arguments and results of the user's function: references stand where they were given, and what the
function closes over does not appear. The compiled function reads and writes references when it is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any, final

from treadle_ir import ArgumentError, type_of
from treadle_ir.refs import Cell, HeldTree, Reference, is_reference, references_once
from treadle_ir.tracing import Arguments
from treadle_ir.tree import flatten_leaves_and_structure
from treadle_runtime.jitting.options import Split


@final
class StagedReferences:
    """The arguments of a staged call some of which are references, and the references that the function closes over.

    Args:
        arguments: what the user gave.
        split: which of the user's arguments are static.
        places: the indices of references among the leaves of the arguments.
        closed: the references that the function closes over.
        name: the name of the function, for messages.
    """

    __slots__ = ("_types", "arguments", "closed", "lent", "operands", "places", "split", "values")

    def __init__(
        self,
        arguments: Arguments,
        split: Split,
        places: tuple[int, ...],
        closed: Sequence[Cell],
        name: str,
    ) -> None:
        given: list[Reference] = [arguments.leaves[place] for place in places]

        def paths() -> list[str]:
            every = arguments.paths()
            return [every[place] for place in places]

        self.lent = references_once(name, given, paths)
        self.arguments = arguments
        self.split = split
        self.places = places
        self.closed = tuple(closed)
        # The arguments of the pure function: other leaves, and what references hold.
        others = [leaf for leaf in arguments.leaves if not is_reference(leaf)]
        held = [reference.load() for reference in given]
        self.values = others, [*held, *[cell.load() for cell in closed]]
        # The operands of the pure function that show as references: those that hold one array.
        sizes = [len(flatten_leaves_and_structure(value)[0]) for value in held]
        starts = accumulate(sizes, initial=len(others))
        self.operands = [
            start
            for start, value in zip(starts, held, strict=False)
            if not isinstance(value, HeldTree)
        ]
        self._types = [
            None if isinstance(value, HeldTree) else type_of(value).strong() for value in held
        ]

    def like_arguments(self, pure: Arguments, leaves: Sequence[Any]) -> Any:  # Any: a tree
        """Return a tree like the user's arguments, from one leaf for each operand of the pure function."""
        (others, values), _ = pure.rebuilt(leaves)
        whole = list(others)
        for place, value in zip(self.places, values[: len(self.places)], strict=True):
            whole.insert(place, value)  # places ascend
        return self.arguments.without_statics(whole)

    def check(self, given: Arguments, name: str) -> None:
        """Check that the arguments of a call have references where the staged call had them, of the same types.

        Raises:
            ArgumentError: they differ.
        """
        types = dict(zip(self.places, self._types, strict=True))
        for number, leaf in enumerate(given.leaves):
            if is_reference(leaf) is not (number in types):
                wanted, called = ("an array", "a reference")
                if number in types:
                    wanted, called = called, wanted
                raise ArgumentError(
                    f"{name} was compiled for {wanted} at {given.paths()[number]}, called with {called}",
                    fix="pass `new_ref(x)` where it was compiled for a reference, and `ref[...]` where it was not",
                )
            type = types.get(number)
            if type is not None and (found := type_of(leaf.load()).strong()) is not type:
                raise ArgumentError(
                    f"{name} was compiled for a reference to {type} at {given.paths()[number]}, "
                    f"called with one to {found}",
                    fix="pass a reference to such an array, or call the jitted function itself",
                )
