"""Programs that are staged again each time a function is called, and are one object as long as they are equal.

What is cached of a program, its derivatives and its executables, is kept with it (`treadle_ir.tracing.derived`). A loop
without jit, whose body is staged each time, would be differentiated and compiled each time, too; so all is found again.
Under jit the layers of a network are often one function, called for each of them: then it is differentiated once.
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

_PROGRAMS_KEPT: Final = 8  # per code
_Known: TypeAlias = MutableMapping[CodeType, list[Program]]
_INTERNED: Final[_Known] = weakref.WeakKeyDictionary()
_LOCK: Final = fork_safe_lock()


def interned(function: object, program: Program) -> Program:
    """A program that the same code gave before and that equals this one; this one if there is none.

    `function` is what was staged: the last programs of its code are kept, and go with it; or under jit with the trace
    that writes down the outermost program, which is made once. A program with a derivative rule in it that may do
    something else next time replaces none, and is not kept, with what its rule closes over.

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
    """The code of a function, a method, a partial application, or of an object that can be called."""
    while isinstance(function, functools.partial):
        function = function.func
    code = getattr(function, "__code__", None)
    if code is None:
        code = getattr(vars(type(function)).get("__call__"), "__code__", None)
    return code if isinstance(code, CodeType) else None
