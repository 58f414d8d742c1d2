"""Eager evaluation: small arrays on the CPU by NumPy, everything else by XLA, one operation at a time.

One dictionary, from primitive and operands to an `Operation` that knows the kernel (or the compiled program), the
result types and where results are. Everything that depends on types alone - inference, the choice of the kernel,
placement - is decided once, when an operation is first met with these operands; a hit costs the look-up, the kernel
and the making of an array.

How large is small: `LIMITS`, in elements of the largest operand or result, by family. NumPy needs no compilation
(15 to 100 ms for each new shape) and its single operations are as fast as XLA's, which win by fusing several; so the
limits are high where NumPy has a loop of its own, and low where the kernel is composed of many passes. Measured, NumPy
over XLA (compiled already) for f32, two shared cores:

    elements     1e3    1.6e4    1.3e5    1e6          elements        1e3    1.6e4    1.3e5    1e6
    add          0.1    0.1      0.2      0.1          sum             0.1    0.1      0.4      1.6
    exp          0.3    0.6      0.6      0.9          argmax          0.1    0.1      0.1      0.1
    sin          0.3    0.1      0.3      0.6          dot (square)    0.1    0.7      0.9      1.8
    logistic     0.1    0.3      0.6      1.2          transpose       0.3    0.1      0.0      0.0
    power        0.2    0.1      0.1      0.2          add, bf16       0.1    0.8      1.6      4.9
    compare      0.1    0.1      0.1      0.4          erf             14     77       220      190
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any, Final, final

import numpy as np

from treadle_compiler import lower_program
from treadle_ir import (
    ArrayType,
    Attributeless,
    Equation,
    Literal,
    Operands,
    Primitive,
    Program,
    Tracer,
    Type,
    Value,
    dtypes,
    escaped,
    eval_rules,
    inferred,
    type_of,
)
from treadle_ir.primitives.effectful import HostCall
from treadle_ir.reference import bare_kernel
from treadle_runtime.array import DeviceArray, Elements, Key
from treadle_runtime.devices import Placement, host_is_default, local_default, process_default
from treadle_runtime.dispatch import Launch, buffer_on, compile_program, key_at
from treadle_runtime.placement import device_for, resolve

_ANY_SIZE: Final = 1 << 62

LIMITS: Final[dict[str, int]] = {
    "elementwise": 1 << 20,
    "compare": 1 << 20,
    "convert": 1 << 21,
    "shape": 1 << 22,
    "creation": 1 << 22,
    "indexing": 1 << 17,
    "reduce": 1 << 20,
    "window": 1 << 13,
    "cumulative": _ANY_SIZE,  # XLA's are 3 to 10 times slower at any size
    "sort": _ANY_SIZE,  # XLA's are 10 to 100 times slower
    "contract": 1 << 17,
    "linalg": 1 << 12,
    "fft": 1 << 16,
    "random": 1 << 13,
    "call": 1 << 21,
    "effectful": _ANY_SIZE,
}
"""Elements up to which a family's operations go to NumPy on the CPU."""

SLOW_LIMIT: Final = 1 << 15
"""The same for element types that NumPy has not itself: bfloat16 and the 8-bit floats."""

SPECIAL_LIMIT: Final = 1 << 12
"""The same for special functions, which NumPy has not itself."""

_SPECIAL: Final = frozenset(
    (
        *("bessel_i0e", "bessel_i1e", "digamma", "erf", "erf_inv", "erfc", "igamma", "igammac"),
        *("lgamma", "next_after", "polygamma", "regularized_incomplete_beta", "zeta"),
    )
)
_QUIET: Final = frozenset(
    {"shape", "indexing", "sort", "creation"}
)  # no arithmetic, so no warnings
_VIEWS: Final = frozenset(
    {"shape", "indexing", "convert", "call"}
)  # results may share operands' memory
_CACHE_LIMIT: Final = 8192
_NESTED_LIMIT: Final = 256


