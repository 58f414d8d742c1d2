"""Instrumented eager evaluation: checks for NaNs and infinities, reused keys, transfers, and `no_execution`.

Under a debug setting, eager operations are evaluated here, and compiled functions in `jitting/instrumented_call.py`.
Both use separate cache entries, so that calls without debug settings pay nothing.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from treadle_ir import Operands, Primitive, TreadleError
from treadle_ir.analysis import Cells, KeyUses, is_keys, new_cells
from treadle_ir.errors import operation_source
from treadle_ir.process import fork_safe_rlock
from treadle_ir.settings import (
    DEBUG_INFS,
    DEBUG_KEY_REUSE,
    DEBUG_NANS,
    KEY_LISTENERS,
    current_context,
)
from treadle_ir.tree import leaves_in_any_order
from treadle_runtime.arrays.array import DeviceArray, elements_of
from treadle_runtime.evaluation.finite import blamed, error_of, looked_for
from treadle_runtime.evaluation.operation import Operation
from treadle_runtime.placement.guards import guard, guard_operand
from treadle_runtime.settings import NO_EXECUTION

T = TypeVar("T")
Find = Callable[[Primitive, Sequence[DeviceArray]], Operation]


class NoExecutionError(TreadleError, RuntimeError):
    """An operation or program would have run under `no_execution`."""


# The keys in each array of keys, by the id of the array; an entry is removed with its array.
_keys: Final[dict[int, tuple[weakref.ref[DeviceArray], Cells]]] = {}
_lock: Final = fork_safe_rlock()


def evaluate_instrumented(
    find: Find,
    as_array: Callable[[Any], DeviceArray],  # Any: an operand
    primitive: Primitive,
    operands: Operands,
) -> Sequence[DeviceArray]:
    """Return the results of an eager operation, checked as the debug settings require.

    Raises:
        NotFiniteError, KeyReuseError, TransferError, NoExecutionError: a check failed.
    """
    may_run(primitive.name)
    for operand in operands:
        guard_operand(operand)
    arrays = [x if type(x) is DeviceArray else as_array(x) for x in operands]
    operation = find(primitive, arrays)
    if operation.kernel is not None:  # a compiled one guards its own transfers
        target = operation.placement.device
        for array in arrays:
            if array.placed.placement.device is not target:
                guard("device-to-device", array.type, target)
    uses, cells = _follow(primitive, arrays, operation)
    results = operation.run(arrays)
    keep(uses, cells, results)
    looked = looked_for()
    if looked is not None and looked.any(results):
        culprit = blamed(
            primitive, arrays, results, operation_source(), evaluating_with(find), looked
        )
        raise error_of(culprit, looked)
    return results


def call_composed(function: Callable[..., T], args: Sequence[Any], kwargs: Mapping[str, Any]) -> T:
    """Call a fused function, and check its results, but not its intermediate values, for NaNs and infinities.

    `logaddexp(inf, inf)` computes `inf - inf` on the way, which is not the user's fault. If a result is bad, the
    function runs again, operation by operation, and the error names the operation that caused it.

    Raises:
        NotFiniteError, KeyReuseError, TransferError, NoExecutionError: a check failed.
    """
    looked = looked_for()
    if looked is None:
        return function(*args, **kwargs)
    with DEBUG_NANS.override(False), DEBUG_INFS.override(False):
        value = function(*args, **kwargs)
    arrays = [x for x in leaves_in_any_order(value) if isinstance(x, DeviceArray)]
    return value if looked.any(arrays) is None else function(*args, **kwargs)


def may_run(name: str) -> None:
    """Refuse to run anything under `no_execution`.

    Raises:
        NoExecutionError: the setting is on.
    """
    if current_context().get(NO_EXECUTION):
        raise NoExecutionError(
            f"{name} would run, but the setting `no_execution` is on",
            fix="leave the block of `no_execution` first; tracing, lowering and compiling are allowed in it",
        )


def evaluating_with(
    find: Find,
) -> Callable[[Primitive, Sequence[DeviceArray]], Sequence[DeviceArray]]:
    """Return a function that evaluates an operation without checks."""
    return lambda primitive, arrays: find(primitive, arrays).run(arrays)


# ---- keys


def follows_keys() -> bool:
    """Return whether keys are followed: for `debug_key_reuse`, or for listeners."""
    context = current_context()
    return context.get(DEBUG_KEY_REUSE) or context.get(KEY_LISTENERS) > 0


def known(array: DeviceArray, *, elements: bool) -> Any:  # Any: cells, elements or None
    """Return the description of an operand for `KeyUses`: its keys, its elements if `elements`, or None."""
    if is_keys(array.type):
        return cells_of(array)
    return elements_of(array) if elements else None


def cells_of(array: DeviceArray) -> Cells:
    """Return the keys that an array holds; new keys if it has not been seen before."""
    with _lock:
        found = _keys.get(id(array))
        if found is None:
            cells = new_cells(array.type.shape)
            _remember(array, cells)
            return cells
        return found[1]


def _remember(array: DeviceArray, cells: Cells) -> None:
    number = id(array)

    def gone(_: object) -> None:
        _keys.pop(number, None)

    with _lock:
        _keys[number] = weakref.ref(array, gone), cells


def _follow(
    primitive: Primitive, arrays: Sequence[DeviceArray], operation: Operation
) -> tuple[KeyUses | None, Sequence[Cells | None]]:
    if not follows_keys():
        return None, ()
    types = [placed.type for placed in operation.results]
    if not any(is_keys(x.type) for x in arrays) and not any(map(is_keys, types)):
        return None, ()
    uses = KeyUses()
    operands = [known(x, elements=True) for x in arrays]
    return uses, uses.apply(primitive, operands, types, operation_source())


def keep(
    uses: KeyUses | None, cells: Sequence[Cells | None], results: Sequence[DeviceArray]
) -> None:
    """Mark the used keys, and record which keys the results hold."""
    if uses is None:
        return
    uses.commit()
    for array, held in zip(results, cells, strict=True):
        if held is not None:
            _remember(array, held)
