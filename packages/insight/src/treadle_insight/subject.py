"""What the looks at programs take: a program, and what is known of the function that it was traced from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import CodeType
from typing import Any, Final, Self, final

from treadle_autodiff import derivative_of
from treadle_insight.captured_names import captured_names
from treadle_ir import Operand, Program
from treadle_ir.rewrite import inline
from treadle_ir.tracing import positional_names
from treadle_runtime import TracedCall

NAMELESS: Final = "a captured array"
"""The name of a captured array whose variable is not known."""


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
        with_callers: traces the function once more, with the callers of each operation; None for a program.
        outside: the code that called the function, which is among the callers of each operation.
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
    with_callers: Callable[[], Program] | None = None
    outside: Collection[CodeType] = ()
    operands: Sequence[Operand] = ()

    @cached_property
    def names(self) -> Sequence[str]:
        """The name of each parameter for sentences: `params[0]['w']` of an argument, `W` of a captured array."""
        captured = captured_names(self.function, self.captured, self.program)
        named = [name or NAMELESS for name in captured]
        arguments = self.parameters[len(captured) :]
        return [*named, *[label.removeprefix("argument ") for label in arguments]]

    @cached_property
    def positional(self) -> Sequence[str]:
        """The names of the function's positional parameters."""
        return [] if self.function is None else positional_names(self.function)

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
