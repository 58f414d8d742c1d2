"""Public functions without a row, each with the reason; `without_<part>.py` have more of the same, as `WITHOUT`."""

from __future__ import annotations

from typing import Final

from conformance.joined import modules


def _names(namespace: str, names: str) -> list[str]:
    return [f"{namespace}.{name}" for name in names.split()]


INTEGERS: Final = "its results are integers, booleans, or no arrays at all"
CONSTANT: Final = "piecewise constant: the derivative is 0, and first order is tried by test_jvp.py"
TYPES: Final = "a type, or a question about types"
NUMBERS: Final = "made of what is not differentiated: sizes, types, files"
ELEMENTS: Final = "the size of its result depends on elements: there is nothing to trace"
OTHER: Final = "prints, or makes functions; no function of arrays"

REASONS: Final[dict[str, list[str]]] = {
    INTEGERS: [
        *_names(
            "numpy",
            "all allclose any argmax argmin argpartition argsort argwhere array_equal array_equiv bitwise_and "
            "bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift "
            "bitwise_xor broadcast_shapes count_nonzero diag_indices diag_indices_from digitize einsum_path equal "
            "flatnonzero greater greater_equal indices invert isclose iscomplex iscomplexobj isfinite isin isinf "
            "isnan isneginf isposinf isreal isrealobj isscalar ix_ left_shift less less_equal lexsort logical_and "
            "logical_not logical_or logical_xor nanargmax nanargmin ndim nonzero not_equal ravel_multi_index "
            "right_shift searchsorted shape signbit size tri tril_indices tril_indices_from triu_indices "
            "triu_indices_from unravel_index",
        ),
        *_names(
            "lax",
            "argmax argmin axis_index axis_size bitcast_convert_type bitwise_and bitwise_not bitwise_or bitwise_xor "
            "after_all broadcast_shapes broadcasted_iota clz conv_dimension_numbers create_token dtype eq ge gt "
            "iota is_finite le lt ne "
            "padtype_to_pads population_count reduce_and reduce_or reduce_xor shift_left shift_right_arithmetic "
            "shift_right_logical",
        ),
    ],
    CONSTANT: [
        *_names("numpy", "ceil fix floor floor_divide rint round trunc histogram_bin_edges"),
        *_names("lax", "ceil floor round sign"),
        *_names("scipy.special", "gammasgn"),
        *_names("nn", "one_hot"),
    ],
    TYPES: [
        *_names(
            "numpy",
            "bool_ can_cast dtype finfo iinfo isdtype issubdtype promote_types result_type ndarray ufunc",
        ),
        *_names(
            "lax",
            "ConvDimensionNumbers GatherDimensionNumbers GatherScatterMode Precision RoundingMethod",
        ),
        *_names("lax", "DotDimensionNumbers ScatterDimensionNumbers"),
    ],
    NUMBERS: _names(
        "numpy",
        "arange empty empty_like eye identity load ones ones_like save savez zeros zeros_like",
    ),
    ELEMENTS: _names("numpy", "extract intersect1d setdiff1d union1d unique"),
    OTHER: _names("numpy", "array_repr array_str get_printoptions printoptions set_printoptions"),
}
WITHOUT: Final[dict[str, str]] = {
    **{name: reason for reason, names in REASONS.items() for name in names},
    **{
        name: reason
        for part in modules("conformance.derivatives", "without_")
        for name, reason in part.WITHOUT.items()
    },
}
