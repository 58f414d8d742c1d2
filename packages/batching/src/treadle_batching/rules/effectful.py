"""Batching of host callbacks: one call back for the whole batch, in which the function is run as its method says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np

from treadle_batching.axis import Axis, Dims, WithDims
from treadle_batching.moving import at_front
from treadle_batching.registry import batch_rule
from treadle_batching.rules.foreign import at_once
from treadle_ir import ArrayType, MissingRuleError, Operand, Operands, bind
from treadle_ir.primitives.effectful import DebugCallback, HostFunction, IoCallback, PureCallback
from treadle_ir.process import frozen


@final
@frozen
class OneByOne:
    """Runs a function on each element of a batch in turn, and stacks what it returns."""

    callback: HostFunction
    batched: tuple[bool, ...]
    size: int

    def __call__(self, *operands: Any) -> tuple[Any, ...]:
        """The results for all elements."""
        rows = [
            self.callback.checked(
                *[x[i] if batched else x for x, batched in zip(operands, self.batched, strict=True)]
            )
            for i in range(self.size)
        ]
        return tuple(
            [
                np.stack([row[k] for row in rows])
                if rows
                else np.empty((0, *type.shape), type.dtype)
                for k, type in enumerate(self.callback.results)
            ]
        )


def _batched(types: tuple[ArrayType, ...], size: int) -> tuple[ArrayType, ...]:
    return tuple([ArrayType((size, *type.shape), type.dtype, type.weak) for type in types])


def _in_front(operands: Operands, dims: Dims, axis: Axis) -> list[Operand]:
    return [
        x if dim is None else at_front(x, dim, axis) for x, dim in zip(operands, dims, strict=True)
    ]


def _one_by_one(
    callback: HostFunction, axis: Axis, operands: Operands, dims: Dims
) -> tuple[HostFunction, list[Operand]]:
    function = OneByOne(callback, tuple([dim is not None for dim in dims]), axis.size)
    return HostFunction(function, _batched(callback.results, axis.size)), _in_front(
        operands, dims, axis
    )


@batch_rule(PureCallback)
def pure_callback_batch(
    primitive: PureCallback, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """As `vmap_method` says: one by one, or at once with unbatched operands as they are, broadcast, or with an axis."""
    callback, method = primitive.callback, primitive.vmap_method
    if method is None:
        raise MissingRuleError(
            "pure_callback: vmap does not know how to run the callback on a batch",
            fix='pass vmap_method="sequential" (one by one), "expand_dims" or "broadcast_all" (at once)',
        )
    given: list[Operand]
    if method in ("sequential", "sequential_unrolled"):
        batched, given = _one_by_one(callback, axis, operands, dims)
    else:
        # Axes are added here: in the call back, operands have one more for each outer vmap.
        given = at_once(method, operands, dims, axis)
        batched = HostFunction(callback.function, _batched(callback.results, axis.size))
    results = bind(replace(primitive, callback=batched), *given)
    return results, [0] * len(results)


@batch_rule(IoCallback)
def io_callback_batch(
    primitive: IoCallback, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """Run the effects one by one. The order of a batch's effects is unspecified, so ordered effects are refused."""
    if primitive.ordered:
        raise MissingRuleError(
            "io_callback: an ordered callback cannot be batched: vmap has no order among its elements",
            fix="use ordered=False, or a loop (lax.scan, lax.map)",
        )
    batched, given = _one_by_one(primitive.callback, axis, operands, dims)
    results = bind(replace(primitive, callback=batched), *given)
    return results, [0] * len(results)


@batch_rule(DebugCallback)
def debug_callback_batch(
    primitive: DebugCallback, axis: Axis, operands: Operands, dims: Dims, /
) -> WithDims:
    """One by one."""
    batched, given = _one_by_one(primitive.callback, axis, operands, dims)
    return bind(replace(primitive, callback=batched), *given), []
