"""The stages of a jitted function, as JAX names them: `jit(f).trace(x).lower().compile()`."""

from __future__ import annotations

from typing import TypeAlias

from treadle_compiler import Collective as Collective
from treadle_ir.errors import boundaries
from treadle_runtime import (
    ArgInfo as ArgInfo,
    Compiled as Compiled,
    JitFunction as Wrapped,
    Lowered as Lowered,
    TracedCall as Traced,
)

__all__ = ["ArgInfo", "Collective", "Compiled", "CompilerOptions", "Lowered", "Traced", "Wrapped"]

CompilerOptions: TypeAlias = dict[str, str | bool]
"""What `lowered.compile(compiler_options=...)` takes: XLA's options by name."""

boundaries(__name__)
