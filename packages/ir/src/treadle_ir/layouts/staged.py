"""How values lie while a function is being staged, and how the results of a program do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from treadle_ir.array import Array
from treadle_ir.deferred import LayoutWithSums, sums_of, with_sums
from treadle_ir.errors import ShardingTypeError
from treadle_ir.families import Elementwise, InlineCall, OverMesh
from treadle_ir.layouts.laid import is_whole, whole
from treadle_ir.layouts.mesh import explicit_mesh
from treadle_ir.layouts.rules import result_layouts
from treadle_ir.meshes import AbstractMesh, Layout, Whole
from treadle_ir.nesting import deeper
from treadle_ir.primitive import Primitive
from treadle_ir.primitives.shape import BroadcastInDim, Reverse, Transpose
from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.program import Program
from treadle_ir.types import ArrayType, Type
from treadle_ir.values import Atom, Value

if TYPE_CHECKING:
    from treadle_ir.stage import StagingTrace


def seen(layout: Layout, mesh: AbstractMesh) -> Whole:
    """What types show of a layout: the explicit axes."""
    shown = mesh.explicit_axes
    divided = tuple([tuple([n for n in names or () if n in shown]) for names in layout])
    return with_sums(divided, sums_of(layout).over(shown))


def layout_of_operand(operand: object, mesh: AbstractMesh) -> Whole | None:
    """How an operand lies, as far as types show it; None where the compiler decides."""
    if isinstance(operand, Array):
        layout = operand.__treadle_layout__(mesh)
        return None if layout is None else seen(layout, mesh)
    return whole(len(getattr(operand, "shape", ())))


def layouts_here(operands: Sequence[object]) -> tuple[Whole | None, ...] | None:
    """How operands lie; None where no mesh with explicit axes is in force."""
    mesh = explicit_mesh()
    if mesh is None:
        return None
    return tuple([layout_of_operand(operand, mesh) for operand in operands])


def note_layouts(
    trace: StagingTrace, primitive: Primitive, atoms: Sequence[Atom], results: Sequence[Value]
) -> ShardingConstraint | None:
    """Remember how the results of an operation lie that is being staged.

    Where the compiler could lay its one result otherwise, the constraint that says it is to be written down.

    Raises:
        ShardingTypeError: its operands do not go together, or the result could lie in several ways.
    """
    mesh = explicit_mesh()
    if mesh is None:  # this part of the program is left to the compiler
        return None
    found = result_layouts(
        primitive,
        [atom.type for atom in atoms],
        [_of_atom(trace.layouts, atom, mesh) for atom in atoms],
        [value.type for value in results],
        mesh,
    )
    for value, layout in zip(results, found, strict=True):
        if layout is not None:
            trace.layouts[value] = layout
    if len(found) != 1 or found[0] is None or is_whole(found[0]):
        return None
    layout = found[0]
    # Of what lies as an operand does XLA knows, but not that a sum is put off.
    if isinstance(primitive, OverMesh if type(layout) is LayoutWithSums else _FOLLOWS):
        return None
    # What explicit axes do not divide, automatic ones may.
    rest = None if mesh.auto_axes else ()
    return ShardingConstraint.of(
        mesh, with_sums([names or rest for names in layout], sums_of(layout))
    )


# Results that lie as an operand does, whatever the compiler is told, and those that say by themselves how they lie.
_FOLLOWS: Final = (BroadcastInDim, Elementwise, InlineCall, OverMesh, Reverse, Transpose)


def _of_atom(known: dict[Value, Whole], atom: Atom, mesh: AbstractMesh) -> Whole | None:
    """How an operand lies over what is explicit here: where it was made, more axes may have been."""
    if not isinstance(atom, Value):
        return ()
    layout = known.get(atom)
    return None if layout is None else seen(layout, mesh)


def program_layouts(
    program: Program, parameters: Sequence[Whole | None], mesh: AbstractMesh
) -> tuple[Whole | None, ...]:
    """The layouts of a program's results over the explicit axes of `mesh`, given those of its `parameters`.

    The program remembers the answer: a program that is called in many places, by programs that are themselves called
    in many places, is looked through once for each combination of layouts.
    """
    answers: dict[object, tuple[Whole | None, ...]] = program.derived.setdefault(
        program_layouts, {}
    )
    key = tuple(parameters), mesh
    found = answers.get(key)
    if found is None:
        with deeper():
            found = _program_layouts(program, parameters, mesh)
        if len(answers) >= _ANSWERS_KEPT:
            answers.clear()
        answers[key] = found
    return found


_ANSWERS_KEPT: Final = 64  # for each program


def _program_layouts(
    program: Program, parameters: Sequence[Whole | None], mesh: AbstractMesh
) -> tuple[Whole | None, ...]:
    """The same, by inferring the layout of each equation's results.

    Operations that explicit axes do not support were refused when the program was staged. Where a rule refuses one
    here, it was staged for other layouts, or without explicit axes, and its results are left to the compiler.
    """
    known: dict[Value, Whole] = {}
    for parameter, given in zip(program.parameters, parameters, strict=True):
        if given is not None:
            known[parameter] = given
    for equation in program.equations:
        types: list[Type] = [atom.type for atom in equation.operands]
        try:
            found = result_layouts(
                equation.primitive,
                types,
                [_of_atom(known, atom, mesh) for atom in equation.operands],
                [value.type for value in equation.results],
                mesh,
            )
        except ShardingTypeError:
            continue
        for value, layout in zip(equation.results, found, strict=True):
            if layout is not None:
                known[value] = layout
    return tuple(
        [
            _of_atom(known, atom, mesh) if isinstance(atom.type, ArrayType) else ()
            for atom in program.results
        ]
    )
