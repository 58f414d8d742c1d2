"""Hash-consing of programs that are staged again each time a function is called: equal programs are one object.

The derivatives and executables of a program are cached on it (`treadle_ir.tracing.derived`). Without this module, a
loop outside of jit, whose body is staged each time, would be differentiated and compiled each time, too. Under jit the
layers of a network are often calls of one function, which is then differentiated once.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import MutableMapping
from types import CodeType
from typing import Final, TypeAlias

from treadle_ir.core.equality import equal_programs, is_deferred
from treadle_ir.core.program import Program
from treadle_ir.process.fork import fork_safe_lock
from treadle_ir.tracing.staging import outermost_staging_trace

_PROGRAMS_KEPT: Final = 8  # per code object
_Known: TypeAlias = MutableMapping[CodeType, list[Program]]
_INTERNED: Final[_Known] = weakref.WeakKeyDictionary()
_LOCK: Final = fork_safe_lock()


def interned(function: object, program: Program) -> Program:
    """Return an equal program that was staged from the same code before, or `program` itself if there is none.

    `function` is the staged function: the last programs of its code are stored as long as the code lives, or under jit
    as long as the trace of the outermost program, which is staged once. A program with a derivative rule that may
    behave differently the next time is returned unchanged, and is not stored, so that values over which the rule closes
    are not kept alive.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, ops, stage
        >>> from treadle_ir.tracing import interned
        >>> def body(x):
        ...     return [ops.sine(x)]
        >>> first, second = [stage(body, ArrayType((), np.dtype("f4"))).program for _ in range(2)]
        >>> first is second, interned(body, first) is interned(body, second)
        (False, True)
    """
    code = code_of(function)
    if code is None:
        return program
    outermost = outermost_staging_trace()
    with _LOCK:
        table: _Known = _INTERNED if outermost is None else outermost.interned
        known = table.setdefault(code, [])
        for other in known:
            if equal_programs(other, program):
                return other
        if is_deferred(program):
            return program
        if len(known) >= _PROGRAMS_KEPT:
            known.pop(0)
        known.append(program)
    return program


def code_of(function: object) -> CodeType | None:
    """Return the code of a function, a method, a partial application, or of a callable object; None if it has none."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None:
        code = getattr(vars(type(function)).get("__call__"), "__code__", None)
    return code if isinstance(code, CodeType) else None
