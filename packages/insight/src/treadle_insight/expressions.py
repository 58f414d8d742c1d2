"""The expression that a user wrote at a place: its operand, its arguments."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Sequence
from typing import Any, Final

from treadle_insight.place import Place
from treadle_ir.tracing import positional_names


def expression_at(place: Place) -> ast.expr | None:
    """Return the expression at a place; None if the columns are unknown or the source cannot be parsed.

    Args:
        place: a place in the user's source.
    """
    lines = [linecache.getline(place.file, n) for n in range(place.line, place.end_line + 1)]
    if place.column and lines and all(lines):
        lines[-1] = lines[-1][: place.end_column - 1]
        lines[0] = lines[0][place.column - 1 :]
        text = f"({''.join(lines)})"
    else:
        text = place.text
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None


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
        given = [ast.unparse(each) for each in found.args if not isinstance(each, ast.Starred)]
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


_LONGEST: Final = 40  # characters of an operand that a message repeats


def operand_texts(place: Place) -> tuple[str, ...]:
    """Return the operands of the operation, or the arguments of the call, at a place; nothing if they are not known.

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
    found = expression_at(place)
    is_open = isinstance(found, ast.Call) and (
        not found.args or found.keywords or any([isinstance(x, ast.Starred) for x in found.args])
    )
    return () if is_open else tuple(map(_short, arguments_of(place)))


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


_SECOND: Final = ("divide", "true_divide", "/", "//", "%")
"""Operations whose second operand is the dangerous one."""


def guarded(slope: Place, where: Place, *, on_true: bool) -> str:
    """Return the user's expression with an operand that is harmless on the side that a `where` does not choose.

    Args:
        slope: the place of an operation with an infinite derivative, such as `jnp.sqrt(x)`.
        where: the place of the `where` around it, such as `jnp.where(x > 0, r, 0.0)`.
        on_true: whether the operation is on the side of the true elements.

    Returns:
        The whole `where` if the operation is written in it, such as
        `jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0)`, else the operation; empty if it cannot be written
        with names that are known at `slope`.
    """
    operation, choice = expression_at(slope), expression_at(where)
    if operation is None or not isinstance(choice, ast.Call) or slope.name != where.name:
        return ""
    if len(choice.args) != 3 or slope.file != where.file:
        return ""
    condition = _known_before(choice.args[0], slope, where)
    if condition is None:
        return ""
    function = ast.unparse(choice.func)

    def harmless(operand: ast.expr) -> ast.expr:
        text = ast.unparse(operand)
        sides = f"{text}, 1.0" if on_true else f"1.0, {text}"
        return ast.parse(f"{function}({condition}, {sides})", mode="eval").body

    before = ast.dump(operation)
    second = written_name(slope) in _SECOND
    if isinstance(operation, ast.BinOp):
        if second:
            operation.right = harmless(operation.right)
        else:
            operation.left = harmless(operation.left)
    elif isinstance(operation, ast.Call) and operation.args:
        place = 1 if second and len(operation.args) > 1 else 0
        operation.args[place] = harmless(operation.args[place])
    else:
        return ""
    side = 1 if on_true else 2
    replaced = _Replaced(before, operation)
    mended = replaced.visit(choice.args[side])
    assert isinstance(mended, ast.expr)
    choice.args[side] = mended
    return ast.unparse(choice if replaced.count else operation)


class _Replaced(ast.NodeTransformer):
    """Replaces an expression where it is written in another one.

    Args:
        old: the expression, as `ast.dump` gives it.
        new: what replaces it.
    """

    def __init__(self, old: str, new: ast.expr) -> None:
        self.old, self.new, self.count = old, new, 0

    def visit(self, node: ast.AST) -> ast.AST:
        """Return the replacement of a node."""
        if ast.dump(node) == self.old:
            self.count += 1
            return self.new
        return self.generic_visit(node)


def _known_before(condition: ast.expr, slope: Place, where: Place) -> str | None:
    """Return a condition in names that are known at an earlier place: a name that is bound later gives its value."""
    if not isinstance(condition, ast.Name) or slope.line >= where.line:
        return ast.unparse(condition)
    lines = [linecache.getline(where.file, n).strip() for n in range(slope.line, where.line + 1)]
    for line in lines:
        try:
            (statement,) = ast.parse(line).body
        except (SyntaxError, ValueError):
            continue
        if not isinstance(statement, ast.Assign):
            continue
        (target, *_) = statement.targets
        if isinstance(target, ast.Name) and target.id == condition.id:
            return ast.unparse(statement.value)
    return condition.id


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "..."
