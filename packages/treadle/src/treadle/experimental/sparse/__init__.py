"""Sparse arrays: by coordinates (`BCOO`) and by compressed rows (`BCSR`), with batches; matrices as COO, CSR, CSC."""

from __future__ import annotations

from typing import TYPE_CHECKING

import treadle.experimental.sparse.methods as _methods  # noqa: F401 - completes the class `BCOO`
from treadle_ir.errors import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle.experimental.sparse import linalg as linalg, util as util
    from treadle.experimental.sparse.arithmetic import (
        bcoo_dot_general as bcoo_dot_general,
        bcoo_multiply_dense as bcoo_multiply_dense,
        bcoo_multiply_sparse as bcoo_multiply_sparse,
    )
    from treadle.experimental.sparse.base import JAXSparse as JAXSparse
    from treadle.experimental.sparse.bcoo import BCOO as BCOO
    from treadle.experimental.sparse.bcsr import (
        BCSR as BCSR,
        bcsr_dot_general as bcsr_dot_general,
        bcsr_fromdense as bcsr_fromdense,
        bcsr_todense as bcsr_todense,
    )
    from treadle.experimental.sparse.compressed import (
        bcsr_broadcast_in_dim as bcsr_broadcast_in_dim,
        bcsr_concatenate as bcsr_concatenate,
        bcsr_extract as bcsr_extract,
        bcsr_sum_duplicates as bcsr_sum_duplicates,
    )
    from treadle.experimental.sparse.conversion import (
        bcoo_extract as bcoo_extract,
        bcoo_fromdense as bcoo_fromdense,
        bcoo_todense as bcoo_todense,
    )
    from treadle.experimental.sparse.coo import (
        COO as COO,
        coo_fromdense as coo_fromdense,
        coo_matmat as coo_matmat,
        coo_matvec as coo_matvec,
        coo_todense as coo_todense,
    )
    from treadle.experimental.sparse.creation import (
        empty as empty,
        eye as eye,
        random_bcoo as random_bcoo,
        todense as todense,
    )
    from treadle.experimental.sparse.csr import (
        CSC as CSC,
        CSR as CSR,
        csr_fromdense as csr_fromdense,
        csr_matmat as csr_matmat,
        csr_matvec as csr_matvec,
        csr_todense as csr_todense,
    )
    from treadle.experimental.sparse.derivatives import (
        grad as grad,
        jacfwd as jacfwd,
        jacobian as jacobian,
        jacrev as jacrev,
        value_and_grad as value_and_grad,
    )
    from treadle.experimental.sparse.efficiency import (
        CuSparseEfficiencyWarning as CuSparseEfficiencyWarning,
        SparseEfficiencyError as SparseEfficiencyError,
        SparseEfficiencyWarning as SparseEfficiencyWarning,
    )
    from treadle.experimental.sparse.layouts import (
        bcoo_broadcast_in_dim as bcoo_broadcast_in_dim,
        bcoo_dynamic_slice as bcoo_dynamic_slice,
        bcoo_rev as bcoo_rev,
        bcoo_squeeze as bcoo_squeeze,
        bcoo_update_layout as bcoo_update_layout,
    )
    from treadle.experimental.sparse.lifted import (
        bcoo_conv_general_dilated as bcoo_conv_general_dilated,
        bcoo_gather as bcoo_gather,
    )
    from treadle.experimental.sparse.primitives import (
        bcoo_dot_general_p as bcoo_dot_general_p,
        bcoo_dot_general_sampled_p as bcoo_dot_general_sampled_p,
        bcoo_extract_p as bcoo_extract_p,
        bcoo_fromdense_p as bcoo_fromdense_p,
        bcoo_sort_indices_p as bcoo_sort_indices_p,
        bcoo_spdot_general_p as bcoo_spdot_general_p,
        bcoo_sum_duplicates_p as bcoo_sum_duplicates_p,
        bcoo_todense_p as bcoo_todense_p,
        bcoo_transpose_p as bcoo_transpose_p,
        bcsr_dot_general_p as bcsr_dot_general_p,
        bcsr_extract_p as bcsr_extract_p,
        bcsr_fromdense_p as bcsr_fromdense_p,
        bcsr_todense_p as bcsr_todense_p,
        coo_fromdense_p as coo_fromdense_p,
        coo_matmat_p as coo_matmat_p,
        coo_matvec_p as coo_matvec_p,
        coo_todense_p as coo_todense_p,
        csr_fromdense_p as csr_fromdense_p,
        csr_matmat_p as csr_matmat_p,
        csr_matvec_p as csr_matvec_p,
        csr_todense_p as csr_todense_p,
        todense_p as todense_p,
    )
    from treadle.experimental.sparse.sampled import (
        bcoo_dot_general_sampled as bcoo_dot_general_sampled,
    )
    from treadle.experimental.sparse.sparsification import sparsify as sparsify
    from treadle.experimental.sparse.structure import (
        bcoo_concatenate as bcoo_concatenate,
        bcoo_reduce_sum as bcoo_reduce_sum,
        bcoo_reshape as bcoo_reshape,
        bcoo_slice as bcoo_slice,
        bcoo_sort_indices as bcoo_sort_indices,
        bcoo_sum_duplicates as bcoo_sum_duplicates,
        bcoo_transpose as bcoo_transpose,
    )

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle.experimental.sparse.arithmetic": (
                "bcoo_dot_general bcoo_multiply_dense bcoo_multiply_sparse"
            ),
            "treadle.experimental.sparse.base": "JAXSparse",
            "treadle.experimental.sparse.bcoo": "BCOO",
            "treadle.experimental.sparse.bcsr": "BCSR bcsr_dot_general bcsr_fromdense bcsr_todense",
            "treadle.experimental.sparse.compressed": (
                "bcsr_broadcast_in_dim bcsr_concatenate bcsr_extract bcsr_sum_duplicates"
            ),
            "treadle.experimental.sparse.conversion": "bcoo_extract bcoo_fromdense bcoo_todense",
            "treadle.experimental.sparse.coo": (
                "COO coo_fromdense coo_matmat coo_matvec coo_todense"
            ),
            "treadle.experimental.sparse.creation": "empty eye random_bcoo todense",
            "treadle.experimental.sparse.csr": (
                "CSC CSR csr_fromdense csr_matmat csr_matvec csr_todense"
            ),
            "treadle.experimental.sparse.derivatives": "grad jacfwd jacobian jacrev value_and_grad",
            "treadle.experimental.sparse.efficiency": (
                "CuSparseEfficiencyWarning SparseEfficiencyError SparseEfficiencyWarning"
            ),
            "treadle.experimental.sparse.layouts": (
                "bcoo_broadcast_in_dim bcoo_dynamic_slice bcoo_rev bcoo_squeeze bcoo_update_layout"
            ),
            "treadle.experimental.sparse.lifted": "bcoo_conv_general_dilated bcoo_gather",
            "treadle.experimental.sparse.primitives": (
                "bcoo_dot_general_p bcoo_dot_general_sampled_p bcoo_extract_p bcoo_fromdense_p "
                "bcoo_sort_indices_p bcoo_spdot_general_p bcoo_sum_duplicates_p bcoo_todense_p "
                "bcoo_transpose_p bcsr_dot_general_p bcsr_extract_p bcsr_fromdense_p "
                "bcsr_todense_p coo_fromdense_p coo_matmat_p coo_matvec_p coo_todense_p "
                "csr_fromdense_p csr_matmat_p csr_matvec_p csr_todense_p todense_p"
            ),
            "treadle.experimental.sparse.sampled": "bcoo_dot_general_sampled",
            "treadle.experimental.sparse.sparsification": "sparsify",
            "treadle.experimental.sparse.structure": (
                "bcoo_concatenate bcoo_reduce_sum bcoo_reshape bcoo_slice bcoo_sort_indices "
                "bcoo_sum_duplicates bcoo_transpose"
            ),
        },
        (
            "linalg",
            "util",
        ),
    )
