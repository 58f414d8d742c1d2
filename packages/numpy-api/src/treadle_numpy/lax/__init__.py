"""The instructions under JAX's names, with little on top.

Unlike the functions of `treadle.numpy` these promote nothing and broadcast scalars only: operands that are arrays
must have one element type and one shape. Python numbers take the element type of the arrays beside them.
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
        add as add,
        asin as asin,
        asinh as asinh,
        atan as atan,
        atan2 as atan2,
        atanh as atanh,
        bitwise_and as bitwise_and,
        bitwise_not as bitwise_not,
        bitwise_or as bitwise_or,
        bitwise_xor as bitwise_xor,
        cbrt as cbrt,
        ceil as ceil,
        clz as clz,
        complex as complex,
        conj as conj,
        cos as cos,
        cosh as cosh,
        digamma as digamma,
        div as div,
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
        max as max,
        min as min,
        mul as mul,
        neg as neg,
        nextafter as nextafter,
        population_count as population_count,
        pow as pow,
        real as real,
        reciprocal as reciprocal,
        rem as rem,
        round as round,
        rsqrt as rsqrt,
        shift_left as shift_left,
        shift_right_arithmetic as shift_right_arithmetic,
        shift_right_logical as shift_right_logical,
        sign as sign,
        sin as sin,
        sinh as sinh,
        sqrt as sqrt,
        square as square,
        sub as sub,
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
    from treadle_numpy.lax.precision import Precision as Precision, PrecisionLike as PrecisionLike
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
                "RoundingMethod abs acos acosh add asin asinh atan atan2 atanh bitwise_and "
                "bitwise_not bitwise_or bitwise_xor cbrt ceil clz complex conj cos cosh digamma "
                "div erf erf_inv erfc exp exp2 expm1 floor imag integer_pow is_finite lgamma log "
                "log1p logistic max min mul neg nextafter population_count pow real reciprocal rem "
                "round rsqrt shift_left shift_right_arithmetic shift_right_logical sign sin sinh "
                "sqrt square sub tan tanh"
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
            "precision": "Precision PrecisionLike",
            "reductions": (
                "argmax argmin reduce reduce_and reduce_max reduce_min reduce_or reduce_prod "
                "reduce_sum reduce_xor"
            ),
            "shapes": (
                "broadcast broadcast_in_dim broadcast_like broadcast_shapes broadcast_to_rank "
                "collapse expand_dims reshape rev shape_as_value squeeze transpose"
            ),
            "slicing": "index_in_dim slice slice_in_dim",
            "sorting": "sort sort_key_val top_k",
            "special": (
                "bessel_i0e bessel_i1e betainc igamma igamma_grad_a igammac polygamma "
                "random_gamma_grad zeta"
            ),
            "transposed_convolution": "conv_transpose",
            "windows": "padtype_to_pads reduce_window",
        },
        ("linalg",),
    )
