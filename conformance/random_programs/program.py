"""What a random program is: data that is run, printed and shrunk.

A program is a function of named values. Its steps are calls of public functions, and helpers such as `scanned` or
`vmapped` applied to a program of their own. `helpers.py` and `plain.py` define the helpers: with transformations, and
with Python's loops and branches.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, final

KEY: Final = "key"
INDENT: Final = "    "


@final
@dataclass(frozen=True)
class Argument:
    """An argument of the whole program: its numbers are Python's, a key has its seed."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    numbers: tuple[bool | int | float | complex, ...]

    def text(self) -> str:
        if self.dtype == KEY:
            return f"random.key({self.numbers[0]})"
        shape = "" if len(self.shape) == 1 else f".reshape({self.shape})"
        wide = _wide(self.numbers)
        numbers = f"np.array({[*self.numbers]}, np.{wide}){shape}"
        return (
            f"tnp.asarray({numbers}, dtype=tnp.{'bool_' if self.dtype == 'bool' else self.dtype})"
        )


def _wide(numbers: tuple[bool | int | float | complex, ...]) -> str:
    """The widest type of NumPy's with numbers of this kind."""
    first = type(numbers[0]) if numbers else float
    return {bool: "bool_", int: "int64", float: "float64", complex: "complex128"}[first]


@final
@dataclass(frozen=True)
class Call:
    """A call of a public function: its text has `{0}`, `{1}`, ... in the places of its operands."""

    function: str
    results: tuple[str, ...]
    text: str
    operands: tuple[str, ...]

    @property
    def read(self) -> tuple[str, ...]:
        return self.operands

    def lines(self) -> Iterator[str]:
        call = self.text.format(*self.operands)
        yield f"{', '.join(self.results)}, = leaves({call})"


@final
@dataclass(frozen=True)
class Nested:
    """A helper applied to a program: a pair of operands is two rows that the helper maps over."""

    helper: str
    results: tuple[str, ...]
    name: str  # of the function
    body: Program
    operands: tuple[tuple[str, ...], ...]

    @property
    def read(self) -> tuple[str, ...]:
        return tuple(name for each in self.operands for name in each)

    def lines(self) -> Iterator[str]:
        yield from self.body.lines(self.name)
        given = [x[0] if len(x) == 1 else f"({', '.join(x)})" for x in self.operands]
        yield f"{', '.join(self.results)}, = leaves({self.helper}({', '.join([self.name, *given])}))"


Step: TypeAlias = Call | Nested


@final
@dataclass(frozen=True)
class Program:
    """A function: its parameters, its steps in order, and the names that it returns."""

    parameters: tuple[str, ...]
    steps: tuple[Step, ...]
    results: tuple[str, ...]

    def lines(self, name: str) -> Iterator[str]:
        """The text of the function."""
        yield f"def {name}({', '.join(self.parameters)}):"
        for step in self.steps:
            for line in step.lines():
                yield INDENT + line
        yield f"{INDENT}return ({''.join(f'{x}, ' for x in self.results).strip()})"

    def size(self) -> int:
        """Count the steps, including the steps of bodies."""
        return sum(1 + (step.body.size() if isinstance(step, Nested) else 0) for step in self.steps)

    def depth(self) -> int:
        """Return how deep helpers nest."""
        bodies = [step.body.depth() for step in self.steps if isinstance(step, Nested)]
        return 1 + max(bodies) if bodies else 0

    def functions(self) -> Iterator[str]:
        """The names of the functions that are called, and of the helpers."""
        for step in self.steps:
            if isinstance(step, Call):
                yield step.function
            else:
                yield step.helper
                yield from step.body.functions()


@final
@dataclass(frozen=True)
class Case:
    """A program, its arguments, and whether 64-bit types are on."""

    program: Program
    arguments: tuple[Argument, ...]
    x64: bool

    def text(self) -> str:
        """The program and its arguments as Python source, without what it stands on."""
        lines = [*self.program.lines("program"), "", "arguments = ["]
        lines += [f"{INDENT}{each.text()}," for each in self.arguments]
        return "\n".join([*lines, "]", ""])
