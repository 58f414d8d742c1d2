"""`jit`: a function compiled for the types of its arguments, on first use."""

from __future__ import annotations

import functools
import inspect
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar, Token
from types import MethodType
from typing import Any, Final, Generic, ParamSpec, TypeVar, final, overload
from weakref import WeakKeyDictionary

from treadle_ir import (
    ROOT,
    ArgumentError,
    ArrayType,
    EvalTrace,
    Trace,
    bind,
    current_trace,
    interpret,
    reset_current,
    set_current,
    type_of,
    x64_enabled,
)
from treadle_ir.primitives.call import Call
from treadle_ir.tree import Expectation, expectation, flat_tuple, flatten_leaves_and_structure
from treadle_runtime.array import DeviceArray
from treadle_runtime.call_path import (
    Entry,
    JitOptions,
    Memory,
    Timing,
    compile_call,
    default_now,
    environment,
    lower_call,
    trace_function,
)
from treadle_runtime.devices import Device, as_device, local_default, process_default
from treadle_runtime.dispatch import key_type
from treadle_runtime.signature import (
    ENVIRONMENT,
    NOTHING_SAID,
    Arguments,
    abstract_key,
    as_argument,
    as_operand,
    name_of,
    refuse_leaves,
    split_of,
    take_apart,
)
from treadle_runtime.stages import Lowered, TracedCall

P = ParamSpec("P")
R = TypeVar("R")

_PLAIN: Final = JitOptions(NOTHING_SAID)
only_arrays: Final = frozenset({DeviceArray}).issuperset
_memories: Final[WeakKeyDictionary[Any, dict[JitOptions, Memory]]] = WeakKeyDictionary()


def _memory(function: Callable[..., Any], options: JitOptions) -> Memory:
    """What is remembered of a function: shared by all that jit it with equal options, as in `jit(f)(x)` in a loop.

    Not where arguments are donated: each jit of these warns of what it cannot use.
    """
    if options.split.donate_argnums or options.split.donate_argnames:
        return Memory()
    try:
        return _memories.setdefault(function, {}).setdefault(options, Memory())
    except TypeError:  # neither hashable nor weakly referable
        return Memory()


