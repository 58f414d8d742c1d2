"""What the looks at programs take: a program, and what is known of the function that it was traced from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, final

from treadle_autodiff import derivative_of
from treadle_ir import Operand, Program
from treadle_ir.rewrite import inline
from treadle_runtime import TracedCall


@final
@dataclass(frozen=True)
class Subject:
    """A program, and what is known of the function that it was traced from.

    Attributes:
        name: the function's name.
        program: the program, with its calls inlined.
        parameters: what each parameter stands for: `captured array 0`, `argument x[0]`.
        captured: the captured arrays, which are the first operands. Any: arrays of any kind.
        results: the path of each result, empty for an only one.
        traced: the traced call; None for a program without one, as read from text.
        function: the user's function; None for a program without one.
        args: the positional arguments. Any: of users.
        kwargs: the keyword arguments. Any: of users.
        values: whether the looks may run the program.
        seconds: how long it took to trace.
        operands: the array of each parameter; empty for a program without arguments.
    """

    name: str
    program: Program
    parameters: Sequence[str]
    captured: Sequence[Any] = ()
    results: Sequence[str] = ()
    traced: TracedCall | None = None
    function: Callable[..., Any] | None = None
    args: Sequence[Any] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    values: bool = False
    seconds: float = 0.0
    operands: Sequence[Operand] = ()

    @property
    def is_gradient(self) -> bool:
        """Whether the function is a derivative that `grad` or its like returned."""
        return derivative_of(self.function) is not None

    @classmethod
    def of_program(cls, program: Program, name: str = "the program") -> Self:
        """Return a subject for a program by itself, such as one read from text.

        Args:
            program: the program.
            name: how findings call it.
        """
        parameters = [f"parameter {number}" for number in range(len(program.parameters))]
        return cls(name, inline(program), parameters)
