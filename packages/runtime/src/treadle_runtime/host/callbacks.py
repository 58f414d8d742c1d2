"""Calls back into Python, as users write them: trees in, trees out.

`validated.py` makes a callback safe for XLA; this file turns a user's function on trees into one on flat arrays.
Callbacks receive NumPy arrays; of random keys they receive the words.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Sequence
from typing import Any, final, overload

import numpy as np

from treadle_ir import ArgumentError, Array, ArrayType, DTypeError, ops
from treadle_ir.calling import as_array, type_like
from treadle_ir.core import canonical_dtype
from treadle_ir.core.dtypes import is_key
from treadle_ir.errors import TreeError, functions, refused, shown
from treadle_ir.events import logger
from treadle_ir.primitives import effectful
from treadle_ir.primitives.effectful import VmapMethod
from treadle_ir.process import frozen
from treadle_ir.tree import PyTreeDef, tree_flatten
from treadle_runtime.host.validated import CallbackError, check_vmap_method
from treadle_runtime.placement.sharding import SingleDeviceSharding


@final
class _Same:
    """Stands for an object that has no hash where one is needed: it is equal to itself alone."""

    __slots__ = ("object",)

    def __init__(self, object: Any) -> None:
        self.object = object


def _hashable(value: Any) -> Any:
    """Return the value, or what stands for it."""
    try:
        hash(value)
    except TypeError:
        return _Same(value)
    return value


def _object(value: Any) -> Any:
    return value.object if type(value) is _Same else value


@final
@frozen
class _OnTrees:
    """A user's function on trees, as a function on flat NumPy arrays that returns flat NumPy arrays."""

    function: Callable[..., Any] | _Same
    arguments: PyTreeDef
    constants: tuple[tuple[int, Any], ...]  # leaves that are not arrays, such as strings
    results: PyTreeDef | None
    types: tuple[ArrayType, ...]

    @property
    def __name__(self) -> str:
        function = _object(self.function)
        name: str = getattr(function, "__name__", type(function).__name__)
        return name

    def __call__(self, *operands: Any) -> tuple[Any, ...]:
        leaves = [*operands]
        for index, value in self.constants:
            leaves.insert(index, _object(value))
        args, kwargs = self.arguments.unflatten(leaves)
        given = _object(self.function)(*args, **kwargs)
        if self.results is None:
            return ()
        try:
            values = self.results.flatten_up_to(given)
        except TreeError as error:
            where = str(error).rpartition(" differ ")[2]
            raise CallbackError(
                f"callback {self.__name__}: the structures declared and returned differ {where}",
                fix="return the pytree that result_shape_dtypes shows",
            ) from error
        return tuple([_narrowed(x, type) for x, type in zip(values, self.types, strict=True)])


def _narrowed(value: Any, type: ArrayType) -> Any:
    """Return the value with the element type it would have on entering treadle; everything else is checked later."""
    if not isinstance(value, Array | np.ndarray | np.generic):
        return value
    if value.dtype == type.dtype or canonical_dtype(value.dtype) != type.dtype:
        return value
    return np.asarray(value).astype(type.dtype)


