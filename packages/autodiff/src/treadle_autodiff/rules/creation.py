"""Derivatives of creation: there are none, since nothing goes in."""

from __future__ import annotations

from treadle_autodiff.registry import jvp_rules
from treadle_ir.primitives.composite import PlatformIndex
from treadle_ir.primitives.creation import DimensionSize, Iota

jvp_rules.absent(DimensionSize, because="it has no operands")
jvp_rules.absent(Iota, because="it has no operands")
jvp_rules.absent(PlatformIndex, because="it has no operands")
