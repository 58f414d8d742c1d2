"""The names under which the user's code stores values, read from its byte code.

A location is a code object and the offset of an instruction, which made a value: a call, an operator, a subscript. The
instructions that follow say where the value went: to a variable, an attribute, an element of a dict, or to its caller.
Byte code is read only when a message needs a name. See decisions/0182-names-from-byte-code.md.
"""

from __future__ import annotations

import dis
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from types import CodeType
from typing import Any, Final, NamedTuple, final

from treadle_ir.errors.source import Source

_MOST: Final = 60  # instructions that are followed
_STORES: Final = frozenset({"STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"})
_VARIABLES: Final = frozenset(
    {"LOAD_FAST", "LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FAST_CHECK"}
)
_CONSTANTS: Final = frozenset({"LOAD_CONST"})
_LAST: Final = frozenset({"RETURN_VALUE", "YIELD_VALUE", "RAISE_VARARGS", "RERAISE"})
_NEITHER: Final = frozenset({"NOP", "CACHE", "KW_NAMES", "RESUME", "EXTENDED_ARG"})
_PAIRS: Final = {
    "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
    "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
    "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
}
# How many values an instruction pushes; it pops so many more than the stack changes by.
_NO_VALUE: Final = frozenset({*_STORES, "STORE_ATTR", "STORE_SUBSCR", "POP_TOP", "DELETE_SUBSCR"})
_ONE_VALUE: Final = frozenset(
    {
        *("CALL", "CALL_KW", "CALL_FUNCTION_EX", "BINARY_OP", "BINARY_SUBSCR", "BINARY_SLICE"),
        *("COMPARE_OP", "IS_OP", "CONTAINS_OP", "UNARY_NEGATIVE", "UNARY_NOT", "UNARY_INVERT"),
        *("BUILD_TUPLE", "BUILD_LIST", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_SET"),
        *("BUILD_SLICE", "BUILD_STRING", "FORMAT_VALUE", "MAKE_FUNCTION"),
    }
)
_LOADS: Final = frozenset({*_VARIABLES, *_CONSTANTS, "LOAD_CLOSURE", "PUSH_NULL"})
_ATTRIBUTES: Final = frozenset({"LOAD_ATTR", "LOAD_METHOD"})


def stored_name(source: Source) -> str:
    """Return the name to which the value was stored that the instruction at a location made, or an empty string.

    The name is a variable, an attribute as `self.state`, an element as `cache['k']`, or the names of several variables
    that the value was unpacked into, as `a, b`. If the value was returned, the callers of the location are asked, where
    they are recorded.

    Args:
        source: the location of a call, of an operator or of a subscript.

    Example:
        >>> import sys
        >>> def here():
        ...     frame = sys._getframe(1)
        ...     return Source(frame.f_code, frame.f_lasti)
        >>> def f():
        ...     step = here()
        ...     return step
        >>> stored_name(f())
        'step'
    """
    for each in (source, *source.callers):
        if each.code is None:
            return ""
        name = _stored(_steps_after(each))
        if name is not None:
            return name
    return ""


@final
class _Step(NamedTuple):
    """An instruction that does one thing: instructions that do two, as of Python 3.13, are split."""

    name: str
    argument: Any  # a name, a constant, a number
    change: int  # of the number of values on the stack


def _steps_after(source: Source) -> Sequence[_Step]:
    """Return the instructions that follow a location, as many as are looked at."""
    assert source.code is not None
    instructions = _instructions(source.code)
    # While a function runs that was called, the offset may be one of the caches that follow the call.
    index = bisect_right(instructions, source.offset, key=lambda each: each.offset)
    steps: list[_Step] = []
    of_call = 0
    for each in instructions[index : index + _MOST]:
        first, second = _PAIRS.get(each.opname, ("", ""))
        if first:
            for name, argument in zip((first, second), each.argval, strict=True):
                steps.append(_Step(name, argument, 1 if name == "LOAD_FAST" else -1))
        elif (
            each.opname == "PRECALL"
        ):  # of Python 3.11: the call that follows pops the function only
            of_call = dis.stack_effect(each.opcode, each.arg)
        elif each.opname not in _NEITHER:
            change = 0 if each.opname in _LAST else dis.stack_effect(each.opcode, each.arg)
            steps.append(_Step(each.opname, each.argval, change + of_call))
            of_call = 0
    return steps


@lru_cache(maxsize=64)
def _instructions(code: CodeType) -> Sequence[dis.Instruction]:
    """Return the instructions of a function."""
    return tuple(dis.get_instructions(code))


def _stored(steps: Sequence[_Step]) -> str | None:
    """Return where the value on top of the stack goes; None if it is returned."""
    depth = 0  # values above it on the stack
    for number, (kind, argument, change) in enumerate(steps):
        if kind in _STORES and depth == 0:
            return _variable(argument)
        if kind == "STORE_ATTR" and depth == 1:
            owner = _loaded(steps[:number])
            return f"{owner}.{argument}" if owner else ""
        if kind == "STORE_SUBSCR" and depth == 2:
            return _element(steps[:number])
        if kind == "UNPACK_SEQUENCE" and depth == 0:
            return _unpacked(steps[number + 1 :], argument)
        if kind in _LAST:
            return None if depth == 0 and kind == "RETURN_VALUE" else ""
        if (
            kind == "COPY"
        ):  # the copy is on top: `y = x = f()`, `(x := f())`; any of the names will do
            depth = 0 if argument == depth + 1 else depth + 1
        elif kind == "SWAP":
            if depth in (0, argument - 1):
                depth = argument - 1 - depth
        else:
            pushed = _pushed(kind, argument, change)
            if pushed is None or pushed - change > depth:  # unknown, or it takes the value
                return ""
            depth += change
    return ""


def _pushed(
    kind: str, argument: Any, change: int
) -> int | None:  # Any: an argument of any instruction
    """Return how many values an instruction pushes, after it has popped its operands; None if that is unknown."""
    if kind in _LOADS:
        return change
    if kind in _ATTRIBUTES:
        return 1 + change
    if kind == "UNPACK_SEQUENCE":
        return int(argument)
    return 1 if kind in _ONE_VALUE else 0 if kind in _NO_VALUE else None


def _unpacked(steps: Sequence[_Step], count: int) -> str:
    """Return the variables that `count` elements are stored to; an empty string if they go elsewhere."""
    stores = steps[:count]
    if any([each.name not in _STORES for each in stores]):
        return ""
    names = [_variable(each.argument) for each in stores]
    return ", ".join(names) if all(names) else ""


def _variable(name: str) -> str:
    """Return a variable's name; an empty string for variables that users cannot see, as of pytest's assertions."""
    return name if name.isidentifier() else ""


def _element(steps: Sequence[_Step]) -> str:
    """Return the element to which is stored, after steps that load a container and a key: `cache['k']`."""
    if len(steps) < 2:
        return ""
    key = steps[-1]
    owner = _loaded(steps[:-1])
    if not owner or key.name not in (*_VARIABLES, *_CONSTANTS):
        return ""
    shown = key.argument if key.name in _VARIABLES else repr(key.argument)
    return f"{owner}[{shown}]"


def _loaded(steps: Sequence[_Step]) -> str:
    """Return the variable, or its attribute, that the last steps load; an empty string for anything else."""
    attributes: list[str] = []
    for each in reversed(steps):
        if each.name == "LOAD_ATTR":
            attributes.append(str(each.argument))
        elif each.name in _VARIABLES:
            return ".".join([str(each.argument), *reversed(attributes)])
        else:
            break
    return ""
