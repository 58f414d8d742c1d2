"""Tracebacks show the user's lines: treadle's own frames are removed where an error leaves treadle.

`boundary` marks a function through which errors leave. Its code gets a handler around all of it, as if the source
had `try: ... except: remove_own_frames(); raise`. The exception tables of Python 3.11 and later cost nothing unless
an error is raised; a wrapper would cost a call. The running interpreter compiles the handler's bytecode from
`_PATTERN`, so this module contains none (decisions/0129-errors-where-they-leave.md).

Public names pass through `boundary` where users get them: `lazy_names` for modules, `ports.install` for arrays,
`wraps` for functions that transformations return, and `@boundary` at the classes of other objects that users call.
"""

from __future__ import annotations

import functools
import inspect
import opcode
import sys
import warnings
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, TracebackType
from typing import Any, Final, TypeVar

from treadle_ir.errors.source import is_internal

T = TypeVar("T")

_OWN: Final = ("treadle.", "treadle_")  # prefixes of the names of treadle's modules
_PATTERN: Final = "def f():\n try:\n  f\n except:\n  'handler'()\n  raise\n"
NO_BOUNDARY: Final = (
    inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
    | inspect.CO_ITERABLE_COROUTINE
)
_NO_LOCATION: Final = 15  # the kind of an entry of `co_linetable`
_ANSWERS: Final = (AttributeError, StopIteration)  # Python's protocols require these
_HIDDEN: Final = "  treadle's own frames are left out; TREADLE_TRACEBACK=full shows them"


def boundary(value: T) -> T:
    """Remove treadle's frames from errors that leave a function, or the methods of a class; return the same object.

    For any other callable, its class is changed, if it is one of treadle's.

    Example:
        >>> from treadle_ir.errors.tracebacks import boundary
        >>> @boundary
        ... def half(x):
        ...     return x / 2
        >>> half(3)
        1.5
    """
    if isinstance(value, FunctionType):
        code = value.__code__
        known = _made.get(id(code))
        if known is not None:  # of a nested function, made in each call of the enclosing one
            value.__code__ = known[1]
        elif not code.co_flags & NO_BOUNDARY and _is_own(value.__globals__):
            value.__code__ = _with_handler(code)
    elif isinstance(value, functools.partial):
        boundary(value.func)
    elif isinstance(value, (property, staticmethod, classmethod, functools.cached_property)):
        _member(value)
    else:
        cls = value if isinstance(value, type) else type(value)
        if cls not in _classes and cls.__module__.startswith(_OWN):
            _methods(cls)
    return value


def has_handler(function: FunctionType) -> bool:
    """Return whether a function is a boundary."""
    constants = function.__code__.co_consts
    return bool(constants) and constants[-1] is _leaving


def boundaries(module: str) -> None:
    """Make boundaries of a module's public names: the last line of modules that re-export names unchanged.

    The module's own import of `boundaries` is removed, so that it does not become a public name.

    Args:
        module: the module's `__name__`.
    """
    names = vars(sys.modules[module])
    if names.get("boundaries") is boundaries:
        del names["boundaries"]
    for name in names.get("__all__") or [name for name in names if not name.startswith("_")]:
        value = names.get(name)  # None for submodules that are not imported yet
        if isinstance(value, (type, FunctionType)) or type(value).__module__.startswith(_OWN):
            boundary(value)


