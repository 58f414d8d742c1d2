"""Every batch rule compared with `infer` as it runs, for tests: `with checked_rules():`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from treadle_batching.axis import Axis, Dim
from treadle_batching.registry import BatchRule, batch_rules
from treadle_ir import ArrayType, FunctionCall, Operands, Primitive, Type, type_of
from treadle_ir.testing.checks import expect_types


@contextmanager
def checked_rules() -> Iterator[None]:
    """Batch rules that run meanwhile are checked: each result without its batch has the type of one unbatched."""
    with batch_rules.wrapping(_checked_batch):
        yield


def _unbatched(primitive: Primitive, axis: Axis, operand: object, dim: Dim) -> Type:
    """Return the type of one element of a batch."""
    type = type_of(operand)
    if dim is None:
        return type
    assert isinstance(type, ArrayType)
    assert 0 <= dim < type.ndim, f"{primitive.name}: {type} has no axis {dim} for a batch"
    size = type.shape[dim]
    assert size == axis.size, (
        f"{primitive.name}: axis {dim} of {type} is not a batch of {axis.size}"
    )
    return type.with_shape(type.shape[:dim] + type.shape[dim + 1 :])


def _checked_batch(rule: BatchRule[Any]) -> BatchRule[Any]:
    def checked(
        primitive: Primitive, axis: Axis, operands: Operands, dims: Sequence[Dim], /
    ) -> tuple[Operands, Sequence[Dim]]:
        results, result_dims = rule(primitive, axis, operands, dims)
        found = [
            _unbatched(primitive, axis, result, dim)
            for result, dim in zip(results, result_dims, strict=True)
        ]
        if not isinstance(primitive, FunctionCall):
            types = [
                _unbatched(primitive, axis, operand, dim)
                for operand, dim in zip(operands, dims, strict=True)
            ]
            expect_types(primitive, "results of the batch rule", found, primitive.infer(*types))
        return results, result_dims

    return checked