def _error_state() -> tuple[Any, Any, Any]:
    """How NumPy's floating-point warnings are turned off at a fifth of the cost of `np.errstate`.

    NumPy 2 keeps the state of `errstate` in a context variable. Where that is not so, `errstate` has to do.
    """
    try:
        from numpy._core import umath  # noqa: PLC0415 - private: may be gone one day

        variable = umath._extobj_contextvar
        return variable.set, variable.reset, umath._make_extobj(all="ignore")
    except (ImportError, AttributeError, TypeError):
        return _enter, _leave, None


def _enter(_: object) -> np.errstate:
    state = np.errstate(all="ignore")
    state.__enter__()
    return state


def _leave(state: np.errstate) -> None:
    state.__exit__(None, None, None)


_quieten, _restore, _silence = _error_state()


@final
class Operation:
    """A primitive met with operands of certain types in certain places."""

    __slots__ = (
        "bare",
        "kernel",
        "key",
        "keys",
        "launch",
        "limit",
        "noisy",
        "placement",
        "primitive",
        "single",
        "type",
        "types",
        "views",
    )

    def __init__(
        self,
        primitive: Primitive,
        types: tuple[ArrayType, ...],
        placement: Placement | None,
        kernel: Any,  # an eval rule, or None: XLA
        family: str,
    ) -> None:
        self.primitive = primitive
        self.types = types
        self.keys = tuple([key_at(type, placement) for type in types])
        self.placement = placement
        self.kernel = kernel
        self.noisy = family not in _QUIET
        self.views = family in _VIEWS
        self.single = len(types) == 1 and kernel is not None
        self.bare = None
        if kernel is not None and len(types) == 1:
            self.bare = bare_kernel(primitive, types[0])
        if types:
            self.type, self.key = types[0], self.keys[0]
            self.limit = _most_kept(types[0].nbytes)
        self.launch: Launch | None = None

    def run(self, operands: Sequence[DeviceArray]) -> list[DeviceArray]:
        """The results, by NumPy or by XLA."""
        if self.kernel is None:
            return self.run_compiled(operands)
        elements = [x.elements() for x in operands]
        if self.noisy:
            token = _quieten(_silence)
            try:
                results = self.kernel(self.primitive, *elements)
            finally:
                _restore(token)
        else:
            results = self.kernel(self.primitive, *elements)
        if self.views:
            results = [_compact(np.asarray(result)) for result in results]
        return [
            DeviceArray(type, key, result if type_(result) is np.ndarray else np.asarray(result))
            for type, key, result in zip(self.types, self.keys, results, strict=True)
        ]

    def run_compiled(self, operands: Sequence[DeviceArray]) -> list[DeviceArray]:
        """The results by XLA."""
        launch = self.launch
        if launch is None:
            launch = self.launch = _compile(self.primitive, operands, self.placement)
        device = launch.device
        buffers = launch.execute([buffer_on(x, device) for x in operands])
        return [
            DeviceArray(type, key, None, buffer)
            for type, key, buffer in zip(self.types, self.keys, buffers, strict=True)
        ]


type_ = type


def _compact(result: Elements) -> Elements:
    """The result itself, or a copy if it is a small view of something large that would stay alive."""
    base = result.base
    if base is not None and getattr(base, "nbytes", 0) > _most_kept(result.nbytes):
        return result.copy()
    return result


def _most_kept(size: int) -> int:
    """The bytes that a view of some size may keep alive."""
    return 4 * size + 256 if size < 1 << 20 else _ANY_SIZE


def _compile(
    primitive: Primitive, operands: Sequence[DeviceArray], placement: Placement | None
) -> Launch:
    device = device_for(placement)
    parameters = tuple([Value(x.type) for x in operands])
    types, effects = inferred(primitive, tuple([x.type for x in operands]))
    results = tuple([Value(type) for type in types])
    program = Program(parameters, (Equation(primitive, parameters, results, effects),), results)
    return compile_program(lower_program(program, platform=device.backend.platform), device)


