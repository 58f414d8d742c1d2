"""What a function that `grad` or its like returned is the derivative of, for diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias, final

Argnums: TypeAlias = int | Sequence[int]
_NAME: Final = "__treadle_derivative__"


@final
class Differentiated(NamedTuple):
    """A derivative: of which function, with respect to which arguments.

    Attributes:
        mode: the transformation: `grad`, `value_and_grad`, `jacrev` or `jacfwd`.
        function: the function that is differentiated. Any: of users.
        argnums: the positions of the differentiated arguments, as the user gave them.
        has_aux: whether the function returns auxiliary output, too.
    """

    mode: str
    function: Callable[..., Any]
    argnums: Argnums
    has_aux: bool

    def positions(self, count: int) -> tuple[int, ...]:
        """Return the positions of the differentiated arguments, counted from 0.

        Args:
            count: the number of positional arguments.
        """
        given = (self.argnums,) if isinstance(self.argnums, int) else tuple(self.argnums)
        return tuple([number % count if count else number for number in given])


def note_derivative(derivative: Callable[..., Any], of: Differentiated) -> None:
    """Let a function know what it is the derivative of.

    Args:
        derivative: the wrapper that a transformation returns. Any: of users.
        of: what `derivative_of` shall return for it.
    """
    vars(derivative)[_NAME] = of


def derivative_of(function: object) -> Differentiated | None:
    """Return what a function is the derivative of; None if it is no derivative.

    Wrappers inherit the attributes of the functions they wrap, so a note counts only where the function it is about is
    the one that was wrapped last.

    Args:
        function: any function, such as `grad(f)`.

    Example:
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import derivative_of, grad
        >>> derivative_of(grad(ops.sine)).mode, derivative_of(ops.sine)
        ('grad', None)
    """
    names = getattr(function, "__dict__", {})
    found: Differentiated | None = names.get(_NAME)
    return found if found is not None and names.get("__wrapped__") is found.function else None
