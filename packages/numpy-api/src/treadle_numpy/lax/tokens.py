"""Tokens, which order effects; here the program itself keeps them in order."""

from __future__ import annotations

from typing import final

from treadle_ir.errors import refused
from treadle_ir.tree import register_pytree_node

__all__ = ["Token", "after_all", "create_token"]


@final
class Token:
    """A value without data. As a tree it has no leaves, so it passes through every transformation.

    Example:
        >>> from treadle_numpy import lax
        >>> lax.create_token()
        Token()
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return "Token()"

    def block_until_ready(self) -> Token:
        """Return the token itself: there is nothing to wait for."""
        return self


register_pytree_node(Token, lambda token: ((), None), lambda rest, children: Token())


def create_token(_: object = None) -> Token:
    """Return a token. Nothing depends on it: effects take place in the order of the program.

    Example:
        >>> create_token()
        Token()
    """
    return Token()


def after_all(*operands: Token) -> Token:
    """Return a token for several ones.

    Raises:
        ArgumentError: an operand is not a token.

    Example:
        >>> after_all(create_token(), create_token())
        Token()
    """
    for position, operand in enumerate(operands):
        if not isinstance(operand, Token):
            raise refused("after_all", position, "a token of `lax.create_token`", operand)
    return Token()
