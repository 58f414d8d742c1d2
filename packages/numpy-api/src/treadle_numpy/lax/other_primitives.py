"""The primitives of `jax.lax.linalg`, and those that only `jax.extend.core.primitives` has, as views; one line each."""

from __future__ import annotations

from typing import Final

from treadle_numpy.lax.views import PrimitiveView as View

LINALG: Final = {
    "cholesky_p": View("cholesky", "linalg:cholesky"),
    "cholesky_update_p": View("cholesky_update", "linalg:cholesky_update"),
    "eig_p": View("eig", "linalg:eig", several=True),
    "eigh_p": View("eigh", "linalg:eigh", several=True),
    "hessenberg_p": View("hessenberg", "linalg:hessenberg", several=True),
    "householder_product_p": View("householder_product", "linalg:householder_product"),
    "lu_p": View("lu", "linalg:lu", several=True),
    "lu_pivots_to_permutation_p": View(
        "lu_pivots_to_permutation", "linalg:lu_pivots_to_permutation"
    ),
    "ormqr_p": View("ormqr", "linalg:ormqr"),
    "qr_p": View("qr", "linalg:qr", several=True),
    "schur_p": View("schur", "linalg:schur", several=True),
    "svd_p": View("svd", "linalg:svd", several=True),
    "symmetric_product_p": View("symmetric_product", "linalg:symmetric_product"),
    "triangular_solve_p": View("triangular_solve", "linalg:triangular_solve"),
    "tridiagonal_p": View("tridiagonal", "linalg:tridiagonal", several=True),
    "tridiagonal_solve_p": View("tridiagonal_solve", "linalg:tridiagonal_solve"),
}
OTHERS: Final = {
    "add_jaxvals_p": View("add_any", "bindings:add_any", "add"),
    "call_p": View(
        "call",
        "",
        "call",
        several=True,
        instead="call treadle.jit",
    ),
    "closed_call_p": View(
        "closed_call",
        "",
        "call",
        several=True,
        instead="call treadle.jit",
    ),
    "custom_jvp_call_p": View(
        "custom_jvp_call",
        "",
        "custom_jvp_call",
        several=True,
        instead="use treadle.custom_jvp",
    ),
    "custom_lin_p": View("custom_lin", several=True, instead="use treadle.custom_vjp"),
    "custom_vjp_call_p": View(
        "custom_vjp_call",
        "",
        "custom_vjp_call",
        several=True,
        instead="use treadle.custom_vjp",
    ),
    "empty2_p": View("empty2", "bindings:empty2"),
    "get_p": View("get", instead="there are no mutable references"),
    "jit_p": View(
        "jit",
        "",
        "call",
        several=True,
        instead="call treadle.jit",
    ),
    "name_p": View("name", "bindings:name", "checkpoint_name"),
    "random_bits_p": View("random_bits", "ops:random_bits", "random_bits"),
    "random_fold_in_p": View("random_fold_in", "ops:random_fold_in", "random_fold_in"),
    "random_gamma_p": View("random_gamma", instead="use treadle.random.gamma"),
    "random_seed_p": View("random_seed", instead="use treadle.random.key"),
    "random_split_p": View("random_split", "ops:random_split", "random_split"),
    "remat_p": View(
        "remat2",
        "",
        "checkpoint",
        several=True,
        instead="call treadle.checkpoint",
    ),
    "swap_p": View("swap", instead="there are no mutable references"),
    "threefry2x32_p": View("threefry2x32", "ops:threefry2x32", "threefry2x32", several=True),
}
