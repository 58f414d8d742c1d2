"""Compute again instead of storing."""

from __future__ import annotations

from treadle_autodiff import (
    Offloadable as Offloadable,
    Recompute as Recompute,
    Saveable as Saveable,
    checkpoint as checkpoint,
    checkpoint_name as checkpoint_name,
    checkpoint_policies as checkpoint_policies,
    print_saved_residuals as print_saved_residuals,
)
from treadle_ir.errors import boundaries
from treadle_numpy.lax.other_primitives import OTHERS as _OTHERS

checkpoint_name_fwd = checkpoint_name  # derivatives of named values have no name here in any case
name_p = _OTHERS["name_p"]

boundaries(__name__)
