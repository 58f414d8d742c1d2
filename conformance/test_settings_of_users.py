"""Settings are about users' operations: no function of the library breaks under them by operations of its own.

Each public function is called as the law of hostile values calls it (`conformance.hostile.calls`), with operands that
need neither promotion nor broadcasting of ranks; and the errors are still there for operands that do.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
import treadle.scipy.linalg
import treadle.scipy.signal
import treadle.scipy.sparse.linalg
import treadle.scipy.special
import treadle.scipy.stats
from conformance.hostile.calls import calls
from treadle import lax, random
from treadle.scipy.spatial.transform import Rotation

pytestmark = pytest.mark.installed

CALLS: Final = list(calls())
PARTS: Final = 4
SETTINGS: Final[dict[str, Callable[[], AbstractContextManager[Any]]]] = {
    "numpy_rank_promotion": lambda: treadle.numpy_rank_promotion("raise"),
    "numpy_dtype_promotion": lambda: treadle.numpy_dtype_promotion("strict"),
    "enable_x64": lambda: treadle.enable_x64(True),
    "disable_jit": lambda: treadle.disable_jit(True),
    "debug_nans": lambda: treadle.debug_nans(True),
}
# Calls whose arguments are of two element types, which must be reported to the user; the values give the reason.
MIXED: Final[dict[str, str]] = {
    **dict.fromkeys(["tnp.promote_types", "tnp.result_type"], "they are asked about two types"),
    **dict.fromkeys(["special.expn", "special.polygamma"], "an integer order with floats"),
    **{
        f"stats.{name}": "counts are integers, probabilities floats; JAX refuses them, too"
        for distribution, functions in {
            "bernoulli": "cdf logpmf pmf ppf",
            "betabinom": "logpmf pmf",
            "binom": "logpmf pmf",
            "geom": "logpmf pmf",
            "nbinom": "logpmf pmf",
            "poisson": "cdf logpmf pmf",
        }.items()
        for name in [f"{distribution}.{function}" for function in functions.split()]
    },
}
SLOW: Final = ("profiler", "distributed")  # they start threads and wait for other processes


def has_nan(result: Any) -> bool:
    """Return whether a result has NaN, which `debug_nans` looks for."""
    leaves = [x for x in treadle.tree.leaves(result) if isinstance(x, (treadle.Array, np.ndarray))]
    return any(bool(np.isnan(np.asarray(x)).any()) for x in leaves if x.dtype.kind in "fc")


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.filterwarnings("ignore")
def test_no_function_breaks_by_itself(part: int) -> None:
    """Twice under each setting: what is kept of the first call is met by the second one."""
    faults = []
    for call in CALLS[part::PARTS]:
        if any(word in call.name for word in SLOW):
            continue
        positional, named = call.arguments()
        found = call.function(*positional, **named)
        for name, setting in SETTINGS.items():
            if name == "debug_nans" and has_nan(found):
                continue
            if name == "numpy_dtype_promotion" and call.name in MIXED:
                continue
            for _ in range(2 if name.startswith("numpy") else 1):
                positional, named = call.arguments()  # of the types that they have without it
                try:
                    with setting():
                        call.function(*positional, **named)
                except Exception as error:
                    faults.append(f"{call.name} under {name}: {str(error).splitlines()[0]}")
    assert not faults, "\n".join(faults)


X: Final = np.array([[0.5, 0.25, 0.75], [0.1, 0.9, 0.3]], np.float32)
V: Final = X[0]
WAVE: Final = np.sin(np.arange(64, dtype=np.float32)).reshape(2, 32)
SQUARE: Final = np.array([[2.0, 0.5, 0.0], [0.5, 3.0, 1.0], [0.0, 1.0, 4.0]], np.float32)
C: Final = (SQUARE + 1j * np.triu(SQUARE, 1) - 1j * np.tril(SQUARE, -1)).astype(np.complex64)
HALVES: Final = V.astype(np.float16)
INTEGERS: Final = np.array([1, 2, 1], np.int32)
signal, stats, solvers = treadle.scipy.signal, treadle.scipy.stats, treadle.scipy.sparse.linalg

# Functions that broadcast and convert inside, on arguments of several ranks or kinds that belong together.
INSIDE: Final[dict[str, Callable[[], Any]]] = {
    "welch": lambda: signal.welch(WAVE, nperseg=8),
    "welch along an axis": lambda: signal.welch(WAVE.T, nperseg=8, axis=0),
    "csd": lambda: signal.csd(WAVE, WAVE, nperseg=8),
    "stft": lambda: signal.stft(WAVE, nperseg=8),
    "istft": lambda: signal.istft(signal.stft(WAVE, nperseg=8)[2], nperseg=8),
    "detrend": lambda: signal.detrend(WAVE),
    "detrend along an axis": lambda: signal.detrend(WAVE, axis=0, type="constant"),
    "polyfit of columns": lambda: tnp.polyfit(V, X.T, 1),
    "random.multivariate_normal": lambda: random.multivariate_normal(
        random.key(0), V, SQUARE, (4, 2)
    ),
    "stats.multivariate_normal.logpdf": lambda: stats.multivariate_normal.logpdf(X, V, SQUARE),
    "stats.multinomial.pmf": lambda: stats.multinomial.pmf(INTEGERS, 4, V / 1.5),
    "stats of integers": lambda: stats.poisson.pmf(INTEGERS, INTEGERS),
    "stats of one kind": lambda: stats.binom.pmf(INTEGERS, INTEGERS, INTEGERS),
    "gaussian_kde": lambda: stats.gaussian_kde(X).logpdf(X),
    "Rotation.apply": lambda: Rotation.from_rotvec(np.ones((2, 3), np.float32)).apply(V),
    **{
        f"{name} of complex numbers": partial(getattr(solvers, name), C, C[0])
        for name in ("cg", "gmres", "bicgstab")
    },
    "cg of a function": lambda: solvers.cg(lambda x: SQUARE @ x, V),
    "lstsq": lambda: tnp.linalg.lstsq(SQUARE[:, :2], V),
    "cond": lambda: tnp.linalg.cond(np.stack([SQUARE, SQUARE])),
    "pinv": lambda: tnp.linalg.pinv(np.stack([SQUARE[:2], SQUARE[:2]])),
    "expm": lambda: treadle.scipy.linalg.expm(np.stack([SQUARE, SQUARE])),
    "var of integers": lambda: tnp.var(INTEGERS),
    "percentile of integers": lambda: tnp.percentile(INTEGERS, 40),
    "median along an axis": lambda: tnp.median(X, axis=0),
    "standardize": lambda: treadle.nn.standardize(X, axis=0),
    "ufunc.outer": lambda: tnp.multiply.outer(X, V),
}


@pytest.mark.parametrize("name", INSIDE)
@pytest.mark.parametrize("setting", [*SETTINGS][:2])
def test_operations_inside(name: str, setting: str) -> None:
    expected = treadle.tree.leaves(INSIDE[name]())
    with SETTINGS[setting]():
        for function in (INSIDE[name], INSIDE[name], treadle.jit(INSIDE[name])):
            found = treadle.tree.leaves(function())
            for x, y in zip(found, expected, strict=True):
                np.testing.assert_allclose(x, y, rtol=2e-3, atol=2e-4)


def of_ranks() -> dict[str, Callable[[Any, Any], Any]]:
    """Users' operations on arrays of two and one axes, which JAX refuses under `raise`."""
    ufuncs = (
        "add multiply hypot logaddexp fmod power minimum arctan2 equal divmod copysign nextafter"
    )
    functions = {name: getattr(tnp, name) for name in ufuncs.split()}
    return {
        **functions,
        **{name: getattr(tnp, name) for name in ("isclose", "allclose", "geomspace")},
        "+": lambda x, y: x + y,
        "**": lambda x, y: x**y,
        "<": lambda x, y: x < y,
        "in a loop": lambda x, y: lax.scan(lambda c, a: (c * a, a), x, y[None]),
        "under jit": lambda x, y: treadle.jit(lambda x, y: x - y)(x, y),
        "under grad": lambda x, y: treadle.grad(lambda x: (x * y).sum())(x),
        "in vmap": lambda x, y: treadle.vmap(lambda x: x * y)(x[None]),
        "in a solver's map": lambda x, y: solvers.cg(lambda z: z + (x * y).sum(), y),
        "clip": lambda x, y: tnp.clip(x, y, y + 1),
        "trapezoid": tnp.trapezoid,
        "xlogy": treadle.scipy.special.xlogy,
        **{
            f"stats.{name}": lambda x, y, name=name: getattr(stats, name).pdf(x, y)
            for name in ("norm", "gamma", "t", "chi2", "pareto", "gennorm", "vonmises")
        },
        "stats.beta.logcdf": lambda x, y: stats.beta.logcdf(x, y, y),
    }


