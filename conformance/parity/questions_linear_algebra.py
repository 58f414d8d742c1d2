"""Questions about linear algebra: what is unique of factorisations - values, products, shapes - and all the rest."""

from __future__ import annotations

from typing import Any, Final

from conformance.parity.questions import Drawer, Group, Question, array, call, filled

DTYPES: Final = ("int32", "float32", "complex64")
WIDE: Final = ("float64", "complex128")
# Far from singular, symmetric, positive definite, with eigenvalues apart.
MATRIX: Final = [[4.0, 1.0, 0.0], [1.0, 3.0, -1.0], [0.0, -1.0, 7.0]]
TALL: Final = [[2.0, 1.0], [-1.0, 2.0], [1.0, 3.0]]
VECTOR: Final = [1.0, 2.0, -1.0]


def _unique(a: Any, tall: Any, v: Any) -> list[Question]:
    asked = [
        call(f"numpy.linalg.{name}", a)
        for name in ("cholesky", "cond", "det", "inv", "matrix_rank", "pinv", "slogdet", "svdvals")
    ]
    asked += [call("numpy.linalg.cholesky", a, upper=True), call("numpy.linalg.eigvalsh", a)]
    asked += [call("numpy.linalg.solve", a, b) for b in (a, v)]
    asked += [call("numpy.linalg.cond", a, p) for p in (1, -1, 2, -2, "fro", "nuc")]
    asked += [call("numpy.linalg.norm", tall, ord) for ord in (2, -2, "nuc")]
    asked.append(call("numpy.linalg.lstsq", tall, v))
    asked += [call("numpy.linalg.tensorinv", a, 1), call("numpy.linalg.tensorsolve", a, v)]
    asked += [call("numpy.linalg.matrix_power", a, n) for n in (-2, -1, 0, 3)]
    asked += [call("numpy.linalg.pinv", tall), call("numpy.linalg.pinv", a, hermitian=True)]
    asked += [call(f"numpy.linalg.{name}", tall) for name in ("matrix_rank", "svdvals", "cond")]
    asked += [call("numpy.linalg.svd", a, hermitian=True, compute_uv=False)]
    asked += [call("scipy.linalg.solve", a, v, assume_a=kind) for kind in ("gen", "pos", "sym")]
    asked += [
        call("scipy.linalg.solve_triangular", a, v, trans, lower=lower)
        for trans in (0, 1, 2)
        for lower in (False, True)
    ]
    asked += [call(f"scipy.linalg.{name}", a) for name in ("expm", "lu", "lu_factor", "cholesky")]
    asked += [call(f"scipy.linalg.{name}", v) for name in ("toeplitz", "hankel", "circulant")]
    asked += [call(f"scipy.linalg.{name}", v) for name in ("fiedler", "companion")]
    asked += [call("scipy.linalg.block_diag", a, v), call("scipy.linalg.convolution_matrix", v, 2)]
    asked += [call("scipy.linalg.eigh", a, eigvals_only=True), call("scipy.linalg.sqrtm", a)]
    return asked


def values(d: Drawer) -> list[Question]:
    """Functions of matrices whose values are unique, in several element types."""
    asked = []
    for dtype in (*DTYPES, *(WIDE if d.x64 else ())):
        a, tall, v = (array(x, dtype) for x in (MATRIX, TALL, VECTOR))
        asked += _unique(a, tall, v)
        if not dtype.startswith("complex"):  # JAX has no QR of complex numbers there
            asked.append(call("numpy.linalg.slogdet", a, method="qr"))
        if dtype != "int32":
            asked += [call("lax.linalg.lu", a), call("lax.linalg.cholesky", a)]
            asked += [
                call("lax.linalg.triangular_solve", a, a, left_side=left, transpose_a=transposed)
                for left in (False, True)
                for transposed in (False, True)
            ]
            asked += [call("lax.linalg.hessenberg", a), call("lax.linalg.tridiagonal", a)]
            asked += [call("scipy.linalg.solve_sylvester", a, a, a)]
    return asked