# NumPy scalars, which kernels take as they are, by class; anything else is looked at with more care.
_SCALAR_KEYS: Final[dict[Any, ArrayType]] = {
    dtype.type: ArrayType((), dtype) for dtype in dtypes.BY_NAME.values() if dtype.names is None
}


@final
class RuntimeEvaluator:
    """Evaluates on NumPy kernels or compiled programs; operands and results are `DeviceArray`s."""

    __slots__ = ("_attributes", "_nested", "_operations")

    def __init__(self) -> None:
        self._operations: dict[tuple[Any, ...], Operation] = {}
        self._nested: dict[tuple[Any, ...], Operation] = {}  # of primitives that hold programs
        # What tells primitives of a class apart, taken in C: their own hash and comparison are Python.
        self._attributes: dict[type[Primitive], Callable[[Primitive], Any]] = {}

    def evaluate(self, primitive: Primitive, operands: Operands) -> Sequence[DeviceArray]:
        """The results of a primitive on concrete operands.

        Raises:
            EscapedTracerError: an operand is a tracer.
            PlacementError: two operands are committed to different devices.
            DonatedError: an operand has been donated or deleted.
        """
        operation: Operation | None
        # One and two operands, nearly all there are, are written out: a comprehension is a call of its own.
        count = len(operands)
        x: Any = None
        y: Any = None
        try:
            attributes = self._attributes[primitive.__class__](primitive)
            default = local_default.get() or process_default[0]
            if count == 1:
                (x,) = operands
                key = x._key if x.__class__ is DeviceArray else _SCALAR_KEYS[x.__class__]
                operation = self._operations[attributes, default, key]
            elif count == 2:
                x, y = operands
                key = x._key if x.__class__ is DeviceArray else _SCALAR_KEYS[x.__class__]
                other = y._key if y.__class__ is DeviceArray else _SCALAR_KEYS[y.__class__]
                operation = self._operations[attributes, default, key, other]
            else:
                keys = [
                    x._key if x.__class__ is DeviceArray else _SCALAR_KEYS[x.__class__]
                    for x in operands
                ]
                operation = self._operations[(attributes, default, *keys)]
        except KeyError:
            operation = None
        if operation is None:  # not within the `except`: errors would come with a KeyError of ours
            return self._evaluate(primitive, operands)
        bare = operation.bare
        # What follows, in its shortest form: 2 to 3 % of `x.sum()`.
        if bare is not None and count == 1:
            host = x._host if x.__class__ is DeviceArray else x
            if host is not None:
                token = _quieten(_silence)
                try:
                    result = bare(host)
                finally:
                    _restore(token)
                if result.__class__ is not np.ndarray:
                    result = np.asarray(result)
                return [DeviceArray(operation.type, operation.key, result)]
        if operation.single:
            elements: Sequence[Any]
            if count == 1:
                first = x._host if x.__class__ is DeviceArray else x
                elements = (first,)
                present = first is not None
            elif count == 2:
                first = x._host if x.__class__ is DeviceArray else x
                second = y._host if y.__class__ is DeviceArray else y
                elements = (first, second)
                present = first is not None and second is not None
            else:
                elements = [x._host if x.__class__ is DeviceArray else x for x in operands]
                present = True
                for each in elements:
                    if each is None:
                        present = False
            if present:
                if bare is not None:
                    token = _quieten(_silence)
                    try:
                        result = bare(*elements)
                    finally:
                        _restore(token)
                elif operation.noisy:
                    token = _quieten(_silence)
                    try:
                        (result,) = operation.kernel(primitive, *elements)
                    finally:
                        _restore(token)
                else:
                    (result,) = operation.kernel(primitive, *elements)
                if result.__class__ is not np.ndarray:
                    result = np.asarray(result)
                if operation.views:
                    base = result.base
                    if base is not None and getattr(base, "nbytes", 0) > operation.limit:
                        result = result.copy()
                return [DeviceArray(operation.type, operation.key, result)]
        return operation.run([x if type(x) is DeviceArray else as_array(x) for x in operands])

    def _evaluate(self, primitive: Primitive, operands: Operands) -> Sequence[DeviceArray]:
        """The same for operands that are not all arrays of ours, and for what has not been met yet."""
        arrays = [x if type(x) is DeviceArray else as_array(x) for x in operands]
        operation = self._find(primitive, arrays)
        results = operation.run(arrays)
        if operation.kernel is not None and len(arrays) > 0:
            for operand in operands:
                if type(operand) is np.ndarray:  # the user may write to it later
                    for result in results:
                        if result._host is not None and np.may_share_memory(result._host, operand):
                            result._host = result._host.copy()
        return results

    def _find(self, primitive: Primitive, arrays: Sequence[DeviceArray]) -> Operation:
        kind = type(primitive)
        default = local_default.get() or process_default[0]
        nested = kind.programs is not Primitive.programs
        keys = [x._key for x in arrays]
        identity: Any = primitive
        if not nested:
            attributes = self._attributes.get(kind)
            if attributes is None:
                attributes = self._attributes[kind] = _attributes_of(kind)
            identity = attributes(primitive)
        cache = self._nested if nested else self._operations
        full: tuple[Any, ...] = (identity, default, *keys)
        operation = cache.get(full)
        if operation is None:
            operation = _operation(primitive, keys, default, tuple([x.type for x in arrays]))
            if len(cache) >= (_NESTED_LIMIT if nested else _CACHE_LIMIT):
                cache.clear()
            cache[full] = operation
        return operation


