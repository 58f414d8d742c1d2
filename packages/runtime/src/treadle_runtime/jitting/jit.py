"""`jit`: a function compiled for the types of its arguments, on first use."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import EllipsisType, MethodType
from typing import Any, Final, ParamSpec, TypeVar, overload

from treadle_ir import ArgumentError
from treadle_ir.errors import flags, names, refused, shown, warn_deprecated
from treadle_ir.settings import DISABLE_JIT, ROLL, overriding
from treadle_runtime.jitting.function import JitFunction
from treadle_runtime.jitting.options import (
    UNSPECIFIED,
    Inline,
    JitOptions,
    UserPass,
    name_of,
    split_of,
)
from treadle_runtime.jitting.traced import Timing
from treadle_runtime.placement.devices import Device, as_device
from treadle_runtime.placement.requested import parse_shardings

P = ParamSpec("P")
R = TypeVar("R", bound=Any)  # the bound is what parameters of a lambda get from pyright

_PLAIN: Final = JitOptions(UNSPECIFIED)


def disable_jit(disable: bool = True) -> overriding:
    """Run jitted functions as Python within `with disable_jit():`, to inspect values with print or a debugger.

    Example:
        >>> from treadle_runtime import jit
        >>> @jit
        ... def doubled(x):
        ...     print(type(x).__name__)
        ...     return x + x
        >>> with disable_jit():
        ...     print(doubled(1))
        int
        2
    """
    return DISABLE_JIT.override(disable)


def timings(function: Callable[..., Any]) -> list[Timing]:
    """Return the cost of each signature of a jitted function: seconds of tracing, lowering, compiling and the first
    run.
    """
    if isinstance(function, MethodType):
        function = function.__func__
    if not isinstance(function, JitFunction):
        raise ArgumentError(f"{function!r} is not a jitted function", fix="pass what jit returned")
    return [*function.cache.timings]


@overload
def jit(
    fun: Callable[P, R],
    /,
    *,
    in_shardings: Any = ...,
    out_shardings: Any = ...,
    static_argnums: int | Sequence[int] | None = ...,
    static_argnames: str | Iterable[str] | None = ...,
    donate_argnums: int | Sequence[int] | None = ...,
    donate_argnames: str | Iterable[str] | None = ...,
    keep_unused: bool = ...,
    device: Device | None = ...,
    backend: str | None = ...,
    inline: bool | Inline = ...,
    compiler_options: Mapping[str, Any] | None = ...,
    roll: str | bool | None = ...,
    passes: Sequence[UserPass] | None = ...,
) -> JitFunction[P, R]: ...
@overload
def jit(
    *,
    in_shardings: Any = ...,
    out_shardings: Any = ...,
    static_argnums: int | Sequence[int] | None = ...,
    static_argnames: str | Iterable[str] | None = ...,
    donate_argnums: int | Sequence[int] | None = ...,
    donate_argnames: str | Iterable[str] | None = ...,
    keep_unused: bool = ...,
    device: Device | None = ...,
    backend: str | None = ...,
    inline: bool | Inline = ...,
    compiler_options: Mapping[str, Any] | None = ...,
    roll: str | bool | None = ...,
    passes: Sequence[UserPass] | None = ...,
) -> Callable[[Callable[P, R]], JitFunction[P, R]]: ...
def jit(
    fun: Callable[..., Any] | EllipsisType = ...,
    /,
    *,
    in_shardings: Any = None,
    out_shardings: Any = None,
    static_argnums: int | Sequence[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    donate_argnums: int | Sequence[int] | None = None,
    donate_argnames: str | Iterable[str] | None = None,
    keep_unused: bool = False,
    device: Device | None = None,
    backend: str | None = None,
    inline: bool | Inline = False,
    compiler_options: Mapping[str, Any] | None = None,
    roll: str | bool | None = None,
    passes: Sequence[UserPass] | None = None,
) -> Any:
    """Compile a function for the types of its arguments, on first use.

    The function's Python runs once for each combination of argument types, structures and static values; calls run
    the compiled program. Works as `jit(f)`, `@jit` and `@jit(static_argnums=0)`.

    Args:
        fun: the function; its arguments and results are pytrees of arrays.
        in_shardings: the shardings of the arguments: a tree prefix of the positional arguments, with shardings,
            partition specs over the current mesh, or None to use the sharding of the argument. Uncommitted arrays are
            moved there; committed arrays must have that sharding.
        out_shardings: the shardings of the results, in the same form; None leaves them to the compiler.
        static_argnums: positional arguments that are Python values, hashed and compared on every call.
        static_argnames: the same by name. Each spelling follows from the other where only one is given.
        donate_argnums: positional arguments whose memory results may reuse; the call deletes these arrays.
        donate_argnames: keyword arguments to donate.
        keep_unused: pass the executable also the arguments that the program does not use.
        device: deprecated; run on this device, wherever the arguments are.
        backend: deprecated; run on the first device of this platform.
        inline: inline the operations into an outer program instead of a call; `Inline` specifies when.
        compiler_options: XLA flags for this function.
        roll: how Python loops that tracing unrolls are compiled, `auto`, `all` or `off`; None is the setting `roll`.
        passes: functions from `Program` to `Program`, and names of treadle_ir's passes, which run in this order on the
            optimised program before it is compiled. The program is verified after each. Where the function is called
            in another jitted function, the passes of the outer function run.

    Raises:
        ArgumentError: `fun` is not a function. (Also a TypeError.)
        ArgumentError: a number or name that the function does not have. (Also a ValueError.)

    Example:
        >>> from treadle_runtime import jit
        >>> from treadle_ir import ops
        >>> jit(lambda x: ops.add(x, x))(1.5)
        Array(3., dtype=float32, weak_type=True)
    """
    if fun is ...:  # None could be the result of a function without a return statement
        return functools.partial(
            jit,
            in_shardings=in_shardings,
            out_shardings=out_shardings,
            static_argnums=static_argnums,
            static_argnames=static_argnames,
            donate_argnums=donate_argnums,
            donate_argnames=donate_argnames,
            keep_unused=keep_unused,
            device=device,
            backend=backend,
            inline=inline,
            compiler_options=compiler_options,
            roll=roll,
            passes=passes,
        )
    if not callable(fun):
        raise ArgumentError(
            f"Expected a callable value, got {shown(fun)} of type {type(fun)}",
            fix="pass a function to jit",
        )
    code = getattr(fun, "__code__", None)  # of a plain function; `inspect` takes far longer
    if inspect.isgeneratorfunction(fun) if code is None else code.co_flags & inspect.CO_GENERATOR:
        raise ArgumentError(
            f"{name_of(fun)} is a generator function, which cannot be jitted",
            fix="return a list instead",
        )
    names("jit", backend=backend)
    target: Device | None = None
    if device is not None or backend is not None:
        warn_deprecated(
            f"the argument `{'backend' if device is None else 'device'}` of jit",
            since="0.1",
            until="1.0",
            instead="put an argument on the device with device_put, or use default_device",
        )
        target = as_device(device if device is not None else backend or "")
    split = split_of(fun, static_argnums, static_argnames, donate_argnums, donate_argnames)
    early, inlining = _inlining(inline)
    flags("jit", keep_unused=keep_unused, inline=early)
    if compiler_options is not None and not isinstance(compiler_options, Mapping):
        raise refused("jit", "compiler_options", "a dict", compiler_options)
    inputs = parse_shardings("jit", "in_shardings", in_shardings)
    outputs = parse_shardings("jit", "out_shardings", out_shardings)
    if split is UNSPECIFIED and not (
        keep_unused
        or early
        or inlining
        or compiler_options
        or target
        or inputs
        or outputs
        or roll is not None
        or passes is not None
    ):
        return JitFunction(fun, _PLAIN)
    settings = tuple(sorted((compiler_options or {}).items()))
    rolling = None if roll is None else ROLL.parsed(roll)
    users: tuple[UserPass, ...] = ()
    if passes is not None:
        from treadle_runtime.jitting.user_passes import passes_of  # noqa: PLC0415 - few functions have passes

        users = passes_of(passes)
    return JitFunction(
        fun,
        JitOptions(
            split,
            keep_unused,
            early,
            inlining,
            settings,
            target,
            inputs,
            outputs,
            rolling,
            users,
        ),
    )


def _inlining(inline: bool | Inline) -> tuple[bool, str]:
    """Return whether calls are inlined during staging, and otherwise when."""
    if not isinstance(inline, Inline):
        return inline, ""
    if inline in {Inline.JAX_EARLY, Inline.AUTO}:
        return inline is Inline.JAX_EARLY, ""
    return False, "lowering" if inline is Inline.JAX_LATE else inline.value
