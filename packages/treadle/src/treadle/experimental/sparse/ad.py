"""Derivatives with sparse arrays among the arguments: JAX's place for them."""

from __future__ import annotations

from treadle.experimental.sparse.derivatives import (
    grad,
    is_sparse,
    jacfwd,
    jacobian,
    jacrev,
    value_and_grad,
)
from treadle_ir.errors import boundaries

__all__ = ["grad", "is_sparse", "jacfwd", "jacobian", "jacrev", "value_and_grad"]

boundaries(__name__)
