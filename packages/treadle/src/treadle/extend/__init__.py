"""JAX's place for what libraries that extend it use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle.extend import (
        backend as backend,
        core as core,
        linear_util as linear_util,
        lowering as lowering,
        mlir as mlir,
        random as random,
        sharding as sharding,
        source_info_util as source_info_util,
    )

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {},
        (
            "backend",
            "core",
            "linear_util",
            "lowering",
            "mlir",
            "random",
            "sharding",
            "source_info_util",
        ),
    )