def users(traceback: TracebackType | None) -> TracebackType | None:
    """Return the traceback without treadle's own frames; None if there are no other frames."""
    frames = []
    current = traceback
    while current is not None:
        frame = current.tb_frame
        # Code that `python -c` runs has no file, but is the user's.
        if frame.f_globals.get("__name__") == "__main__" or not is_internal(
            frame.f_code.co_filename
        ):
            frames.append(current)
        current = current.tb_next
    kept: TracebackType | None = None
    for each in reversed(frames):
        kept = TracebackType(kept, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return kept


def remove_own_frames(error: BaseException) -> None:
    """Remove treadle's frames from the tracebacks of an error, its causes and its contexts.

    A context that has only treadle's frames is hidden: treadle handled that error.
    """
    seen: set[int] = set()
    chained: BaseException | None = error
    while chained is not None and id(chained) not in seen:
        seen.add(id(chained))
        chained.__traceback__ = users(chained.__traceback__)
        context = chained.__context__
        if context is not None and users(context.__traceback__) is None:
            chained.__suppress_context__ = True
            context = None
        chained = chained.__cause__ or context


def _leaving() -> None:
    """Remove treadle's frames from the error that is being handled, as it leaves the function that calls this."""
    caller = sys._getframe(1).f_back
    if caller is not None and _is_own(caller.f_globals):
        return  # the error stays inside treadle
    from treadle_ir.settings.declared import TRACEBACK_FILTERING  # noqa: PLC0415 - settings need this module

    error = sys.exception()
    if error is None or TRACEBACK_FILTERING() == "off":
        return
    if _is_unexpected(error):
        error.add_note(_HIDDEN)
    remove_own_frames(error)


def _is_unexpected(error: BaseException) -> bool:
    """Return whether treadle raised an error that is not of its own classes, so that its frames are informative."""
    from treadle_ir.errors.kinds import TreadleError  # noqa: PLC0415 - as above

    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return (
        isinstance(error, Exception)
        and not any("fix:" in note for note in getattr(error, "__notes__", ()))
        and not isinstance(error, (TreadleError, *_ANSWERS))
        and last is not None
        and _is_own(last.tb_frame.f_globals)
    )


def _is_own(names: Mapping[str, object]) -> bool:
    """Return whether these globals belong to one of treadle's modules."""
    return str(names.get("__name__")).startswith(_OWN)


def _methods(cls: type) -> None:
    """Make boundaries of the methods and properties of a treadle class, and of its bases."""
    for each in cls.__mro__:
        if each in _classes or not each.__module__.startswith(_OWN):
            continue
        _classes.add(each)
        if issubclass(each, BaseException):
            continue
        for name, member in vars(each).items():
            if not name.startswith("_") or name.endswith("__"):
                _member(member)


def _member(member: Any) -> None:  # Any: whatever a class has
    if isinstance(member, FunctionType):
        boundary(member)
    elif isinstance(member, (staticmethod, classmethod)):
        _member(member.__func__)
    elif isinstance(member, property):
        _member(member.fget)
    elif isinstance(member, functools.cached_property):
        _member(member.func)


def _varints(values: Iterator[int]) -> Iterator[int]:
    """Yield the numbers of an exception table: six bits per byte, the highest first; bit 6 means that more follow."""
    for byte in values:
        number = byte & 63
        while byte & 64:
            byte = next(values)
            number = number << 6 | byte & 63
        yield number


def _entries(table: bytes) -> list[tuple[int, int, int, int]]:
    """Return the entries of an exception table: start, length and target, counted in instructions; depth and a flag."""
    numbers = [*_varints(iter(table))]
    return [tuple(numbers[i : i + 4]) for i in range(0, len(numbers), 4)]  # type: ignore[misc]  # each is four


@functools.cache  # the same few numbers recur for hundreds of functions at import
def _varint(number: int) -> bytes:
    """Return a number as an exception table encodes it."""
    shifts = range(max(0, (number.bit_length() - 1) // 6 * 6), 0, -6)
    return bytes([*(number >> shift & 63 | 64 for shift in shifts), number & 63])


def _encoded(entries: list[tuple[int, int, int, int]]) -> bytes:
    """Return an exception table with these entries; bit 7 marks the first byte of each."""
    table = bytearray()
    for entry in entries:
        begin = len(table)
        table += b"".join(map(_varint, entry))
        table[begin] |= 128
    return bytes(table)


def _compiled() -> tuple[bytes, int, bytes, list[tuple[int, int, int, int]], int]:
    """Return `_PATTERN`'s handler: bytecode, the offset of its constant, lines, its own handlers, its stack size."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a string is called
        code: CodeType = compile(_PATTERN, "<string>", "exec").co_consts[0]
    entries = _entries(code.co_exceptiontable)
    target = entries[0][2]
    handler = code.co_code[2 * target :]
    load = bytes([_LOAD_CONST, code.co_consts.index("handler")])
    lines = [128 | _NO_LOCATION << 3 | min(left, 8) - 1 for left in range(len(handler) // 2, 0, -8)]
    inner = [
        (start - target, length, to - target, depth)
        for start, length, to, depth in entries
        if start >= target
    ]
    return handler, handler.index(load) + 1, bytes(lines), inner, code.co_stacksize


_LOAD_CONST: Final = opcode.opmap["LOAD_CONST"]
_KNOWN: Final = sys.implementation.name == "cpython" and sys.version_info < (3, 15)
"""Whether exception tables have the form that this module writes; elsewhere errors keep all their frames."""
_HANDLER, _CONSTANT, _LINES, _INNER, _STACK = _compiled() if _KNOWN else (b"", 0, b"", [], 0)
_made: Final[dict[int, tuple[CodeType, CodeType]]] = {}
"""Code with its handler, by the id of the original code, which is the first of the pair and so is not freed."""
_classes: Final[set[type]] = set()
"""Classes whose methods have their handlers."""


def _with_handler(code: CodeType) -> CodeType:
    """Return the code with the handler around all parts without a handler. At import hundreds of functions get it."""
    number = len(code.co_consts)
    if not _KNOWN or number > 255 or (number and code.co_consts[-1] is _leaving):
        return code
    bytecode, table = code.co_code, code.co_exceptiontable
    here = len(bytecode) // 2
    guarded = code.replace(
        co_code=bytecode + _HANDLER[:_CONSTANT] + bytes((number,)) + _HANDLER[_CONSTANT + 1 :],
        co_consts=(*code.co_consts, _leaving),
        co_exceptiontable=_encoded(
            _around(_entries(table), here) if table else [(0, here, here, 0)]
        )
        + _inner_table(here),
        co_linetable=code.co_linetable + _LINES,
        co_stacksize=max(code.co_stacksize, _STACK),
    )
    _made[id(code)] = code, guarded
    return guarded


def _around(entries: list[tuple[int, int, int, int]], here: int) -> list[tuple[int, int, int, int]]:
    """Return the entries of a function, with an entry for the handler at `here` for each part without a handler."""
    every = []
    covered = 0
    for entry in [*entries, (here, 0, 0, 0)]:
        if entry[0] > covered:
            every.append((covered, entry[0] - covered, here, 0))
        if entry[1]:
            every.append(entry)
        covered = entry[0] + entry[1]
    return every


@functools.cache  # many functions have the same length
def _inner_table(here: int) -> bytes:
    """Return the entries of the handler's own handlers, where it begins at `here`."""
    return _encoded(
        [(start + here, length, to + here, depth) for start, length, to, depth in _INNER]
    )
