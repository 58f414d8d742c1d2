"""The evaluator that runs each primitive's NumPy kernel."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter
from typing import Any, TypeVar, cast, final

import numpy as np

from treadle_ir.core.dtypes import is_extended
from treadle_ir.core.families import Elementwise
from treadle_ir.core.primitive import Primitive
from treadle_ir.core.types import ArrayType, Type
from treadle_ir.core.typing import inferred
from treadle_ir.core.values import Literal
from treadle_ir.errors.kinds import ArgumentError, TreadleError, out_of_range
from treadle_ir.primitives.indexing import Gather, ScatterFamily
from treadle_ir.reference.blocks import in_blocks
from treadle_ir.reference.registry import Elements, EvalRule, eval_rules
from treadle_ir.tracing.array import Array, Operands, types_of
from treadle_ir.tracing.tracer import untraced

T = TypeVar("T")


def _elements(operand: object, type: Type) -> Elements:
    if isinstance(operand, Literal):
        return np.asarray(operand.value)
    if isinstance(operand, bool | int | float | complex) and isinstance(type, ArrayType):
        try:  # NumPy alone would take a Python number for 64 bits wide
            return np.asarray(operand, type.dtype)
        except OverflowError as error:
            raise out_of_range(error, operand, type.dtype) from None
    if isinstance(type, ArrayType) and is_extended(type.dtype):
        return np.asarray(
            operand, type.dtype
        )  # with the dtype, as arrays of keys give their elements only so
    return np.asarray(operand)


def _count(rule: EvalRule[Any]) -> int | None:
    """Return the number of operands that a kernel takes; None if it takes any number."""
    taken = [*inspect.signature(cast("Callable[..., Any]", rule)).parameters.values()][
        1:
    ]  # after the primitive
    positional = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return len(taken) if all([each.kind in positional for each in taken]) else None


def _wrong_count(primitive: Primitive, given: tuple[Type, ...]) -> ArgumentError:
    count, shown = _count(eval_rules[primitive]), ", ".join(map(str, given)) or "none"
    takes = (
        "another number" if count is None else "1 operand" if count == 1 else f"{count} operands"
    )
    return ArgumentError(
        f"{primitive.name}: takes {takes}, but was given {len(given)}: {shown}",
        fix=f"see `{type(primitive).__qualname__}` in docs/primitives.md for what its operands are",
    )


@final
class ReferenceEvaluator:
    """Evaluates with NumPy kernels; operands and results are NumPy arrays."""

    def evaluate(self, primitive: Primitive, operands: Operands) -> Sequence[Elements]:
        """Check the operands and the primitive's promises about them, run the kernel, and check its results.

        Raises:
            IndexingError: indices break a promise, which leaves the result undefined.
        """
        operands = [untraced(operand) for operand in operands]
        given = types_of(operands)
        rule = eval_rules[primitive]
        try:
            types, _ = inferred(primitive, given)
        except ValueError as error:  # what unpacking says of operands that are too few or too many
            if isinstance(error, TreadleError):
                raise
            raise _wrong_count(primitive, given) from None
        arrays = [_elements(x, type) for x, type in zip(operands, given, strict=True)]
        if isinstance(primitive, (Gather, ScatterFamily)):
            from treadle_ir.reference.promises import (  # noqa: PLC0415 - with the kernels, not before
                check_promises,
            )

            check_promises(primitive, *arrays)
        with np.errstate(all="ignore"):
            try:
                if isinstance(primitive, Elementwise):
                    results = in_blocks(primitive, arrays)
                else:
                    results = [np.asarray(each) for each in rule(primitive, *arrays)]
            except TypeError:  # where `infer` did not count
                if _count(rule) not in (None, len(given)):
                    raise _wrong_count(primitive, given) from None
                raise
        assert len(results) == len(types), (
            f"{primitive.name}: the kernel returned {len(results)} results"
        )
        for result, type in zip(results, types, strict=True):
            if isinstance(type, ArrayType):
                assert (result.shape, result.dtype) == (type.shape, type.dtype), (
                    f"{primitive.name}: the kernel returned {result.dtype}{result.shape}, not {type}"
                )
        return results

    def call(
        self,
        function: Callable[..., T],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        loops: bool = False,
        /,
    ) -> T:
        """Call it: each of its operations is checked."""
        return function(*args, **kwargs)

    def array(
        self, elements: Elements, weak: bool, *, owned: bool = True, users: bool = False
    ) -> Array:
        """Return the NumPy array itself; it has no weak mark."""
        return cast("Array", elements if owned else elements.copy())

    def adopted(self, x: object, kind: int, number: int) -> None:
        """NumPy has the CPU's memory alone."""
        return
