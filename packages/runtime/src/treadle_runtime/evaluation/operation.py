"""A cached eager operation: its kernel or its compiled program, and the types of its results.

Everything that depends on types and placements alone - inference, the choice of the kernel, placement - is decided
once, when a primitive is first applied to such operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

import numpy as np

import treadle_compiler as compiler
from treadle_ir import (
    ArrayType,
    Equation,
    MissingRuleError,
    Operand,
    Primitive,
    Program,
    Value,
    eval_rules,
)
from treadle_ir.core import OverMesh, inferred
from treadle_ir.events import listeners
from treadle_ir.primitives.call import Checkpoint
from treadle_ir.primitives.convert import Copy
from treadle_ir.primitives.effectful import HostCall
from treadle_ir.primitives.indexing import ScatterFamily
from treadle_ir.primitives.memory import ToMemory
from treadle_ir.tracing import (
    EvalTrace,
    current_evaluator,
    interpret_unchecked as interpret,
    run_under,
)
from treadle_runtime.arrays.array import DeviceArray, Elements, buffer_at, elements_of
from treadle_runtime.arrays.from_user import as_device_array
from treadle_runtime.arrays.operands import told_buffers
from treadle_runtime.evaluation import host
from treadle_runtime.evaluation.fp_warnings import IGNORED, restore, suppress_fp_warnings
from treadle_runtime.evaluation.host_kernels import HostKernel, host_kernel
from treadle_runtime.evaluation.limits import ANY_SIZE, is_small
from treadle_runtime.launch import Launch, check_results_fit, compile_program
from treadle_runtime.placement.explicit import shardings_by_rule
from treadle_runtime.placement.partition import (
    fully_replicated,
    memories,
    partitioning,
    placement_for,
)
from treadle_runtime.placement.placement import BASE, PlacedType, Placement, placement_of
from treadle_runtime.placement.resolve import resolve
from treadle_runtime.placement.sharding import Sharding


@final
class Operation:
    """A primitive with operands of given types and placements."""

    __slots__ = (
        "bare",
        "captured",
        "inline",
        "kernel",
        "launch",
        "limit",
        "may_alias",
        "noisy",
        "placed",
        "placement",
        "primitive",
        "results",
        "single",
        "wanted",
    )
    captured: tuple[Operand, ...]

    def __init__(
        self, primitive: Primitive, operands: Sequence[PlacedType], default: Placement
    ) -> None:
        """Infer the types of the results, their placements, and choose the kernel.

        Args:
            primitive: the operation.
            operands: the types and placements of its operands.
            default: the placement if no operand is committed.

        Raises:
            ShapeError, DTypeError: the types of the operands are invalid.
            PlacementError: two operands are committed to different placements.
        """
        types = tuple([operand.type for operand in operands])
        inferred_types, _ = inferred(primitive, types)
        results: tuple[ArrayType, ...] = inferred_types  # type: ignore[assignment]  # tokens are never evaluated
        placement = placement_of_operation(primitive, operands, default)
        self.primitive = primitive
        self.captured = ()
        self.placement = placement
        if isinstance(primitive, ToMemory):
            elsewhere: Sharding | None = placement.sharding.with_memory_kind(primitive.kind)
            self.wanted = [elsewhere]
        elif isinstance(primitive, Copy) and operands[0].placement.compute_placement is not None:
            self.wanted = [operands[0].placement.sharding]
        else:
            self.wanted = shardings_by_rule(primitive, operands, results, placement)
        places = [
            placement if each is None else placement_of(each, committed=True)
            for each in self.wanted or [None] * len(results)
        ]
        self.results = tuple([place.of(type) for place, type in zip(places, results, strict=True)])
        # An eval rule, or a host kernel instead, or None for XLA.
        self.kernel: Any = None
        direct: Any = None  # a function of the operands alone
        if isinstance(primitive, HostCall):
            self.kernel = eval_rules.get(type(primitive))
        elif (
            placement.on_host
            and (placement is BASE or _is_unsharded(primitive, operands, self.results))
            and not primitive.programs()
        ):
            direct = host_kernel(primitive, types)
            if direct is not None:
                self.kernel = _as_rule(direct, single=len(results) == 1)
            elif is_small(primitive, (*types, *results)):
                self.kernel = eval_rules.get(type(primitive))
        # Whether NumPy may emit floating-point warnings: also when updates are added to elements.
        self.noisy = primitive.computes or isinstance(primitive, ScatterFamily)
        self.may_alias = primitive.may_alias
        self.single = len(results) == 1 and self.kernel is not None
        # `inline` may return a view of its operand or of a larger array; its callers handle that.
        if direct is None and self.single:
            direct = host.numpy_kernel(primitive, types, results[0])
            if direct is not None:  # the first call gives the same bits as later ones
                self.kernel = _as_rule(direct, single=True)
        self.inline = direct if self.single else None
        self.bare = None if self.may_alias else self.inline
        if results:
            self.placed = self.results[0]
            self.limit = _most_kept(results[0].nbytes)
        self.launch: Launch | None = None

    def run(self, operands: Sequence[DeviceArray]) -> list[DeviceArray]:
        """Return the results, computed by NumPy or by XLA."""
        if self.kernel is None:
            return self.run_compiled(operands)
        elements = [elements_of(x) for x in operands]
        inline = self.inline
        token = suppress_fp_warnings(IGNORED) if self.noisy else None
        try:
            # The same function as in all later calls, which do not get here.
            results = (
                self.kernel(self.primitive, *elements) if inline is None else [inline(*elements)]
            )
        finally:
            if token is not None:
                restore(token)
        if self.may_alias:
            results = [compact(np.asarray(result)) for result in results]
        return [
            DeviceArray(placed, result if type(result) is np.ndarray else np.asarray(result))
            for placed, result in zip(self.results, results, strict=True)
        ]

    def run_compiled(self, operands: Sequence[DeviceArray]) -> list[DeviceArray]:
        """Return the results of XLA; a call with an operation that XLA lacks runs operation by operation."""
        launch = self.launch
        if launch is None:
            try:
                launch = self.launch = self._compiled([x.placed for x in operands])
            except MissingRuleError:
                if not isinstance(self.primitive, Checkpoint):
                    raise
                below = EvalTrace(current_evaluator())
                found = run_under(below, interpret, self.primitive.program, *operands)
                return [as_device_array(each) for each in found]
        buffers = launch.execute(
            told_buffers(operands, self.placement, self.primitive.name)
            if listeners
            else [buffer_at(x, self.placement) for x in operands]
        )
        return [
            DeviceArray(placed, None, buffer)
            for placed, buffer in zip(launch.results, buffers, strict=True)
        ]

    def _compiled(self, operands: Sequence[PlacedType]) -> Launch:
        program = _program_of(self.primitive, [x.type for x in operands])
        types = [placed.type for placed in self.results]
        check_results_fit(types, self.placement)
        lowered = compiler.lower_program(
            program,
            name=self.primitive.name,
            platform=self.placement.device.backend.platform,
            partitioning=partitioning(self.placement, operands, types, self.wanted),
            memories=memories(self.placement, operands, len(types), self.wanted),
        )
        return compile_program(lowered, self.placement, wanted=self.wanted)


def _as_rule(kernel: HostKernel, *, single: bool) -> Callable[..., Sequence[Elements]]:
    """Return a host kernel in the form of an eval rule."""
    if single:
        return lambda primitive, *operands: (kernel(*operands),)
    return lambda primitive, *operands: kernel(*operands)


def _is_unsharded(
    primitive: Primitive, operands: Sequence[PlacedType], results: Sequence[PlacedType]
) -> bool:
    """Return whether operands and results are unsharded, and the primitive does not run over a mesh."""
    return not isinstance(primitive, OverMesh) and all(
        [x.placement.is_fully_replicated for x in (*operands, *results)]
    )


def placement_of_operation(
    primitive: Primitive, operands: Sequence[PlacedType], default: Placement
) -> Placement:
    """Return the placement of the results of a primitive; over a mesh, the placement where it runs.

    Raises:
        PlacementError: two operands are committed to different placements.
    """

    def describe(index: int) -> str:
        return f"argument {index}"

    if isinstance(primitive, OverMesh) or primitive.programs():
        program = _program_of(primitive, [x.type for x in operands])
        return placement_for(program, operands, default, primitive.name, describe)
    return fully_replicated(resolve(operands, default, primitive.name, describe))


def _program_of(primitive: Primitive, types: Sequence[ArrayType]) -> Program:
    """Return a program with this single operation."""
    parameters = tuple([Value(type) for type in types])
    result_types, effects = inferred(primitive, tuple(types))
    results = tuple([Value(type) for type in result_types])
    return Program(parameters, (Equation(primitive, parameters, results, effects),), results)


def compact(result: Elements) -> Elements:
    """Return the result itself, or a copy if it is a small view that would keep a large array alive."""
    base = result.base
    if base is not None and getattr(base, "nbytes", 0) > _most_kept(result.nbytes):
        return result.copy()
    return result


_LARGE: Final = 1 << 20


def _most_kept(size: int) -> int:
    """Return how many bytes a view of `size` bytes may keep alive."""
    return 4 * size + 256 if size < _LARGE else ANY_SIZE
