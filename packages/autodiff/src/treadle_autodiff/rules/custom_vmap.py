"""Rules of functions with batching rules: in forward mode the batching rule is differentiated as the function is.

Reverse mode has none: what the batching rule says of the function, it does not say of the function's transpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from treadle_autodiff.jvp import jvp_flat
from treadle_autodiff.registry import (
    Duals,
    Linearization,
    jvp_rule,
    linearize_rule,
    linearize_rules,
    transpose_rules,
)
from treadle_autodiff.tangents import Tangent, Tangents, Zero, materialise
from treadle_ir import Operand, Operands, bind, ops, type_of
from treadle_ir.core import Flags
from treadle_ir.errors import DerivativeError
from treadle_ir.primitives.custom_vmap import (
    CustomBatching,
    CustomVmapCall,
    CustomVmapStaged,
    FlatBatchRule,
)
from treadle_ir.tracing import Function, interpret_unchecked as interpret

NO_TRANSPOSE: Final = "its batching rule does not define its transpose"


def _differentiated(
    label: str, function: Function, rule: FlatBatchRule, primals: Operands, tangents: Tangents
) -> Duals:
    """A call of the function's jvp, whose batching rule is the jvp of the rule."""
    places = [i for i, tangent in enumerate(tangents) if not isinstance(tangent, Zero)]
    count = len(primals)

    def all_tangents(xs: Operands, given: Operands) -> list[Tangent]:
        every: list[Tangent] = [Zero(type_of(x).tangent()) for x in xs]
        for place, tangent in zip(places, given, strict=True):
            every[place] = tangent
        return every

    def both(*operands: Operand) -> Operands:
        xs, given = operands[:count], operands[count:]
        results, out = jvp_flat(function, xs, all_tangents(xs, given))
        return [*results, *map(materialise, out)]

    def batched(size: int, operands: Operands, flags: Flags) -> tuple[Operands, Flags]:
        xs, given, of_xs = list(operands[:count]), list(operands[count:]), list(flags[:count])
        # a primal and its tangent both have the batch, or neither
        for i, place in enumerate(places):
            has_batch = of_xs[place], flags[count + i]
            if any(has_batch):
                xs[place] = _repeated(xs[place], size, has_batch[0])
                given[i] = _repeated(given[i], size, has_batch[1])
                of_xs[place] = True
        returned: list[Flags] = []

        def ruled(*xs: Operand) -> Operands:
            results, out_flags = rule(size, xs, tuple(of_xs))
            returned.append(out_flags)
            return results

        results, out = jvp_flat(ruled, xs, all_tangents(xs, given))
        return [*results, *map(materialise, out)], (*returned[0], *returned[0])

    call = CustomVmapCall(label, both, CustomBatching(batched))
    given = [tangent for tangent in tangents if not isinstance(tangent, Zero)]
    outputs = bind(call, *primals, *given)
    half = len(outputs) // 2
    return outputs[:half], outputs[half:]


def _repeated(x: Operand, size: int, has_batch: bool) -> Operand:
    if has_batch:
        return x
    shape = type_of(x).shape
    return ops.broadcast_in_dim(x, shape=(size, *shape), dimensions=tuple(range(1, len(shape) + 1)))


@jvp_rule(CustomVmapCall)
def custom_vmap_function_jvp(
    primitive: CustomVmapCall, primals: Operands, tangents: Tangents, /
) -> Duals:
    """The function's jvp, and the rule's for when it is vectorised."""
    label, rule = primitive.label, primitive.batching.rule
    return _differentiated(label, primitive.function, rule, primals, tangents)


@jvp_rule(CustomVmapStaged)
def custom_vmap_call_jvp(
    primitive: CustomVmapStaged, primals: Operands, tangents: Tangents, /
) -> Duals:
    """The same for a call that was staged; what it captured has no tangent, as the rule closes over it."""
    captured, label = primitive.batching.captured, primitive.label
    if not all(isinstance(tangent, Zero) for tangent in tangents[:captured]):
        raise DerivativeError(
            f"`{label}` has a batching rule of its own, which covers its arguments only, but is differentiated by a "
            "traced array that it closes over",
            fix="pass the array as an argument",
        )

    def function(*xs: Operand) -> Operands:
        return interpret(primitive.program, *primals[:captured], *xs)

    rule = primitive.batching.rule
    return _differentiated(label, function, rule, primals[captured:], tangents[captured:])


def reverse_mode_error() -> DerivativeError:
    """The error for reverse mode, which cannot go through a batching rule."""
    return DerivativeError(
        "custom_vmap: reverse mode (grad, vjp, jacrev) cannot differentiate a function with a batching rule of its "
        "own, which does not define the function's transpose",
        fix="vectorise first, as in grad of vmap; use forward mode; or give the function a derivative with custom_vjp",
    )


@linearize_rule(CustomVmapCall)
def custom_vmap_function_linearize(
    primitive: CustomVmapCall, primals: Operands, nonzero: Sequence[bool], /
) -> Linearization:
    """None: to split the jvp rule would leave the batching rule out."""
    raise reverse_mode_error()


linearize_rules.absent(CustomVmapStaged, because=NO_TRANSPOSE, error=reverse_mode_error)
for _primitive in (CustomVmapCall, CustomVmapStaged):
    transpose_rules.absent(_primitive, because=NO_TRANSPOSE, error=reverse_mode_error)
