"""A pipeline of passes by their names: `PassManager("fold,cse,dce")(program)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias, final

from treadle_ir.analysis.verifier import verify
from treadle_ir.core.program import Program
from treadle_ir.errors.argument_checks import shown
from treadle_ir.errors.kinds import ArgumentError, did_you_mean, during
from treadle_ir.rewrite.cse import cse
from treadle_ir.rewrite.dce import dce
from treadle_ir.rewrite.fold import fold
from treadle_ir.rewrite.inline import inline
from treadle_ir.rewrite.optimise import optimise
from treadle_ir.rewrite.plain import plain
from treadle_ir.rewrite.roll import roll
from treadle_ir.rewrite.simplify import simplify
from treadle_ir.rewrite.unpromised import unpromised
from treadle_ir.rewrite.unsharded import without_shardings

Pass: TypeAlias = Callable[[Program], Program]

PASSES: Final[Mapping[str, Pass]] = MappingProxyType(
    {
        "cse": cse,
        "dce": dce,
        "fold": fold,
        "inline": inline,
        "optimise": optimise,
        "plain": plain,
        "roll": roll,
        "simplify": simplify,
        "unpromised": unpromised,
        "without_shardings": without_shardings,
    }
)
"""The passes of this package by name."""


@final
class PassManager:
    """Passes that run one after the other.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, ops, stage
        >>> from treadle_ir.rewrite import PassManager
        >>> vector = ArrayType((3,), np.dtype(np.float32))
        >>> program = stage(lambda x: [ops.add(ops.sine(x), ops.sine(x))], vector).program
        >>> PassManager("cse,dce")(program)
        <program (f32[3]) -> (f32[3]), 2 equations>
    """

    def __init__(
        self,
        passes: str | Iterable[str | Pass],
        *,
        verify_each: bool = False,
        after_each: Callable[[str, Program], None] | None = None,
    ) -> None:
        """Make a pipeline of passes.

        Args:
            passes: names of `PASSES` with commas between them, or names and functions of a program.
            verify_each: whether the program is verified in front of the first pass and after each.
            after_each: called with the name of a pass and the program that it returned, for instance to print it.

        Raises:
            ArgumentError: there is no pass of a name.
        """
        given = [name.strip() for name in passes.split(",")] if isinstance(passes, str) else passes
        self._passes: Final = [_named(each) for each in given if each != ""]
        self._verify_each: Final = verify_each
        self._after_each: Final = after_each

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the passes, in order."""
        return tuple([name for name, _ in self._passes])

    def __call__(self, program: Program) -> Program:
        """Run the passes.

        Raises:
            ArgumentError: a pass does not return a program.
            VerifyError: with `verify_each`, a program is not valid; a note names the pass that returned it.
        """
        if self._verify_each:
            verify(program)
        for name, function in self._passes:
            with during(f"the pass {name}"):
                made = function(program)
                if not isinstance(made, Program):
                    raise ArgumentError(
                        f"the pass {name} returned {shown(made)}, which is not a program",
                        fix="return a treadle_ir.Program",
                    )
                program = made
                if self._verify_each:
                    verify(program)
            if self._after_each is not None:
                self._after_each(name, program)
        return program


def _named(given: str | Pass) -> tuple[str, Pass]:
    if not isinstance(given, str):
        return getattr(given, "__name__", type(given).__name__), given
    if given not in PASSES:
        raise ArgumentError(
            f"there is no pass {given!r}{did_you_mean(given, PASSES)}",
            fix=f"use one of {', '.join(PASSES)}, or pass a function from a program to a program",
        )
    return given, PASSES[given]
