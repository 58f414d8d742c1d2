"""Bodies of control flow as programs.

A body is a Python function. It is staged each time that a loop or a branch is called, whatever trace is current: what
it captured becomes leading operands, and what it reads is read again. An eager loop that Python runs many times would
so be compiled each time; to prevent it, equal programs of one piece of code are one object (`tracing.interned`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, final

from treadle_ir import ArgumentError, ArrayType, Operand, Operands, Program, Sharding
from treadle_ir.calling import TreeFunction, no_array
from treadle_ir.errors import during
from treadle_ir.process import frozen
from treadle_ir.refs import as_body
from treadle_ir.sharding import result_shardings, type_text
from treadle_ir.tracing import explicit_mesh, interned, share_captures, stage_tree
from treadle_ir.tree import (
    PyTreeDef,
    flatten_leaves_and_structure,
    keystr,
    leaf_paths,
    tree_unflatten,
)
from treadle_numpy.operands.coerce import coerce
from treadle_numpy.operands.trees import Tree


@final
@frozen(eq=False)
class Body:
    """A staged body: its program, what it captured (operands that go first), the structures it returned."""

    program: Program
    captured: tuple[Operand, ...]
    structures: tuple[PyTreeDef, ...]

    @property
    def result_types(self) -> list[list[ArrayType]]:
        """The types of the results, by structure."""
        all_types = iter(self.program.result_types)
        return [
            [
                each
                for _, each in zip(range(structure.num_leaves), all_types, strict=False)
                if isinstance(each, ArrayType)
            ]
            for structure in self.structures
        ]

    @property
    def shardings(self) -> tuple[Sharding | None, ...]:
        """The shardings of the results over the mesh in force."""
        mesh = explicit_mesh()
        if mesh is None:
            return (None,) * len(self.program.results)
        return result_shardings(self.program, mesh)


def first_difference(
    types: Sequence[ArrayType],
    left: Sequence[Sharding | None],
    right: Sequence[Sharding | None],
) -> tuple[int, str, str] | None:
    """Return the position and the two types of the first arrays whose shardings differ; None where none do."""
    for number, (type, one, two) in enumerate(zip(types, left, right, strict=False)):
        if one is not None and two is not None and one is not two:
            return number, type_text(type, one.dims), type_text(type, two.dims)
    return None


def flatten_operands(function: str, what: str, tree: Tree) -> tuple[list[Operand], PyTreeDef]:
    """Return the leaves of a tree as operands, and its structure; a leaf that is not an array is named by its path.

    Raises:
        ArgumentError: a leaf is not an array or a number.
    """
    leaves, structure = flatten_leaves_and_structure(tree)
    operands: list[Operand] = []
    for position, leaf in enumerate(leaves):
        try:
            operands.append(coerce(function, position, leaf))
        except ArgumentError as error:
            path = keystr(leaf_paths(tree)[position])
            fix = "close over it, or register its class as a pytree"
            raise no_array(f"{function}: {what}", path, leaf, fix) from error
    return operands, structure


def paths_of(structure: PyTreeDef) -> list[str]:
    """Return where the leaves of a structure are: `['w'][0]`."""
    tree = tree_unflatten(structure, range(structure.num_leaves))
    return [keystr(path) for path in leaf_paths(tree)]


Split: TypeAlias = Callable[[Tree], tuple[Tree, ...]]


def one_tree(result: Tree) -> tuple[Tree, ...]:
    """Return the result of a body that returns one tree."""
    return (result,)


def stage_body(
    where: str,
    function: Callable[..., Tree],
    structures: Sequence[PyTreeDef],
    operand_types: Sequence[ArrayType],
    split: Split = one_tree,
    written: object = None,
) -> Body:
    """Return a body as a program: `function` takes one tree per structure; `split` takes its result apart.

    `where` is for messages: "the body of scan". `written` is the user's function, where `function` is a wrapper
    around it. The types have the shardings of the operands, and say what these vary over (`types_here`).
    """
    counts = [structure.num_leaves for structure in structures]

    def arguments(operands: Sequence[Operand]) -> tuple[Sequence[Tree], dict[str, Tree]]:
        trees, start = [], 0
        for structure, count in zip(structures, counts, strict=True):
            trees.append(tree_unflatten(structure, operands[start : start + count]))
            start += count
        return trees, {}

    def results(output: Tree) -> tuple[Operands, tuple[PyTreeDef, ...]]:
        leaves: list[Operand] = []
        returned = []
        for tree in split(output):
            more, structure = flatten_operands(where, "the result ", tree)
            leaves += more
            returned.append(structure)
        return leaves, tuple(returned)

    with during(f"staging {where}"):
        staged, returned = stage_tree(
            TreeFunction(as_body(function), arguments, results),
            *operand_types,
        )
    program = interned(written or function, staged.program)
    return Body(program, staged.captured, returned)


def with_common_captures(
    bodies: Sequence[Body], functions: Sequence[object]
) -> tuple[list[Program], list[Operand]]:
    """Return the bodies' programs with all that any of them captured as leading parameters, and what that is."""
    programs, captured = share_captures(
        [body.program for body in bodies], [body.captured for body in bodies]
    )
    if captured:
        programs = [interned(*pair) for pair in zip(functions, programs, strict=True)]
    return programs, captured
