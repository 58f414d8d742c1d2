"""Condensed forms have no derivatives."""

from __future__ import annotations

from treadle_autodiff.registry import jvp_rules
from treadle_ir.primitives.linear_algebra import Hessenberg, Tridiagonal

for _form in (Hessenberg, Tridiagonal):
    jvp_rules.absent(
        _form,
        because="it is a step of eigenvalue algorithms: differentiate `eigh` or `eig`",
    )
