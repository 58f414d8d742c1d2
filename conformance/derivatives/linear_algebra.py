"""Rows of linear algebra: factorisations and solutions by textbook formulas on mpmath's numbers.

Signs of vectors are fixed on both sides, by making a diagonal or a sum positive.
"""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

import treadle.lax.linalg as ll
import treadle.numpy as tnp
import treadle.scipy.linalg as sl
from conformance.derivatives.row import Row, array

# Far from singular, with eigenvalues apart; pivots stay in the first rows.
A: Final = [[3.0, 0.5], [0.25, -2.0]]
B: Final = [[1.0, -0.5], [2.0, 0.75]]
THREE: Final = [[4.0, 1.0, 0.5], [0.5, -3.0, 0.25], [1.0, -0.5, 2.0]]
TALL: Final = [[2.0, 0.5], [-1.0, 1.5], [0.5, 1.25]]
WIDE: Final = [[2.0, -1.0, 0.5], [0.5, 1.5, 1.25]]
FOUR: Final = [
    [4.0, 0.5, 1.0, -0.5],
    [1.0, 3.0, 0.5, 0.25],
    [0.5, -1.0, 5.0, 1.0],
    [0.25, 0.5, -1.0, -4.0],
]
W: Final = [1.0, -2.0]


def solved(a: Any, b: Any) -> Any:
    """Gauss and Jordan, without pivoting."""
    n = len(a)
    x = np.concatenate([a, b.reshape(n, -1)], axis=1).astype(object)
    for i in range(n):
        x[i] = x[i] / x[i, i]
        for j in range(n):
            if j != i:
                x[j] = x[j] - x[j, i] * x[i]
    return x[:, n:].reshape(b.shape)


def inverse(a: Any) -> Any:
    return solved(a, np.array([[mp.mpf(i == j) for j in range(len(a))] for i in range(len(a))]))


def eliminated(a: Any) -> Any:
    """L below, U above."""
    x = np.array(a, object)
    for i in range(min(x.shape)):
        x[i + 1 :, i] = x[i + 1 :, i] / x[i, i]
        x[i + 1 :, i + 1 :] = x[i + 1 :, i + 1 :] - np.outer(x[i + 1 :, i], x[i, i + 1 :])
    return x


def determinant(a: Any) -> Any:
    product = mp.mpf(1)
    for each in np.diagonal(eliminated(a)):
        product = product * each
    return product


def cholesky(a: Any) -> Any:
    n = len(a)
    low = np.full((n, n), mp.mpf(0), object)
    for j in range(n):
        low[j, j] = mp.sqrt(a[j, j] - sum(low[j, :j] ** 2, mp.mpf(0)))
        for i in range(j + 1, n):
            low[i, j] = (a[i, j] - sum(low[i, :j] * low[j, :j], mp.mpf(0))) / low[j, j]
    return low


def half(a: Any) -> Any:
    """The symmetric part."""
    return (a + a.T) / 2


def gram_schmidt(a: Any) -> tuple[Any, Any]:
    """Q and R with a positive diagonal."""
    m, n = a.shape
    k = min(m, n)
    q, r = np.full((m, k), mp.mpf(0), object), np.full((k, n), mp.mpf(0), object)
    for j in range(n):
        v = np.array(a[:, j])
        for i in range(min(j, k)):
            r[i, j] = sum(q[:, i] * a[:, j], mp.mpf(0))
            v = v - r[i, j] * q[:, i]
        if j < k:
            r[j, j] = mp.sqrt(sum(v**2, mp.mpf(0)))
            q[:, j] = v / r[j, j]
    return q, r


def positive_qr(q: Any, r: Any, *rest: Any) -> tuple[Any, Any]:
    """The same with a positive diagonal of R."""
    signs = tnp.sign(tnp.diagonal(r))
    return q * signs, r * signs[:, None]


def spectrum(a: Any) -> tuple[Any, Any]:
    """Ascending eigenvalues of a symmetric 2 by 2 matrix, and vectors with a positive sum."""
    (p, q), (_, s) = a
    centre, radius = (p + s) / 2, mp.sqrt(((p - s) / 2) ** 2 + q**2)
    values = [centre - radius, centre + radius]
    vectors = []
    for w in values:
        v = np.array([q, w - p])
        v = v / mp.sqrt(v[0] ** 2 + v[1] ** 2)
        vectors.append(v if v[0] + v[1] > 0 else -v)
    return np.array(values), np.array(vectors).T