def _on_trees(
    function: Callable[..., Any],
    results: Any,  # a tree of things with shape and dtype, or None for no results at all
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[_OnTrees, list[Any]]:
    if not callable(function):
        raise ArgumentError(f"a callback must be callable, got {function!r}")
    leaves, structure = tree_flatten((args, kwargs))
    operands, constants = [], []
    for index, leaf in enumerate(leaves):
        if isinstance(leaf, Array | np.ndarray | np.generic | bool | int | float | complex):
            operand = as_array(leaf)
            operands.append(ops.random_unwrap(operand) if is_key(operand.dtype) else operand)
        else:
            constants.append((index, _hashable(leaf)))
    declared, shape = tree_flatten(results)
    types = tuple([_declared(each) for each in declared])
    made = _OnTrees(
        _hashable(function), structure, tuple(constants), None if results is None else shape, types
    )
    return made, operands


def _declared(value: Any) -> ArrayType:
    try:
        found = type_like("callback", value)
    except ArgumentError:
        raise ArgumentError(
            f"a callback's results are declared by things with shape and dtype, got {shown(value)}",
            fix="use ShapeDtypeStruct(shape, dtype), or an array like the result",
        ) from None
    declared_type = ArrayType(found.shape, found.dtype)  # a declaration is never weak
    if is_key(declared_type.dtype):
        raise DTypeError(
            f"a callback cannot return random keys, and {declared_type} is declared",
            fix="declare and return their words, uint32[..., 2], and make keys of them with random.wrap_key_data",
        )
    return declared_type


def pure_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    sharding: SingleDeviceSharding | None = None,
    vmap_method: VmapMethod | None = None,
    **kwargs: Any,
) -> Any:
    """Call a Python function that has no side effects, also from within compiled code.

    It may be called more than once or not at all. It gets NumPy arrays, and must return arrays of exactly the
    declared shapes and element types. It has no derivative of its own: see custom_jvp.

    Args:
        callback: the function, on trees of arrays.
        result_shape_dtypes: a tree like its result, of things with `shape` and `dtype`.
        args: its arguments.
        sharding: None, or a SingleDeviceSharding, which says what holds anyway: of several devices one calls, with the
            whole arrays.
        vmap_method: how vmap runs it: "sequential" (one by one), "expand_dims" (at once, with an axis of size 1 for
            arguments that are not batched), "broadcast_all" (at once, all arguments batched).
        kwargs: its keyword arguments.

    Raises:
        ArgumentError: an unknown `vmap_method`, or results that are not declared.

    Example:
        >>> from treadle_runtime import jit
        >>> def sorted_by_numpy(x):
        ...     return pure_callback(np.sort, x, x)
        >>> print(jit(sorted_by_numpy)(np.float32([3, 1, 2])))
        [1. 2. 3.]
    """
    functions("pure_callback", callback=callback)
    check_vmap_method("pure_callback", vmap_method)
    _check_caller("pure_callback", sharding)
    made, operands = _on_trees(callback, result_shape_dtypes, args, kwargs)
    results = effectful.pure_callback(
        *operands, function=made, results=made.types, vmap_method=vmap_method
    )
    return None if made.results is None else made.results.unflatten([*results])


def io_callback(
    callback: Callable[..., Any],
    result_shape_dtypes: Any,
    *args: Any,
    sharding: SingleDeviceSharding | None = None,
    ordered: bool = False,
    **kwargs: Any,
) -> Any:
    """Call a Python function for its side effects, also from within compiled code; once for each time it is reached.

    With `ordered`, calls come in the order of the program.

    Args:
        callback: the function, on trees of arrays.
        result_shape_dtypes: a tree like its result, of things with `shape` and `dtype`; None if it returns nothing.
        args: its arguments.
        sharding: as of `pure_callback`.
        ordered: whether calls come in the order of the program.
        kwargs: its keyword arguments.

    Raises:
        ArgumentError: results that are not declared, or a sharding over several devices.
    """
    _check_caller("io_callback", sharding)
    made, operands = _on_trees(callback, result_shape_dtypes, args, kwargs)
    results = effectful.io_callback(*operands, function=made, results=made.types, ordered=ordered)
    return None if made.results is None else made.results.unflatten([*results])


def _check_caller(function: str, sharding: object) -> None:
    if sharding is not None and not isinstance(sharding, SingleDeviceSharding):
        raise refused(
            function,
            "sharding",
            "None or a SingleDeviceSharding",
            sharding,
            fix="leave it out: one device calls, with the whole arrays; within shard_map each calls with its part",
        )


@overload
def debug_callback(
    callback: None = None, *, ordered: bool = False, partitioned: bool = False
) -> Callable[..., None]: ...


@overload
def debug_callback(
    callback: Callable[..., Any],
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    **kwargs: Any,
) -> None: ...


def debug_callback(
    callback: Callable[..., Any] | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    **kwargs: Any,
) -> Callable[..., None] | None:
    """Call a Python function to inspect values; its result is ignored.

    Under grad it sees the values of the function itself, under vmap it is called for each element. Options may be
    given in a call of their own, `debug_callback(ordered=True)(callback, x)`, where they are not taken for arguments
    of the callback.

    Args:
        callback: the function, on trees of arrays; without it, what takes it is returned.
        args: its arguments.
        ordered: whether such calls come in the order of the program.
        partitioned: accepted, without effect: it is called once, with complete arrays.
        kwargs: its keyword arguments.

    Raises:
        ArgumentError: the callback is not a function, or there are arguments without it.

    Example:
        >>> from treadle_runtime import effects_barrier, jit
        >>> seen = []
        >>> jit(lambda x: debug_callback(lambda x: seen.append(x.shape), x))(np.ones((2, 3)))
        >>> effects_barrier()
        >>> seen
        [(2, 3)]
    """

    def called(callback: Callable[..., Any], /, *args: Any, **kwargs: Any) -> None:
        _look(callback, args, kwargs, ordered)

    if callback is None:
        _only_options("debug.callback", "the callback", args, kwargs)
        return called
    called(callback, *args, **kwargs)
    return None


