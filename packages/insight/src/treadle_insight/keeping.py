"""The line of a function that keeps one of its values: `kept.append(y)`, `self.state = y`, `cache['k'] = y`."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable
from types import CodeType

from treadle_insight.place import Place


def parameters_of(code: CodeType) -> tuple[str, ...]:
    """Return the names of a function's parameters, without `*args` and `**kwargs`.

    Args:
        code: the function.
    """
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def keeping_line(code: CodeType, names: Iterable[str]) -> Place | None:
    """Return the one line of a function that puts a variable into an object from outside; None unless it is one.

    Args:
        code: the function.
        names: the variables.
    """
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except (SyntaxError, ValueError):  # a template, or a file that has changed
        return None
    used = {line for _, _, line in code.co_lines()}
    wanted = {*names}
    found = {
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.Expr) and node.lineno in used
        if not wanted.isdisjoint(_kept(node, code))
    }
    return Place(code.co_filename, found.pop(), name=code.co_qualname) if len(found) == 1 else None


def _kept(node: ast.Assign | ast.Expr, code: CodeType) -> set[str]:
    """Return the variables that a statement puts into an object that is older than the call of its function."""
    if isinstance(node, ast.Assign):
        return _held(node.value) if any([_is_outside(x, code) for x in node.targets]) else set()
    call = node.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return set()
    if not _is_outside(call.func, code):
        return set()
    return {name for each in call.args for name in _held(each)}


def _is_outside(target: ast.expr, code: CodeType) -> bool:
    """Return whether a variable, an attribute or an element is not one of a function's own."""
    own = {*code.co_varnames, *code.co_cellvars}
    root = _root(target)
    if isinstance(target, ast.Name):
        return root not in own
    return bool(root) and (root not in own or root in parameters_of(code))


def _root(target: ast.expr) -> str:
    """Return the variable at the beginning of a target: `self` of `self.cache['k']`; empty if there is none."""
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
        target = target.value
    return target.id if isinstance(target, ast.Name) else ""


def _held(value: ast.expr) -> set[str]:
    """Return the variables that are a value, or elements of a tuple, list, set or dictionary that is written out."""
    left, found = [value], set()
    while left:
        each = left.pop()
        if isinstance(each, ast.Name):
            found.add(each.id)
        elif isinstance(each, ast.Tuple | ast.List | ast.Set):
            left += each.elts
        elif isinstance(each, ast.Dict):
            left += each.values
        elif isinstance(each, ast.Lambda):
            left.append(each.body)
    return found
