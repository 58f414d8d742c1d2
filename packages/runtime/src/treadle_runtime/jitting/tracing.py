"""From a function and the types of its arguments to a program: the function's Python runs once for each signature.

A program that captured tracers of an outer trace belongs to that trace and is not kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from treadle_ir import ArgumentError, ArrayType, Operand, Operands, type_of
from treadle_ir.calling import TreeFunction, operand_or_none
from treadle_ir.errors import TracingError
from treadle_ir.events import (
    FunctionStaged,
    Request,
    StagingBegan,
    StagingFailed,
    emit,
    heard,
    listeners,
    tell,
)
from treadle_ir.refs import as_body
from treadle_ir.settings import NO_TRACING, current_context
from treadle_ir.tracing import Arguments, Signature, naming_arguments, stage_tree
from treadle_ir.tree import PyTreeDef, flatten_leaves_and_structure
from treadle_runtime.arrays.from_user import as_argument
from treadle_runtime.jitting.advice import after_trace, before_trace
from treadle_runtime.jitting.caches import FunctionCache
from treadle_runtime.jitting.misses import explain, request_of
from treadle_runtime.jitting.statics import Key
from treadle_runtime.jitting.traced import Timing, Traced


def trace_function(
    cache: FunctionCache,
    function: Callable[..., Any],
    name: str,
    arguments: Arguments,
    statics: Key | None,
    types: tuple[ArrayType, ...],
) -> Traced:
    """Return the function as a program for arguments of these types, staged if it has not been before.

    The types have shardings where a mesh with explicit axes is in force, and say which axes of enclosing shard_maps
    the arguments vary over.
    """
    key = (current_context().programs, arguments.structure, statics, types)

    def make() -> Traced:
        if NO_TRACING():
            raise TracingError(
                f"re-tracing function {name} for `jit`, but 'no_tracing' is set",
                fix="call it with arguments like those before, or leave the block of `no_tracing`",
            )
        before_trace()
        signature = Signature(*key)
        request = request_of(cache.traces, function, name, signature)
        if request is not None:
            explain(request)
        traced = _stage(function, name, arguments, types, request)
        cache.timings.append(traced.timing)
        if traced.portable:
            cache.keep(cache.traces, signature, traced)
        after_trace(function, name, cache, traced.timing.trace)
        return traced

    found = cache.traces.get(key)
    if found is not None:
        return found
    return cache.tracing.once(key, lambda: cache.traces.get(key), make)


def _stage(
    function: Callable[..., Any],
    name: str,
    arguments: Arguments,
    types: tuple[ArrayType, ...],
    request: Request | None,
) -> Traced:
    def results(output: Any) -> tuple[Operands, PyTreeDef]:  # Any: a pytree
        leaves, structure = flatten_leaves_and_structure(output)
        return [_result(name, leaf, structure) for leaf in leaves], structure

    if listeners:
        emit(StagingBegan(name, function))
    started = time.perf_counter()
    try:
        with naming_arguments("jit", name, function, arguments):
            staged, structure = stage_tree(
                TreeFunction(as_body(function), arguments.rebuilt, results),
                *types,
            )
    except BaseException:
        if listeners:
            emit(StagingFailed(name, function))
        raise
    elapsed = time.perf_counter() - started
    program = staged.program
    if heard():
        tell(FunctionStaged(name, program, elapsed, function, request))
    captured = tuple(
        [as_argument(each) if isinstance(each, np.ndarray) else each for each in staged.captured]
    )
    timing = Timing(name, types, elapsed, equations=len(program.equations))
    return Traced(program, captured, structure, timing)


def _result(name: str, result: object, structure: PyTreeDef) -> Operand:
    operand = operand_or_none(result)
    if operand is not None:
        return operand
    try:
        type_of(result)
    except ArgumentError as error:
        error.add_note(f"  while: returning from {name}, whose result is {structure}")
        raise
    raise AssertionError("what has a type is an operand")
