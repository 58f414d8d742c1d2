"""Operations of a library's own, and names for what programs consist of."""

from __future__ import annotations

import treadle.interpreters.ad
import treadle.interpreters.batching
import treadle.interpreters.mlir  # noqa: F401 - the three register the rules of `Primitive`
from treadle.core import AbstractToken as AbstractToken
from treadle.errors import (
    InconclusiveDimensionOperation as InconclusiveDimensionOperation,
    JaxprTypeError as JaxprTypeError,
)
from treadle.extend.core import primitives as primitives
from treadle.extend.core.calls import (
    create_call_primitive as create_call_primitive,
    eval_jaxpr_transpose as eval_jaxpr_transpose,
    register_call_primitive_rules as register_call_primitive_rules,
)
from treadle.extend.core.questions import (
    TraceTag as TraceTag,
    array_types as array_types,
    check_jaxpr as check_jaxpr,
    concrete_or_error as concrete_or_error,
    find_top_trace as find_top_trace,
    get_opaque_trace_state as get_opaque_trace_state,
    mapped_aval as mapped_aval,
    nonempty_axis_env_DO_NOT_USE as nonempty_axis_env_DO_NOT_USE,
    primal_dtype_to_tangent_dtype as primal_dtype_to_tangent_dtype,
    set_current_trace as set_current_trace,
    take_current_trace as take_current_trace,
    unmapped_aval as unmapped_aval,
    unsafe_am_i_under_a_jit_DO_NOT_USE as unsafe_am_i_under_a_jit_DO_NOT_USE,
    unsafe_am_i_under_a_vmap_DO_NOT_USE as unsafe_am_i_under_a_vmap_DO_NOT_USE,
    unsafe_get_axis_names_DO_NOT_USE as unsafe_get_axis_names_DO_NOT_USE,
    valid_jaxtype as valid_jaxtype,
)
from treadle.extension import Primitive as Primitive
from treadle.jaxprs import (
    ClosedJaxpr as ClosedJaxpr,
    DebugInfo as DebugInfo,
    DropVar as DropVar,
    Jaxpr as Jaxpr,
    JaxprEqn as JaxprEqn,
    Literal as Literal,
    Var as Var,
    gensym as gensym,
    jaxpr_as_fun as jaxpr_as_fun,
    jaxprs_in_params as jaxprs_in_params,
    new_jaxpr_eqn as new_jaxpr_eqn,
    subjaxprs as subjaxprs,
)
from treadle_ir import Effect as Effect, Effects as Effects
from treadle_ir.core import PURE as no_effects  # noqa: F401, N811
from treadle_numpy.lax import Token as Token
