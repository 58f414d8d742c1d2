"""Functions of dense arrays applied to sparse ones, and the rules for operations of libraries: JAX's place for them."""

from __future__ import annotations

from treadle.experimental.sparse.sparsification import eval_sparse, sparsify, sparsify_raw
from treadle.experimental.sparse.spvalues import (
    SparsifyEnv,
    SparsifyValue,
    arrays_to_spvalues,
    sparse_rules_bcoo,
    spvalues_to_arrays,
    spvalues_to_avals,
)
from treadle_ir.errors import boundaries

__all__ = [
    "SparsifyEnv",
    "SparsifyValue",
    "arrays_to_spvalues",
    "eval_sparse",
    "sparse_rules_bcoo",
    "sparsify",
    "sparsify_raw",
    "spvalues_to_arrays",
    "spvalues_to_avals",
]

boundaries(__name__)
