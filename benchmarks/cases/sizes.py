"""Linear algebra and Fourier transforms of matrices of 10, 100 and 1000 rows, and vectors of as many elements.

A line of the table has a namespace of treadle and jax, names in it, and the arguments. They are compared with the
same names of SciPy and NumPy: of `scipy.linalg` its own, of `numpy.linalg` NumPy's, and `scipy.fft` for the
transforms. `x64` in front of the colon: also in double precision, in processes of their own. `sizes_page.py` writes
the page.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy

from cases.base import ALL, Case, Namespace

ROWS: Final = (10, 100, 1000)
X64: Final = " f64"  # behind the names of cases in double precision
TABLE: Final = """
numpy.linalg x64: solve (s, m)
numpy.linalg x64: inv det eigvalsh (s)
numpy.linalg: slogdet cholesky eigh (s)
numpy.linalg: eig eigvals qr svdvals pinv matrix_rank (m)
numpy.linalg x64: svd (m, full_matrices=False)
numpy.linalg: lstsq (s, m)
numpy.linalg: matrix_power (a, 3)
numpy.linalg: norm (m, 2)
numpy x64: matmul (m, m)
scipy.linalg: lu lu_factor svd schur hessenberg polar (m)
scipy.linalg: cho_factor (s)
scipy.linalg: expm sqrtm (a)
scipy.linalg: cho_solve ((l, True), m)
scipy.linalg: lu_solve ((f, p), m)
scipy.linalg: solve_triangular (l, m, lower=True)
scipy.linalg: toeplitz (x)
scipy.linalg: block_diag (m, m)
numpy.fft x64: fft rfft (x)
numpy.fft: ifft (z)
numpy.fft: irfft (h)
numpy.fft x64: fft2 (m)
numpy.fft: fftn ifftn rfftn (m)
"""
_LINE: Final = re.compile(r"([\w.]+)( x64)?: ([\w ]+?) (\(.*\))")
_SCIPY: Final = {"numpy.fft": "scipy.fft"}


@functools.cache
def arrays(rows: int, double: bool) -> dict[str, Any]:
    """The values that a line of the table may name, by NumPy."""
    drawn = numpy.random.default_rng(0)
    real = numpy.dtype(numpy.float64 if double else numpy.float32)
    complex_ = numpy.result_type(real, numpy.complex64)
    m = drawn.standard_normal((rows, rows)).astype(real)
    s = (m @ m.T / rows + numpy.eye(rows)).astype(real)
    factors, pivots = importlib.import_module("scipy.linalg").lu_factor(s)
    x = drawn.standard_normal(rows).astype(real)
    return {
        "m": m,
        "a": (m / rows**0.5).astype(real),  # of norm 2
        "s": s,
        "l": numpy.linalg.cholesky(s),
        "f": factors,
        "p": pivots,
        "x": x,
        "z": numpy.fft.fft(x).astype(complex_),
        "h": numpy.fft.rfft(x).astype(complex_),
    }


def called(
    namespace: str, name: str, arguments: str, rows: int, jitted: bool, double: bool
) -> Case:
    """One call of one function; SciPy's is the same with jit and without."""

    def make(ns: Namespace) -> Callable[[], Any]:
        scipy = ns.library == "numpy"
        module = _SCIPY.get(namespace, namespace) if scipy else f"{ns.library}.{namespace}"
        values = arrays(rows, double)
        used = [each for each in values if re.search(rf"(?<![.\w]){each}\b(?!=)", arguments)]
        given = [values[each] if scipy else ns.np.asarray(values[each]) for each in used]
        constants = {"function": getattr(importlib.import_module(module), name)}
        body: Callable[..., Any] = eval(f"lambda {', '.join(used)}: function{arguments}", constants)
        call = ns.jit(body) if jitted and not scipy else body
        return lambda: call(*given)

    title = f"{namespace}.{name} {'jit' if jitted else 'eager'} {rows}{X64 if double else ''}"
    # Vectors up to a sign, eigenvalues in any order, determinants beyond the range.
    return Case(title, make, libraries=ALL, compared="linalg" not in namespace)


def every() -> Iterator[Case]:
    """All cases of the table."""
    for line in TABLE.strip().splitlines():
        found = _LINE.fullmatch(line)
        assert found is not None, line
        namespace, mark, names, arguments = found.groups()
        for name in names.split():
            for double in (False, True) if mark else (False,):
                for jitted in (False, True):
                    for rows in ROWS:
                        yield called(namespace, name, arguments, rows, jitted, double)


CASES: Final = tuple(every())
