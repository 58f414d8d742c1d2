"""Foreign calls have no derivative: what native code does is unknown."""

from __future__ import annotations

from treadle_autodiff.registry import Duals, jvp_rule
from treadle_autodiff.tangents import Tangents
from treadle_ir import Operands
from treadle_ir.errors import DerivativeError
from treadle_ir.primitives.foreign import NativeCall


@jvp_rule(NativeCall)
def foreign_call_jvp(primitive: NativeCall, primals: Operands, tangents: Tangents, /) -> Duals:
    """There is none."""
    raise DerivativeError(
        f"{primitive.name}: {primitive.target} has no derivative of its own",
        fix="wrap the function that calls it in custom_jvp or custom_vjp, or call stop_gradient on its arguments",
    )