def batches(d: Drawer) -> list[Question]:
    """Leading axes, and matrices without elements."""
    asked = []
    a, b, v = (
        filled(1, (2, 3, 3), "float32"),
        filled(2, (2, 3, 2), "float32"),
        array(VECTOR, "float32"),
    )
    asked += [
        call(f"numpy.linalg.{name}", a) for name in ("inv", "det", "slogdet", "svdvals", "pinv")
    ]
    asked += [call("numpy.linalg.solve", a, other) for other in (a, b, v)]
    asked += [
        call("scipy.linalg.expm", a),
        call("scipy.linalg.toeplitz", filled(3, (2, 3), "float32")),
    ]
    empty = filled(1, (0, 0), "float32")
    asked += [call(f"numpy.linalg.{name}", empty) for name in ("inv", "det", "slogdet", "cholesky")]
    asked += [call(f"numpy.linalg.{name}", empty) for name in ("eigh", "svd", "qr", "eigvals")]
    asked += [call("numpy.linalg.pinv", filled(1, (0, 3), "float32"))]
    asked += [
        call(f"scipy.linalg.{name}", n)
        for name in ("dft", "helmert", "hilbert", "pascal")
        for n in (1, 2, 4)
    ]
    asked += [call("scipy.linalg.hadamard", n) for n in (1, 4)]
    asked += [call("scipy.linalg.pascal", 3, kind=kind) for kind in ("lower", "upper")]
    return asked


def singular(d: Drawer) -> list[Question]:
    """Ask for factorisations that do not exist: NaN and infinities in the same places."""
    zeros, nan = (
        array([[0.0, 0.0], [0.0, 0.0]], "float32"),
        array([[float("nan")] * 2] * 2, "float32"),
    )
    negative = array([[-1.0, 0.0], [0.0, -1.0]], "float32")
    asked = [call("numpy.linalg.cholesky", x) for x in (zeros, nan, negative)]
    for name in ("det", "slogdet", "eigvalsh", "svdvals", "matrix_rank", "pinv"):
        asked.append(call(f"numpy.linalg.{name}", zeros))
    for name in ("det", "eigvalsh", "svdvals", "eigh", "svd", "inv"):
        asked.append(call(f"numpy.linalg.{name}", nan))
    return asked


GROUPS: Final[dict[str, Group]] = {
    "linear algebra": values,
    "batches of matrices": batches,
    "singular matrices": singular,
}


def wrong() -> list[Question]:
    """Calls that JAX refuses."""
    a, v = array(MATRIX, "float32"), array(VECTOR, "float32")
    tall, half = array(TALL, "float32"), array(MATRIX, "bfloat16")
    asked = [
        call(f"numpy.linalg.{name}", x)
        for name in ("cholesky", "det", "eigh", "eigvals", "inv", "slogdet")
        for x in (tall, v)
    ]
    asked += [
        call(f"numpy.linalg.{name}", half) for name in ("cholesky", "inv", "qr", "svd", "eigh")
    ]
    asked += [call("numpy.linalg.solve", a, array([1.0, 2.0], "float32"))]
    asked += [call("numpy.linalg.qr", a, mode="economic"), call("numpy.linalg.eigh", a, "X")]
    asked += [call("numpy.linalg.lstsq", a, array([1.0, 2.0], "float32"))]
    asked += [call("numpy.linalg.cond", tall, 1), call("numpy.linalg.norm", a, "no")]
    asked += [call("numpy.linalg.slogdet", a, method="no"), call("numpy.linalg.tensorinv", a, 0)]
    asked += [call("numpy.linalg.pinv", a, 1.0, rcond=1.0)]
    asked += [call("lax.linalg.lu", array(MATRIX, "int32")), call("lax.linalg.lu", v)]
    asked += [call("lax.linalg.triangular_solve", a, tall)]
    asked += [call("scipy.linalg.hadamard", 3), call("scipy.linalg.pascal", 3, kind="no")]
    asked += [call("scipy.linalg.dft", 3, "no"), call("scipy.linalg.solve", a, v, assume_a="no")]
    asked += [call("scipy.linalg.polar", a, "no"), call("scipy.linalg.sqrtm", a, 2)]
    asked += [call("scipy.linalg.expm", tall), call("scipy.linalg.leslie", v, v)]
    return asked
