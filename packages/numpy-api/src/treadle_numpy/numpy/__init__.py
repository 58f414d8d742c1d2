"""NumPy's functions on treadle's arrays."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.numpy import fft as fft, linalg as linalg
    from treadle_numpy.numpy.array_api import (
        __array_api_version__ as __array_api_version__,
        __array_namespace_info__ as __array_namespace_info__,
    )
    from treadle_numpy.numpy.bit_packing import packbits as packbits, unpackbits as unpackbits
    from treadle_numpy.numpy.closeness import (
        allclose as allclose,
        array_equal as array_equal,
        array_equiv as array_equiv,
        isclose as isclose,
    )
    from treadle_numpy.numpy.constants import (
        ComplexWarning as ComplexWarning,
        bool as bool,
        e as e,
        euler_gamma as euler_gamma,
        inf as inf,
        nan as nan,
        ndarray as ndarray,
        newaxis as newaxis,
        pi as pi,
    )
    from treadle_numpy.numpy.contraction.einsums import einsum as einsum, einsum_path as einsum_path
    from treadle_numpy.numpy.contraction.products import (
        cross as cross,
        dot as dot,
        inner as inner,
        kron as kron,
        matmul as matmul,
        matvec as matvec,
        outer as outer,
        tensordot as tensordot,
        vdot as vdot,
        vecdot as vecdot,
        vecmat as vecmat,
    )
    from treadle_numpy.numpy.creation.constant import (
        empty as empty,
        empty_like as empty_like,
        full as full,
        full_like as full_like,
        ones as ones,
        ones_like as ones_like,
        zeros as zeros,
        zeros_like as zeros_like,
    )
    from treadle_numpy.numpy.creation.coordinates import (
        fromfunction as fromfunction,
        indices as indices,
        meshgrid as meshgrid,
    )
    from treadle_numpy.numpy.creation.data import (
        array as array,
        asarray as asarray,
        copy as copy,
        from_dlpack as from_dlpack,
    )
    from treadle_numpy.numpy.creation.matrices import (
        eye as eye,
        identity as identity,
        tri as tri,
        vander as vander,
    )
    from treadle_numpy.numpy.creation.ranges import (
        arange as arange,
        geomspace as geomspace,
        linspace as linspace,
        logspace as logspace,
    )
    from treadle_numpy.numpy.creation.reading import (
        frombuffer as frombuffer,
        fromfile as fromfile,
        fromiter as fromiter,
        fromstring as fromstring,
    )
    from treadle_numpy.numpy.differences import (
        diff as diff,
        ediff1d as ediff1d,
        gradient as gradient,
        trapezoid as trapezoid,
    )
    from treadle_numpy.numpy.dtypes.limits import finfo as finfo, iinfo as iinfo
    from treadle_numpy.numpy.dtypes.questions import (
        can_cast as can_cast,
        isdtype as isdtype,
        issubdtype as issubdtype,
        promote_types as promote_types,
        result_type as result_type,
    )
    from treadle_numpy.numpy.dtypes.types import (
        bfloat16 as bfloat16,
        bool_ as bool_,
        cdouble as cdouble,
        character as character,
        complex64 as complex64,
        complex128 as complex128,
        complex_ as complex_,
        complexfloating as complexfloating,
        csingle as csingle,
        double as double,
        dtype as dtype,
        flexible as flexible,
        float4_e2m1fn as float4_e2m1fn,
        float6_e2m3fn as float6_e2m3fn,
        float6_e3m2fn as float6_e3m2fn,
        float8_e3m4 as float8_e3m4,
        float8_e4m3 as float8_e4m3,
        float8_e4m3b11fnuz as float8_e4m3b11fnuz,
        float8_e4m3fn as float8_e4m3fn,
        float8_e4m3fnuz as float8_e4m3fnuz,
        float8_e5m2 as float8_e5m2,
        float8_e5m2fnuz as float8_e5m2fnuz,
        float8_e8m0fnu as float8_e8m0fnu,
        float16 as float16,
        float32 as float32,
        float64 as float64,
        float_ as float_,
        floating as floating,
        generic as generic,
        inexact as inexact,
        int1 as int1,
        int2 as int2,
        int4 as int4,
        int8 as int8,
        int16 as int16,
        int32 as int32,
        int64 as int64,
        int_ as int_,
        integer as integer,
        number as number,
        object_ as object_,
        signedinteger as signedinteger,
        single as single,
        uint as uint,
        uint1 as uint1,
        uint2 as uint2,
        uint4 as uint4,
        uint8 as uint8,
        uint16 as uint16,
        uint32 as uint32,
        uint64 as uint64,
        unsignedinteger as unsignedinteger,
    )
    from treadle_numpy.numpy.editing import (
        delete as delete,
        insert as insert,
        trim_zeros as trim_zeros,
    )
    from treadle_numpy.numpy.files import load as load, save as save, savez as savez
    from treadle_numpy.numpy.grids import (
        c_ as c_,
        diag_indices as diag_indices,
        diag_indices_from as diag_indices_from,
        index_exp as index_exp,
        ix_ as ix_,
        mask_indices as mask_indices,
        mgrid as mgrid,
        ogrid as ogrid,
        r_ as r_,
        s_ as s_,
        tril_indices as tril_indices,
        tril_indices_from as tril_indices_from,
        triu_indices as triu_indices,
        triu_indices_from as triu_indices_from,
    )
    from treadle_numpy.numpy.manipulation.application import (
        apply_along_axis as apply_along_axis,
        apply_over_axes as apply_over_axes,
    )
    from treadle_numpy.numpy.manipulation.axes import (
        matrix_transpose as matrix_transpose,
        moveaxis as moveaxis,
        permute_dims as permute_dims,
        rollaxis as rollaxis,
        swapaxes as swapaxes,
        transpose as transpose,
    )
    from treadle_numpy.numpy.manipulation.broadcasting import (
        broadcast_arrays as broadcast_arrays,
        broadcast_shapes as broadcast_shapes,
        broadcast_to as broadcast_to,
    )
    from treadle_numpy.numpy.manipulation.conversion import astype as astype
    from treadle_numpy.numpy.manipulation.diagonals import (
        diag as diag,
        diagflat as diagflat,
        diagonal as diagonal,
        trace as trace,
        tril as tril,
        triu as triu,
    )
    from treadle_numpy.numpy.manipulation.joining import (
        append as append,
        block as block,
        column_stack as column_stack,
        concat as concat,
        concatenate as concatenate,
        dstack as dstack,
        hstack as hstack,
        stack as stack,
        vstack as vstack,
    )
    from treadle_numpy.numpy.manipulation.rearranging import (
        flip as flip,
        fliplr as fliplr,
        flipud as flipud,
        roll as roll,
        rot90 as rot90,
    )
    from treadle_numpy.numpy.manipulation.repetition import (
        repeat as repeat,
        resize as resize,
        tile as tile,
    )
    from treadle_numpy.numpy.manipulation.shapes import (
        atleast_1d as atleast_1d,
        atleast_2d as atleast_2d,
        atleast_3d as atleast_3d,
        expand_dims as expand_dims,
        ndim as ndim,
        ravel as ravel,
        reshape as reshape,
        shape as shape,
        size as size,
        squeeze as squeeze,
    )
    from treadle_numpy.numpy.manipulation.splitting import (
        array_split as array_split,
        dsplit as dsplit,
        hsplit as hsplit,
        split as split,
        unstack as unstack,
        vsplit as vsplit,
    )
    from treadle_numpy.numpy.padding import pad as pad
    from treadle_numpy.numpy.phases import unwrap as unwrap
    from treadle_numpy.numpy.placing import (
        fill_diagonal as fill_diagonal,
        place as place,
        put as put,
        put_along_axis as put_along_axis,
    )
    from treadle_numpy.numpy.polynomial_arithmetic import (
        polyadd as polyadd,
        polyder as polyder,
        polydiv as polydiv,
        polyint as polyint,
        polymul as polymul,
        polysub as polysub,
    )
    from treadle_numpy.numpy.polynomial_fits import polyfit as polyfit
    from treadle_numpy.numpy.polynomial_roots import poly as poly, roots as roots
    from treadle_numpy.numpy.polynomials import polyval as polyval
    from treadle_numpy.numpy.printing import (
        array_repr as array_repr,
        array_str as array_str,
        get_printoptions as get_printoptions,
        printoptions as printoptions,
        set_printoptions as set_printoptions,
    )
    from treadle_numpy.numpy.reductions.extremes import (
        amax as amax,
        amin as amin,
        max as max,
        min as min,
        minmax as minmax,
        ptp as ptp,
    )
    from treadle_numpy.numpy.reductions.logical import all as all, any as any
    from treadle_numpy.numpy.reductions.nan_functions import (
        nanargmax as nanargmax,
        nanargmin as nanargmin,
        nancumprod as nancumprod,
        nancumsum as nancumsum,
        nanmax as nanmax,
        nanmin as nanmin,
        nanprod as nanprod,
        nansum as nansum,
    )
    from treadle_numpy.numpy.reductions.positions import argmax as argmax, argmin as argmin
    from treadle_numpy.numpy.reductions.running import (
        cumprod as cumprod,
        cumsum as cumsum,
        cumulative_prod as cumulative_prod,
        cumulative_sum as cumulative_sum,
    )
    from treadle_numpy.numpy.reductions.sums import (
        count_nonzero as count_nonzero,
        prod as prod,
        sum as sum,
    )
    from treadle_numpy.numpy.searching.choosing import (
        choose as choose,
        piecewise as piecewise,
        select as select,
        where as where,
    )
    from treadle_numpy.numpy.searching.counting import bincount as bincount
    from treadle_numpy.numpy.searching.finding import (
        argwhere as argwhere,
        compress as compress,
        extract as extract,
        flatnonzero as flatnonzero,
        nonzero as nonzero,
    )
    from treadle_numpy.numpy.searching.flat_positions import (
        ravel_multi_index as ravel_multi_index,
        unravel_index as unravel_index,
    )
    from treadle_numpy.numpy.searching.replacing import nan_to_num as nan_to_num
    from treadle_numpy.numpy.searching.sorted_vectors import (
        digitize as digitize,
        interp as interp,
        searchsorted as searchsorted,
    )
    from treadle_numpy.numpy.sets import (
        intersect1d as intersect1d,
        isin as isin,
        setdiff1d as setdiff1d,
        setxor1d as setxor1d,
        union1d as union1d,
        unique as unique,
    )
    from treadle_numpy.numpy.signals import convolve as convolve, correlate as correlate
    from treadle_numpy.numpy.sorting import (
        argpartition as argpartition,
        argsort as argsort,
        lexsort as lexsort,
        partition as partition,
        sort as sort,
        sort_complex as sort_complex,
        top_k as top_k,
    )
    from treadle_numpy.numpy.statistics.correlation import corrcoef as corrcoef, cov as cov
    from treadle_numpy.numpy.statistics.histograms import (
        histogram as histogram,
        histogram_bin_edges as histogram_bin_edges,
    )
    from treadle_numpy.numpy.statistics.histograms_of_points import (
        histogram2d as histogram2d,
        histogramdd as histogramdd,
    )
    from treadle_numpy.numpy.statistics.means import (
        average as average,
        mean as mean,
        nanmean as nanmean,
    )
    from treadle_numpy.numpy.statistics.quantiles import (
        median as median,
        nanmedian as nanmedian,
        nanpercentile as nanpercentile,
        nanquantile as nanquantile,
        percentile as percentile,
        quantile as quantile,
    )
    from treadle_numpy.numpy.statistics.spread import (
        nanstd as nanstd,
        nanvar as nanvar,
        std as std,
        var as var,
    )
    from treadle_numpy.numpy.taking import take as take, take_along_axis as take_along_axis
    from treadle_numpy.numpy.ufuncs.arithmetic import (
        add as add,
        divide as divide,
        divmod as divmod,
        floor_divide as floor_divide,
        fmod as fmod,
        mod as mod,
        multiply as multiply,
        negative as negative,
        positive as positive,
        reciprocal as reciprocal,
        remainder as remainder,
        subtract as subtract,
        true_divide as true_divide,
    )
    from treadle_numpy.numpy.ufuncs.bessel import i0 as i0
    from treadle_numpy.numpy.ufuncs.bits import (
        bitwise_and as bitwise_and,
        bitwise_count as bitwise_count,
        bitwise_invert as bitwise_invert,
        bitwise_left_shift as bitwise_left_shift,
        bitwise_not as bitwise_not,
        bitwise_or as bitwise_or,
        bitwise_right_shift as bitwise_right_shift,
        bitwise_xor as bitwise_xor,
        invert as invert,
        left_shift as left_shift,
        right_shift as right_shift,
    )
    from treadle_numpy.numpy.ufuncs.cardinal import sinc as sinc
    from treadle_numpy.numpy.ufuncs.divisors import gcd as gcd, lcm as lcm
    from treadle_numpy.numpy.ufuncs.exponentials import (
        exp as exp,
        exp2 as exp2,
        expm1 as expm1,
        log as log,
        log1p as log1p,
        log2 as log2,
        log10 as log10,
        logaddexp as logaddexp,
        logaddexp2 as logaddexp2,
    )
    from treadle_numpy.numpy.ufuncs.extremes import (
        clip as clip,
        fmax as fmax,
        fmin as fmin,
        maximum as maximum,
        minimum as minimum,
    )
    from treadle_numpy.numpy.ufuncs.float_parts import (
        frexp as frexp,
        ldexp as ldexp,
        modf as modf,
        spacing as spacing,
    )
    from treadle_numpy.numpy.ufuncs.hypotenuse import hypot as hypot
    from treadle_numpy.numpy.ufuncs.kinds import (
        iscomplex as iscomplex,
        iscomplexobj as iscomplexobj,
        isfinite as isfinite,
        isinf as isinf,
        isnan as isnan,
        isneginf as isneginf,
        isposinf as isposinf,
        isreal as isreal,
        isrealobj as isrealobj,
        isscalar as isscalar,
        iterable as iterable,
    )
    from treadle_numpy.numpy.ufuncs.logic import (
        equal as equal,
        greater as greater,
        greater_equal as greater_equal,
        less as less,
        less_equal as less_equal,
        logical_and as logical_and,
        logical_not as logical_not,
        logical_or as logical_or,
        logical_xor as logical_xor,
        not_equal as not_equal,
    )
    from treadle_numpy.numpy.ufuncs.parts import (
        angle as angle,
        conj as conj,
        conjugate as conjugate,
        imag as imag,
        real as real,
    )
    from treadle_numpy.numpy.ufuncs.powers import (
        cbrt as cbrt,
        float_power as float_power,
        pow as pow,
        power as power,
        sqrt as sqrt,
        square as square,
    )
    from treadle_numpy.numpy.ufuncs.rounding import (
        around as around,
        ceil as ceil,
        fix as fix,
        floor as floor,
        rint as rint,
        round as round,
        trunc as trunc,
    )
    from treadle_numpy.numpy.ufuncs.signs import (
        abs as abs,
        absolute as absolute,
        copysign as copysign,
        fabs as fabs,
        heaviside as heaviside,
        nextafter as nextafter,
        sign as sign,
        signbit as signbit,
    )
    from treadle_numpy.numpy.ufuncs.trigonometry import (
        acos as acos,
        acosh as acosh,
        arccos as arccos,
        arccosh as arccosh,
        arcsin as arcsin,
        arcsinh as arcsinh,
        arctan as arctan,
        arctan2 as arctan2,
        arctanh as arctanh,
        asin as asin,
        asinh as asinh,
        atan as atan,
        atan2 as atan2,
        atanh as atanh,
        cos as cos,
        cosh as cosh,
        deg2rad as deg2rad,
        degrees as degrees,
        rad2deg as rad2deg,
        radians as radians,
        sin as sin,
        sinh as sinh,
        tan as tan,
        tanh as tanh,
    )
    from treadle_numpy.numpy.ufuncs.universal import frompyfunc as frompyfunc, ufunc as ufunc
    from treadle_numpy.numpy.uniques import (
        unique_all as unique_all,
        unique_counts as unique_counts,
        unique_inverse as unique_inverse,
        unique_values as unique_values,
    )
    from treadle_numpy.numpy.vectorizing import vectorize as vectorize
    from treadle_numpy.numpy.windows import (
        bartlett as bartlett,
        blackman as blackman,
        hamming as hamming,
        hanning as hanning,
        kaiser as kaiser,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "array_api": "__array_api_version__ __array_namespace_info__",
            "bit_packing": "packbits unpackbits",
            "closeness": "allclose array_equal array_equiv isclose",
            "constants": "ComplexWarning bool e euler_gamma inf nan ndarray newaxis pi",
            "contraction.einsums": "einsum einsum_path",
            "contraction.products": (
                "cross dot inner kron matmul matvec outer tensordot vdot vecdot vecmat"
            ),
            "creation.constant": "empty empty_like full full_like ones ones_like zeros zeros_like",
            "creation.coordinates": "fromfunction indices meshgrid",
            "creation.data": "array asarray copy from_dlpack",
            "creation.matrices": "eye identity tri vander",
            "creation.ranges": "arange geomspace linspace logspace",
            "creation.reading": "frombuffer fromfile fromiter fromstring",
            "differences": "diff ediff1d gradient trapezoid",
            "dtypes.limits": "finfo iinfo",
            "dtypes.questions": "can_cast isdtype issubdtype promote_types result_type",
            "dtypes.types": (
                "bfloat16 bool_ cdouble character complex64 complex128 complex_ complexfloating "
                "csingle double dtype flexible float4_e2m1fn float6_e2m3fn float6_e3m2fn "
                "float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn float8_e4m3fnuz "
                "float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float16 float32 float64 float_ "
                "floating generic inexact int1 int2 int4 int8 int16 int32 int64 int_ integer "
                "number object_ signedinteger single uint uint1 uint2 uint4 uint8 uint16 uint32 "
                "uint64 unsignedinteger"
            ),
            "editing": "delete insert trim_zeros",
            "files": "load save savez",
            "grids": (
                "c_ diag_indices diag_indices_from index_exp ix_ mask_indices mgrid ogrid r_ s_ "
                "tril_indices tril_indices_from triu_indices triu_indices_from"
            ),
            "manipulation.application": "apply_along_axis apply_over_axes",
            "manipulation.axes": (
                "matrix_transpose moveaxis permute_dims rollaxis swapaxes transpose"
            ),
            "manipulation.broadcasting": "broadcast_arrays broadcast_shapes broadcast_to",
            "manipulation.conversion": "astype",
            "manipulation.diagonals": "diag diagflat diagonal trace tril triu",
            "manipulation.joining": (
                "append block column_stack concat concatenate dstack hstack stack vstack"
            ),
            "manipulation.rearranging": "flip fliplr flipud roll rot90",
            "manipulation.repetition": "repeat resize tile",
            "manipulation.shapes": (
                "atleast_1d atleast_2d atleast_3d expand_dims ndim ravel reshape shape size squeeze"
            ),
            "manipulation.splitting": "array_split dsplit hsplit split unstack vsplit",
            "padding": "pad",
            "phases": "unwrap",
            "placing": "fill_diagonal place put put_along_axis",
            "polynomial_arithmetic": "polyadd polyder polydiv polyint polymul polysub",
            "polynomial_fits": "polyfit",
            "polynomial_roots": "poly roots",
            "polynomials": "polyval",
            "printing": "array_repr array_str get_printoptions printoptions set_printoptions",
            "reductions.extremes": "amax amin max min minmax ptp",
            "reductions.logical": "all any",
            "reductions.nan_functions": (
                "nanargmax nanargmin nancumprod nancumsum nanmax nanmin nanprod nansum"
            ),
            "reductions.positions": "argmax argmin",
            "reductions.running": "cumprod cumsum cumulative_prod cumulative_sum",
            "reductions.sums": "count_nonzero prod sum",
            "searching.choosing": "choose piecewise select where",
            "searching.counting": "bincount",
            "searching.finding": "argwhere compress extract flatnonzero nonzero",
            "searching.flat_positions": "ravel_multi_index unravel_index",
            "searching.replacing": "nan_to_num",
            "searching.sorted_vectors": "digitize interp searchsorted",
            "sets": "intersect1d isin setdiff1d setxor1d union1d unique",
            "signals": "convolve correlate",
            "sorting": "argpartition argsort lexsort partition sort sort_complex top_k",
            "statistics.correlation": "corrcoef cov",
            "statistics.histograms": "histogram histogram_bin_edges",
            "statistics.histograms_of_points": "histogram2d histogramdd",
            "statistics.means": "average mean nanmean",
            "statistics.quantiles": (
                "median nanmedian nanpercentile nanquantile percentile quantile"
            ),
            "statistics.spread": "nanstd nanvar std var",
            "taking": "take take_along_axis",
            "ufuncs.arithmetic": (
                "add divide divmod floor_divide fmod mod multiply negative positive reciprocal "
                "remainder subtract true_divide"
            ),
            "ufuncs.bessel": "i0",
            "ufuncs.bits": (
                "bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not "
                "bitwise_or bitwise_right_shift bitwise_xor invert left_shift right_shift"
            ),
            "ufuncs.cardinal": "sinc",
            "ufuncs.divisors": "gcd lcm",
            "ufuncs.exponentials": "exp exp2 expm1 log log1p log2 log10 logaddexp logaddexp2",
            "ufuncs.extremes": "clip fmax fmin maximum minimum",
            "ufuncs.float_parts": "frexp ldexp modf spacing",
            "ufuncs.hypotenuse": "hypot",
            "ufuncs.kinds": (
                "iscomplex iscomplexobj isfinite isinf isnan isneginf isposinf isreal isrealobj "
                "isscalar iterable"
            ),
            "ufuncs.logic": (
                "equal greater greater_equal less less_equal logical_and logical_not logical_or "
                "logical_xor not_equal"
            ),
            "ufuncs.parts": "angle conj conjugate imag real",
            "ufuncs.powers": "cbrt float_power pow power sqrt square",
            "ufuncs.rounding": "around ceil fix floor rint round trunc",
            "ufuncs.signs": "abs absolute copysign fabs heaviside nextafter sign signbit",
            "ufuncs.trigonometry": (
                "acos acosh arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan "
                "atan2 atanh cos cosh deg2rad degrees rad2deg radians sin sinh tan tanh"
            ),
            "ufuncs.universal": "frompyfunc ufunc",
            "uniques": "unique_all unique_counts unique_inverse unique_values",
            "vectorizing": "vectorize",
            "windows": "bartlett blackman hamming hanning kaiser",
        },
        ("fft", "linalg"),
    )
