"""Tokens of ordered effects, as rules that build MLIR thread them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, final

from treadle_compiler import IrValue, ir_module
from treadle_ir import Effect
from treadle_ir.errors import boundaries

__all__ = ["TokenSet", "token_type"]


@final
class TokenSet:
    """The token of each ordered effect, by the effect: `ctx.tokens_in`, and what `ctx.set_tokens_out` takes.

    Example:
        >>> from treadle.extend.core import Effect
        >>> from treadle.interpreters import mlir
        >>> class Printing(Effect):
        ...     pass
        >>> effect = Printing()
        >>> tokens = mlir.TokenSet({effect: "a value of MLIR"})
        >>> tokens.get(effect), len(tokens.subset([]))
        ('a value of MLIR', 0)
    """

    __slots__ = ("_tokens",)

    def __init__(self, tokens: Mapping[Effect, IrValue] | None = None) -> None:
        self._tokens = dict(tokens or {})

    @classmethod
    def create(cls, effects: Sequence[Effect]) -> TokenSet:
        """New tokens, within a rule."""
        make = ir_module().Operation.create
        return cls(
            {
                each: make("stablehlo.create_token", results=[token_type()]).results[0]
                for each in effects
            }
        )

    def __len__(self) -> int:
        return len(self._tokens)

    def get(self, effect: Effect) -> IrValue:
        """Return the token of an effect.

        Raises:
            KeyError: it has none.
        """
        return self._tokens[effect]

    def effects(self) -> set[Effect]:
        """Return the effects that have one."""
        return {*self._tokens}

    def items(self) -> tuple[tuple[Effect, IrValue], ...]:
        """Effects with their tokens."""
        return tuple(self._tokens.items())

    def subset(self, effects: Iterable[Effect]) -> TokenSet:
        """Return the set of the tokens of some effects."""
        return TokenSet({each: self._tokens[each] for each in effects})

    def update_tokens(self, tokens: TokenSet) -> TokenSet:
        """Return a copy with the tokens of another set for the effects of that set."""
        return TokenSet({**self._tokens, **dict(tokens.items())})


def token_type() -> Any:  # Any: jaxlib ships no types
    """Return the type of tokens, within a rule."""
    return ir_module().Type.parse("!stablehlo.token")


boundaries(__name__)
