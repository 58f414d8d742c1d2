"""Settings of this package, which `treadle_numpy` declares when it is imported: `config.update` finds them by name."""

from __future__ import annotations

from typing import Final

from treadle_ir import Setting, one_of

RANK_PROMOTION: Final = Setting(
    "numpy_rank_promotion",
    "allow",
    parse=one_of("allow", "warn", "raise"),
    help="What happens when elementwise functions broadcast arrays with different numbers of axes.",
    stepwise=("warn",),
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
    ),
    help="How exactly an accelerator multiplies where a product does not say it.",
)
