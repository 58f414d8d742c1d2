"""What a derivative stores between the forward and the backward pass, in words."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, final

from treadle_autodiff.linearize import linearize_tree
from treadle_autodiff.programs import needed_residuals
from treadle_autodiff.user_function import Tree, check_callable
from treadle_autodiff.vjp import differentiable
from treadle_ir import ArrayType, Atom, Equation, Operand, Operands, Program, Value, type_of
from treadle_ir.calling import TreeFunction, array_results, as_array, refuse_others
from treadle_ir.core import InlineCall
from treadle_ir.primitives.call import CheckpointName
from treadle_ir.rewrite import prune
from treadle_ir.tracing import stage_tree, take_apart


@final
class SavedResidual(NamedTuple):
    """One array that is stored: its type, and where it comes from."""

    type: ArrayType
    origin: str

    def __str__(self) -> str:
        return f"{self.type} {self.origin}"


def saved_residuals(f: Callable[..., Tree], *args: Tree, **kwargs: Tree) -> list[SavedResidual]:
    """Return the values that reverse mode stores for the backward pass of a function.

    Raises:
        ArgumentError: `f` is not a function, or an argument is not a tree of arrays.
    """
    check_callable(f, "saved_residuals")
    arguments = take_apart(args, kwargs)
    leaves = arguments.leaves
    refuse_others(arguments.rebuilt(leaves), leaves, "saved_residuals: argument ")
    operands = list(map(as_array, leaves))
    function = TreeFunction(f, arguments.rebuilt, array_results())
    nonzero = differentiable(operands, arguments.structure)

    def forward(*primals: Operand) -> tuple[Operands, None]:
        linearized, _ = linearize_tree(function, primals, nonzero)
        return needed_residuals(prune(linearized.program), linearized.captured)[1], None

    staged, _ = stage_tree(forward, *[type_of(x).unsharded for x in operands])
    program = staged.program
    origins = ["from a constant"] * len(staged.captured)
    origins += [f"from the {name}" for name in _by_name(f, arguments.paths())]
    found = _Origins(program, origins)
    return [
        SavedResidual(atom.type, found.of(atom))
        for atom in program.results
        if isinstance(atom.type, ArrayType)
    ]


def print_saved_residuals(f: Callable[..., Tree], *args: Tree, **kwargs: Tree) -> None:
    """Print what reverse mode stores of a function for its backward pass: a line for each array.

    A line has the array's type, and the argument that it is, or the operation and the line of your code that make it.
    With the arguments go those that the function is called with. What is known from shapes alone is not stored.

    Raises:
        ArgumentError: `f` is not a function, or an argument is not a tree of arrays.

    Example:
        >>> import numpy as np
        >>> from treadle_autodiff import checkpoint
        >>> from treadle_ir import ops
        >>> f = lambda x: ops.sine(ops.sine(x))
        >>> x = np.ones(3, np.float32)
        >>> print_saved_residuals(checkpoint(f), x)
        f32[3] from the argument x
    """
    for residual in saved_residuals(f, *args, **kwargs):
        print(residual)


def _by_name(f: Callable[..., Tree], paths: Sequence[str]) -> list[str]:
    """Rename `argument 0['w']` to `argument params['w']`, where the parameters' names are known."""
    try:
        names = [*inspect.signature(f).parameters.values()]
    except (TypeError, ValueError):
        return [*paths]
    plain = [
        each.name
        for each in names
        if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]

    def name(match: re.Match[str]) -> str:
        number = int(match.group(1))
        return f"argument {plain[number]}" if number < len(plain) else match.group(0)

    return [re.sub(r"^argument (\d+)", name, path) for path in paths]


@final
class _Origins:
    """Where the values of a program come from: parameters, or operations and their places in the user's code."""

    def __init__(self, program: Program, of_parameters: Sequence[str]) -> None:
        self._program = program
        self._of_parameters = of_parameters
        # By id of a program, what makes its values; a number is the index of a parameter.
        self._makers: dict[int, dict[Atom, Equation | int]] = {}

    def _maker(self, program: Program, atom: Atom) -> Equation | int:
        made = self._makers.get(id(program))
        if made is None:
            made = {parameter: i for i, parameter in enumerate(program.parameters)}
            made.update((value, e) for e in program.equations for value in e.results)
            self._makers[id(program)] = made
        return made[atom]

    def of(self, atom: Atom) -> str:
        """Return the origin of a value, which is followed into the calls that made it, and out of them again."""
        program = self._program
        calls: list[tuple[Program, Equation]] = []  # around `program`, the outermost first
        while isinstance(atom, Value):
            maker = self._maker(program, atom)
            if isinstance(maker, int):
                if not calls:
                    return self._of_parameters[maker]
                program, call = calls.pop()
                atom = call.operands[maker]
            elif isinstance(maker.primitive, InlineCall):
                calls.append((program, maker))
                program, index = maker.primitive.program, maker.results.index(atom)
                atom = program.results[index]
            elif isinstance(maker.primitive, CheckpointName):
                return f"named {maker.primitive.label!r}{_place(maker)}"
            else:
                return f"output of {maker.primitive.name}{_place(maker)}"
        return "from a literal"


def _place(equation: Equation) -> str:
    source = equation.source
    if not source.file:
        return ""
    return f" from {os.path.basename(source.file)}:{source.line} ({source.function})"
