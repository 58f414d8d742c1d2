"""Names that JAX has and treadle lacks, by namespace: read where one of them is asked for.

Written by scripts/names.py.
"""

from __future__ import annotations

from typing import Final

MISSING: Final[dict[str, str]] = {
    "image": "",
    "lax": (
        "AccuracyMode DotAlgorithm DotAlgorithmPreset RaggedDotDimensionNumbers RandomAlgorithm "
        "Tolerance abs_p acos_p acosh_p add_p after_all after_all_p all_gather_p all_to_all_p "
        "and_p approx_top_k_p argmax_p argmin_p asin_p asinh_p atan2_p atan_p atanh_p axis_index_p "
        "bessel_i0e_p bessel_i1e_p bitcast_convert_type_p broadcast_in_dim_p cbrt_p ceil_p clamp_p "
        "clz_p complex_p concatenate_p cond_p conj_p conv_general_dilated_p convert_element_type_p "
        "copy_p cos_p cosh_p create_token create_token_p cumlogsumexp_p cummax_p cummin_p "
        "cumprod_p cumsum_p dce_sink device_put_p digamma_p div_p dot_general_p dynamic_slice_p "
        "dynamic_update_slice_p eq_p eq_to_p erf_inv_p erf_p erfc_p exp2_p exp_p expm1_p fft_p "
        "floor_p gather_p ge_p gt_p igamma_grad_a_p igamma_p igammac_p imag_p integer_pow_p iota_p "
        "is_finite_p le_p le_to_p lgamma_p linear_solve_p log1p_p log2_p log_p logistic_p lt_p "
        "lt_to_p max_p min_p mul_p mulhi_p ne_p neg_p nextafter_p not_p one_minus_square_p "
        "optimization_barrier_p or_p pad_p pmax_p pmin_p polygamma_p polynomial_p "
        "population_count_p pow_p ppermute_p psum_p psum_scatter_start ragged_all_to_all_p "
        "ragged_dot ragged_dot_general real_p reduce_and_p reduce_max_p reduce_min_p reduce_or_p "
        "reduce_p reduce_precision_p reduce_prod_p reduce_sum_p reduce_window_max_p "
        "reduce_window_min_p reduce_window_p reduce_window_sum_p reduce_xor_p "
        "regularized_incomplete_beta_p rem_p reshape_p rev_p rng_bit_generator rng_bit_generator_p "
        "rng_uniform rng_uniform_p round_p rsqrt_p scaled_dot scan_p scatter_add_p scatter_max_p "
        "scatter_min_p scatter_mul_p scatter_p scatter_sub_p select_and_gather_add_p "
        "select_and_scatter_add_p select_and_scatter_p select_n_p sharding_constraint_p "
        "shift_left_p shift_right_arithmetic_p shift_right_logical_p sign_p sin_p sinh_p slice_p "
        "sort_p split_p sqrt_p square_p squeeze_p stack_p stage_p stop_gradient_p sub_p tan_p "
        "tanh_p tile_p top_k_p transpose_p unstack_p while_p with_sharding_constraint xor_p zeta_p"
    ),
    "lax.linalg": (
        "cholesky_p cholesky_update_p eig_p eigh_p hessenberg_p householder_product_p lu_p "
        "lu_pivots_to_permutation_p ormqr_p qr_p schur_p svd_p symmetric_product_p "
        "triangular_solve_p tridiagonal_p tridiagonal_solve_p"
    ),
    "nn": "",
    "nn.initializers": "",
    "numpy": (
        "float4_e2m1fn float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz "
        "float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu int1 int2 kaiser poly polyfit roots uint1 "
        "uint2"
    ),
    "numpy.fft": "",
    "numpy.linalg": "",
    "ops": "",
    "random": "random_gamma_p",
    "scipy": "optimize signal sparse",
    "scipy.cluster": "",
    "scipy.cluster.vq": "",
    "scipy.fft": "",
    "scipy.integrate": "",
    "scipy.interpolate": "",
    "scipy.linalg": "",
    "scipy.ndimage": "",
    "scipy.special": "",
    "scipy.stats": "",
    "scipy.stats.bernoulli": "",
    "scipy.stats.beta": "",
    "scipy.stats.betabinom": "",
    "scipy.stats.binom": "",
    "scipy.stats.cauchy": "",
    "scipy.stats.chi2": "",
    "scipy.stats.dirichlet": "",
    "scipy.stats.expon": "",
    "scipy.stats.gamma": "",
    "scipy.stats.gennorm": "",
    "scipy.stats.geom": "",
    "scipy.stats.gumbel_l": "",
    "scipy.stats.gumbel_r": "",
    "scipy.stats.laplace": "",
    "scipy.stats.logistic": "",
    "scipy.stats.multinomial": "",
    "scipy.stats.multivariate_normal": "",
    "scipy.stats.nbinom": "",
    "scipy.stats.norm": "",
    "scipy.stats.pareto": "",
    "scipy.stats.poisson": "",
    "scipy.stats.t": "",
    "scipy.stats.truncnorm": "",
    "scipy.stats.uniform": "",
    "scipy.stats.vonmises": "",
    "scipy.stats.wrapcauchy": "",
}
