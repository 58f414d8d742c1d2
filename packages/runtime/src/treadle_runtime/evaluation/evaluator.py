"""Eager evaluation: small arrays on the CPU by NumPy, everything else by XLA, one operation at a time.

One dictionary maps context, primitive and operands to an `Operation`, which has the kernel (or the compiled program)
and the types of the results. A hit costs the look-up, the kernel and the creation of an array. `limits` decides which
arrays are small.

Operations of primitives that hold programs are cached on these programs. Operations of primitives that hold Python
functions are not cached: they are released with the user's objects.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from operator import attrgetter
from typing import Any, Final, final

import numpy as np

from treadle_ir import ArrayType, Attributeless, Operands, Primitive
from treadle_ir.core import dtypes
from treadle_ir.primitives.sharding import InspectSharding
from treadle_ir.settings import context_overrides, current_context, process_context
from treadle_ir.tracing import derived
from treadle_runtime.arrays.array import DeviceArray, Elements, from_host
from treadle_runtime.arrays.from_user import as_device_array
from treadle_runtime.client.exchange import adopted
from treadle_runtime.evaluation.composites import Composites, keep_compiled
from treadle_runtime.evaluation.fp_warnings import IGNORED, restore, suppress_fp_warnings
from treadle_runtime.evaluation.operation import Operation
from treadle_runtime.placement.devices import device_of
from treadle_runtime.placement.guards import guard_operand
from treadle_runtime.placement.placement import (
    BASE,
    PlacedType,
    default_of_results,
    placement_of,
)
from treadle_runtime.placement.sharding import SingleDeviceSharding

# NumPy scalars, which kernels accept directly, by class; all other operands take the slow path. All structured types
# (keys, float0) have one class.
_SCALARS: Final[dict[Any, PlacedType]] = {
    dtype.type: BASE.of(ArrayType((), dtype))
    for dtype in dtypes.BY_NAME.values()
    if dtype.type is not np.void
}
_LIMIT: Final = 8192


@final
class RuntimeEvaluator:
    """Evaluates on NumPy kernels or compiled programs; operands and results are `DeviceArray`s."""

    __slots__ = ("_attributes", "_compiled", "_composites", "_operations", "call")

    def __init__(self) -> None:
        self._operations: dict[tuple[Any, ...], Operation] = {}
        self._compiled: dict[tuple[Any, ...], None] = {}  # which of them are run by XLA
        # The attributes that distinguish primitives of a class, read in C: their own hash and comparison are in Python.
        self._attributes: dict[type[Primitive], Callable[[Primitive], Any]] = {}
        self._composites = Composites()
        self.call = self._composites.call

    def evaluate(self, primitive: Primitive, operands: Operands) -> Sequence[DeviceArray]:
        """Return the results of a primitive on concrete operands.

        Raises:
            EscapedTracerError: an operand is a tracer.
            PlacementError: two operands are committed to different devices.
            DonatedError: an operand has been donated or deleted.
        """
        operation: Operation | None
        # The common cases of one and two operands are unrolled: a comprehension would cost a function call.
        count = len(operands)
        x: Any = None
        y: Any = None
        try:
            attributes = self._attributes[primitive.__class__](primitive)
            overrides = context_overrides.get()
            context = (process_context[0] if overrides is None else overrides.context()).key
            if count == 1:
                (x,) = operands
                key = x.placed if x.__class__ is DeviceArray else _SCALARS[x.__class__]
                operation = self._operations[attributes, context, key]
            elif count == 2:
                x, y = operands
                key = x.placed if x.__class__ is DeviceArray else _SCALARS[x.__class__]
                other = y.placed if y.__class__ is DeviceArray else _SCALARS[y.__class__]
                operation = self._operations[attributes, context, key, other]
            else:
                keys = [
                    x.placed if x.__class__ is DeviceArray else _SCALARS[x.__class__]
                    for x in operands
                ]
                operation = self._operations[(attributes, context, *keys)]
        except KeyError:
            operation = None
        if operation is None:  # outside of the `except`: errors would be chained to our KeyError
            return self._evaluate(primitive, operands)
        bare = operation.bare
        # The shortest form of the code below: it saves 2 to 3 % of `x.sum()`, and 7 % of `x + y`.
        if bare is not None:
            if count == 1:
                host = x.host if x.__class__ is DeviceArray else x
                if host is not None:
                    token = suppress_fp_warnings(IGNORED)
                    try:
                        result = bare(host)
                    finally:
                        restore(token)
                    if result.__class__ is not np.ndarray:
                        result = np.asarray(result)
                    return [DeviceArray(operation.placed, result)]
            elif count == 2:
                host = x.host if x.__class__ is DeviceArray else x
                second = y.host if y.__class__ is DeviceArray else y
                if host is not None and second is not None:
                    token = suppress_fp_warnings(IGNORED)
                    try:
                        result = bare(host, second)
                    finally:
                        restore(token)
                    if result.__class__ is not np.ndarray:
                        result = np.asarray(result)
                    return [DeviceArray(operation.placed, result)]
        if operation.single:
            elements: Sequence[Any]
            if count == 1:
                first = x.host if x.__class__ is DeviceArray else x
                elements = (first,)
                present = first is not None
            elif count == 2:
                first = x.host if x.__class__ is DeviceArray else x
                second = y.host if y.__class__ is DeviceArray else y
                elements = (first, second)
                present = first is not None and second is not None
            else:
                elements = [x.host if x.__class__ is DeviceArray else x for x in operands]
                present = True
                for each in elements:
                    if each is None:
                        present = False
            if present:
                inline = operation.inline
                if operation.noisy:
                    token = suppress_fp_warnings(IGNORED)
                    try:
                        if inline is not None:
                            result = inline(*elements)
                        else:
                            (result,) = operation.kernel(primitive, *elements)
                    finally:
                        restore(token)
                elif inline is not None:
                    result = inline(*elements)
                else:
                    (result,) = operation.kernel(primitive, *elements)
                if result.__class__ is not np.ndarray:
                    result = np.asarray(result)
                if operation.may_alias:
                    base = result.base
                    if base is not None and getattr(base, "nbytes", 0) > operation.limit:
                        result = result.copy()
                return [DeviceArray(operation.placed, result)]
        return operation.run(
            [x if type(x) is DeviceArray else as_device_array(x) for x in operands]
        )

    def _evaluate(self, primitive: Primitive, operands: Operands) -> Sequence[DeviceArray]:
        """Evaluate on the slow path: operands that are not device arrays, new operations, and debug modes."""
        if current_context().instrumented:
            from treadle_runtime.evaluation.instrumented import (  # noqa: PLC0415 - debug modes only
                evaluate_instrumented,
            )

            return evaluate_instrumented(
                self.find_instrumented, as_device_array, primitive, operands
            )
        arrays = [x if type(x) is DeviceArray else as_device_array(x) for x in operands]
        if isinstance(primitive, InspectSharding):  # the sharding of a concrete array is known
            primitive.callback(arrays[0].sharding)
            return []
        operation = self._find(primitive, arrays)
        results = operation.run(arrays)
        if operation.kernel is not None and len(arrays) > 0:
            for operand in operands:
                if type(operand) is np.ndarray:  # the user may write to it later
                    for result in results:
                        if result.host is not None and np.may_share_memory(result.host, operand):
                            result.host = result.host.copy()
        return results

    def find_instrumented(self, primitive: Primitive, arrays: Sequence[DeviceArray]) -> Operation:
        """Return the operation for these arrays under a cache key that `evaluate` does not use, for debug modes."""
        return self._find(primitive, arrays, ("instrumented",))

    def _find(
        self, primitive: Primitive, arrays: Sequence[DeviceArray], mark: tuple[str, ...] = ()
    ) -> Operation:
        kind = type(primitive)
        placed = [x.placed for x in arrays]
        if kind.opaque:
            return Operation(primitive, placed, default_of_results())
        programs = primitive.programs()
        if programs:
            # It is cached on the first program; the others are in the key, as attributes of the primitive.
            keeper = next(iter(programs.values()))
            key = ("evaluated", primitive, *placed)
            return derived(keeper, key, lambda: Operation(primitive, placed, default_of_results()))
        attributes = self._attributes.get(kind)
        if attributes is None:
            attributes = self._attributes[kind] = _attributes_of(kind)
        full = (*mark, attributes(primitive), current_context().key, *placed)
        operation = self._operations.get(full)
        if operation is None:
            operation = Operation(primitive, placed, default_of_results())
            if len(self._operations) >= _LIMIT:
                self._forget()
            self._operations[full] = operation
            if operation.kernel is None:
                keep_compiled(self._operations, self._compiled, full)
        return operation

    def clear(self) -> None:
        """Clear the caches of operations and plans."""
        self._forget()
        self._composites.clear()

    def _forget(self) -> None:
        self._operations.clear()
        self._compiled.clear()

    def array(
        self, elements: Elements, weak: bool, *, owned: bool = True, users: bool = False
    ) -> DeviceArray:
        """Return an array of these elements, uncommitted on the default device, or replicated over the current mesh.

        Args:
            elements: the elements.
            weak: whether the type is weak.
            owned: whether the array may use the memory of `elements`; otherwise they are copied.
            users: whether the elements are the user's, so that the transfer guard applies.
        """
        if users and current_context().instrumented:
            guard_operand(elements)
        kept = elements if owned else elements.copy()
        return from_host(kept, weak=weak, placement=default_of_results())

    def adopted(self, x: object, kind: int, number: int) -> DeviceArray | None:
        """Return an array that shares the GPU memory of another library's array `x`, committed to that GPU."""
        found = adopted(x, kind, number)
        if found is None:
            return None
        backend, device, buffer = found
        sharding = SingleDeviceSharding(device_of(backend, device))
        type = ArrayType(buffer.aval.shape, buffer.aval.dtype)
        return DeviceArray(placement_of(sharding, committed=True).of(type), None, buffer)


def _attributes_of(kind: type[Any]) -> Callable[[Primitive], Any]:
    """Return a function that reads the class and the compared fields of a primitive; or the primitive itself, if
    unsure.

    Any: a class of primitives, which may or may not be a dataclass.
    """
    if issubclass(kind, Attributeless):  # the class determines the primitive
        return attrgetter("__class__")
    if not is_dataclass(kind) or kind.__eq__ is object.__eq__:  # possibly equal only to itself
        return _itself
    compared = [field.name for field in fields(kind) if field.compare]
    return attrgetter("__class__", *compared)


def _itself(primitive: Primitive) -> Primitive:
    return primitive
