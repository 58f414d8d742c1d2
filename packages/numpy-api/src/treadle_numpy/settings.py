"""Settings of this package, which `treadle_numpy` declares when it is imported: `config.update` finds them by name."""

from __future__ import annotations

from typing import Final

from treadle_ir.settings import Setting, one_of, only, whole_number, yes_or_no

RANK_PROMOTION: Final = Setting(
    "numpy_rank_promotion",
    "allow",
    parse=one_of("allow", "warn", "raise"),
    help="What happens when elementwise functions broadcast arrays with different numbers of axes.",
    op_by_op=("warn",),
    of_users=True,
)
MATMUL_PRECISION: Final = Setting(
    "default_matmul_precision",
    None,
    parse=one_of(
        None,
        "default",
        "high",
        "highest",
        "fastest",
        "bfloat16",
        "bfloat16_3x",
        "tensorfloat32",
        "float32",
        # presets of `lax.DotAlgorithmPreset`, except the presets of 8-bit floats
        "F16_F16_F16",
        "F16_F16_F32",
        "BF16_BF16_BF16",
        "BF16_BF16_F32",
        "BF16_BF16_F32_X3",
        "BF16_BF16_F32_X6",
        "BF16_BF16_F32_X9",
        "TF32_TF32_F32",
        "TF32_TF32_F32_X3",
        "F32_F32_F32",
        "F64_F64_F64",
    ),
    help="How exactly an accelerator multiplies where a product does not say it.",
)
PRNG_IMPL: Final = Setting(
    "default_prng_impl",
    "threefry2x32",
    parse=one_of("threefry2x32", "rbg", "unsafe_rbg"),
    help="The generator of keys that are made without naming one.",
)
LEGACY_KEY: Final = Setting(
    "legacy_prng_key",
    "allow",
    parse=one_of("allow", "warn", "error"),
    help="What happens when a raw key, the words of `PRNGKey(0)`, is given to a function of `random`.",
)
SEED_OFFSET: Final = Setting(
    "random_seed_offset",
    0,
    parse=whole_number(),
    help="Added to each seed that a key is made of.",
)
CUSTOM_PRNG: Final = Setting(
    "enable_custom_prng",
    False,
    parse=yes_or_no,
    help="`random.PRNGKey` makes typed keys, as `random.key` does.",
)
THREEFRY_PARTITIONABLE: Final = Setting(
    "threefry_partitionable",
    True,
    parse=yes_or_no,
    help="Each random element depends on its position alone; off, bits come in two halves, as older programs expect.",
)
SOFTMAX_JVP: Final = Setting(
    "softmax_custom_jvp",
    False,
    parse=yes_or_no,
    help="No effect: softmax is differentiated through its formula, which is stable, whatever this says.",
)
CHECK_INDICES: Final = Setting(
    "check_static_indices",
    False,
    parse=yes_or_no,
    help="A Python integer as an index that is out of bounds is an IndexError; else it is clamped to the bounds.",
)
_NO_CHECKS: Final = (
    "checks in every program; here a function asks for them by itself, with `experimental.checkify`"
)
ERROR_NAN: Final = Setting(
    "error_checking_behavior_nan",
    "ignore",
    parse=only("ignore", _NO_CHECKS),
    help="`ignore` is the one value: `debug_nans` and `experimental.checkify` find nans.",
)
ERROR_DIVIDE: Final = Setting(
    "error_checking_behavior_divide",
    "ignore",
    parse=only("ignore", _NO_CHECKS),
    help="`ignore` is the one value: `debug_infs` and `experimental.checkify` find divisions by zero.",
)
ERROR_OOB: Final = Setting(
    "error_checking_behavior_oob",
    "ignore",
    parse=only("ignore", _NO_CHECKS),
    help="`ignore` is the one value: `check_static_indices` and `experimental.checkify` find indices out of bounds.",
)
