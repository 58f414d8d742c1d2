"""A jitted function: which of its compiled programs a call runs, and what a call is under a trace."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from types import MethodType
from typing import TYPE_CHECKING, Any, Final, Generic, ParamSpec, TypeVar, final

import numpy as np

from treadle_compiler import check_fork
from treadle_ir import ArgumentError, Operand, Operands, bind
from treadle_ir.calling import as_array, as_operand
from treadle_ir.errors import shown_as
from treadle_ir.events import listeners
from treadle_ir.primitives.call import Call
from treadle_ir.refs import Cell, discharged, lending, usable
from treadle_ir.settings import DISABLE_JIT, current_context
from treadle_ir.sharding import types_here
from treadle_ir.tracing import (
    Arguments,
    EvalTrace,
    Signature,
    current_trace,
    interpret_unchecked as interpret,
    positional_names,
    take_apart,
)
from treadle_ir.tree import opened_leaves
from treadle_runtime.abstract import abstract_placed
from treadle_runtime.arrays.array import DeviceArray, device_of
from treadle_runtime.arrays.from_user import as_argument
from treadle_runtime.jitting.advice import after_compilation
from treadle_runtime.jitting.caches import FunctionCache, cache_of
from treadle_runtime.jitting.compiled_call import CompiledCall, Given
from treadle_runtime.jitting.compiling import compile_call, lower_call
from treadle_runtime.jitting.miss import MISS
from treadle_runtime.jitting.misses import explain_compilation, request_of
from treadle_runtime.jitting.options import UNSPECIFIED, JitOptions, name_of
from treadle_runtime.jitting.shardings import (
    constrained_all,
    inputs_of,
    outputs_of,
    placed_inputs,
)
from treadle_runtime.jitting.statics import Key, static_key
from treadle_runtime.jitting.tracing import trace_function
from treadle_runtime.jitting.with_refs import call_pure, places_of, pure_function
from treadle_runtime.placement.explicit import (
    over_placed,
    sharded_types,
    shardings_of_program,
    shardings_of_results,
)
from treadle_runtime.placement.placement import placement_of
from treadle_runtime.placement.sharding import Sharding

if TYPE_CHECKING:
    from treadle_runtime.jitting.staged_refs import StagedReferences
    from treadle_runtime.jitting.stages import Lowered
    from treadle_runtime.jitting.traced_call import TracedCall

P = ParamSpec("P")
R = TypeVar("R", bound=Any)  # the bound is what parameters of a lambda get from pyright

_MOST_PURE: Final = 64


@final
class JitFunction(Generic[P, R]):
    """A jitted function; made by `jit`."""

    # the name by which libraries know that a function is jitted
    __qualname__ = "PjitFunction"

    def __init__(self, function: Callable[P, R], options: JitOptions) -> None:
        shown_as(self, function)
        self.__wrapped__ = function
        self._name = name_of(function)
        self._options = options
        self._cache = cache_of(function, options)
        # For references: the references that the function closes over, and its pure functions by kinds of calls.
        self._closed: Sequence[Cell] = ()
        self._pure: dict[Any, JitFunction[..., Any]] = {}

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function, compiled for arguments like these."""
        result = self._cache.fast(args, kwargs)
        if result is not MISS:
            return result  # type: ignore[no-any-return]  # what the function returns
        return self._call(args, kwargs)  # type: ignore[no-any-return]

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run a call whose shape differs from the last one. Any: arguments and results of users."""
        context = current_context()
        if context.observed:
            from treadle_runtime.jitting.observed_call import call_observed  # noqa: PLC0415 - under observation

            return call_observed(self, args, kwargs)
        if context.instrumented and context.get(DISABLE_JIT):
            return self.__wrapped__(*args, **kwargs)
        arguments = self._take_apart(args, kwargs)
        statics = static_key(arguments, self._name, self._cache.gone, self.__wrapped__)

        def run(cells: tuple[Cell, ...]) -> Any:
            closed = self._closed_over(cells)
            if closed:
                return self._with_refs(arguments, statics, closed)
            return self._run(args, kwargs, arguments, statics)

        return discharged(run)

    def _closed_over(self, cells: Sequence[Cell]) -> Sequence[Cell]:
        """Return the references that the function closes over: known references that are usable here, and more."""
        closed = usable(self._closed)
        if cells:
            known = {*map(id, closed)}
            self._closed = closed = [*closed, *[x for x in cells if id(x) not in known]]
        return closed

    def _run(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        arguments: Arguments,
        statics: Key | None,
    ) -> Any:
        """Run a call without references, except possibly among its arguments."""
        cache, context = self._cache, current_context()
        if not isinstance(current_trace(), EvalTrace):
            return self._bind(arguments, statics)
        try:
            leaves = [as_argument(x) for x in arguments.leaves]
        except ArgumentError:
            if places_of(arguments):
                return self._with_refs(arguments, statics, ())
            refuse_leaves(arguments, self._name, self.__wrapped__)
            raise
        if self._options.inputs is not None:
            leaves = placed_inputs(self._options.inputs, arguments, leaves, self._name)
        if context.instrumented:
            from treadle_runtime.jitting.instrumented_call import guard_arguments  # noqa: PLC0415 - when debugging

            guard_arguments(arguments, leaves, self._name, self.__wrapped__)
        key = (
            context.key,
            arguments.structure,
            statics,
            tuple([x.placed for x in leaves]),
        )
        call = cache.calls.get(key)
        if call is None:
            return self._first(Signature(*key), arguments, leaves)
        if context.instrumented:
            from treadle_runtime.jitting.instrumented_call import call_instrumented  # noqa: PLC0415 - as above

            return call_instrumented(call, leaves)
        kinds = tuple(map(type, arguments.leaves))
        if kinds not in call.fast_calls:
            from treadle_runtime.jitting.fast_call import fast_call  # noqa: PLC0415 - the second call's

            call.fast_calls[kinds] = fast_call(call, arguments, args, kwargs)
        fast = call.fast_calls[kinds]
        if fast is not None:
            split = self._options.split
            if cache.dispatcher is None:
                from treadle_runtime.jitting.dispatch import Dispatcher  # noqa: PLC0415 - as above

                cache.dispatcher = Dispatcher()
            cache.fast = cache.dispatcher.serving(
                args, kwargs, fast, split.static_argnums, split.static_argnames
            )
        return call.call(leaves, Given(self.__wrapped__, arguments) if listeners else None)

    def _with_refs(self, arguments: Arguments, statics: Key | None, closed: Sequence[Cell]) -> Any:
        """Run a call with references, among its arguments or closed over by the function."""
        places = places_of(arguments)
        pure = self._pure_function(arguments, statics, places, closed)
        return call_pure(pure, self._name, arguments, places, closed)

    def _pure_function(
        self,
        arguments: Arguments,
        statics: Key | None,
        places: tuple[int, ...],
        closed: Sequence[Cell],
    ) -> JitFunction[..., Any]:
        """Return the jitted pure function for calls with references: of the other leaves and the contents of the
        references.
        """
        key = arguments.structure, statics, places, tuple(closed)
        pure = self._pure.get(key)
        if pure is None:
            if len(self._pure) >= _MOST_PURE:
                self._pure.clear()
            function = pure_function(self.__wrapped__, self._name, arguments, places, closed)
            options = replace(self._options, split=UNSPECIFIED)
            pure = self._pure[key] = JitFunction(function, options)
        return pure

    def _take_apart(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        split = self._options.split
        return take_apart(args, kwargs, split.static_argnums, split.static_argnames)

    def _first(
        self,
        signature: Signature,
        arguments: Arguments,
        leaves: Sequence[DeviceArray],
    ) -> Any:
        """Run the first call with a signature."""
        check_fork()  # before the function is staged in vain
        cache = self._cache

        def make() -> CompiledCall:
            request = request_of(cache.calls, self.__wrapped__, self._name, signature)
            if request is not None:
                explain_compilation(request)
            lowering = lower_call(
                cache,
                self.__wrapped__,
                self._name,
                self._options,
                arguments,
                signature.statics,
                signature.types,
                request=request,
            )
            call = compile_call(lowering)
            cache.keep(cache.calls, signature, call)
            traced = call.traced
            seconds = traced.timing.compile or 0.0
            after_compilation(self.__wrapped__, self._name, traced.program, seconds)
            return call

        call = cache.compiling.once(signature, lambda: cache.calls.get(signature), make)
        started = time.perf_counter()
        if current_context().instrumented:
            from treadle_runtime.jitting.instrumented_call import call_instrumented  # noqa: PLC0415 - as above

            results = call_instrumented(call, leaves)
        else:
            given = Given(self.__wrapped__, arguments) if listeners else None
            results = call.call(leaves, given)
        timing = call.traced.timing
        if timing.first_run is None:
            for leaf in opened_leaves(results)[:1]:
                device_of(leaf)
            timing.first_run = time.perf_counter() - started
        return results

    def _bind(self, arguments: Arguments, statics: Key | None) -> Any:
        """Run a call under a trace: the staged program becomes one operation."""
        try:
            operands = [_traced_operand(leaf) for leaf in arguments.leaves]
        except ArgumentError:
            if places_of(arguments):
                return self._with_refs(arguments, statics, ())
            refuse_leaves(arguments, self._name, self.__wrapped__)
            raise
        if self._options.inputs is not None:
            operands = constrained_all(
                operands, inputs_of(self._options.inputs, arguments, self._name)
            )
        types = types_here(operands)
        traced = trace_function(
            self._cache,
            self.__wrapped__,
            self._name,
            arguments,
            statics,
            types,
        )
        results: Operands
        if self._options.inline:
            results = interpret(traced.program, *traced.captured, *operands)
        else:
            results = bind(
                Call(traced.program, self._name, self._options.inlining),
                *traced.captured,
                *operands,
            )
        if self._options.outputs is not None:
            wanted = outputs_of(self._options.outputs, traced.structure, self._name)
            results = constrained_all(results, wanted)
        return traced.structure.unflatten([*results])

    def lower(self, *args: P.args, **kwargs: P.kwargs) -> Lowered:
        """Stage and lower for these arguments (or things with their `shape` and `dtype`), without running."""
        return self.trace(*args, **kwargs).lower()

    def trace(self, *args: P.args, **kwargs: P.kwargs) -> TracedCall:
        """Stage for these arguments (or things with their `shape` and `dtype`), without compiling."""
        arguments = self._take_apart(args, kwargs)
        statics = static_key(arguments, self._name, function=self.__wrapped__)
        places = places_of(arguments)

        def run(cells: tuple[Cell, ...]) -> TracedCall:
            closed = self._closed_over(cells)
            if not places and not closed:
                return self._staged(arguments, statics, None)
            from treadle_runtime.jitting.staged_refs import StagedReferences  # noqa: PLC0415 - few ask

            split = self._options.split
            references = StagedReferences(arguments, split, places, closed, self._name)
            pure = self._pure_function(arguments, statics, places, closed)
            with lending(references.lent):
                return pure._staged(take_apart(references.values, {}), None, references)

        return discharged(run)

    def _staged(
        self, arguments: Arguments, statics: Key | None, references: StagedReferences | None
    ) -> TracedCall:
        """Stage for arguments without references: the user's, or the pure function's for `references`."""
        operands = [abstract_placed(leaf) for leaf in arguments.leaves]
        if self._options.inputs is not None:
            wanted = inputs_of(self._options.inputs, arguments, self._name)
            operands = [
                x if sharding is None else placement_of(sharding, committed=True).of(x.type)
                for x, sharding in zip(operands, wanted, strict=True)
            ]
        with over_placed(operands):
            traced = trace_function(
                self._cache,
                self.__wrapped__,
                self._name,
                arguments,
                statics,
                sharded_types(operands),
            )
            shown = shardings_of_results(shardings_of_program(traced.program))
            shown = shown or [None] * len(traced.program.results)

        def lowered(platform: str | None) -> Lowered:
            lowering = lower_call(
                self._cache,
                self.__wrapped__,
                self._name,
                self._options,
                arguments,
                statics,
                operands,
                platform,
            )
            from treadle_runtime.jitting.stages import Lowered  # noqa: PLC0415 - few look at stages

            return Lowered(lowering, arguments, self._options.split, references)

        def shardings() -> tuple[list[Sharding | None], list[Sharding | None]]:
            asked = self._options.outputs
            said: list[Sharding | None] = [None] * len(shown)
            if asked is not None:
                said = outputs_of(asked, traced.structure, self._name)
            given = [x.placement.sharding if x.placement.committed else None for x in operands]
            return given, [one or two for one, two in zip(said, shown, strict=True)]

        from treadle_runtime.jitting.traced_call import TracedCall  # noqa: PLC0415 - few look at stages

        split = self._options.split
        return TracedCall(
            traced, arguments, operands, self._name, split, lowered, shardings, shown, references
        )

    def eval_shape(self, *args: P.args, **kwargs: P.kwargs) -> Any:  # Any: a pytree
        """Return the shapes and element types of the results for these arguments, without running anything."""
        return self.trace(*args, **kwargs).out_info

    def __get__(
        self, instance: object, owner: type | None = None
    ) -> Any:  # Any: a method's signature
        """Return the function itself on a class, a bound method on an instance."""
        return self if instance is None else MethodType(self, instance)

    def __getattr__(
        self, name: str
    ) -> Any:  # Any: `inspect.Signature` is not the type of any attribute
        # Read by code that does not follow wrappers. Not a property: the class would seem to have this signature.
        if name == "__signature__":
            return inspect.signature(self.__wrapped__)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __repr__(self) -> str:
        return f"<jit of {self.__wrapped__!r}>"

    def clear_cache(self) -> None:
        """Forget all signatures: the next call traces and compiles again."""
        self._cache.clear()

    _clear_cache = clear_cache  # libraries call it by this name, too

    def _cache_size(self) -> int:
        """Return the number of compiled signatures. Libraries use it, under this name, to count traces."""
        return len(self._cache.calls)

    @property
    def cache(self) -> FunctionCache:
        """The cache of the function, shared by all jitted versions with equal options."""
        return self._cache


def _traced_operand(leaf: object) -> Operand:
    """Return a leaf of a call under a trace; NumPy arrays are copied, since the program may run later."""
    return as_array(leaf) if isinstance(leaf, np.ndarray) else as_operand(leaf)


def refuse_leaves(arguments: Arguments, name: str, function: Callable[..., Any]) -> None:
    """Raise an error for the first leaf that is neither an array nor a number, if there is one."""
    for index, leaf in enumerate(arguments.leaves):
        try:
            as_operand(leaf)
        except ArgumentError as error:
            from treadle_runtime.jitting.refusals import note_self, refuse  # noqa: PLC0415 - for errors only

            path = arguments.paths(positional_names(function))[index]
            argument = path.removeprefix("argument ")
            error.add_note(f"  while: interpreting {path} of {name}")
            if argument == "self":
                note_self(error, leaf)
            elif argument.isidentifier() and isinstance(leaf, Hashable):
                error.add_note(
                    f"  fix: mark it static, with jit(..., static_argnames={argument!r})"
                )
            refuse(name, function, argument, leaf)
            raise


PjitFunction: Final = JitFunction  # where pickle looks for the class
