"""The primitives of JAX's sparse package by name, as views: `bind` takes arrays and JAX's parameters.

Programs here have no such operations: sparse functions are made of operations of `treadle.lax`, so no view matches
one.
"""

from __future__ import annotations

from typing import Final

from treadle_ir.errors import boundaries
from treadle_numpy.lax.views import PrimitiveView

__all__ = [
    "bcoo_dot_general_p",
    "bcoo_dot_general_sampled_p",
    "bcoo_extract_p",
    "bcoo_fromdense_p",
    "bcoo_sort_indices_p",
    "bcoo_spdot_general_p",
    "bcoo_sum_duplicates_p",
    "bcoo_todense_p",
    "bcoo_transpose_p",
    "bcsr_dot_general_p",
    "bcsr_extract_p",
    "bcsr_fromdense_p",
    "bcsr_todense_p",
    "coo_fromdense_p",
    "coo_matmat_p",
    "coo_matvec_p",
    "coo_todense_p",
    "csr_fromdense_p",
    "csr_matmat_p",
    "csr_matvec_p",
    "csr_todense_p",
    "spsolve_p",
    "todense_p",
]


def _view(name: str, several: bool = False) -> PrimitiveView:
    return PrimitiveView(name, f"treadle.experimental.sparse.bindings:{name}", several=several)


bcoo_dot_general_p: Final = _view("bcoo_dot_general")
bcoo_dot_general_sampled_p: Final = _view("bcoo_dot_general_sampled")
bcoo_extract_p: Final = _view("bcoo_extract")
bcoo_fromdense_p: Final = _view("bcoo_fromdense", several=True)
bcoo_sort_indices_p: Final = _view("bcoo_sort_indices", several=True)
bcoo_spdot_general_p: Final = _view("bcoo_spdot_general", several=True)
bcoo_sum_duplicates_p: Final = _view("bcoo_sum_duplicates", several=True)
bcoo_todense_p: Final = _view("bcoo_todense")
bcoo_transpose_p: Final = _view("bcoo_transpose", several=True)
bcsr_dot_general_p: Final = _view("bcsr_dot_general")
bcsr_extract_p: Final = _view("bcsr_extract")
bcsr_fromdense_p: Final = _view("bcsr_fromdense", several=True)
bcsr_todense_p: Final = _view("bcsr_todense")
coo_fromdense_p: Final = _view("coo_fromdense", several=True)
coo_matmat_p: Final = _view("coo_matmat")
coo_matvec_p: Final = _view("coo_matvec")
coo_todense_p: Final = _view("coo_todense")
csr_fromdense_p: Final = _view("csr_fromdense", several=True)
csr_matmat_p: Final = _view("csr_matmat")
csr_matvec_p: Final = _view("csr_matvec")
csr_todense_p: Final = _view("csr_todense")
spsolve_p: Final = _view("csr_spsolve")
todense_p: Final = _view("todense")

boundaries(__name__)