def _attributes_of(kind: type[Primitive]) -> Callable[[Primitive], Any]:
    """A function that takes the class and the compared fields of a primitive; the primitive itself if unsure."""
    if issubclass(kind, Attributeless):  # the class says it all
        return attrgetter("__class__")
    if kind.__eq__ is object.__eq__:  # equal only to itself
        return _itself
    compared = [field.name for field in fields(kind) if field.compare]
    return attrgetter("__class__", *compared)


def _itself(primitive: Primitive) -> Primitive:
    return primitive


def _operation(
    primitive: Primitive, keys: Sequence[Key], default: Placement | None, types: tuple[Type, ...]
) -> Operation:
    results, _ = inferred(primitive, types)
    placement = resolve(keys, default, primitive.name, lambda index: f"argument {index}")
    family = type(primitive).__module__.rpartition(".")[2]
    kernel = None
    if isinstance(primitive, HostCall) or (
        _is_on_cpu(placement)
        and not primitive.programs()
        and _is_small(primitive, family, (*types, *results))
    ):
        kernel = eval_rules.get(type(primitive))
    arrays: tuple[ArrayType, ...] = results  # type: ignore[assignment]  # tokens are never evaluated
    return Operation(primitive, arrays, placement, kernel, family)


def _is_on_cpu(placement: Placement | None) -> bool:
    return host_is_default() if placement is None else placement.device.platform == "cpu"


def _is_small(primitive: Primitive, family: str, types: Sequence[Type]) -> bool:
    limit = LIMITS.get(family, 1 << 14)
    if primitive.name in _SPECIAL:
        limit = min(limit, SPECIAL_LIMIT)
    for type in types:
        assert isinstance(type, ArrayType)
        if type.size > limit or (type.size > SLOW_LIMIT and type.dtype.kind == "V"):
            return False
    return True


def as_array(operand: object) -> DeviceArray:
    """An array around an operand that is none of ours: a NumPy array, a NumPy or Python scalar, a literal.

    The memory of a NumPy array is shared, so the result is good for one operation.

    Raises:
        EscapedTracerError: it is a tracer.
        ArgumentError: it is nothing of the kind.
    """
    if isinstance(operand, Tracer):
        raise escaped(operand)
    if isinstance(operand, DeviceArray):
        return operand
    type = type_of(operand)
    value = operand.value if isinstance(operand, Literal) else operand
    return DeviceArray(type, type, np.asarray(value, type.dtype))
