"""treadle-autodiff: derivatives of programs and of Python functions, forward and reverse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_autodiff._version import __version__ as __version__
from treadle_ir.errors import room_names as _lazy_names, source as _source

if TYPE_CHECKING:
    from treadle_autodiff.checkpoint import (
        checkpoint as checkpoint,
        checkpoint_name as checkpoint_name,
        remat as remat,
    )
    from treadle_autodiff.checkpoint_policies import (
        Offloadable as Offloadable,
        Recompute as Recompute,
        Saveable as Saveable,
        checkpoint_policies as checkpoint_policies,
    )
    from treadle_autodiff.closure_convert import closure_convert as closure_convert
    from treadle_autodiff.custom_jvp import custom_jvp as custom_jvp
    from treadle_autodiff.custom_vjp import (
        custom_gradient as custom_gradient,
        custom_vjp as custom_vjp,
    )
    from treadle_autodiff.fwd_and_bwd import fwd_and_bwd as fwd_and_bwd
    from treadle_autodiff.grad import grad as grad, value_and_grad as value_and_grad
    from treadle_autodiff.jacobians import (
        Mapper as Mapper,
        hessian as hessian,
        jacfwd as jacfwd,
        jacrev as jacrev,
    )
    from treadle_autodiff.jvp import (
        JvpTrace as JvpTrace,
        JvpTracer as JvpTracer,
        jvp_flat as jvp_flat,
    )
    from treadle_autodiff.linear_call import linear_call as linear_call
    from treadle_autodiff.linearize import (
        Linearized as Linearized,
        LinearizeTracer as LinearizeTracer,
        linearize_flat as linearize_flat,
    )
    from treadle_autodiff.partial import SplitKnown as SplitKnown, split_known as split_known
    from treadle_autodiff.programs import (
        jvp_program as jvp_program,
        linearize_program as linearize_program,
        transpose_program as transpose_program,
    )
    from treadle_autodiff.registry import (
        Flat as Flat,
        FlatOperands as FlatOperands,
        JvpRule as JvpRule,
        LinearFunction as LinearFunction,
        LinearizeRule as LinearizeRule,
        TransposeRule as TransposeRule,
        flat as flat,
        flat_operands as flat_operands,
        jvp_rule as jvp_rule,
        jvp_rules as jvp_rules,
        linear as linear,
        linearize_rule as linearize_rule,
        linearize_rules as linearize_rules,
        locally_constant as locally_constant,
        transpose_rule as transpose_rule,
        transpose_rules as transpose_rules,
        why_flat as why_flat,
    )
    from treadle_autodiff.saved_residuals import (
        SavedResidual as SavedResidual,
        print_saved_residuals as print_saved_residuals,
        saved_residuals as saved_residuals,
    )
    from treadle_autodiff.symbolic_zeros import (
        CustomVJPPrimal as CustomVJPPrimal,
        SymbolicZero as SymbolicZero,
        custom_vjp_primal_tree_values as custom_vjp_primal_tree_values,
        zero_from_primal as zero_from_primal,
    )
    from treadle_autodiff.tangents import (
        Linear as Linear,
        Tangent as Tangent,
        Zero as Zero,
        materialise as materialise,
    )
    from treadle_autodiff.transpose import transpose as transpose
    from treadle_autodiff.user_function import (
        Argnums as Argnums,
        Differentiated as Differentiated,
        derivative_of as derivative_of,
    )
    from treadle_autodiff.vjp import (
        jvp as jvp,
        linear_transpose as linear_transpose,
        linearize as linearize,
        vjp as vjp,
    )

_source.internal(__path__[0])

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_autodiff.checkpoint": "checkpoint checkpoint_name remat",
            "treadle_autodiff.checkpoint_policies": (
                "Offloadable Recompute Saveable checkpoint_policies"
            ),
            "treadle_autodiff.closure_convert": "closure_convert",
            "treadle_autodiff.custom_jvp": "custom_jvp",
            "treadle_autodiff.custom_vjp": "custom_gradient custom_vjp",
            "treadle_autodiff.fwd_and_bwd": "fwd_and_bwd",
            "treadle_autodiff.grad": "grad value_and_grad",
            "treadle_autodiff.jacobians": "Mapper hessian jacfwd jacrev",
            "treadle_autodiff.jvp": "JvpTrace JvpTracer jvp_flat",
            "treadle_autodiff.linear_call": "linear_call",
            "treadle_autodiff.linearize": "Linearized LinearizeTracer linearize_flat",
            "treadle_autodiff.partial": "SplitKnown split_known",
            "treadle_autodiff.programs": "jvp_program linearize_program transpose_program",
            "treadle_autodiff.registry": (
                "Flat FlatOperands JvpRule LinearFunction LinearizeRule TransposeRule flat "
                "flat_operands jvp_rule jvp_rules linear linearize_rule linearize_rules "
                "locally_constant transpose_rule transpose_rules why_flat"
            ),
            "treadle_autodiff.saved_residuals": (
                "SavedResidual print_saved_residuals saved_residuals"
            ),
            "treadle_autodiff.symbolic_zeros": (
                "CustomVJPPrimal SymbolicZero custom_vjp_primal_tree_values zero_from_primal"
            ),
            "treadle_autodiff.tangents": "Linear Tangent Zero materialise",
            "treadle_autodiff.transpose": "transpose",
            "treadle_autodiff.user_function": "Argnums Differentiated derivative_of",
            "treadle_autodiff.vjp": "jvp linear_transpose linearize vjp",
        },
    )
