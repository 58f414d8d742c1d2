"""`ffi_call`: native functions that users have registered, as functions of arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from treadle_compiler import attribute_text
from treadle_ir import (
    TOKEN,
    ArgumentError,
    Array,
    ArrayType,
    ShapeError,
    UnsupportedError,
    bind,
    type_of,
)
from treadle_ir.calling import as_array, type_like
from treadle_ir.errors import RangeError, flags, integer, integers, names, refused, sequence, shown
from treadle_ir.primitives.effectful import VmapMethod
from treadle_ir.primitives.foreign import AxisOrder, ForeignCall
from treadle_runtime.host.validated import check_vmap_method

LayoutOption: TypeAlias = Any  # None, a sequence of axes, or a Layout

abstract_token: Final = TOKEN
"""The type of a result that only orders calls. `ffi_call` refuses it: programs have no tokens."""


def ffi_call(
    target_name: str,
    result_shape_dtypes: Any,
    *,
    has_side_effect: bool = False,
    vmap_method: VmapMethod | None = None,
    input_layouts: Sequence[LayoutOption] | None = None,
    output_layouts: LayoutOption = None,
    input_output_aliases: Mapping[int, int] | None = None,
    custom_call_api_version: int = 4,
    legacy_backend_config: str | None = None,
) -> Callable[..., Any]:
    """Return a function of arrays that calls a registered target. It has no derivative of its own: see custom_jvp.

    The function takes arrays, and the target's attributes by name: numbers (Python's have 64 bits; the target's
    `Attr<float>` is `np.float32(x)`), strings, NumPy arrays, and dicts of such.

    Args:
        target_name: the name that `register_ffi_target` gave it.
        result_shape_dtypes: something with `shape` and `dtype` for the result, or a sequence of such for several.
        has_side_effect: the target does more than compute, so it is called also if its results are not used.
        vmap_method: how vmap runs it, as for `pure_callback`: "sequential" (one by one), "expand_dims" (at once, with
            an axis of size 1 for arguments that are not batched), "broadcast_all" (at once, all arguments batched).
        input_layouts: for each argument, the order of its axes in memory, the outermost first; None is C order.
        output_layouts: the same for the result, or for each of several.
        input_output_aliases: which arguments' memory becomes which results': `{argument: result}`.
        custom_call_api_version: 4, or less for targets of the previous interface.
        legacy_backend_config: what these targets have instead of attributes.

    Raises:
        ArgumentError: an option is not of its kind, or results are not declared.
        UnsupportedError: a token is declared as a result.
        ShapeError: by the call: layouts or aliases do not fit. ExecutionError: what the target reports.

    Example:
        >>> from treadle_runtime import jit
        >>> register_ffi_target("half", pycapsule(library.Half))  # doctest: +SKIP
        >>> half = ffi_call("half", ShapeDtypeStruct((3,), np.float32))  # doctest: +SKIP
        >>> jit(half)(np.ones(3, np.float32), factor=np.float32(0.5))  # doctest: +SKIP
        Array([0.5, 0.5, 0.5], dtype=float32)
    """
    names("ffi_call", legacy_backend_config=legacy_backend_config)
    if not isinstance(target_name, str):
        raise refused("ffi_call", "target_name", "a string", target_name)
    flags("ffi_call", has_side_effect=has_side_effect)
    check_vmap_method("ffi_call", vmap_method)
    version = integer("ffi_call", "custom_call_api_version", custom_call_api_version)
    if legacy_backend_config is not None and version >= 4:
        raise ArgumentError(
            "ffi_call: legacy_backend_config is for custom_call_api_version below 4",
            fix="pass attributes by name to the function that ffi_call returns",
        )
    several = isinstance(result_shape_dtypes, (list, tuple))
    declared = list(result_shape_dtypes) if several else [result_shape_dtypes]
    types = tuple([declared_result("ffi_call", each) for each in declared])
    orders = _layouts("output_layouts", output_layouts if several else [output_layouts], types)

    def called(*args: Any, **attributes: Any) -> Any:  # Any: arrays; what targets take
        if attributes and version < 4:
            raise ArgumentError(
                f"ffi_call {target_name}: attributes need custom_call_api_version=4, and it is {version}",
                fix="pass legacy_backend_config",
            )
        operands = [as_array(each) for each in args]
        operand_types = [type_of(each) for each in operands]
        aliases = checked_aliases("ffi_call", input_output_aliases, len(operands), len(types))
        call = ForeignCall(
            target_name,
            types,
            _layouts("input_layouts", input_layouts, operand_types),
            orders,
            tuple(
                [
                    (name, attribute_text(f"ffi_call {target_name}: {name}", value))
                    for name, value in sorted(attributes.items())
                ]
            ),
            bool(has_side_effect),
            vmap_method,
            aliases,
            version,
            legacy_backend_config,
        )
        results: list[Array] = [as_array(each) for each in bind(call, *operands)]
        if not several:
            return results[0]
        return results if isinstance(result_shape_dtypes, list) else tuple(results)

    return called


def declared_result(function: str, value: object) -> ArrayType:
    """Return the type of a result, from something with `shape` and `dtype`.

    Raises:
        ArgumentError: it has none; UnsupportedError: it is a token.
    """
    if value is TOKEN:
        raise UnsupportedError(
            f"{function}: a token as a result: programs have no tokens",
            fix="pass has_side_effect=True, or let a later call take a result of an earlier one",
        )
    try:
        found = type_like(function, value)
    except ArgumentError:
        raise ArgumentError(
            f"{function}: results are declared by things with shape and dtype, got {shown(value)}",
            fix="use ShapeDtypeStruct(shape, dtype), or a sequence of such",
        ) from None
    return ArrayType(found.shape, found.dtype)  # a declaration is never weak


def _layouts(name: str, given: Any, types: Sequence[Any]) -> tuple[AxisOrder, ...]:
    """Return the order of axes of each array. Any: what users pass; types of arrays."""
    options = [None] * len(types) if given is None else [*sequence("ffi_call", name, given)]
    if len(options) != len(types):
        raise ShapeError(
            f"ffi_call: {name} has {len(options)} entries for {len(types)} arrays",
            fix="give one for each; None stands for C order",
        )
    orders = []
    for option, type in zip(options, types, strict=True):
        if option is None:
            orders.append(tuple(range(type.ndim)))
            continue
        order = integers("ffi_call", name, getattr(option, "major_to_minor", option))
        if sorted(order) != [*range(type.ndim)]:
            raise ShapeError(
                f"ffi_call: {name} has {order} for {type}, which is not an order of its {type.ndim} axes",
                fix="name each axis once, the outermost first",
            )
        orders.append(order)
    return tuple(orders)


def checked_aliases(
    function: str, given: Mapping[int, int] | None, operands: int, results: int
) -> tuple[tuple[int, int], ...]:
    """Return which operands' memory becomes which results', as pairs.

    Raises:
        ArgumentError: it is not a dict of integers; RangeError: an operand or a result does not exist.
    """
    name = "input_output_aliases"
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise refused(function, name, "a dict {argument: result}", given)
    pairs = [(integer(function, name, x), integer(function, name, y)) for x, y in given.items()]
    for operand, result in pairs:
        if not (0 <= operand < operands and 0 <= result < results):
            raise RangeError(
                f"{function}: {name} has {operand}: {result}, and there are {operands} arguments and {results} results"
            )
    return tuple(pairs)
