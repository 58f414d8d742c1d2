"""Linear algebra: triangular systems, factorisations and spectra of the matrices in the last two axes.

Leading axes are a batch. Element types are LAPACK's: f32, f64, c64 and c128; triangular systems may also
be bf16 and f16, computed in f32. No operation raises for the numbers in a matrix: if a factorisation does not exist, or
an iteration does not converge, the matrix's results are NaN and the rest of the batch is not affected.
"""

from __future__ import annotations

from treadle_ir.primitives.linear_algebra.condensed import (
    Hessenberg as Hessenberg,
    Tridiagonal as Tridiagonal,
    hessenberg as hessenberg,
    tridiagonal as tridiagonal,
)
from treadle_ir.primitives.linear_algebra.factorisations import (
    Cholesky as Cholesky,
    HouseholderMultiply as HouseholderMultiply,
    HouseholderProduct as HouseholderProduct,
    Lu as Lu,
    LuPivotsToPermutation as LuPivotsToPermutation,
    Qr as Qr,
    QrReflections as QrReflections,
    cholesky as cholesky,
    householder_multiply as householder_multiply,
    householder_product as householder_product,
    lu as lu,
    lu_pivots_to_permutation as lu_pivots_to_permutation,
    qr as qr,
    qr_reflections as qr_reflections,
)
from treadle_ir.primitives.linear_algebra.spectra import (
    Eig as Eig,
    Eigh as Eigh,
    Schur as Schur,
    Svd as Svd,
    SvdAlgorithm as SvdAlgorithm,
    eig as eig,
    eigh as eigh,
    eigvalsh as eigvalsh,
    schur as schur,
    svd as svd,
)
from treadle_ir.primitives.linear_algebra.triangular import (
    TriangularSolve as TriangularSolve,
    TridiagonalSolve as TridiagonalSolve,
    triangular_solve as triangular_solve,
    tridiagonal_solve as tridiagonal_solve,
)
