"""The instructions under their public names, with little on top.

Unlike the functions of `treadle.numpy` these promote nothing and broadcast scalars only: operands that are arrays
must have one element type and one shape. Python numbers take the element type of the arrays in the same call.
"""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.lax import linalg as linalg
    from treadle_numpy.lax.applying import scatter_apply as scatter_apply
    from treadle_numpy.lax.approximate import (
        approx_max_k as approx_max_k,
        approx_min_k as approx_min_k,
    )
    from treadle_numpy.lax.barriers import (
        optimization_barrier as optimization_barrier,
        stop_gradient as stop_gradient,
    )
    from treadle_numpy.lax.binary import (
        add as add,
        atan2 as atan2,
        bitwise_and as bitwise_and,
        bitwise_or as bitwise_or,
        bitwise_xor as bitwise_xor,
        complex as complex,
        div as div,
        max as max,
        min as min,
        mul as mul,
        nextafter as nextafter,
        pow as pow,
        rem as rem,
        shift_left as shift_left,
        shift_right_arithmetic as shift_right_arithmetic,
        shift_right_logical as shift_right_logical,
        sub as sub,
    )
    from treadle_numpy.lax.bit_generator import (
        RandomAlgorithm as RandomAlgorithm,
        rng_bit_generator as rng_bit_generator,
        rng_uniform as rng_uniform,
    )
    from treadle_numpy.lax.collectives import (
        all_gather as all_gather,
        axis_index as axis_index,
        axis_size as axis_size,
        pmax as pmax,
        pmean as pmean,
        pmin as pmin,
        psum as psum,
    )
    from treadle_numpy.lax.comparison import (
        clamp as clamp,
        eq as eq,
        ge as ge,
        gt as gt,
        le as le,
        lt as lt,
        ne as ne,
        select as select,
        select_n as select_n,
    )
    from treadle_numpy.lax.composites import composite as composite
    from treadle_numpy.lax.compound import (
        log2 as log2,
        mulhi as mulhi,
        one_minus_square as one_minus_square,
        polynomial as polynomial,
    )
    from treadle_numpy.lax.contraction import (
        DotDimensionNumbers as DotDimensionNumbers,
        batch_matmul as batch_matmul,
        dot as dot,
        dot_general as dot_general,
    )
    from treadle_numpy.lax.control.associative import associative_scan as associative_scan
    from treadle_numpy.lax.control.branches import cond as cond, switch as switch
    from treadle_numpy.lax.control.loops import fori_loop as fori_loop, while_loop as while_loop
    from treadle_numpy.lax.control.map import map as map
    from treadle_numpy.lax.control.platforms import platform_dependent as platform_dependent
    from treadle_numpy.lax.control.scan import scan as scan
    from treadle_numpy.lax.control.solves import (
        custom_linear_solve as custom_linear_solve,
        custom_root as custom_root,
    )
    from treadle_numpy.lax.conversion import (
        bitcast_convert_type as bitcast_convert_type,
        convert_element_type as convert_element_type,
        dtype as dtype,
        reduce_precision as reduce_precision,
        stage as stage,
    )
    from treadle_numpy.lax.convolution import (
        ConvDimensionNumbers as ConvDimensionNumbers,
        ConvGeneralDilatedDimensionNumbers as ConvGeneralDilatedDimensionNumbers,
        conv as conv,
        conv_dimension_numbers as conv_dimension_numbers,
        conv_general_dilated as conv_general_dilated,
        conv_with_general_padding as conv_with_general_padding,
    )
    from treadle_numpy.lax.convolution_shapes import (
        conv_general_permutations as conv_general_permutations,
        conv_general_shape_tuple as conv_general_shape_tuple,
        conv_shape_tuple as conv_shape_tuple,
        conv_transpose_shape_tuple as conv_transpose_shape_tuple,
        reduce_window_shape_tuple as reduce_window_shape_tuple,
    )
    from treadle_numpy.lax.creation import (
        broadcasted_iota as broadcasted_iota,
        empty as empty,
        full as full,
        full_like as full_like,
        iota as iota,
    )
    from treadle_numpy.lax.cumulative import (
        cumlogsumexp as cumlogsumexp,
        cummax as cummax,
        cummin as cummin,
        cumprod as cumprod,
        cumsum as cumsum,
    )
    from treadle_numpy.lax.dynamic_slicing import (
        dynamic_index_in_dim as dynamic_index_in_dim,
        dynamic_slice as dynamic_slice,
        dynamic_slice_in_dim as dynamic_slice_in_dim,
        dynamic_update_index_in_dim as dynamic_update_index_in_dim,
        dynamic_update_slice as dynamic_update_slice,
        dynamic_update_slice_in_dim as dynamic_update_slice_in_dim,
    )
    from treadle_numpy.lax.elementwise import (
        RoundingMethod as RoundingMethod,
        abs as abs,
        acos as acos,
        acosh as acosh,
        asin as asin,
        asinh as asinh,
        atan as atan,
        atanh as atanh,
        bitwise_not as bitwise_not,
        cbrt as cbrt,
        ceil as ceil,
        clz as clz,
        conj as conj,
        cos as cos,
        cosh as cosh,
        digamma as digamma,
        erf as erf,
        erf_inv as erf_inv,
        erfc as erfc,
        exp as exp,
        exp2 as exp2,
        expm1 as expm1,
        floor as floor,
        imag as imag,
        integer_pow as integer_pow,
        is_finite as is_finite,
        lgamma as lgamma,
        log as log,
        log1p as log1p,
        logistic as logistic,
        neg as neg,
        population_count as population_count,
        real as real,
        reciprocal as reciprocal,
        round as round,
        rsqrt as rsqrt,
        sign as sign,
        sin as sin,
        sinh as sinh,
        sqrt as sqrt,
        square as square,
        tan as tan,
        tanh as tanh,
    )
    from treadle_numpy.lax.exchanges import (
        all_to_all as all_to_all,
        pbroadcast as pbroadcast,
        pcast as pcast,
        ppermute as ppermute,
        pshuffle as pshuffle,
        psum_scatter as psum_scatter,
        pswapaxes as pswapaxes,
        ragged_all_to_all as ragged_all_to_all,
    )
    from treadle_numpy.lax.fourier import FftType as FftType, fft as fft
    from treadle_numpy.lax.gather_scatter import (
        GatherDimensionNumbers as GatherDimensionNumbers,
        GatherScatterMode as GatherScatterMode,
        ScatterDimensionNumbers as ScatterDimensionNumbers,
        gather as gather,
        index_take as index_take,
        scatter as scatter,
        scatter_add as scatter_add,
        scatter_max as scatter_max,
        scatter_min as scatter_min,
        scatter_mul as scatter_mul,
        scatter_sub as scatter_sub,
    )
    from treadle_numpy.lax.joining import (
        concatenate as concatenate,
        pad as pad,
        split as split,
        stack as stack,
        tile as tile,
        unstack as unstack,
    )
    from treadle_numpy.lax.patches import (
        conv_general_dilated_local as conv_general_dilated_local,
        conv_general_dilated_patches as conv_general_dilated_patches,
    )
    from treadle_numpy.lax.precision import (
        AccuracyMode as AccuracyMode,
        DotAlgorithm as DotAlgorithm,
        DotAlgorithmPreset as DotAlgorithmPreset,
        Precision as Precision,
        PrecisionLike as PrecisionLike,
        Tolerance as Tolerance,
    )
    from treadle_numpy.lax.primitives import (
        abs_p as abs_p,
        acos_p as acos_p,
        acosh_p as acosh_p,
        add_p as add_p,
        after_all_p as after_all_p,
        all_gather_p as all_gather_p,
        all_to_all_p as all_to_all_p,
        and_p as and_p,
        approx_top_k_p as approx_top_k_p,
        argmax_p as argmax_p,
        argmin_p as argmin_p,
        asin_p as asin_p,
        asinh_p as asinh_p,
        atan2_p as atan2_p,
        atan_p as atan_p,
        atanh_p as atanh_p,
        axis_index_p as axis_index_p,
        bessel_i0e_p as bessel_i0e_p,
        bessel_i1e_p as bessel_i1e_p,
        bitcast_convert_type_p as bitcast_convert_type_p,
        broadcast_in_dim_p as broadcast_in_dim_p,
        cbrt_p as cbrt_p,
        ceil_p as ceil_p,
        clamp_p as clamp_p,
        clz_p as clz_p,
        complex_p as complex_p,
        concatenate_p as concatenate_p,
        cond_p as cond_p,
        conj_p as conj_p,
        conv_general_dilated_p as conv_general_dilated_p,
        convert_element_type_p as convert_element_type_p,
        copy_p as copy_p,
        cos_p as cos_p,
        cosh_p as cosh_p,
        create_token_p as create_token_p,
        cumlogsumexp_p as cumlogsumexp_p,
        cummax_p as cummax_p,
        cummin_p as cummin_p,
        cumprod_p as cumprod_p,
        cumsum_p as cumsum_p,
        dce_sink_p as dce_sink_p,
        device_put_p as device_put_p,
        digamma_p as digamma_p,
        div_p as div_p,
        dot_general_p as dot_general_p,
        dynamic_slice_p as dynamic_slice_p,
        dynamic_update_slice_p as dynamic_update_slice_p,
        eq_p as eq_p,
        eq_to_p as eq_to_p,
        erf_inv_p as erf_inv_p,
        erf_p as erf_p,
        erfc_p as erfc_p,
        exp2_p as exp2_p,
        exp_p as exp_p,
        expm1_p as expm1_p,
        fft_p as fft_p,
        floor_p as floor_p,
        gather_p as gather_p,
        ge_p as ge_p,
        gt_p as gt_p,
        igamma_grad_a_p as igamma_grad_a_p,
        igamma_p as igamma_p,
        igammac_p as igammac_p,
        imag_p as imag_p,
        integer_pow_p as integer_pow_p,
        iota_p as iota_p,
        is_finite_p as is_finite_p,
        le_p as le_p,
        le_to_p as le_to_p,
        lgamma_p as lgamma_p,
        linear_solve_p as linear_solve_p,
        log1p_p as log1p_p,
        log2_p as log2_p,
        log_p as log_p,
        logistic_p as logistic_p,
        lt_p as lt_p,
        lt_to_p as lt_to_p,
        max_p as max_p,
        min_p as min_p,
        mul_p as mul_p,
        mulhi_p as mulhi_p,
        ne_p as ne_p,
        neg_p as neg_p,
        nextafter_p as nextafter_p,
        not_p as not_p,
        one_minus_square_p as one_minus_square_p,
        optimization_barrier_p as optimization_barrier_p,
        or_p as or_p,
        pad_p as pad_p,
        pmax_p as pmax_p,
        pmin_p as pmin_p,
        polygamma_p as polygamma_p,
        polynomial_p as polynomial_p,
        population_count_p as population_count_p,
        pow_p as pow_p,
        ppermute_p as ppermute_p,
        psum_p as psum_p,
        ragged_all_to_all_p as ragged_all_to_all_p,
        real_p as real_p,
        reduce_and_p as reduce_and_p,
        reduce_max_p as reduce_max_p,
        reduce_min_p as reduce_min_p,
        reduce_or_p as reduce_or_p,
        reduce_p as reduce_p,
        reduce_precision_p as reduce_precision_p,
        reduce_prod_p as reduce_prod_p,
        reduce_sum_p as reduce_sum_p,
        reduce_window_max_p as reduce_window_max_p,
        reduce_window_min_p as reduce_window_min_p,
        reduce_window_p as reduce_window_p,
        reduce_window_sum_p as reduce_window_sum_p,
        reduce_xor_p as reduce_xor_p,
        regularized_incomplete_beta_p as regularized_incomplete_beta_p,
        rem_p as rem_p,
        reshape_p as reshape_p,
        rev_p as rev_p,
        rng_bit_generator_p as rng_bit_generator_p,
        rng_uniform_p as rng_uniform_p,
        round_p as round_p,
        rsqrt_p as rsqrt_p,
        scan_p as scan_p,
        scatter_add_p as scatter_add_p,
        scatter_max_p as scatter_max_p,
        scatter_min_p as scatter_min_p,
        scatter_mul_p as scatter_mul_p,
        scatter_p as scatter_p,
        scatter_sub_p as scatter_sub_p,
        select_and_gather_add_p as select_and_gather_add_p,
        select_and_scatter_add_p as select_and_scatter_add_p,
        select_and_scatter_p as select_and_scatter_p,
        select_n_p as select_n_p,
        sharding_constraint_p as sharding_constraint_p,
        shift_left_p as shift_left_p,
        shift_right_arithmetic_p as shift_right_arithmetic_p,
        shift_right_logical_p as shift_right_logical_p,
        sign_p as sign_p,
        sin_p as sin_p,
        sinh_p as sinh_p,
        slice_p as slice_p,
        sort_p as sort_p,
        split_p as split_p,
        sqrt_p as sqrt_p,
        square_p as square_p,
        squeeze_p as squeeze_p,
        stack_p as stack_p,
        stage_p as stage_p,
        stop_gradient_p as stop_gradient_p,
        sub_p as sub_p,
        tan_p as tan_p,
        tanh_p as tanh_p,
        tile_p as tile_p,
        top_k_p as top_k_p,
        transpose_p as transpose_p,
        unstack_p as unstack_p,
        while_p as while_p,
        xor_p as xor_p,
        zeta_p as zeta_p,
    )
    from treadle_numpy.lax.ragged import (
        RaggedDotDimensionNumbers as RaggedDotDimensionNumbers,
        ragged_dot as ragged_dot,
        ragged_dot_general as ragged_dot_general,
    )
    from treadle_numpy.lax.reductions import (
        argmax as argmax,
        argmin as argmin,
        reduce as reduce,
        reduce_and as reduce_and,
        reduce_max as reduce_max,
        reduce_min as reduce_min,
        reduce_or as reduce_or,
        reduce_prod as reduce_prod,
        reduce_sum as reduce_sum,
        reduce_xor as reduce_xor,
    )
    from treadle_numpy.lax.scaled import scaled_dot as scaled_dot
    from treadle_numpy.lax.shapes import (
        broadcast as broadcast,
        broadcast_in_dim as broadcast_in_dim,
        broadcast_like as broadcast_like,
        broadcast_shapes as broadcast_shapes,
        broadcast_to_rank as broadcast_to_rank,
        collapse as collapse,
        expand_dims as expand_dims,
        reshape as reshape,
        rev as rev,
        shape_as_value as shape_as_value,
        squeeze as squeeze,
        transpose as transpose,
    )
    from treadle_numpy.lax.sharding import with_sharding_constraint as with_sharding_constraint
    from treadle_numpy.lax.slicing import (
        index_in_dim as index_in_dim,
        slice as slice,
        slice_in_dim as slice_in_dim,
    )
    from treadle_numpy.lax.sorting import sort as sort, sort_key_val as sort_key_val, top_k as top_k
    from treadle_numpy.lax.special import (
        bessel_i0e as bessel_i0e,
        bessel_i1e as bessel_i1e,
        betainc as betainc,
        igamma as igamma,
        igamma_grad_a as igamma_grad_a,
        igammac as igammac,
        polygamma as polygamma,
        random_gamma_grad as random_gamma_grad,
        zeta as zeta,
    )
    from treadle_numpy.lax.started import psum_scatter_start as psum_scatter_start
    from treadle_numpy.lax.tokens import (
        Token as Token,
        after_all as after_all,
        create_token as create_token,
    )
    from treadle_numpy.lax.transposed_convolution import conv_transpose as conv_transpose
    from treadle_numpy.lax.windows import (
        padtype_to_pads as padtype_to_pads,
        reduce_window as reduce_window,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "applying": "scatter_apply",
            "approximate": "approx_max_k approx_min_k",
            "barriers": "optimization_barrier stop_gradient",
            "binary": (
                "add atan2 bitwise_and bitwise_or bitwise_xor complex div max min mul nextafter "
                "pow rem shift_left shift_right_arithmetic shift_right_logical sub"
            ),
            "bit_generator": "RandomAlgorithm rng_bit_generator rng_uniform",
            "collectives": "all_gather axis_index axis_size pmax pmean pmin psum",
            "comparison": "clamp eq ge gt le lt ne select select_n",
            "composites": "composite",
            "compound": "log2 mulhi one_minus_square polynomial",
            "contraction": "DotDimensionNumbers batch_matmul dot dot_general",
            "control.associative": "associative_scan",
            "control.branches": "cond switch",
            "control.loops": "fori_loop while_loop",
            "control.map": "map",
            "control.platforms": "platform_dependent",
            "control.scan": "scan",
            "control.solves": "custom_linear_solve custom_root",
            "conversion": "bitcast_convert_type convert_element_type dtype reduce_precision stage",
            "convolution": (
                "ConvDimensionNumbers ConvGeneralDilatedDimensionNumbers conv "
                "conv_dimension_numbers conv_general_dilated conv_with_general_padding"
            ),
            "convolution_shapes": (
                "conv_general_permutations conv_general_shape_tuple conv_shape_tuple "
                "conv_transpose_shape_tuple reduce_window_shape_tuple"
            ),
            "creation": "broadcasted_iota empty full full_like iota",
            "cumulative": "cumlogsumexp cummax cummin cumprod cumsum",
            "dynamic_slicing": (
                "dynamic_index_in_dim dynamic_slice dynamic_slice_in_dim "
                "dynamic_update_index_in_dim dynamic_update_slice dynamic_update_slice_in_dim"
            ),
            "elementwise": (
                "RoundingMethod abs acos acosh asin asinh atan atanh bitwise_not cbrt ceil clz "
                "conj cos cosh digamma erf erf_inv erfc exp exp2 expm1 floor imag integer_pow "
                "is_finite lgamma log log1p logistic neg population_count real reciprocal round "
                "rsqrt sign sin sinh sqrt square tan tanh"
            ),
            "exchanges": (
                "all_to_all pbroadcast pcast ppermute pshuffle psum_scatter pswapaxes "
                "ragged_all_to_all"
            ),
            "fourier": "FftType fft",
            "gather_scatter": (
                "GatherDimensionNumbers GatherScatterMode ScatterDimensionNumbers gather "
                "index_take scatter scatter_add scatter_max scatter_min scatter_mul scatter_sub"
            ),
            "joining": "concatenate pad split stack tile unstack",
            "patches": "conv_general_dilated_local conv_general_dilated_patches",
            "precision": (
                "AccuracyMode DotAlgorithm DotAlgorithmPreset Precision PrecisionLike Tolerance"
            ),
            "primitives": (
                "abs_p acos_p acosh_p add_p after_all_p all_gather_p all_to_all_p and_p "
                "approx_top_k_p argmax_p argmin_p asin_p asinh_p atan2_p atan_p atanh_p "
                "axis_index_p bessel_i0e_p bessel_i1e_p bitcast_convert_type_p broadcast_in_dim_p "
                "cbrt_p ceil_p clamp_p clz_p complex_p concatenate_p cond_p conj_p "
                "conv_general_dilated_p convert_element_type_p copy_p cos_p cosh_p create_token_p "
                "cumlogsumexp_p cummax_p cummin_p cumprod_p cumsum_p dce_sink_p device_put_p "
                "digamma_p div_p dot_general_p dynamic_slice_p dynamic_update_slice_p eq_p eq_to_p "
                "erf_inv_p erf_p erfc_p exp2_p exp_p expm1_p fft_p floor_p gather_p ge_p gt_p "
                "igamma_grad_a_p igamma_p igammac_p imag_p integer_pow_p iota_p is_finite_p le_p "
                "le_to_p lgamma_p linear_solve_p log1p_p log2_p log_p logistic_p lt_p lt_to_p "
                "max_p min_p mul_p mulhi_p ne_p neg_p nextafter_p not_p one_minus_square_p "
                "optimization_barrier_p or_p pad_p pmax_p pmin_p polygamma_p polynomial_p "
                "population_count_p pow_p ppermute_p psum_p ragged_all_to_all_p real_p "
                "reduce_and_p reduce_max_p reduce_min_p reduce_or_p reduce_p reduce_precision_p "
                "reduce_prod_p reduce_sum_p reduce_window_max_p reduce_window_min_p "
                "reduce_window_p reduce_window_sum_p reduce_xor_p regularized_incomplete_beta_p "
                "rem_p reshape_p rev_p rng_bit_generator_p rng_uniform_p round_p rsqrt_p scan_p "
                "scatter_add_p scatter_max_p scatter_min_p scatter_mul_p scatter_p scatter_sub_p "
                "select_and_gather_add_p select_and_scatter_add_p select_and_scatter_p select_n_p "
                "sharding_constraint_p shift_left_p shift_right_arithmetic_p shift_right_logical_p "
                "sign_p sin_p sinh_p slice_p sort_p split_p sqrt_p square_p squeeze_p stack_p "
                "stage_p stop_gradient_p sub_p tan_p tanh_p tile_p top_k_p transpose_p unstack_p "
                "while_p xor_p zeta_p"
            ),
            "ragged": "RaggedDotDimensionNumbers ragged_dot ragged_dot_general",
            "reductions": (
                "argmax argmin reduce reduce_and reduce_max reduce_min reduce_or reduce_prod "
                "reduce_sum reduce_xor"
            ),
            "scaled": "scaled_dot",
            "shapes": (
                "broadcast broadcast_in_dim broadcast_like broadcast_shapes broadcast_to_rank "
                "collapse expand_dims reshape rev shape_as_value squeeze transpose"
            ),
            "sharding": "with_sharding_constraint",
            "slicing": "index_in_dim slice slice_in_dim",
            "sorting": "sort sort_key_val top_k",
            "special": (
                "bessel_i0e bessel_i1e betainc igamma igamma_grad_a igammac polygamma "
                "random_gamma_grad zeta"
            ),
            "started": "psum_scatter_start",
            "tokens": "Token after_all create_token",
            "transposed_convolution": "conv_transpose",
            "windows": "padtype_to_pads reduce_window",
        },
        ("linalg",),
    )
