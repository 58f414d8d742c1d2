"""How the user's source writes the operands of the operation or the call at a place."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Sequence
from typing import Any, Final

from treadle_insight.place import Place
from treadle_ir.tracing import positional_names

_LONGEST: Final = 40  # characters of an operand that a message repeats


def operand_texts(place: Place) -> tuple[str, ...]:
    """Return the operands of the expression at a place as the source writes them; nothing if that is not known.

    Args:
        place: the place of an operation such as `a + c`, or of a call such as `step(state, batch)`.

    Example:
        >>> import linecache
        >>> linecache.cache["<sum>"] = (5, None, ["y = a + c[0]"], "<sum>")
        >>> operand_texts(Place("<sum>", 1, 5, end_line=1, end_column=13))
        ('a', 'c[0]')
    """
    if not place.column or not place.end_line:
        return ()
    lines = [linecache.getline(place.file, n) for n in range(place.line, place.end_line + 1)]
    if not all(lines):
        return ()
    lines[-1] = lines[-1][: place.end_column - 1]
    lines[0] = lines[0][place.column - 1 :]
    try:
        expression = ast.parse(f"({''.join(lines)})", mode="eval").body
    except (SyntaxError, ValueError):
        return ()
    return tuple([_short(each) for each in _operands(expression)])


def paths_or_numbers(paths: Callable[[], Sequence[str]], count: int) -> Sequence[str]:
    """Return the names of arguments, or their numbers if a class of the user's refuses to be built without arrays.

    Args:
        paths: returns the names.
        count: how many arguments there are.
    """
    try:
        return paths()
    except Exception:  # whatever the user's constructor raises
        return [f"operand {number}" for number in range(count)]


def argument_text(place: Place, function: Callable[..., Any], name: str) -> str:
    """Return an argument of the call at a place as the source writes it; empty if that is not known.

    Args:
        place: the place of the call.
        function: the function that is called. Any: its arguments and results.
        name: the name of the parameter.
    """
    texts, names = operand_texts(place), positional_names(function)
    number = names.index(name) if name in names else len(texts)
    return texts[number] if number < len(texts) else ""


def _operands(expression: ast.expr) -> list[ast.expr]:
    """Return the operands of an operation, or the positional arguments of a call, a method's object first."""
    match expression:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=[right]):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Call(args=arguments, keywords=[]):
            return [] if any([isinstance(each, ast.Starred) for each in arguments]) else arguments
    return []


def _short(expression: ast.expr) -> str:
    text = ast.unparse(expression)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