@final
class JitFunction(Generic[P, R]):
    """A jitted function; made by `jit`."""

    def __init__(self, function: Callable[P, R], options: JitOptions) -> None:
        functools.update_wrapper(self, function)
        self.__wrapped__ = function
        self._name = name_of(function)
        self._options = options
        self._memory = _memory(function, options)
        self._entries = self._memory.entries
        self._flat = self._memory.flat
        self._simple = options.split.simple
        self._expected: Expectation | None = (
            None  # the arguments of the last call that were no arrays themselves
        )

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the function, compiled for arguments like these."""
        if kwargs or not self._simple or ENVIRONMENT or current_trace() is not ROOT:
            return self._call(args, kwargs)  # type: ignore[no-any-return]
        if only_arrays(map(type, args)):  # then they are their own leaves
            entry = self._flat.get(
                (
                    local_default.get() or process_default[0],
                    x64_enabled(),
                    *[x._key for x in args],  # type: ignore[attr-defined]
                )
            )
            if entry is not None:
                return entry.call(args)  # type: ignore[no-any-return, arg-type]
        else:
            expected = self._expected
            leaves = None if expected is None else expected.take(args)
            if leaves is None:
                leaves, structure = flatten_leaves_and_structure(args)
            else:
                structure = expected.structure  # type: ignore[union-attr]  # it has taken them apart
            try:
                entry = self._entries[
                    (
                        structure,
                        None,
                        local_default.get() or process_default[0],
                        x64_enabled(),
                        *[x._key for x in leaves],  # AttributeError if it has none
                    )
                ]
            except (KeyError, AttributeError):
                pass
            else:
                self._expected = entry.expected
                return entry.call(leaves)  # type: ignore[no-any-return]
        return self._call(args, kwargs)  # type: ignore[no-any-return]

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A call with keyword or static arguments, Python scalars or NumPy arrays, under a trace, or the first."""
        if _disabled.get():
            return self.__wrapped__(*args, **kwargs)
        arguments = take_apart(self._options.split, self._name, args, kwargs)
        if not isinstance(current_trace(), EvalTrace):
            return self._bind(arguments)
        try:
            leaves = [x if type(x) is DeviceArray else as_argument(x) for x in arguments.leaves]
        except ArgumentError:
            refuse_leaves(arguments, self._name)
            raise
        default = default_now()
        key = (
            arguments.structure,
            arguments.statics,
            default,
            environment(),
            *[x._key for x in leaves],
        )
        entry = self._entries.get(key)
        if entry is not None:
            return entry.call(leaves)
        return self._first(key, arguments, leaves)

    def _first(
        self, key: tuple[Any, ...], arguments: Arguments, leaves: Sequence[DeviceArray]
    ) -> Any:
        """The first call with a signature."""
        memory = self._memory

        def make() -> Entry:
            lowering = lower_call(
                memory,
                self.__wrapped__,
                self._name,
                self._options,
                arguments,
                [x._key for x in leaves],
                key[2],
            )
            entry = compile_call(lowering)
            if arguments.statics is None:
                entry.expected = expectation(arguments.structure)
            memory.entries[key] = entry
            if arguments.statics is None and arguments.structure == flat_tuple(len(leaves)):
                memory.flat[(key[2], x64_enabled(), *key[4:])] = entry
            return entry

        entry = memory.compiling.once(key, lambda: memory.entries.get(key), make)
        started = time.perf_counter()
        results = entry.call(leaves)
        timing = entry.traced.timing
        if timing.first_run is None:
            for leaf in flatten_leaves_and_structure(results)[0][:1]:
                leaf.present()
            timing.first_run = time.perf_counter() - started
        return results

    def _bind(self, arguments: Arguments) -> Any:
        """A call under a trace: the staged program becomes one operation."""
        try:
            operands = [as_operand(leaf) for leaf in arguments.leaves]
        except ArgumentError:
            refuse_leaves(arguments, self._name)
            raise
        types = tuple([type_of(operand) for operand in operands])
        traced = trace_function(self._memory, self.__wrapped__, self._name, arguments, types)
        if self._options.inline:
            results = interpret(traced.program, *traced.captured, *operands)
        else:
            results = bind(Call(traced.program, self._name), *traced.captured, *operands)
        return traced.structure.unflatten([*results])

    def lower(self, *args: P.args, **kwargs: P.kwargs) -> Lowered:
        """Stage and lower for these arguments (or things with their `shape` and `dtype`), without running."""
        return self.trace(*args, **kwargs).lower()

    def trace(self, *args: P.args, **kwargs: P.kwargs) -> TracedCall:
        """Stage for these arguments (or things with their `shape` and `dtype`), without compiling."""
        arguments = take_apart(self._options.split, self._name, args, kwargs)
        keys = [abstract_key(leaf) for leaf in arguments.leaves]
        types = tuple([key if type(key) is ArrayType else key_type(key) for key in keys])
        traced = trace_function(self._memory, self.__wrapped__, self._name, arguments, types)

        def lowered() -> Lowered:
            lowering = lower_call(
                self._memory,
                self.__wrapped__,
                self._name,
                self._options,
                arguments,
                keys,
                default_now(),
            )
            return Lowered(lowering, arguments)

        return TracedCall(traced, arguments, types, self._name, lowered)

    def eval_shape(self, *args: P.args, **kwargs: P.kwargs) -> Any:
        """The shapes and element types of the results for these arguments, without running anything."""
        return self.trace(*args, **kwargs).out_info

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        """The function itself on a class, a bound method on an instance."""
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<jit of {self.__wrapped__!r}>"

    def clear_cache(self) -> None:
        """Forget all signatures: the next call traces and compiles again."""
        self._memory.clear()


_disabled: Final[ContextVar[bool]] = ContextVar("treadle_disable_jit", default=False)


@final
class disable_jit:  # noqa: N801 - reads as a statement
    """`with disable_jit():` runs the Python of jitted functions, for a look at values with print or a debugger."""

    __slots__ = ("_disable", "_tokens")

    def __init__(self, disable: bool = True) -> None:
        self._disable = disable
        self._tokens: list[tuple[Token[bool], Token[Trace] | None]] = []

    def __enter__(self) -> None:
        # Another trace at the bottom: the hot path of a call asks for the trace anyway, and for nothing else.
        trace = set_current(EvalTrace(ROOT.evaluator)) if current_trace() is ROOT else None
        self._tokens.append((_disabled.set(self._disable), trace))

    def __exit__(self, *error: object) -> None:
        disabled, trace = self._tokens.pop()
        _disabled.reset(disabled)
        if trace is not None:
            reset_current(trace)