def _look(
    callback: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], ordered: bool
) -> None:
    made, operands = _on_trees(callback, None, args, kwargs)
    effectful.debug_callback(*operands, function=made, ordered=ordered)


def _only_options(where: str, missing: str, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Refuse values in a call that has options alone."""
    if args or kwargs:
        raise ArgumentError(
            f"{where}: there are values, but {missing} is missing",
            fix=f"give {missing} first, or options alone and the rest in a second call: {where}(ordered=True)(...)",
        )


@final
@frozen
class _Teller:
    """Tells a format string with the values it is called with."""

    tell: Callable[[str], object]
    fmt: str

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self.tell(self.fmt.format(*args, **kwargs))


def _log(text: str) -> None:
    logger().info(text)


@overload
def debug_print(
    fmt: None = None,
    *,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
) -> Callable[..., None]: ...


@overload
def debug_print(
    fmt: str,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    **kwargs: Any,
) -> None: ...


def debug_print(
    fmt: str | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    **kwargs: Any,
) -> Callable[..., None] | None:
    """Print values when the program runs: `debug_print("x = {x}", x=x)`, as `str.format` has it.

    Options may be given in a call of their own, `debug_print(ordered=True)("x = {x}", x=x)`, where they are not taken
    for values.

    Raises:
        ArgumentError: the format string asks for values that are not given, or does not use some that are.

    Example:
        >>> from treadle_runtime import effects_barrier, jit
        >>> jit(lambda x: debug_print("x = {x}", x=x))(np.int32([1, 2]))
        x = [1 2]
        >>> effects_barrier()  # whatever is printed has been
    """
    return _say("debug.print", print, fmt, args, kwargs, ordered, not skip_format_check)


@overload
def debug_log(
    fmt: None = None,
    *,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
) -> Callable[..., None]: ...


@overload
def debug_log(
    fmt: str,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    **kwargs: Any,
) -> None: ...


def debug_log(
    fmt: str | None = None,
    *args: Any,
    ordered: bool = False,
    partitioned: bool = False,
    skip_format_check: bool = False,
    **kwargs: Any,
) -> Callable[..., None] | None:
    """Print like `debug_print`, but to the logger `treadle`, at level INFO.

    Raises:
        ArgumentError: the format string asks for values that are not given, or does not use some that are.

    Example:
        >>> from treadle_runtime import jit
        >>> jit(lambda x: debug_log("x = {x}", x=x))(np.int32([1, 2]))
    """
    return _say("debug.log", _log, fmt, args, kwargs, ordered, not skip_format_check)


def _say(
    where: str,
    tell: Callable[[str], object],
    fmt: str | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    ordered: bool,
    checked: bool,
) -> Callable[..., None] | None:
    """Tell a format string with its values when the program runs; without one, what takes it."""

    def said(fmt: str, /, *args: Any, **kwargs: Any) -> None:
        if not isinstance(fmt, str):
            raise refused(where, "fmt", "a string", fmt, fix=f'write {where}("{{}}", x)')
        if checked:
            _check_format(where, fmt, args, kwargs)
        _look(_Teller(tell, fmt), args, kwargs, ordered)

    if fmt is None:
        _only_options(where, "the format string", args, kwargs)
        return said
    said(fmt, *args, **kwargs)
    return None


def _fields(fmt: str) -> Iterator[str]:
    """Yield the names of the fields, those within the formats of others too: `{x:{width}}` has two."""
    for _, name, within, _ in string.Formatter().parse(fmt):
        if name is not None:
            yield name
        if within:
            yield from _fields(within)


def _check_format(where: str, fmt: str, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    if fmt[:1] == "f" and ("{" not in fmt) and (args or kwargs):
        raise ArgumentError(f"{where}: the format string {fmt!r} has no fields for the values")
    used: set[str] = set()
    automatic = 0
    try:
        for name in _fields(fmt):
            head = name.partition(".")[0].partition("[")[0]
            if head == "":
                head, automatic = str(automatic), automatic + 1
            used.add(head)
    except ValueError as error:
        raise ArgumentError(f"{where}: {fmt!r} is not a format string: {error}") from error
    given = {*map(str, range(len(args))), *kwargs}
    if used - given:
        raise ArgumentError(
            f"{where}: {fmt!r} asks for {', '.join(sorted(used - given))}, which is not given",
            fix='pass values by position or by name, and do not use f"..."',
        )
    if given - used:
        raise ArgumentError(
            f"{where}: {fmt!r} does not use the value(s) {', '.join(sorted(given - used))}",
            fix="write a field {name} for each value",
        )
