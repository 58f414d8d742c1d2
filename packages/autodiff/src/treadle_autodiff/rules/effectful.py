"""Derivatives of host callbacks: Python code has none; debugging ones let the primals through."""

from __future__ import annotations

from treadle_autodiff.registry import Duals, Flat, flat, jvp_rule
from treadle_autodiff.tangents import Tangents
from treadle_ir import Operands, bind
from treadle_ir.errors import DerivativeError
from treadle_ir.primitives.effectful import DebugCallback, HostCall


@jvp_rule(HostCall)
def host_call_jvp(primitive: HostCall, primals: Operands, tangents: Tangents, /) -> Duals:
    """Raise an error: what the Python code does is unknown."""
    raise DerivativeError(
        f"{primitive.name}: host callbacks have no derivative of their own",
        fix="wrap the function that makes the callback in custom_jvp or custom_vjp, or call stop_gradient "
        "on the callback's arguments",
    )


flat(DebugCallback, Flat.EFFECT)


@jvp_rule(DebugCallback)
def debug_callback_jvp(primitive: DebugCallback, primals: Operands, tangents: Tangents, /) -> Duals:
    """The callback sees the primals."""
    return bind(primitive, *primals), []
