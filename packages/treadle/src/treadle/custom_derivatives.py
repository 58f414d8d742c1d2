"""Functions with derivative rules of their own."""

from __future__ import annotations

from treadle_autodiff import (
    CustomVJPPrimal as CustomVJPPrimal,
    SymbolicZero as SymbolicZero,
    closure_convert as closure_convert,
    custom_gradient as custom_gradient,
    custom_jvp as custom_jvp,
    custom_vjp as custom_vjp,
    custom_vjp_primal_tree_values as custom_vjp_primal_tree_values,
    linear_call as linear_call,
    zero_from_primal as zero_from_primal,
)
from treadle_ir.errors import boundaries
from treadle_numpy.lax.other_primitives import OTHERS as _OTHERS

custom_jvp_call_p = _OTHERS["custom_jvp_call_p"]
custom_vjp_call_p = _OTHERS["custom_vjp_call_p"]

boundaries(__name__)
