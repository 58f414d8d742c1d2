"""Every public function on 10 and on a million elements: a single call of each, with and without jit.

The calls are in `functions_table`; `functions_page.py` writes the page with their times. What is left out has a reason
there, and `missing` says which names have neither.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy

from cases.base import Budget, Case, Namespace
from cases.functions_table import LEFT_OUT, TABLE

FEW: Final = 10
MANY: Final = 1_000_000
SOME: Final = 10_000  # for functions marked `small`
LEVEL: Final = Budget(jax=1.0)

NAMESPACES: Final = (
    *("numpy", "numpy.linalg", "numpy.fft", "lax", "lax.linalg", "nn"),
    *("scipy.special", "scipy.linalg", "scipy.fft", "random"),
)
IN_ANY_ORDER: Final = frozenset({"argpartition", "partition", "roots"})
_LINE: Final = re.compile(r"([\w.]+)( eager| small)?: ([\w ]+?) (\(.*\))")


@functools.cache
def operands(library: str, n: int) -> dict[str, Any]:
    """The values that a line of the table may name, each made of n elements."""
    drawn = numpy.random.default_rng(0)
    side = round(n**0.5)
    matrix = drawn.standard_normal((side, side)).astype(numpy.float32)
    values = {
        "p": numpy.linspace(1, 2, 8, dtype=numpy.float32),
        "x": drawn.uniform(0.05, 0.95, n).astype(numpy.float32),
        "y": drawn.uniform(0.5, 4.0, n).astype(numpy.float32),
        "w": drawn.uniform(0.5, 4.0, n).astype(numpy.complex64) * (1 + 2j),
        "z": drawn.uniform(1.5, 4.0, n).astype(numpy.float32),
        "t": numpy.linspace(0, 1, 101, dtype=numpy.float32),
        "i": drawn.integers(0, 8, n, dtype=numpy.int32),
        "j": numpy.sort(drawn.integers(0, 8, n, dtype=numpy.int32)),
        "b": drawn.random(n) < 0.3,
        "m": matrix,
        "s": matrix @ matrix.T / numpy.float32(side) + numpy.eye(side, dtype=numpy.float32),
    }
    make = importlib.import_module(f"{library}.numpy").asarray
    return {name: make(value) for name, value in values.items()}


def called(namespace: str, name: str, arguments: str, n: int, jitted: bool) -> Case:
    """One call of one function; random keys stay arguments, sizes and the like are constants."""

    def make(ns: Namespace) -> Callable[[], Any]:
        function = getattr(importlib.import_module(f"{ns.library}.{namespace}"), name)
        arrays = {**operands(ns.library, n), "key": ns.random.key(0)}
        used = [each for each in arrays if re.search(rf"(?<![.\w]){each}\b", arguments)]
        constants = {
            "function": function,
            "n": n,
            "side": round(n**0.5),
            "np": ns.np,
            "lax": ns.lax,
        }
        body: Callable[..., Any] = eval(f"lambda {', '.join(used)}: function{arguments}", constants)
        call = ns.jit(body) if jitted else body
        given = [arrays[each] for each in used]
        return lambda: call(*given)

    manner = "jit" if jitted else "eager"
    # Drawn by an algorithm of its own, where JAX's is not published; vectors up to a sign; no numbers at all.
    free = namespace == "random" or "linalg" in namespace or name.startswith("empty")
    free = free or name in IN_ANY_ORDER
    return Case(f"{namespace}.{name} {manner} {n:g}", make, budget=LEVEL, compared=not free)


def lines() -> Iterator[tuple[str, str, list[str], str]]:
    """Namespace, mark, names and arguments of each line of the table."""
    for line in TABLE.strip().splitlines():
        found = _LINE.fullmatch(line)
        assert found is not None, line
        namespace, mark, names, arguments = found.groups()
        yield namespace, (mark or "").strip(), names.split(), arguments


def every() -> Iterator[Case]:
    """All cases of the table."""
    for namespace, mark, names, arguments in lines():
        many = SOME if mark == "small" else MANY
        for name in names:
            yield called(namespace, name, arguments, FEW, False)
            yield called(namespace, name, arguments, many, False)
            if mark != "eager":
                yield called(namespace, name, arguments, many, True)


def _same(function: object) -> tuple[int, int]:
    """Return a key that a function shares with its aliases: copies with the same code, in the same scope."""
    code = getattr(function, "__code__", function)
    return id(code), id(getattr(function, "__closure__", None))


def missing(library: str = "treadle") -> list[str]:
    """Return the public functions that are neither called nor left out with a reason, under any of their names."""
    known: set[tuple[int, int]] = set()
    excused: set[str] = set()
    for namespace, _, names, _ in lines():
        module = importlib.import_module(f"{library}.{namespace}")
        known.update(_same(getattr(module, name)) for name in names)
    for text in LEFT_OUT.values():
        for line in text.strip().splitlines():
            namespace, _, rest = line.partition(": ")
            excused.update(f"{namespace}.{name}" for name in rest.split())
    found = []
    for namespace in NAMESPACES:
        module = importlib.import_module(f"{library}.{namespace}")
        for name in module.__all__:
            function = getattr(module, name)
            if (
                callable(function)
                and not isinstance(function, type)
                and _same(function) not in known
            ):
                found.append(f"{namespace}.{name}")
    return [*(x for x in found if x not in excused), *sorted(excused - {*found})]


CASES: Final = tuple({case.name: case for case in every()}.values())
