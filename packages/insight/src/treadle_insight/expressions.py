"""The expression that a user wrote at a place: its operand, its arguments."""

from __future__ import annotations

import ast
from typing import Final

from treadle_insight.place import Place


def expression_at(place: Place) -> ast.expr | None:
    """Return the expression at a place; None if the columns are unknown or the source cannot be parsed.

    Args:
        place: a place in the user's source.
    """
    try:
        parsed = ast.parse(place.marked, mode="eval")
    except (SyntaxError, ValueError):
        return None
    return parsed.body


def arguments_of(place: Place) -> list[str]:
    """Return what the user's expression at a place is applied to, as text: operands, arguments, the array of a method.

    Args:
        place: a place in the user's source.

    Example:
        >>> from treadle_insight import Place
        >>> arguments_of(Place("nowhere.py", 1))
        []
    """
    found = expression_at(place)
    if isinstance(found, ast.Call):
        given = [ast.unparse(each) for each in found.args]
        if not given and isinstance(found.func, ast.Attribute):
            return [ast.unparse(found.func.value)]
        return given
    if isinstance(found, ast.BinOp):
        return [ast.unparse(found.left), ast.unparse(found.right)]
    if isinstance(found, ast.Compare):
        return [ast.unparse(found.left), *[ast.unparse(each) for each in found.comparators]]
    if isinstance(found, ast.UnaryOp):
        return [ast.unparse(found.operand)]
    return []


_OPERATORS: Final = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
}


def written_name(place: Place) -> str:
    """Return the name of the function, or the operator, that the user wrote at a place; empty if it is unknown.

    Args:
        place: a place in the user's source.
    """
    found = expression_at(place)
    if isinstance(found, ast.Call):
        function = found.func
        if isinstance(function, ast.Attribute):
            return function.attr
        return function.id if isinstance(function, ast.Name) else ""
    if isinstance(found, ast.Compare):
        return ast.unparse(found)
    if isinstance(found, ast.BinOp):
        return _OPERATORS.get(type(found.op), "")
    return ""


def operand_text(place: Place) -> str:
    """Return the first operand of the user's expression at a place, in parentheses if it needs them; else empty.

    Args:
        place: a place in the user's source.
    """
    found = arguments_of(place)
    return enclosed(found[0]) if found else ""


def enclosed(text: str) -> str:
    """Return an expression as an operand: in parentheses, unless it is a name, a number, a call or an element.

    Args:
        text: the source of an expression.

    Example:
        >>> enclosed("x"), enclosed("x + 1"), enclosed("p['w']")
        ('x', '(x + 1)', "p['w']")
    """
    body = ast.parse(text, mode="eval").body
    simple = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
    return text if isinstance(body, simple) else f"({text})"
