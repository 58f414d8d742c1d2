"""The primitives of `jax.lax` by name, as views; one line each.

The primitives of `jax.lax.linalg` and the others of `jax.extend.core.primitives` have tables of their own.
"""

from __future__ import annotations

from typing import Final

from treadle_numpy.lax.views import PrimitiveView as View

TABLE: Final = {
    "abs_p": View("abs", "lax:abs", "abs"),
    "acos_p": View("acos", "lax:acos", "acos"),
    "acosh_p": View("acosh", "lax:acosh", "acosh"),
    "add_p": View("add", "lax:add", "add"),
    "after_all_p": View("after_all", instead="effects keep their order without tokens"),
    "all_gather_p": View("all_gather", "bindings:all_gather", "all_gather"),
    "all_to_all_p": View("all_to_all", "lax:all_to_all"),
    "and_p": View("and", "lax:bitwise_and", "and"),
    "approx_top_k_p": View("approx_top_k", "bindings:approx_top_k", several=True),
    "argmax_p": View("argmax", "bindings:argmax", "argmax"),
    "argmin_p": View("argmin", "bindings:argmin", "argmin"),
    "asin_p": View("asin", "lax:asin", "asin"),
    "asinh_p": View("asinh", "lax:asinh", "asinh"),
    "atan2_p": View("atan2", "lax:atan2", "atan2"),
    "atan_p": View("atan", "lax:atan", "atan"),
    "atanh_p": View("atanh", "lax:atanh", "atanh"),
    "axis_index_p": View("axis_index", "lax:axis_index", "axis_index"),
    "bessel_i0e_p": View("bessel_i0e", "lax:bessel_i0e", "bessel_i0e"),
    "bessel_i1e_p": View("bessel_i1e", "lax:bessel_i1e", "bessel_i1e"),
    "bitcast_convert_type_p": View(
        "bitcast_convert_type", "lax:bitcast_convert_type", "bitcast_convert"
    ),
    "broadcast_in_dim_p": View("broadcast_in_dim", "lax:broadcast_in_dim", "broadcast_in_dim"),
    "cbrt_p": View("cbrt", "lax:cbrt", "cbrt"),
    "ceil_p": View("ceil", "lax:ceil", "ceil"),
    "clamp_p": View("clamp", "lax:clamp", "clamp"),
    "clz_p": View("clz", "lax:clz", "count_leading_zeros"),
    "complex_p": View("complex", "lax:complex", "complex"),
    "concatenate_p": View("concatenate", "lax:concatenate", "concatenate", rest=0),
    "cond_p": View(
        "cond",
        "",
        "case",
        several=True,
        instead="call treadle.lax.cond",
    ),
    "conj_p": View("conj", "bindings:conj", "conjugate"),
    "conv_general_dilated_p": View(
        "conv_general_dilated", "lax:conv_general_dilated", "convolution"
    ),
    "convert_element_type_p": View(
        "convert_element_type", "bindings:convert_element_type", "convert"
    ),
    "copy_p": View("copy", "bindings:copy", "copy"),
    "cos_p": View("cos", "lax:cos", "cosine"),
    "cosh_p": View("cosh", "lax:cosh", "cosh"),
    "create_token_p": View("create_token", instead="effects keep their order without tokens"),
    "cumlogsumexp_p": View("cumlogsumexp", "lax:cumlogsumexp", "cumulative_logsumexp"),
    "cummax_p": View("cummax", "lax:cummax", "cumulative_maximum"),
    "cummin_p": View("cummin", "lax:cummin", "cumulative_minimum"),
    "cumprod_p": View("cumprod", "lax:cumprod", "cumulative_multiply"),
    "cumsum_p": View("cumsum", "lax:cumsum", "cumulative_add"),
    "dce_sink_p": View("dce_sink", several=True, instead="unused results are not kept"),
    "device_put_p": View("device_put", several=True, instead="use treadle.device_put"),
    "digamma_p": View("digamma", "lax:digamma", "digamma"),
    "div_p": View("div", "lax:div", "divide"),
    "dot_general_p": View("dot_general", "lax:dot_general", "dot_general"),
    "dynamic_slice_p": View("dynamic_slice", "lax:dynamic_slice", "dynamic_slice", rest=1),
    "dynamic_update_slice_p": View(
        "dynamic_update_slice", "lax:dynamic_update_slice", "dynamic_update_slice", rest=2
    ),
    "eq_p": View("eq", "lax:eq", "compare direction=eq"),
    "eq_to_p": View("eq_to", instead="only treadle.lax.sort has a total order"),
    "erf_inv_p": View("erf_inv", "lax:erf_inv", "erf_inv"),
    "erf_p": View("erf", "lax:erf", "erf"),
    "erfc_p": View("erfc", "lax:erfc", "erfc"),
    "exp2_p": View("exp2", "lax:exp2", "exponential2"),
    "exp_p": View("exp", "lax:exp", "exponential"),
    "expm1_p": View("expm1", "lax:expm1", "exponential_minus_one"),
    "fft_p": View("fft", "lax:fft", "fft"),
    "floor_p": View("floor", "lax:floor", "floor"),
    "gather_p": View("gather", "lax:gather", "gather"),
    "ge_p": View("ge", "lax:ge", "compare direction=ge"),
    "gt_p": View("gt", "lax:gt", "compare direction=gt"),
    "igamma_grad_a_p": View("igamma_grad_a", "lax:igamma_grad_a", "igamma_grad_a"),
    "igamma_p": View("igamma", "lax:igamma", "igamma"),
    "igammac_p": View("igammac", "lax:igammac", "igammac"),
    "imag_p": View("imag", "lax:imag", "imag"),
    "integer_pow_p": View("integer_pow", "lax:integer_pow", "integer_power"),
    "iota_p": View("iota", "lax:broadcasted_iota", "iota"),
    "is_finite_p": View("is_finite", "lax:is_finite", "is_finite"),
    "le_p": View("le", "lax:le", "compare direction=le"),
    "le_to_p": View("le_to", instead="only treadle.lax.sort has a total order"),
    "lgamma_p": View("lgamma", "lax:lgamma", "lgamma"),
    "linear_solve_p": View(
        "custom_linear_solve",
        "",
        "linear_solve",
        several=True,
        instead="call treadle.lax.custom_linear_solve",
    ),
    "log1p_p": View("log1p", "lax:log1p", "log_plus_one"),
    "log2_p": View("log2", "lax:log2"),
    "log_p": View("log", "lax:log", "log"),
    "logistic_p": View("logistic", "lax:logistic", "logistic"),
    "lt_p": View("lt", "lax:lt", "compare direction=lt"),
    "lt_to_p": View("lt_to", instead="only treadle.lax.sort has a total order"),
    "max_p": View("max", "lax:max", "maximum"),
    "min_p": View("min", "lax:min", "minimum"),
    "mul_p": View("mul", "lax:mul", "multiply"),
    "mulhi_p": View("mulhi", "lax:mulhi"),
    "ne_p": View("ne", "lax:ne", "compare direction=ne"),
    "neg_p": View("neg", "lax:neg", "negate"),
    "nextafter_p": View("nextafter", "lax:nextafter", "next_after"),
    "not_p": View("not", "lax:bitwise_not", "not"),
    "one_minus_square_p": View("one_minus_square", "lax:one_minus_square"),
    "optimization_barrier_p": View(
        "optimization_barrier", "lax:optimization_barrier", "optimization_barrier", several=True
    ),
    "or_p": View("or", "lax:bitwise_or", "or"),
    "pad_p": View("pad", "lax:pad", "pad"),
    "pmax_p": View("pmax", "lax:pmax", "all_reduce reduction=maximum"),
    "pmin_p": View("pmin", "lax:pmin", "all_reduce reduction=minimum"),
    "polygamma_p": View("polygamma", "lax:polygamma", "polygamma"),
    "polynomial_p": View("polynomial", "lax:polynomial"),
    "population_count_p": View("population_count", "lax:population_count", "popcnt"),
    "pow_p": View("pow", "lax:pow", "power"),
    "ppermute_p": View("ppermute", "lax:ppermute", "permute"),
    "psum_p": View("psum", "lax:psum", "all_reduce reduction=add"),
    "ragged_all_to_all_p": View("ragged_all_to_all", "lax:ragged_all_to_all"),
    "real_p": View("real", "lax:real", "real"),
    "reduce_and_p": View("reduce_and", "lax:reduce_and", "reduce_and"),
    "reduce_max_p": View("reduce_max", "lax:reduce_max", "reduce_maximum"),
    "reduce_min_p": View("reduce_min", "lax:reduce_min", "reduce_minimum"),
    "reduce_or_p": View("reduce_or", "lax:reduce_or", "reduce_or"),
    "reduce_p": View(
        "reduce",
        several=True,
        instead="call treadle.lax.reduce",
    ),
    "reduce_precision_p": View("reduce_precision", "lax:reduce_precision", "reduce_precision"),
    "reduce_prod_p": View("reduce_prod", "lax:reduce_prod", "reduce_multiply"),
    "reduce_sum_p": View("reduce_sum", "lax:reduce_sum", "reduce_add"),
    "reduce_window_max_p": View(
        "reduce_window_max", "ops:reduce_window_maximum", "reduce_window_maximum"
    ),
    "reduce_window_min_p": View(
        "reduce_window_min", "ops:reduce_window_minimum", "reduce_window_minimum"
    ),
    "reduce_window_p": View(
        "reduce_window",
        several=True,
        instead="call treadle.lax.reduce_window",
    ),
    "reduce_window_sum_p": View("reduce_window_sum", "ops:reduce_window_add", "reduce_window_add"),
    "reduce_xor_p": View("reduce_xor", "lax:reduce_xor", "reduce_xor"),
    "regularized_incomplete_beta_p": View(
        "regularized_incomplete_beta", "lax:betainc", "regularized_incomplete_beta"
    ),
    "rem_p": View("rem", "lax:rem", "remainder"),
    "reshape_p": View("reshape", "lax:reshape", "reshape"),
    "rev_p": View("rev", "lax:rev", "reverse"),
    "rng_bit_generator_p": View("rng_bit_generator", "lax:rng_bit_generator", several=True),
    "rng_uniform_p": View("rng_uniform", "lax:rng_uniform"),
    "round_p": View("round", "lax:round", "round_nearest_afz|round_nearest_even"),
    "rsqrt_p": View("rsqrt", "lax:rsqrt", "rsqrt"),
    "scan_p": View(
        "scan",
        "",
        "scan",
        several=True,
        instead="call treadle.lax.scan",
    ),
    "scatter_add_p": View("scatter-add", "lax:scatter_add", "scatter_add"),
    "scatter_max_p": View("scatter-max", "lax:scatter_max", "scatter_maximum"),
    "scatter_min_p": View("scatter-min", "lax:scatter_min", "scatter_minimum"),
    "scatter_mul_p": View("scatter-mul", "lax:scatter_mul", "scatter_multiply"),
    "scatter_p": View("scatter", "lax:scatter", "scatter"),
    "scatter_sub_p": View("scatter-sub", "lax:scatter_sub"),
    "select_and_gather_add_p": View(
        "select_and_gather_add", "bindings:select_and_gather_add", "select_and_gather_add"
    ),
    "select_and_scatter_add_p": View(
        "select_and_scatter_add", "bindings:select_and_scatter_add", "select_and_scatter_add"
    ),
    "select_and_scatter_p": View("select_and_scatter", instead="bind select_and_scatter_add_p"),
    "select_n_p": View("select_n", "lax:select_n", "select"),
    "sharding_constraint_p": View("sharding_constraint", instead="there is one device"),
    "shift_left_p": View("shift_left", "lax:shift_left", "shift_left"),
    "shift_right_arithmetic_p": View(
        "shift_right_arithmetic", "lax:shift_right_arithmetic", "shift_right_arithmetic"
    ),
    "shift_right_logical_p": View(
        "shift_right_logical", "lax:shift_right_logical", "shift_right_logical"
    ),
    "sign_p": View("sign", "lax:sign", "sign"),
    "sin_p": View("sin", "lax:sin", "sine"),
    "sinh_p": View("sinh", "lax:sinh", "sinh"),
    "slice_p": View("slice", "lax:slice", "slice"),
    "sort_p": View("sort", "lax:sort", "sort", rest=0, several=True),
    "split_p": View("split", "lax:split", several=True),
    "sqrt_p": View("sqrt", "lax:sqrt", "sqrt"),
    "square_p": View("square", "lax:square", "square"),
    "squeeze_p": View("squeeze", "lax:squeeze", "reshape"),
    "stack_p": View("stack", "lax:stack", rest=0),
    "stage_p": View("stage", "lax:stage"),
    "stop_gradient_p": View("stop_gradient", "lax:stop_gradient", "stop_gradient"),
    "sub_p": View("sub", "lax:sub", "subtract"),
    "tan_p": View("tan", "lax:tan", "tan"),
    "tanh_p": View("tanh", "lax:tanh", "tanh"),
    "tile_p": View("tile", "lax:tile"),
    "top_k_p": View("top_k", "lax:top_k", "top_k", several=True),
    "transpose_p": View("transpose", "lax:transpose", "transpose"),
    "unstack_p": View("unstack", "lax:unstack", several=True),
    "while_p": View(
        "while",
        "",
        "while",
        several=True,
        instead="call treadle.lax.while_loop",
    ),
    "xor_p": View("xor", "lax:bitwise_xor", "xor"),
    "zeta_p": View("zeta", "lax:zeta", "zeta"),
}

__all__ = list(TABLE)


def __getattr__(name: str) -> View:
    """Return a view by its name."""
    try:
        return TABLE[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
