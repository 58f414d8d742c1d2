"""Runs the source of a program with treadle."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any, Final

from conformance.random_programs.program import Case, Step

_HERE: Final = Path(__file__).parent
NAMES: Final = (_HERE / "names.py").read_text()
HELPERS: Final = (_HERE / "helpers.py").read_text()
PLAIN: Final = (_HERE / "plain.py").read_text()
Namespace = dict[str, Any]


@functools.cache
def _compiled(plain: bool) -> CodeType:
    return compile(NAMES + (PLAIN if plain else HELPERS), "<helpers>", "exec")


def namespace(plain: bool = False) -> Namespace:
    """New globals with everything that a program names."""
    found: Namespace = {}
    exec(_compiled(plain), found)
    return found


def loaded(case: Case, plain: bool = False) -> tuple[Callable[..., Any], list[Any]]:
    """The function of a case and its arguments."""
    found = namespace(plain)
    exec(case.text(), found)
    return found["program"], found["arguments"]


def probed(step: Step, given: dict[str, Any], scope: Namespace) -> tuple[Any, ...]:
    """The types of a step's results, from the types of all that it may read."""
    *before, last = step.lines()
    call = last.partition("= leaves(")[2]
    lines = [f"def probe({', '.join(given)}):", *before, f"return leaves({call}"]
    exec("\n    ".join(lines), scope)
    probe = scope["probe"]
    treadle = scope["treadle"]

    def arrays(*xs: Any) -> Any:
        results = probe(*xs)
        if not results or not all(isinstance(x, treadle.Array) for x in results):
            raise NotArraysError
        return results

    return tuple(treadle.eval_shape(arrays, *given.values()))


class NotArraysError(Exception):
    """A function of the table that gives something else."""
