"""The names under which a function knows the arrays that it captured: variables, fields, elements of containers."""

from __future__ import annotations

import ast
import functools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from types import CodeType, FunctionType, MethodType, ModuleType, NoneType
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_insight.place import Place
from treadle_ir import Program
from treadle_ir.errors import is_internal
from treadle_ir.tracing import Tracer

_MOST: Final = 5_000  # objects that are looked at
_DEEP: Final = 5  # steps from a function's variable to an array
_LARGE: Final = 1_000  # elements of a container that are looked at

Named: TypeAlias = tuple[str, Any]  # a name and the object. Any: objects of users


def captured_names(function: object, captured: Sequence[object], program: Program) -> list[str]:
    """Return a name for each captured array, which is empty where none is found.

    Args:
        function: the user's function.
        captured: the arrays that it captured.
        program: the function's program, whose first parameters stand for them.
    """
    if not captured:
        return []
    reached = list(_arrays(function)) if function is not None else []
    by_identity = {id(array): name for name, array in reversed(reached)}
    return [
        by_identity.get(id(array))
        or _name_of_copy(array, reached)
        or _name_in_source(program, number)
        for number, array in enumerate(captured)
    ]


def _name_of_copy(array: object, reached: Sequence[Named]) -> str:
    """Return the name of the NumPy array that a captured array is a copy of."""
    shape = getattr(array, "shape", None)
    copied = [
        each for each in reached if isinstance(each[1], np.ndarray) and each[1].shape == shape
    ]
    if len(copied) > 1 and not isinstance(array, Tracer):
        elements = np.asarray(array)
        copied = [x for x in copied if np.array_equal(np.asarray(x[1], elements.dtype), elements)]
    return copied[0][0] if copied else ""


def _name_in_source(program: Program, number: int) -> str:
    """Return the operand as it is written where an array is first used, `W` of `x @ W`, if the function made it."""
    parameter = program.parameters[number]
    user = next((each for each in program.equations if parameter in each.operands), None)
    if user is None or len(user.operands) != 2:
        return ""
    try:
        node = ast.parse(Place.of(user.source).marked, mode="eval").body
    except SyntaxError:
        return ""
    if not isinstance(node, ast.BinOp):
        return ""
    written = node.left if user.operands[0] is parameter else node.right
    return written.id if isinstance(written, ast.Name) else ""


def _arrays(function: object) -> Iterator[Named]:
    """Yield the arrays that a function can reach by its variables, nearest first, with their names."""
    left: deque[tuple[str, Any, int]] = deque([("", function, 0)])
    seen: set[int] = set()
    while left and len(seen) < _MOST:
        name, each, depth = left.popleft()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if _is_array(each):
            yield name, each
        elif depth < _DEEP:
            left += [(inner, value, depth + 1) for inner, value in _inside(name, each)]


def _is_array(x: object) -> bool:
    return not isinstance(x, type | Tracer) and hasattr(x, "shape") and hasattr(x, "dtype")


def _inside(name: str, each: Any) -> Iterator[Named]:  # Any: objects of users
    """Yield what is inside of an object, with names."""
    if isinstance(each, FunctionType):
        yield from _variables(each)
    elif isinstance(each, MethodType):
        yield "self", each.__self__
        yield "", each.__func__
    elif isinstance(each, functools.partial):
        yield "", each.func
        yield from [("", x) for x in each.args]
        yield from each.keywords.items()
    elif isinstance(each, Mapping):
        if len(each) <= _LARGE:
            yield from [(f"{name}[{key!r}]", value) for key, value in each.items()]
    elif isinstance(each, list | tuple):
        if len(each) <= _LARGE:
            yield from [(f"{name}[{number}]", value) for number, value in enumerate(each)]
    elif isinstance(each, type | ModuleType | str | bytes | int | float | complex | NoneType):
        return
    else:
        wrapped = getattr(
            each, "__wrapped__", None
        )  # a jitted function, as others that stand for one
        if wrapped is not None:
            yield name, wrapped
        elif not type(each).__module__.startswith("treadle"):
            prefix = f"{name}." if name else ""
            yield from [
                (prefix + key, value) for key, value in getattr(each, "__dict__", {}).items()
            ]


def _variables(function: FunctionType) -> Iterator[Named]:
    """Yield the variables of enclosing functions, the globals and the defaults that a function uses."""
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield name, cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is not None:
        yield "", wrapped
    if is_internal(code.co_filename):
        return
    defaults = function.__defaults__ or ()
    positional = code.co_varnames[: code.co_argcount]
    yield from zip(positional[len(positional) - len(defaults) :], defaults, strict=True)
    yield from (function.__kwdefaults__ or {}).items()
    names = _names(code)
    for name in names:
        value = function.__globals__.get(name)
        if isinstance(value, ModuleType):
            held = vars(value)
            yield from [(f"{name}.{x}", held[x]) for x in names if _is_array(held.get(x))]
        elif value is not None:
            yield name, value


def _names(code: CodeType) -> list[str]:
    """Return the names that a function and the functions inside of it look up."""
    found: dict[str, None] = {}
    left = [code]
    while left:
        each = left.pop()
        found.update(dict.fromkeys(each.co_names))
        left += [x for x in each.co_consts if isinstance(x, CodeType)]
    return list(found)
