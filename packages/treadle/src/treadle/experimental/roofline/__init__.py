"""What bounds the time of a function on a machine: operations, traffic with memory and between devices.

`roofline(f)(*arguments)` traces `f` and counts; nothing is computed, so arguments may be shapes.
"""

from __future__ import annotations

# The function has the name of its module, and is what `treadle.experimental.roofline.roofline` is.
from treadle.experimental.roofline.roofline import (
    RooflineResult as RooflineResult,
    RooflineRuleContext as RooflineRuleContext,
    RooflineShape as RooflineShape,
    register_roofline as register_roofline,
    register_standard_roofline as register_standard_roofline,
    roofline as roofline,
    roofline_and_grad as roofline_and_grad,
)
from treadle_ir.errors import boundaries

__all__ = [
    "RooflineResult",
    "RooflineRuleContext",
    "RooflineShape",
    "register_roofline",
    "register_standard_roofline",
    "roofline",
    "roofline_and_grad",
]

boundaries(__name__)