def timings(function: Callable[..., Any]) -> list[Timing]:
    """What each signature of a jitted function cost: seconds of tracing, lowering, compiling and the first run."""
    if isinstance(function, MethodType):
        function = function.__func__
    if not isinstance(function, JitFunction):
        raise ArgumentError(f"{function!r} is not a jitted function", fix="pass what jit returned")
    return [*function._memory.timings]


@overload
def jit(
    fun: Callable[P, R],
    /,
    *,
    static_argnums: int | Sequence[int] | None = ...,
    static_argnames: str | Iterable[str] | None = ...,
    donate_argnums: int | Sequence[int] | None = ...,
    donate_argnames: str | Iterable[str] | None = ...,
    keep_unused: bool = ...,
    device: Device | None = ...,
    backend: str | None = ...,
    inline: bool = ...,
    compiler_options: Mapping[str, Any] | None = ...,
) -> JitFunction[P, R]: ...
@overload
def jit(
    *,
    static_argnums: int | Sequence[int] | None = ...,
    static_argnames: str | Iterable[str] | None = ...,
    donate_argnums: int | Sequence[int] | None = ...,
    donate_argnames: str | Iterable[str] | None = ...,
    keep_unused: bool = ...,
    device: Device | None = ...,
    backend: str | None = ...,
    inline: bool = ...,
    compiler_options: Mapping[str, Any] | None = ...,
) -> Callable[[Callable[P, R]], JitFunction[P, R]]: ...
def jit(
    fun: Callable[..., Any] | None = None,
    /,
    *,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    keep_unused: bool = False,
    device: Device | None = None,
    backend: str | None = None,
    inline: bool = False,
    compiler_options: Mapping[str, Any] | None = None,
) -> Any:
    """Compile a function for the types of its arguments, on first use.

    The function's Python runs once for each combination of argument types, structures and static values; calls run
    the compiled program. Works as `jit(f)`, `@jit` and `@jit(static_argnums=0)`.

    Args:
        fun: the function; its arguments and results are pytrees of arrays.
        static_argnums: positional arguments that are Python values, hashed and compared on every call.
        static_argnames: the same by name. Each spelling follows from the other where only one is given.
        donate_argnums: positional arguments whose memory results may take over; they are gone after the call.
        donate_argnames: keyword arguments, in the same way.
        keep_unused: pass arguments on that the program does not use.
        device: deprecated; run there, whatever the arguments say.
        backend: deprecated; run on the first device of this platform.
        inline: leave no call behind when an outer function is traced.
        compiler_options: XLA flags for this function.

    Raises:
        ArgumentError: `fun` is no function. (Also a TypeError.)
        JitArgumentError: a number or name that the function does not have. (Also a ValueError.)

    Example:
        >>> from treadle_runtime import jit
        >>> from treadle_ir import ops
        >>> jit(lambda x: ops.add(x, x))(1.5)
        Array(3., dtype=float32, weak_type=True)
    """
    if fun is None:
        return functools.partial(
            jit,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            donate_argnums=donate_argnums,
            donate_argnames=donate_argnames,
            keep_unused=keep_unused,
            device=device,
            backend=backend,
            inline=inline,
            compiler_options=compiler_options,
        )
    if not callable(fun):
        raise ArgumentError(
            f"Expected a callable value, got {fun!r} of type {type(fun)}",
            fix="pass a function to jit",
        )
    code = getattr(fun, "__code__", None)  # of a plain function; asking `inspect` takes far longer
    if inspect.isgeneratorfunction(fun) if code is None else code.co_flags & inspect.CO_GENERATOR:
        raise ArgumentError(
            f"{name_of(fun)} is a generator function, which cannot be jitted",
            fix="return a list instead",
        )
    target: Device | None = None
    if device is not None or backend is not None:
        warnings.warn(
            "the `device` and `backend` arguments of jit are deprecated; "
            "put an argument on the device with device_put, or use default_device",
            DeprecationWarning,
            stacklevel=2,
        )
        target = as_device(device if device is not None else str(backend))
    split = split_of(fun, static_argnums, static_argnames, donate_argnums, donate_argnames)
    if split is NOTHING_SAID and not (keep_unused or inline or compiler_options or target):
        return JitFunction(fun, _PLAIN)
    flags = tuple(sorted((compiler_options or {}).items()))
    return JitFunction(fun, JitOptions(split, keep_unused, inline, flags, target))
