"""Foreign calls have no kernel."""

from __future__ import annotations

from treadle_ir.primitives.foreign import NativeCall
from treadle_ir.reference.registry import eval_rules

eval_rules.absent(NativeCall, because="it reads and writes buffers of XLA's: native code, mostly")
