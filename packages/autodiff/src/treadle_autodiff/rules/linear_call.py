"""Rules of linear calls: the derivative is the call itself, its transpose the other program.

f(r, x), linear in x:    df = f(r, dx) + (df/dr)(r, x) dr
"""

from __future__ import annotations

from collections.abc import Sequence

from treadle_autodiff.linearize import linearize_leading
from treadle_autodiff.registry import (
    Cotangents,
    Duals,
    Linearization,
    LinearOperands,
    jvp_rule,
    linearize_rule,
    transpose_rule,
    transpose_rules,
)
from treadle_autodiff.rules.control.operands import nonzero_flags
from treadle_autodiff.tangents import Linear, Tangent, Tangents, Zero, add, materialise
from treadle_ir import Operands, bind, type_of
from treadle_ir.primitives.linear_call import LinearCall


def _linearized(primitive: LinearCall, primals: Operands, flags: Sequence[bool]) -> Linearization:
    count = primitive.residuals
    residuals, x = primals[:count], primals[count:]
    results = bind(primitive, *primals)
    of_residuals = linearize_leading(primitive.program, residuals, x, flags[:count])

    def linear(tangents: Tangents) -> Tangents:
        out: list[Tangent] = [Zero(type_of(result).tangent()) for result in results]
        if any(flags[count:]):
            given = [materialise(tangent) for tangent in tangents[count:]]
            out = [*bind(primitive, *residuals, *given)]
        if of_residuals is not None:
            pushed = of_residuals(tangents[:count])
            out = [add(one, other) for one, other in zip(out, pushed, strict=True)]
        return out

    return results, linear


@jvp_rule(LinearCall)
def linear_call_jvp(primitive: LinearCall, primals: Operands, tangents: Tangents, /) -> Duals:
    """The same call of the tangents; the function's derivative for the residuals."""
    results, linear = _linearized(primitive, primals, nonzero_flags(tangents))
    return results, linear(tangents)


@linearize_rule(LinearCall)
def linear_call_linearize(
    primitive: LinearCall, primals: Operands, nonzero: Sequence[bool], /
) -> Linearization:
    """The call now, the same call of the tangents later."""
    return _linearized(primitive, primals, nonzero)


@transpose_rule(LinearCall)
def linear_call_transpose(
    primitive: LinearCall, cotangents: Tangents, operands: LinearOperands, /
) -> Cotangents:
    """The two programs change places."""
    count = primitive.residuals
    residuals = [x for x in operands[:count] if not isinstance(x, Linear)]
    if len(residuals) != count:
        raise transpose_rules.missing(LinearCall)
    call = LinearCall(primitive.transposed, primitive.program, count)
    outgoing = bind(call, *residuals, *[materialise(ct) for ct in cotangents])
    return [
        *(None for _ in residuals),
        *(
            ct if isinstance(x, Linear) else None
            for ct, x in zip(outgoing, operands[count:], strict=True)
        ),
    ]
