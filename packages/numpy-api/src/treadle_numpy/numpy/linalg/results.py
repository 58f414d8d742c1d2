"""What functions return that return several arrays: tuples with NumPy's names."""

from __future__ import annotations

from typing import NamedTuple

from treadle_ir import Array


class EigResult(NamedTuple):
    """Of `eig`."""

    eigenvalues: Array
    eigenvectors: Array


class EighResult(NamedTuple):
    """Of `eigh`."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """Of `qr`."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """Of `slogdet`."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Of `svd`."""

    U: Array
    S: Array
    Vh: Array
