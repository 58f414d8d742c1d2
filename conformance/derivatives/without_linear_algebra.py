"""Functions of linear algebra that have no row."""

from __future__ import annotations

from typing import Final

from conformance.derivatives.without import INTEGERS, NUMBERS, TYPES

NO_DERIVATIVE: Final = "it has no derivative: it raises an error"


def _names(namespace: str, names: str, reason: str) -> dict[str, str]:
    return {f"{namespace}.{name}": reason for name in names.split()}


WITHOUT: Final[dict[str, str]] = {
    **_names("numpy.linalg", "matrix_rank", INTEGERS),
    **_names("lax.linalg", "lu_pivots_to_permutation", INTEGERS),
    **_names("lax.linalg", "EigImplementation EighImplementation SvdAlgorithm", TYPES),
    **_names("lax.linalg", "hessenberg householder_product ormqr schur tridiagonal", NO_DERIVATIVE),
    **_names("scipy.linalg", "funm hessenberg schur", NO_DERIVATIVE),
    **_names("scipy.linalg", "rsf2csf", "it takes Schur's form, which has no derivative"),
    **_names("scipy.linalg", "dft hadamard helmert hilbert invhilbert invpascal pascal", NUMBERS),
}