def positive_columns(v: Any) -> Any:
    return v * tnp.sign(tnp.sum(v, axis=0))


def singular(a: Any) -> tuple[Any, Any, Any]:
    """Of a matrix with two columns: U, s, V, with positive sums of V's columns."""
    values, v = spectrum(a.T @ a)
    s = np.array([mp.sqrt(each) for each in values[::-1]])
    v = v[:, ::-1]
    return (a @ v) / s, s, v


def singular_values(a: Any) -> Any:
    return singular(a if a.shape[1] == 2 else a.T)[1]


def positive_svd(a: Any) -> tuple[Any, Any, Any]:
    u, s, vh = ll.svd(a, full_matrices=False)
    signs = tnp.sign(tnp.sum(vh, axis=1))
    return u * signs, s, (vh * signs[:, None]).T


def eigenvalues(a: Any) -> Any:
    """Of a 2 by 2 matrix with real ones, ascending."""
    half_, det = (a[0, 0] + a[1, 1]) / 2, a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0]
    root = mp.sqrt(half_**2 - det)
    return np.array([half_ - root, half_ + root])


def eigenvectors(a: Any) -> Any:
    """Columns of norm 1 with positive sums."""
    columns = []
    for w in eigenvalues(a):
        v = np.array([a[0, 1], w - a[0, 0]])
        v = v / mp.sqrt(v[0] ** 2 + v[1] ** 2)
        columns.append(v if v[0] + v[1] > 0 else -v)
    return np.array(columns).T


def ascending(values: Any, *vectors: Any) -> Any:
    """Real eigenvalues in order, with their vectors."""
    order = tnp.argsort(tnp.real(values))
    return [tnp.real(values)[order], *[positive_columns(tnp.real(v)[:, order]) for v in vectors]]


def pseudo_inverse(a: Any) -> Any:
    return solved(a.T @ a, np.array(a.T)) if a.shape[0] >= a.shape[1] else pseudo_inverse(a.T).T


def through_values(of: Any, a: Any) -> Any:
    """A function of a 2 by 2 matrix by its values on the spectrum: Newton's interpolation."""
    one, other = eigenvalues(a)
    slope = (of(other) - of(one)) / (other - one)
    eye = np.array([[mp.mpf(1), mp.mpf(0)], [mp.mpf(0), mp.mpf(1)]])
    return of(one) * eye + slope * (a - one * eye)


def sylvester(a: Any, b: Any, c: Any) -> Any:
    """As one system of equations."""
    m, n = c.shape
    system = np.full((m * n, m * n), mp.mpf(0), object)
    for i in range(m):
        for j in range(n):
            for k in range(m):
                system[i * n + j, k * n + j] += a[i, k]
            for k in range(n):
                system[i * n + j, i * n + k] += b[k, j]
    return solved(system, c.reshape(-1)).reshape(m, n)


def lower_solved(a: Any, b: Any) -> Any:
    return solved(np.tril(a), b)


def tridiagonal(low: Any, diagonal: Any, high: Any, b: Any) -> Any:
    return solved(np.diag(diagonal) + np.diag(low[1:], -1) + np.diag(high[:-1], 1), b)


def polar(a: Any) -> tuple[Any, Any]:
    """A (AᵀA)^(-1/2), (AᵀA)^(1/2)."""
    p = through_values(mp.sqrt, a.T @ a)
    return np.dot(a, inverse(p)), p


def norm_of(values: Any, ord: Any) -> Any:
    norms: dict[Any, Any] = {2: max, -2: min, "nuc": sum}
    return norms[ord](values)


def logarithm(a: Any) -> Any:
    return mp.log(abs(determinant(a)))


