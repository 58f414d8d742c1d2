"""Foreign calls have no kernel."""

from __future__ import annotations

from treadle_ir.primitives.foreign import ForeignCall
from treadle_ir.reference.registry import eval_rules

eval_rules.absent(ForeignCall, because="its target is native code, which XLA calls")