def of_types() -> dict[str, Callable[[Any, Any], Any]]:
    """Users' operations on vectors of two element types, which JAX refuses under `strict`."""
    names = (
        "add multiply hypot logaddexp minimum equal dot kron cross inner outer vdot where_ append"
    )
    names += " union1d intersect1d isclose array_equal polyval convolve interp_ put_ histogram2d"
    functions = {name: getattr(tnp, name) for name in names.split() if not name.endswith("_")}
    return {
        **functions,
        "where": lambda x, y: tnp.where(x > 0, x, y),
        "interp": lambda x, y: tnp.interp(x, x, y),
        "put": lambda x, y: tnp.put(x, np.arange(3), y, inplace=False),
        "+": lambda x, y: x + y,
        "@": lambda x, y: x @ y,
        "x.at": lambda x, y: x.at[:].set(y),
        "integers": lambda x, y: tnp.asarray(INTEGERS) + 0.5,
        **{
            name: lambda x, y, name=name: getattr(tnp, name)([x, y])
            for name in ("concatenate", "stack", "hstack", "vstack", "block")
        },
        "linalg.solve": lambda x, y: tnp.linalg.solve(SQUARE, y),
        "scipy.linalg.solve": lambda x, y: treadle.scipy.linalg.solve(SQUARE, y),
        "linalg.outer": tnp.linalg.outer,
        "add.outer": tnp.add.outer,
        "add.at": lambda x, y: tnp.add.at(x, np.arange(3), y, inplace=False),
        "stats.norm": lambda x, y: stats.norm.pdf(x, y),
        "stats.poisson": lambda x, y: stats.poisson.pmf(INTEGERS, x),
        "under jit": lambda x, y: treadle.jit(lambda x, y: x - y)(x, y),
        **{
            name: lambda x, y, name=name: getattr(solvers, name)(SQUARE, y)
            for name in ("cg", "gmres")
        },
    }


