"""Rows of `treadle.numpy`: reductions, statistics, products of arrays, and `linalg`."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

import treadle.numpy as tnp
from conformance.derivatives.row import Function, Row, array

V: Final = [0.5, -1.0, 2.0]
ONE_ZERO: Final = [0.0, 2.0, 3.0]
TWO_ZEROS: Final = [0.0, 2.0, 0.0]
ZEROS: Final = [0.0, 0.0, 0.0]
M: Final = [[0.5, -1.0, 2.0], [0.0, 3.0, 1.5]]
ROW_OF_ZEROS: Final = [[0.0, 0.0, 0.0], [0.5, -1.0, 2.0]]
SQUARE: Final = [[0.5, -1.0], [2.0, 0.0]]
SINGULAR: Final = [[1.0, 2.0], [2.0, 4.0]]
NOTHING: Final = [[0.0, 0.0], [0.0, 0.0]]
THREE: Final = [[1.0, 2.0, 0.0], [0.0, -1.0, 0.5], [2.0, 0.0, 1.0]]
RANK_ONE: Final = [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]

sqrt: Final = np.frompyfunc(mp.sqrt, 1, 1)


def mean(x: Any, axis: Any = None) -> Any:
    """As `numpy.mean`."""
    return np.sum(x, axis=axis) / (x.size if axis is None else x.shape[axis])


def variance(x: Any, ddof: int = 0) -> Any:
    """Of all elements."""
    return np.sum((x - mean(x)) ** 2) / (x.size - ddof)


def deviation(x: Any) -> Any:
    """Of all elements."""
    return mp.sqrt(variance(x))


def covariance(x: Any) -> Any:
    """Of rows."""
    centered = x - mean(x, 1)[:, None]
    return centered.dot(centered.T) / (x.shape[1] - 1)


def correlation(x: Any) -> Any:
    """Of rows."""
    c = covariance(x)
    root = sqrt(np.diagonal(c))
    return c / root[:, None] / root[None, :]


def quantile(share: float) -> Function:
    """Linear between neighbours."""

    def truth(x: Any) -> Any:
        ordered = np.sort(x)
        place = mp.mpf(share) * (x.size - 1)
        low = min(int(place), x.size - 2)
        return ordered[low] + (ordered[low + 1] - ordered[low]) * (place - low)

    return truth


def with_nan(name: str) -> Function:
    """A function of an array with a NaN appended."""
    return lambda x: getattr(tnp, name)(tnp.append(x, np.nan))


def power_sum(p: float) -> Function:
    """The p-norm."""
    return lambda x: mp.power(
        np.sum(np.frompyfunc(lambda e: mp.power(abs(e), p), 1, 1)(x)), mp.mpf(1) / p
    )


def frobenius(x: Any) -> Any:
    """The root of the sum of squares."""
    return mp.sqrt(np.sum(x * x))


def determinant(x: Any) -> Any:
    """By the rule of minors."""
    if len(x) == 1:
        return x[0, 0]
    return sum(
        (-1) ** j * x[0, j] * determinant(np.delete(x[1:], j, axis=1)) for j in range(len(x))
    )


def gradient(x: Any) -> Any:
    """Central differences, one-sided at the ends."""
    inner = (x[2:] - x[:-2]) / 2
    return np.concatenate([[x[1] - x[0]], inner, [x[-1] - x[-2]]])


ALL: Final = (
    *(array(f"numpy.{name}", V, ZEROS) for name in ("sum", "cumsum")),
    *(array(f"numpy.{name}", V, ONE_ZERO, TWO_ZEROS, ZEROS) for name in ("prod", "cumprod")),
    array("numpy.prod", M, ROW_OF_ZEROS, keywords={"axis": 0}),
    array("numpy.cumprod", M, ROW_OF_ZEROS, keywords={"axis": 1}),
    array("numpy.sum", M, keywords={"axis": 0}),
    array("numpy.cumulative_sum", V, truth=np.cumsum),
    array("numpy.cumulative_prod", V, ONE_ZERO, TWO_ZEROS, truth=np.cumprod),
    *(array(f"numpy.{name}", V, kinks=((ZEROS,),)) for name in ("max", "min")),
    *(
        array(f"numpy.{name}", V, truth=getattr(np, name), function=getattr(tnp, name))
        for name in ("amax", "amin")
    ),
    *(array("numpy.ptp", x) for x in (V, M)),
    *(array("numpy.mean", x, truth=mean) for x in (V, M)),
    array(
        "numpy.average",
        (V, [1.0, 2.0, 0.5]),
        (V, ONE_ZERO),
        truth=lambda x, w: np.sum(x * w) / np.sum(w),
        function=lambda x, w: tnp.average(x, weights=w),
    ),
    array("numpy.var", V, ZEROS, truth=variance),
    array("numpy.var", M, ROW_OF_ZEROS, truth=variance),
    array("numpy.var", V, ZEROS, truth=lambda x: variance(x, 1), keywords={"ddof": 1}),
    array("numpy.std", V, truth=deviation, kinks=((ZEROS,),)),
    array("numpy.std", M, truth=deviation),
    *(array("numpy.median", x, truth=quantile(0.5)) for x in (V, [0.5, -1.0, 2.0, 4.0])),
    array("numpy.quantile", V, truth=quantile(0.3), function=lambda x: tnp.quantile(x, 0.3)),
    array("numpy.percentile", V, truth=quantile(0.3), function=lambda x: tnp.percentile(x, 30.0)),
    array("numpy.cov", M, truth=covariance),
    array("numpy.corrcoef", M, truth=correlation),
    array("numpy.nansum", V, ZEROS, truth=np.sum, function=with_nan("nansum")),
    array("numpy.nanprod", V, ONE_ZERO, TWO_ZEROS, truth=np.prod, function=with_nan("nanprod")),
    array("numpy.nanmax", V, truth=np.max, function=with_nan("nanmax")),
    array("numpy.nanmin", V, truth=np.min, function=with_nan("nanmin")),
    array("numpy.nanmean", V, truth=mean, function=with_nan("nanmean")),
    array("numpy.nanvar", V, ZEROS, truth=variance, function=with_nan("nanvar")),
    array("numpy.nanstd", V, truth=deviation, function=with_nan("nanstd")),
    array("numpy.nanmedian", V, truth=quantile(0.5), function=with_nan("nanmedian")),
    array(
        "numpy.nanquantile",
        V,
        truth=quantile(0.3),
        function=lambda x: tnp.nanquantile(tnp.append(x, np.nan), 0.3),
    ),
    array(
        "numpy.nanpercentile",
        V,
        truth=quantile(0.3),
        function=lambda x: tnp.nanpercentile(tnp.append(x, np.nan), 30.0),
    ),
    array(
        "numpy.nancumsum",
        V,
        truth=lambda x: np.append(np.cumsum(x), np.sum(x)),
        function=with_nan("nancumsum"),
    ),
    array(
        "numpy.nancumprod",
        V,
        ONE_ZERO,
        TWO_ZEROS,
        truth=lambda x: np.append(np.cumprod(x), np.prod(x)),
        function=with_nan("nancumprod"),
    ),
    array("numpy.trapezoid", V, truth=lambda y: (y[0] + y[1]) / 2 + (y[1] + y[2]) / 2),
    array(
        "numpy.trapezoid",
        (V, [0.0, 1.0, 3.0]),
        truth=lambda y, x: (y[0] + y[1]) / 2 * (x[1] - x[0]) + (y[1] + y[2]) / 2 * (x[2] - x[1]),
    ),
    *(array("numpy.diff", x) for x in (V, M)),
    array("numpy.ediff1d", V, truth=np.diff),
    array("numpy.gradient", V, truth=gradient),
    array(
        "numpy.unwrap",
        [0.0, 3.0, 7.0],
        truth=lambda x: np.array([x[0], x[1], x[2] - 2 * mp.mpf(np.pi)]),
    ),
    array(
        "numpy.interp",
        (1.25, [0.0, 1.0, 3.0], V),
        (-2.0, [0.0, 1.0, 3.0], V),
        (9.0, [0.0, 1.0, 3.0], V),
        truth=lambda x, xp, fp: (
            fp[0]
            if x < xp[0]
            else fp[2]
            if x > xp[2]
            else fp[1] + (fp[2] - fp[1]) * (x - xp[1]) / (xp[2] - xp[1])
        ),
        kinks=((1.0, [0.0, 1.0, 3.0], V),),
    ),
    array("numpy.polyval", (V, 0.0), (V, 2.0), truth=lambda p, x: (p[0] * x + p[1]) * x + p[2]),
    array(
        "numpy.vander", V, ONE_ZERO, truth=lambda x: np.stack([x * x, x, x * 0 + mp.mpf(1)], axis=1)
    ),
    array(
        "numpy.convolve",
        (V, [1.0, 0.0]),
        truth=lambda x, y: np.array(
            [x[0] * y[0], x[1] * y[0] + x[0] * y[1], x[2] * y[0] + x[1] * y[1], x[2] * y[1]]
        ),
    ),
    array(
        "numpy.correlate",
        (V, [1.0, 0.0]),
        truth=lambda x, y: np.array([x[0] * y[0] + x[1] * y[1], x[1] * y[0] + x[2] * y[1]]),
    ),
    array(
        "numpy.bincount",
        V,
        truth=lambda w: np.array([w[0] + w[2], w[1]]),
        function=lambda w: tnp.bincount(np.array([0, 1, 0]), weights=w),
    ),
    array(
        "numpy.histogram",
        V,
        truth=lambda w: np.array([w[0] + w[2], w[1]]),
        function=lambda w: tnp.histogram(
            np.array([0.1, 0.7, 0.2]), bins=np.array([0.0, 0.5, 1.0]), weights=w
        )[0],
    ),
)
CONTRACTION: Final = (
    array("numpy.dot", (V, ONE_ZERO)),
    array("numpy.dot", (M, V)),
    *(array(f"numpy.{name}", (V, ONE_ZERO)) for name in ("inner", "outer", "cross", "kron")),
    array("numpy.vdot", (V, ONE_ZERO), truth=np.dot),
    array("numpy.vecdot", (V, ONE_ZERO), truth=np.dot),
    array("numpy.matmul", (SQUARE, SINGULAR), truth=np.dot),
    array("numpy.matvec", (M, V), truth=np.dot),
    array("numpy.vecmat", ([1.0, 2.0], M), truth=np.dot),
    array("numpy.tensordot", (M, [V, ONE_ZERO]), keywords={"axes": 2}),
    array(
        "numpy.einsum",
        (M, SQUARE, V),
        truth=lambda x, y, z: np.einsum("ij,ik,j->k", x, y, z),
        function=lambda x, y, z: tnp.einsum("ij,ik,j->k", x, y, z),
    ),
    array("numpy.trace", THREE),
)
LINALG: Final = (
    array("numpy.linalg.det", [[2.0]], truth=determinant),
    array("numpy.linalg.det", SQUARE, SINGULAR, NOTHING, truth=determinant),
    array("numpy.linalg.det", THREE, RANK_ONE, truth=determinant),
    *(
        array(
            f"numpy.linalg.{name}",
            V,
            ONE_ZERO,
            TWO_ZEROS,
            [0.01, 0.0, 0.0],
            truth=frobenius,
            kinks=((ZEROS,),),
        )
        for name in ("norm", "vector_norm")
    ),
    array("numpy.linalg.norm", M, ROW_OF_ZEROS, truth=frobenius),
    array("numpy.linalg.norm", M, truth=lambda x: max(np.sum(abs(x), axis=0)), keywords={"ord": 1}),
    array("numpy.linalg.norm", V, truth=power_sum(1), keywords={"ord": 1}, kinks=((ONE_ZERO,),)),
    array("numpy.linalg.norm", V, truth=power_sum(3), keywords={"ord": 3}),
    array("numpy.linalg.norm", V, ONE_ZERO, truth=power_sum(4), keywords={"ord": 4}),
    array(
        "numpy.linalg.norm",
        V,
        ONE_ZERO,
        truth=power_sum(2),
        function=lambda x: tnp.linalg.norm(x, 2.0),
    ),
    array("numpy.linalg.norm", V, truth=lambda x: max(abs(x)), keywords={"ord": np.inf}),
    array("numpy.linalg.matrix_norm", SQUARE, SINGULAR, truth=frobenius),
    array(
        "numpy.linalg.matrix_power",
        SQUARE,
        NOTHING,
        truth=lambda x: x.dot(x).dot(x),
        function=lambda x: tnp.linalg.matrix_power(x, 3),
    ),
    array(
        "numpy.linalg.multi_dot",
        (SQUARE, SINGULAR, NOTHING),
        truth=lambda x, y, z: x.dot(y).dot(z),
        function=lambda *xs: tnp.linalg.multi_dot(xs),
    ),
    *(array(f"numpy.linalg.{name}", (V, ONE_ZERO)) for name in ("cross", "outer")),
    array("numpy.linalg.trace", THREE),
    array("numpy.linalg.diagonal", THREE),
)
ROWS: Final[tuple[Row, ...]] = (*ALL, *CONTRACTION, *LINALG)
