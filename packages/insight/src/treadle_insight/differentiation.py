"""The function behind a gradient, as a program of the leaves that it is differentiated with respect to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_autodiff import Differentiated, derivative_of, vjp
from treadle_insight.recording import Read, record
from treadle_insight.subject import Subject
from treadle_ir import ArrayType, Operand, Operands, Program, interpret, stage, type_of
from treadle_ir.calling import as_array
from treadle_ir.core.dtypes import is_inexact
from treadle_ir.errors import ConcretizationError
from treadle_ir.rewrite import inline
from treadle_ir.tracing import positional_names
from treadle_ir.tree import (
    flatten_leaves_and_structure,
    keystr,
    tree_flatten_with_path,
    tree_unflatten,
)

Function: TypeAlias = Callable[..., Operands]


@final
@dataclass(frozen=True)
class Differentiation:
    """A function that is differentiated, as a program.

    Attributes:
        name: the function's name.
        program: the program, with its calls inlined: captured arrays, then the leaves.
        captured: the captured arrays.
        leaves: the differentiated leaves, as arrays.
        paths: the path of each leaf, as the user writes it: `params['w']`.
        reads: where Python read elements, if the function was recorded on values.
        function: the function of the leaves; None if it was recorded on values.
    """

    name: str
    program: Program
    captured: tuple[Operand, ...]
    leaves: Sequence[Operand]
    paths: Sequence[str]
    reads: Sequence[Read] = ()
    function: Function | None = None  # None if it has to be recorded

    @property
    def wanted(self) -> list[int]:
        """The positions of the parameters that have derivatives."""
        first = len(self.captured)
        parameters = list(enumerate(self.program.parameters))[first:]
        return [
            position
            for position, each in parameters
            if isinstance(each.type, ArrayType) and is_inexact(each.type.dtype)
        ]

    def path(self, position: int) -> str:
        """Return the path of a parameter at a position."""
        return self.paths[position - len(self.captured)]

    def gradient(self) -> tuple[Program, list[Operand], int]:
        """Return the program of the gradient, its operands, and the number of its cotangents, which come last.

        A result that is not a scalar gets a cotangent without pattern, so that slopes do not cancel by symmetry.
        """
        first, wanted = len(self.captured), set(self.wanted)
        operands = [*self.captured, *self.leaves]
        results = [
            (number, each.type)
            for number, each in enumerate(self.program.results)
            if isinstance(each.type, ArrayType) and is_inexact(each.type.dtype)
        ]

        def gradient(*given: Operand) -> Operands:
            values, cotangents = given[: len(operands)], given[len(operands) :]

            def function(*leaves: Operand) -> list[Any]:
                taken = iter(leaves)
                filled = [next(taken) if i in wanted else x for i, x in enumerate(values)]
                whole = self.function
                found = whole(*filled[first:]) if whole else interpret(self.program, *filled)
                return [as_array(found[number]) for number, _ in results]

            _, pull = vjp(function, *[as_array(values[i]) for i in sorted(wanted)])
            return list(pull([as_array(each) for each in cotangents]))

        random = np.random.default_rng(0)
        cotangents = [
            np.asarray(random.uniform(0.5, 1.5, type.shape) if type.shape else 1.0).astype(
                type.dtype
            )
            for _, type in results
        ]
        staged = stage(gradient, *[type_of(x) for x in (*operands, *cotangents)])
        return inline(staged.program), [*staged.captured, *operands, *cotangents], len(cotangents)


def differentiation_of(subject: Subject) -> Differentiation | None:
    """Return the function behind a gradient as a program; None if the subject is not a gradient.

    Args:
        subject: a program, and the function and arguments it was traced from.

    Raises:
        ConcretizationError: Python reads elements of an argument, and the subject may not be run.
    """
    of = None if subject.function is None else derivative_of(subject.function)
    if of is None:
        return None
    positions = of.positions(len(subject.args))
    flat = [flatten_leaves_and_structure(subject.args[position]) for position in positions]
    leaves = [as_array(leaf) for found, _ in flat for leaf in found]
    names = positional_names(of.function)
    paths = [
        f"{_label(names, position)}{keystr(path)}"
        for position in positions
        for path, _ in tree_flatten_with_path(subject.args[position])[0]
    ]

    def function(*operands: Operand) -> Operands:
        given, args = iter(operands), [*subject.args]
        for position, (found, structure) in zip(positions, flat, strict=True):
            args[position] = tree_unflatten(structure, [next(given) for _ in found])
        return _results(of, of.function(*args, **subject.kwargs))

    reads: Sequence[Read] = ()
    try:
        staged = stage(function, *[type_of(leaf) for leaf in leaves])
        program, captured = staged.program, staged.captured
    except ConcretizationError:
        if not subject.values:
            raise
        recording = record(function, leaves)
        program, captured, reads = recording.program, recording.captured, recording.reads
    name = getattr(of.function, "__name__", subject.name)
    traced = function if not reads else None
    return Differentiation(name, inline(program), captured, leaves, paths, reads, traced)


_ARGUMENT: Final = "argument "


def _label(names: Sequence[str], position: int) -> str:
    """Return how a user calls a positional argument."""
    return names[position] if position < len(names) else f"{_ARGUMENT}{position}"


def _results(of: Differentiated, output: Any) -> Operands:
    """Return the differentiated results of a function. Any: a pytree."""
    value = output[0] if of.has_aux else output
    leaves, _ = flatten_leaves_and_structure(value)
    return [as_array(leaf) for leaf in leaves]