def _slope(f: Any) -> Any:
    """The derivative at 0, by a step so small that its square is below the precision."""
    h = mp.mpf(2) ** (-mp.mp.prec // 3)
    return (f(h) - f(-h)) / (2 * h)


POSITIVE: Final = [[4.0, 1.0], [1.0, 3.0]]
LOW: Final = [0.0, 0.5, 1.0]
DIAGONAL: Final = [4.0, -3.0, 5.0]
RIGHT: Final = [[1.0], [2.0], [-1.0]]


def _named(names: str, *at: Any, **more: Any) -> list[Row]:
    return [array(name, *at, **more) for name in names.split()]


def _triangular(a: Any, b: Any) -> Any:
    return ll.triangular_solve(a, b, left_side=True, lower=True)


SYSTEMS: Final = (
    *_named("numpy.linalg.solve scipy.linalg.solve", (THREE, [1.0, 2.0, -1.0]), truth=solved),
    array("numpy.linalg.solve", (A, B), truth=solved),
    *_named("numpy.linalg.inv scipy.linalg.inv", A, truth=inverse),
    *_named("numpy.linalg.det scipy.linalg.det", FOUR, truth=determinant),
    array("numpy.linalg.slogdet", FOUR, truth=lambda a: (mp.sign(determinant(a)), logarithm(a))),
    array(
        "numpy.linalg.slogdet",
        A,
        truth=lambda a: (mp.sign(determinant(a)), logarithm(a)),
        keywords={"method": "qr"},
    ),
    array("numpy.linalg.tensorinv", A, truth=inverse, keywords={"ind": 1}),
    array("numpy.linalg.tensorsolve", (A, W), truth=solved),
    array(
        "numpy.linalg.matrix_power",
        A,
        truth=inverse,
        function=lambda x: tnp.linalg.matrix_power(x, -1),
    ),
    array("numpy.linalg.pinv", TALL, truth=pseudo_inverse),
    array("numpy.linalg.pinv", WIDE, truth=pseudo_inverse),
    array(
        "numpy.linalg.pinv",
        POSITIVE,
        truth=lambda a: inverse(half(a)),
        function=lambda x: tnp.linalg.pinv((x + x.T) / 2, hermitian=True),
    ),
    array(
        "numpy.linalg.lstsq",
        (TALL, [1.0, -1.0, 2.0]),
        truth=lambda a, b: pseudo_inverse(a) @ b,
        function=lambda a, b: tnp.linalg.lstsq(a, b)[0],
    ),
    array(
        "numpy.linalg.lstsq",
        (WIDE, W),
        truth=lambda a, b: pseudo_inverse(a) @ b,
        function=lambda a, b: tnp.linalg.lstsq(a, b)[0],
    ),
    array("lax.linalg.triangular_solve", (A, B), truth=lower_solved, function=_triangular),
    array("scipy.linalg.solve_triangular", (A, W), truth=lower_solved, keywords={"lower": True}),
    array("lax.linalg.tridiagonal_solve", (LOW, DIAGONAL, LOW, RIGHT), truth=tridiagonal),
    array(
        "scipy.linalg.cho_solve",
        (POSITIVE, W),
        truth=lambda c, b: solved(np.tril(c) @ np.tril(c).T, b),
        function=lambda c, b: sl.cho_solve((c, True), b),
    ),
    array(
        "scipy.linalg.lu_solve",
        (POSITIVE, W),
        truth=lambda lu, b: solved((np.tril(lu, -1) + np.diag([mp.mpf(1)] * 2)) @ np.triu(lu), b),
        function=lambda lu, b: sl.lu_solve((lu, np.arange(2, dtype=np.int32)), b),
    ),
    array(
        "scipy.linalg.solve_sylvester",
        (A, POSITIVE, B),
        truth=sylvester,
    ),
    array(
        "scipy.linalg.solve_sylvester",
        (A, POSITIVE, B),
        truth=sylvester,
        keywords={"method": "eigen"},
        orders=1,
        because="the same equation: first derivatives tell",
    ),
)
FACTORISATIONS: Final = (
    *_named(
        "lax.linalg.cholesky numpy.linalg.cholesky", POSITIVE, truth=lambda a: cholesky(half(a))
    ),
    array("scipy.linalg.cholesky", POSITIVE, truth=cholesky, keywords={"lower": True}),
    array(
        "scipy.linalg.cho_factor",
        POSITIVE,
        truth=cholesky,
        function=lambda a: sl.cho_factor(a, lower=True)[0],
    ),
    *[
        array("lax.linalg.lu", a, truth=eliminated, function=lambda x: ll.lu(x)[0])
        for a in (THREE, TALL, WIDE)
    ],
    array("scipy.linalg.lu_factor", A, truth=eliminated, function=lambda x: sl.lu_factor(x)[0]),
    array(
        "scipy.linalg.lu",
        A,
        truth=lambda a: (np.tril(eliminated(a), -1), np.triu(eliminated(a))),
        function=lambda a: (tnp.tril(sl.lu(a)[1], -1), sl.lu(a)[2]),
    ),
    *[
        array(name, a, truth=gram_schmidt, function=function)
        for name, function in (
            ("lax.linalg.qr", lambda x: positive_qr(*ll.qr(x, full_matrices=False))),
            ("numpy.linalg.qr", lambda x: positive_qr(*tnp.linalg.qr(x))),
            ("scipy.linalg.qr", lambda x: positive_qr(*sl.qr(x, mode="economic"))),
        )
        for a in ((TALL, WIDE) if name[0] == "l" else (TALL,))
    ],
    array(
        "scipy.linalg.qr_multiply",
        (TALL, WIDE),
        truth=lambda a, c: c @ gram_schmidt(a)[0],
        function=lambda a, c: (
            sl.qr_multiply(a, c)[0] * tnp.sign(tnp.diagonal(sl.qr_multiply(a, c)[1]))
        ),
    ),
    array(
        "lax.linalg.cholesky_update",
        ([[2.0, 0.5], [0.0, 1.5]], W),
        truth=lambda r, w: cholesky(np.triu(r).T @ np.triu(r) + np.outer(w, w)).T,
        function=lambda r, w: ll.cholesky_update(tnp.triu(r), w),
        orders=1,
        because="higher derivatives of a loop compile for a minute",
    ),
    array(
        "lax.linalg.symmetric_product",
        (TALL, [[1.0, 2.0, 0.0], [2.0, 0.5, 1.0], [0.0, 1.0, 3.0]]),
        truth=lambda a, c: 2 * a @ a.T + 3 * c,
        function=lambda a, c: ll.symmetric_product(a, c, alpha=2.0, beta=3.0),
    ),
)
SPECTRA: Final = (
    array(
        "numpy.linalg.eigh",
        POSITIVE,
        truth=lambda a: spectrum(half(a)),
        function=lambda x: [tnp.linalg.eigh(x)[0], positive_columns(tnp.linalg.eigh(x)[1])],
    ),
    array(
        "lax.linalg.eigh",
        POSITIVE,
        truth=lambda a: spectrum(half(a))[::-1],
        function=lambda x: [positive_columns(ll.eigh(x)[0]), ll.eigh(x)[1]],
    ),
    array(
        "scipy.linalg.eigh",
        POSITIVE,
        truth=lambda a: spectrum(half(a))[0],
        keywords={"eigvals_only": True},
    ),
    array("numpy.linalg.eigvalsh", POSITIVE, truth=lambda a: spectrum(half(a))[0]),
    array(
        "scipy.linalg.eigh_tridiagonal",
        ([4.0, 1.0], [0.5]),
        truth=lambda d, e: spectrum(np.array([[d[0], e[0]], [e[0], d[1]]]))[0],
        keywords={"eigvals_only": True},
    ),
    array("numpy.linalg.svdvals", TALL, truth=singular_values),
    array("numpy.linalg.svdvals", WIDE, truth=singular_values),
    array("lax.linalg.svd", TALL, truth=singular, function=positive_svd),
    array(
        "numpy.linalg.svd",
        WIDE,
        truth=lambda a: singular(a.T)[1],
        function=lambda x: tnp.linalg.svd(x)[1],
    ),
    array("scipy.linalg.svd", TALL, truth=singular_values, keywords={"compute_uv": False}),
    *[
        array(
            "numpy.linalg.norm",
            TALL,
            truth=lambda a, ord=ord: norm_of(singular_values(a), ord),
            keywords={"ord": ord},
        )
        for ord in (2, -2, "nuc")
    ],
    array("numpy.linalg.cond", TALL, truth=lambda a: singular_values(a)[0] / singular_values(a)[1]),
    array(
        "numpy.linalg.cond",
        A,
        truth=lambda a: mp.sqrt(np.sum(a**2)) * mp.sqrt(np.sum(inverse(a) ** 2)),
        keywords={"p": "fro"},
    ),
    array(
        "numpy.linalg.eigvals",
        A,
        truth=eigenvalues,
        function=lambda x: ascending(tnp.linalg.eigvals(x)),
    ),
    array(
        "numpy.linalg.eig",
        A,
        truth=lambda a: (eigenvalues(a), eigenvectors(a)),
        function=lambda x: ascending(*tnp.linalg.eig(x)),
    ),
    array(
        "lax.linalg.eig",
        A,
        truth=lambda a: (eigenvalues(a), eigenvectors(a.T), eigenvectors(a)),
        function=lambda x: ascending(*ll.eig(x)),
        orders=2,
        because="as of numpy.linalg.eig, which has the third",
    ),
)
FUNCTIONS: Final = (
    array("scipy.linalg.expm", A, truth=lambda a: through_values(mp.exp, a)),
    array(
        "scipy.linalg.expm_frechet",
        (A, B),
        truth=lambda a, e: _slope(lambda t: through_values(mp.exp, a + t * e)),
        keywords={"compute_expm": False},
        orders=1,
        because="the truth is a numerical derivative itself, of which mpmath takes no second one",
    ),
    array(
        "scipy.linalg.sqrtm",
        POSITIVE,
        truth=lambda a: through_values(mp.sqrt, a),
        function=lambda x: tnp.real(sl.sqrtm(x)),
    ),
    array(
        "lax.linalg.qdwh",
        TALL,
        truth=polar,
        function=lambda x: ll.qdwh(x)[:2],
        orders=2,
        because="as of polar, which has the third",
    ),
    array("scipy.linalg.polar", TALL, truth=polar),
)


def _structured(name: str, *at: Any, truth: Any) -> Row:
    """Linear functions, of which the third power is taken, so that derivatives are of all orders."""

    def cubed(*operands: Any) -> Any:
        return getattr(sl, name)(*operands) ** 3

    def true_cubes(*operands: Any) -> Any:
        return np.array(truth(*operands)) ** 3

    return array(f"scipy.linalg.{name}", at, truth=true_cubes, function=cubed)


NIL: Final = mp.mpf(0)
STRUCTURED: Final = (
    _structured(
        "toeplitz",
        W,
        [3.0, 2.0, 0.5],
        truth=lambda c, r: [[c[0], r[1], r[2]], [c[1], c[0], r[1]]],
    ),
    _structured("hankel", W, [3.0, 2.0], truth=lambda c, r: [[c[0], c[1]], [c[1], r[1]]]),
    _structured("circulant", W, truth=lambda c: [[c[0], c[1]], [c[1], c[0]]]),
    *[
        _structured(
            name,
            [2.0, 3.0, -1.0],
            truth=lambda a: [[-a[1] / a[0], -a[2] / a[0]], [mp.mpf(1), NIL]],
        )
        for name in ("companion", "fiedler_companion")
    ],
    _structured("leslie", [1.0, 2.0], [0.5], truth=lambda f, s: [[f[0], f[1]], [s[0], NIL]]),
    _structured("fiedler", W, truth=lambda a: [[NIL, abs(a[0] - a[1])], [abs(a[0] - a[1]), NIL]]),
    array(
        "scipy.linalg.convolution_matrix",
        W,
        truth=lambda a: np.array([[a[0], NIL], [a[1], a[0]], [NIL, a[1]]]) ** 3,
        function=lambda a: sl.convolution_matrix(a, 2) ** 3,
    ),
    _structured(
        "block_diag",
        A,
        W,
        truth=lambda a, w: [[*a[0], NIL, NIL], [*a[1], NIL, NIL], [NIL, NIL, w[0], w[1]]],
    ),
)
ROWS: Final[tuple[Row, ...]] = (*SYSTEMS, *FACTORISATIONS, *SPECTRA, *FUNCTIONS, *STRUCTURED)
