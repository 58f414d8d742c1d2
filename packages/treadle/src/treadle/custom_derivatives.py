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
