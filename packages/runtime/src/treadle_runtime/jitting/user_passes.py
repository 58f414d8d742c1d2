"""The passes of `jit(f, passes=[...])`: users' functions from program to program, and names of treadle_ir's passes.

This module is imported when a function has passes.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from treadle_ir import PassManager, Program, VerifyError
from treadle_ir.errors import refused
from treadle_runtime.jitting.options import UserPass


def passes_of(given: object) -> tuple[UserPass, ...]:
    """Return the passes that a user gives to `jit`.

    Args:
        given: the user's argument.

    Raises:
        ArgumentError: it is not a sequence of names and hashable functions, or there is no pass of a name.
    """
    wanted = "a list of names of passes and functions"
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise refused("jit", "passes", wanted, given)
    for each in given:
        if not isinstance(each, Hashable) or not (isinstance(each, str) or callable(each)):
            raise refused("jit", "passes", wanted, each)
    PassManager(given)  # it knows the names
    return tuple(given)


def with_passes(program: Program, passes: Sequence[UserPass]) -> Program:
    """Return the program that passes make of a program; each result is verified.

    Args:
        program: the program, optimised.
        passes: the passes in order.

    Raises:
        VerifyError: a pass returned an invalid program, or one with other parameters, results or effects; the error
            names the pass.
    """
    if not passes:
        return program

    def check(name: str, made: Program) -> None:
        for what, before, after in (
            ("parameters", program.parameter_types, made.parameter_types),
            ("results", program.result_types, made.result_types),
            ("effects", program.effects, made.effects),
        ):
            if before != after:
                raise VerifyError(
                    f"the pass {name} changed the {what} of the program from {_listed(before)} to {_listed(after)}",
                    fix="return a program with the same parameters, results and effects",
                )

    return PassManager(passes, verify_each=True, after_each=check)(program)


def _listed(values: object) -> str:
    assert isinstance(values, (tuple, frozenset))
    return f"({', '.join(sorted(map(str, values)) if isinstance(values, frozenset) else map(str, values))})"
