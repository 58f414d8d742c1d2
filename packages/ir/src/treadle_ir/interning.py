"""Programs that are staged again each time a function is called, and are one object as long as they are equal.

What is cached of a program, its derivatives and its executables, is kept with it (`treadle_ir.derived`). A loop
without jit, whose body is staged each time, would be differentiated and compiled each time, too; so all is found again.
"""

from __future__ import annotations

import functools
import weakref
from types import CodeType
from typing import Final

from treadle_ir.equality import equal_programs, is_deferred
from treadle_ir.fork import fork_safe_lock
from treadle_ir.program import Program
from treadle_ir.stage import staging_trace

_PROGRAMS_KEPT: Final = 8  # per code
_INTERNED: Final[weakref.WeakKeyDictionary[CodeType, list[Program]]] = weakref.WeakKeyDictionary()
_LOCK: Final = fork_safe_lock()


def interned(function: object, program: Program) -> Program:
    """A program that the same code gave before and that equals this one; this one if there is none.

    `function` is what was staged: the last programs of its code are kept, and go with it.

    Under jit there is nothing to gain, as the outer program is made once. A program with a derivative rule in it that
    may do something else next time is not replaced by one whose rule has run.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType, interned, ops, stage
        >>> def body(x):
        ...     return [ops.sine(x)]
        >>> first, second = [stage(body, ArrayType((), np.dtype("f4"))).program for _ in range(2)]
        >>> first is second, interned(body, first) is interned(body, second)
        (False, True)
    """
    code = code_of(function)
    if code is None or staging_trace() is not None or is_deferred(program):
        return program
    with _LOCK:
        known = _INTERNED.setdefault(code, [])
        for other in known:
            if equal_programs(other, program):
                return other
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