RANKS: Final = of_ranks()
TYPES: Final = of_types()


@pytest.mark.parametrize("name", RANKS)
def test_ranks_of_users(name: str) -> None:
    """Refused each time, also after functions of the library have met the same shapes inside."""
    x, y = tnp.asarray(X), tnp.asarray(V)
    with SETTINGS["numpy_rank_promotion"]():
        for _ in range(2):
            stats.multivariate_normal.logpdf(x, y, SQUARE)
            tnp.multiply.outer(y, y)
        for _ in range(3):
            with pytest.raises(treadle.errors.ShapeError, match="numpy_rank_promotion is 'raise'"):
                RANKS[name](x, y)
    RANKS[name](x, y)


@pytest.mark.parametrize("name", TYPES)
def test_types_of_users(name: str) -> None:
    x, y = tnp.asarray(V), tnp.asarray(HALVES)
    with SETTINGS["numpy_dtype_promotion"]():
        for _ in range(3):
            with pytest.raises(
                treadle.errors.DTypeError, match="numpy_dtype_promotion is 'strict'"
            ):
                TYPES[name](x, y)
    TYPES[name](x, y)


def test_nans_on_the_way_are_not_the_users() -> None:
    """`inf - inf` in `logaddexp`, `0 * -inf` in `xlogy`; nans in results are found, and the operation is named."""
    inf, zero = tnp.full(2, np.inf), tnp.zeros(2)
    with treadle.debug_nans(True):
        assert np.isinf(np.asarray(tnp.logaddexp(inf, inf))).all()
        assert (np.asarray(treadle.scipy.special.xlogy(zero, zero)) == 0).all()
        assert bool(tnp.allclose(inf, inf))
        assert np.isfinite(np.asarray(stats.poisson.entropy(zero))).all()
        with pytest.raises(FloatingPointError, match="encountered in log"):
            treadle.scipy.special.xlogy(zero + 1, zero - 1)
