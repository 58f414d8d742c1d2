"""Functions on whole arrays against NumPy, eagerly under the reference evaluator and staged."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, strategies as st

import treadle_numpy as tnp
from treadle_ir import ArgumentError, ShapeError
from treadle_ir.errors import IndexingError, TracerIntegerConversionError

X = np.array([[3.0, -1.0, 2.0], [0.5, 4.0, -2.5]], np.float32)
BIG = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
V = np.array([3.0, 1.0, 2.0, 1.0], np.float32)
NAN = np.array([1.0, np.nan, 3.0], np.float32)

# each for both modules: written with `m` for tnp or np, and arguments that are traced
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "sum": (lambda m, x: m.sum(x, axis=1, keepdims=True), (X,)),
    "prod": (lambda m, x: m.prod(x, axis=(0, 2)), (BIG + 1,)),
    "max": (lambda m, x: m.max(x, axis=0), (X,)),
    "any": (lambda m, x: m.any(x > 3, axis=1), (X,)),
    "argmax": (lambda m, x: m.argmax(x), (X,)),
    "argmin keepdims": (lambda m, x: m.argmin(x, axis=1, keepdims=True), (X,)),
    "cumsum": (lambda m, x: m.cumsum(x, axis=1), (X,)),
    "mean": (lambda m, x: m.mean(x, axis=(0, 2)), (BIG,)),
    "var": (lambda m, x: m.var(x, axis=1, ddof=1), (X,)),
    "std": (lambda m, x: m.std(x), (X,)),
    "median": (lambda m, x: m.median(x, axis=1), (BIG,)),
    "quantile": (lambda m, x: m.quantile(x, np.array([0.1, 0.9], np.float32), axis=1), (X,)),
    "quantile inverted_cdf": (
        lambda m, x: m.quantile(x, np.array([0, 0.3, 0.5, 1], np.float32), method="inverted_cdf"),
        (X,),
    ),
    "nanpercentile inverted_cdf": (
        lambda m, x: m.nanpercentile(x, np.float32(50), method="inverted_cdf"),
        (NAN,),
    ),
    "quantile weights": (
        lambda m, x, w: m.quantile(
            x, np.array([0, 0.3, 0.5, 1], np.float32), axis=1, weights=w, method="inverted_cdf"
        ),
        (X, np.array([1, 3, 2], np.float32)),
    ),
    "percentile weights": (
        lambda m, x, w: m.percentile(x, np.float32(60), weights=w, method="inverted_cdf"),
        (X, np.array([[1, 2, 3], [4, 1, 2]], np.float32)),
    ),
    "nanquantile": (lambda m, x: m.nanquantile(x, np.float32(0.25), keepdims=True), (NAN,)),
    "percentile": (lambda m, x: m.percentile(x, np.float32(30), axis=(0, 2)), (BIG,)),
    "nanstd": (lambda m, x: m.nanstd(x, ddof=1), (NAN,)),
    "nanmean": (lambda m, x: m.nanmean(x), (NAN,)),
    "nanmax": (lambda m, x: m.nanmax(x), (NAN,)),
    "average": (
        lambda m, x, w: m.average(x, axis=1, weights=w),
        (X, np.array([1, 2, 3], np.float32)),
    ),
    "cov": (lambda m, x: m.cov(x), (X,)),
    "corrcoef": (lambda m, x: m.corrcoef(x), (X,)),
    "reshape": (lambda m, x: m.reshape(x, (3, -1)), (X,)),
    "reshape F": (lambda m, x: m.reshape(x, (3, 2), order="F"), (X,)),
    "transpose": (lambda m, x: m.transpose(x, (1, 2, 0)), (BIG,)),
    "moveaxis": (lambda m, x: m.moveaxis(x, (0, 1), (-1, 0)), (BIG,)),
    "rollaxis": (lambda m, x: m.rollaxis(x, 2, 1), (BIG,)),
    "concatenate": (lambda m, x: m.concatenate([x, x], axis=1), (X,)),
    "stack": (lambda m, x: m.stack([x, x], axis=-1), (X,)),
    "split": (lambda m, x: m.split(x, [1, 2], axis=1)[1], (X,)),
    "pad": (lambda m, x: m.pad(x, ((1, 0), (0, 2)), constant_values=7), (X,)),
    "pad reflect": (lambda m, x: m.pad(x, ((0, 0), (2, 1)), mode="reflect"), (X,)),
    "pad mean": (lambda m, x: m.pad(x, 1, mode="mean"), (X,)),
    "repeat": (lambda m, x: m.repeat(x, np.array([2, 0, 1]), axis=1), (X,)),
    "tile": (lambda m, x: m.tile(x, (2, 1, 2)), (X,)),
    "roll": (lambda m, x: m.roll(x, (1, -2), axis=(0, 1)), (X,)),
    "rot90": (lambda m, x: m.rot90(x, 3), (X,)),
    "flip": (lambda m, x: m.flip(x, (0, 1)), (X,)),
    "diagonal": (lambda m, x: m.diagonal(x, 1, 0, 2), (BIG,)),
    "diag": (lambda m, x: m.diag(x, -2), (V,)),
    "trace": (lambda m, x: m.trace(x, axis1=0, axis2=1), (BIG,)),
    "tril": (lambda m, x: m.tril(x, -1), (BIG,)),
    "triu": (lambda m, x: m.triu(x, 1), (BIG,)),
    "sort": (lambda m, x: m.sort(x, axis=0), (X,)),
    "argsort": (lambda m, x: m.argsort(x, kind=None if m is tnp else "stable"), (V,)),
    "searchsorted": (
        lambda m, x: m.searchsorted(np.array([1.0, 2.0, 2.0, 5.0], np.float32), x),
        (V,),
    ),
    "where": (lambda m, x: m.where(x > 1, x, -x), (X,)),
    "clip": (lambda m, x: m.clip(x, -1, 2), (X,)),
    "interp": (
        lambda m, x: m.interp(
            x, np.array([0.0, 2.0], np.float32), np.array([5.0, 9.0], np.float32)
        ),
        (V,),
    ),
    "diff": (lambda m, x: m.diff(x, 2), (V,)),
    "gradient": (lambda m, x: m.gradient(x, axis=1), (BIG,)),
    "nan_to_num": (lambda m, x: m.nan_to_num(x), (NAN,)),
    "isin": (lambda m, x: m.isin(x, np.array([1.0, 9.0], np.float32)), (V,)),
    "matmul": (lambda m, x, y: m.matmul(x, y), (BIG, np.ones((2, 4, 5), np.float32))),
    "matmul 2x3": (lambda m, x, y: m.matmul(x, y), (X, np.ones((2, 3, 5), np.float32))),
    "dot": (lambda m, x, y: m.dot(x, y), (BIG, np.ones((5, 4, 2), np.float32))),
    "tensordot": (
        lambda m, x, y: m.tensordot(x, y, ([1, 2], [1, 0])),
        (BIG, np.ones((4, 3, 2), np.float32)),
    ),
    "kron": (lambda m, x: m.kron(x, x), (X,)),
    "outer": (lambda m, x: m.outer(x, x), (V,)),
    "einsum": (lambda m, x: m.einsum("bij,bkj->ikb", x, x), (BIG,)),
    "einsum three": (
        lambda m, x, y: m.einsum("ij,jk,lk->il", x, y, x),
        (X, np.ones((3, 3), np.float32)),
    ),
    "einsum trace": (lambda m, x: m.einsum("iij->j", x), (BIG[:, :2],)),
    "convolve": (lambda m, x: m.convolve(x, np.array([1.0, 2.0, 0.5], np.float32), "same"), (V,)),
    "unwrap": (lambda m, x: m.unwrap(x * 3), (V,)),
    "polyval": (lambda m, x: m.polyval(x, np.float32(2)), (V,)),
    "norm": (lambda m, x: m.linalg.norm(x, 1, (0, 1)), (X,)),
    "matrix_power": (
        lambda m, x: m.linalg.matrix_power(x, 5),
        (np.array([[1, 1], [1, 0]], np.float32),),
    ),
    "det": (
        lambda m, x: m.linalg.det(x),
        (np.array([[2, 1, 0], [1, 3, 1], [0, 1, 4]], np.float32),),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_numpy(name: str, staged: Callable[..., Any]) -> None:
    function, arguments = CASES[name]
    expected = np.asarray(function(np, *arguments))
    np.testing.assert_allclose(function(tnp, *arguments), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        staged(lambda *xs: function(tnp, *xs), *arguments), expected, rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("size", [0, 1, 2, 3, 4, 7, 8, 9, 31, 32, 33])
def test_searchsorted_of_every_size(staged: Any, size: int, side: Any) -> None:
    random = np.random.default_rng(size)
    ordered = np.sort(random.integers(0, 10, size)).astype(np.float32)  # with equal elements
    if size > 4:
        ordered[-2:] = np.inf, np.nan
    values = np.append(np.arange(-1, 11, 0.5), [np.inf, -np.inf, np.nan]).astype(np.float32)
    expected = np.searchsorted(ordered, values, side)
    np.testing.assert_array_equal(tnp.searchsorted(ordered, values, side), expected)
    np.testing.assert_array_equal(
        staged(lambda a, v: tnp.searchsorted(a, v, side), ordered, values), expected
    )


@pytest.mark.parametrize("bins", [1, 10, 15, 16, 40, 100])
def test_histogram_of_few_and_of_many_bins(staged: Any, bins: int) -> None:
    x = np.random.default_rng(bins).integers(-50, 51, 500).astype(np.float32)
    edges = np.linspace(-40, 30, bins + 1, dtype=np.float32)
    expected = np.histogram(x, edges)[0]
    np.testing.assert_array_equal(tnp.histogram(x, edges)[0], expected)
    np.testing.assert_array_equal(
        tnp.histogram(np.append(x, np.float32(np.nan)), edges)[0], expected
    )
    whole = staged(lambda x: tnp.histogram(x, bins)[0], x)
    assert whole.sum() == x.size


@pytest.mark.parametrize("shape", [(7,), (3, 5), (2, 3, 4), (1, 1), (4, 1, 3)])
@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("fill", [None, -1])
def test_nonzero_of_a_given_size(
    staged: Any, shape: tuple[int, ...], size: int, fill: int | None
) -> None:
    x = np.random.default_rng(size).random(shape) < 0.4
    expected = np.full((len(shape), size), 0 if fill is None else fill)
    for row, places in zip(expected, np.nonzero(x), strict=True):
        row[: len(places)] = places[:size]

    def found(x: Any) -> Any:
        return tnp.stack(list(tnp.nonzero(x, size=size, fill_value=fill)))

    np.testing.assert_array_equal(found(x), expected)
    np.testing.assert_array_equal(staged(found, x), expected)


@pytest.mark.parametrize(("number", "count"), [(5, 1), (0, 0)])
def test_argwhere_of_an_array_without_axes(number: int, count: int) -> None:
    assert tnp.argwhere(np.int32(number)).shape == (count, 0) == np.argwhere(np.int32(number)).shape
    assert tnp.argwhere(np.int32(number), size=3).shape == (3, 0)


@pytest.mark.parametrize("function", [tnp.quantile, tnp.nanpercentile])
def test_quantiles_of_nothing_say_so(function: Any) -> None:
    with pytest.raises(ShapeError, match="nothing along axis 0 of f32\\[0,3\\]"):
        function(np.ones((0, 3), np.float32), 0.5, axis=0)
    assert function(np.ones((0, 3), np.float32), 0.5, axis=1).shape == (0,)


def test_relatives_of_quantile_show_their_names_and_arguments() -> None:
    for name in ("quantile", "nanquantile", "percentile", "nanpercentile"):
        function = getattr(tnp, name)
        assert function.__name__ == name
        assert list(inspect.signature(function).parameters)[:3] == ["a", "q", "axis"]
        with pytest.raises(NotImplementedError, match=f"^{name}: "):
            function(X, 0.5, out=X)


def test_a_traced_number_of_bins_says_so(staged: Any) -> None:
    with pytest.raises(TracerIntegerConversionError):
        staged(lambda bins: tnp.histogram_bin_edges(X, bins), np.int32(3))


def test_weighted_quantiles_pass_over_nan() -> None:
    x = np.array([5.0, np.nan, 1.0, 3.0], np.float32)
    weights = np.array([1.0, 9.0, 1.0, 2.0], np.float32)
    q = np.array([0.2, 0.5, 0.8], np.float32)
    found = tnp.nanquantile(x, q, weights=weights, method="inverted_cdf")
    np.testing.assert_array_equal(found, np.array([1.0, 3.0, 5.0], np.float32))
    assert np.isnan(tnp.quantile(x, 0.5, weights=weights, method="inverted_cdf"))
    assert np.isnan(tnp.nanquantile(x, 0.5, weights=-weights, method="inverted_cdf"))


def test_weights_of_quantiles_that_do_not_fit_say_so() -> None:
    with pytest.raises(ShapeError, match="weights of shape"):
        tnp.quantile(X, 0.5, axis=1, weights=np.ones(2), method="inverted_cdf")
    with pytest.raises(NotImplementedError, match="takes no weights"):
        tnp.quantile(X, 0.5, weights=X)


@pytest.mark.parametrize("mode", [None, "fill", "clip", "wrap"])
def test_take_from_an_axis_of_size_0(mode: Any) -> None:
    for x, axis in ((np.zeros(0), None), (np.zeros((0, 3)), 0), (np.zeros((2, 0)), 1)):
        with pytest.raises(IndexingError, match="nothing at any position"):
            tnp.take(x, np.array([0, 2]), axis=axis, mode=mode)
        none = np.array([], np.int32)
        assert tnp.take(x, none, axis=axis, mode=mode).shape == np.take(x, none, axis=axis).shape


@pytest.mark.parametrize("shape", [(), (3,), (2, 3, 4)])
def test_fromfunction_names_the_number_of_axes(shape: tuple[int, ...]) -> None:
    with pytest.raises(ArgumentError, match=r"fromfunction: .* axes"):
        tnp.fromfunction(lambda i, j: i + j, shape)


def test_fromfunction_sees_one_index_at_a_time() -> None:
    def f(i: Any, j: Any, scale: float) -> dict[str, Any]:
        assert i.shape == j.shape == ()
        return {"row": scale * i * tnp.arange(3.0), "one": 1.0}

    found = tnp.fromfunction(f, (2, 4), scale=2.0)
    assert found["one"].shape == (2, 4)
    expected = 2.0 * np.arange(2.0)[:, None, None] * np.arange(3.0)
    np.testing.assert_array_equal(found["row"], np.broadcast_to(expected, (2, 4, 3)))
    assert float(tnp.fromfunction(lambda: 5.0, ())) == 5.0


def test_piecewise_takes_conditions_in_an_array() -> None:
    x = np.arange(-4, 5)
    conditions = np.stack([x < 0, x > 0])
    for listed in (conditions, tnp.asarray(conditions), [*conditions]):
        np.testing.assert_array_equal(
            tnp.piecewise(x, listed, [-1, 1]), np.piecewise(x, [*conditions], [-1, 1])
        )
    np.testing.assert_array_equal(tnp.piecewise(x, x < 0, [-1, 2]), np.piecewise(x, x < 0, [-1, 2]))


@given(st.integers(-1000, 1000), st.integers(-1000, 1000), st.integers(2, 300), st.booleans())
def test_linspace_is_rounded_once(start: int, stop: int, num: int, endpoint: bool) -> None:
    found = np.asarray(tnp.linspace(start, stop, num, endpoint))
    assert found.dtype == np.float32
    divisions = num - 1 if endpoint else num
    for i, x in enumerate(found.tolist()):
        exact = Fraction(start) + Fraction(stop - start) * i / divisions
        half = Fraction(float(np.spacing(np.float32(abs(x))))) / 2
        assert abs(Fraction(x) - exact) <= half


FLOATS: Final = st.floats(-(2.0**99), 2.0**99, width=32, allow_subnormal=False)


@given(FLOATS, FLOATS, st.integers(2, 300))
def test_linspace_begins_and_ends_with_its_limits(start: float, stop: float, num: int) -> None:
    low, high = np.float32(start), np.float32(stop)
    assert np.asarray(tnp.linspace(low, high, num))[[0, -1]].tolist() == [low, high]
    assert np.asarray(tnp.linspace(low, high, num, endpoint=False))[0] == low


def test_linspace_of_traced_limits_begins_with_the_first(staged: Callable[..., Any]) -> None:
    start, stop = np.float32(0.05246465), np.float32(0.8915652)  # 10 * start is rounded
    assert np.asarray(staged(lambda a, b: tnp.linspace(a, b, 11), start, stop))[0] == start


@given(st.lists(FLOATS, min_size=1, max_size=20), st.integers(1, 20))
def test_histogram_counts_every_value(values: list[float], bins: int) -> None:
    counts, edges = map(np.asarray, tnp.histogram(np.array(values, np.float32), bins))
    assert counts.sum() == len(values)
    low, high = min(values), max(values)
    assert low == high or edges[[0, -1]].tolist() == [low, high]


def test_linspace_of_the_greatest_numbers() -> None:
    most = np.finfo(np.float32).max
    found = np.asarray(tnp.linspace(-most, most, 6))
    np.testing.assert_allclose(found, np.linspace(-float(most), float(most), 6), rtol=1e-6)


def test_fromfunction_does_not_word_errors_of_the_function() -> None:
    def fails(i: Any) -> Any:
        raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine$"):
        tnp.fromfunction(fails, (3,))


def test_what_is_unwrapped_is_moved_by_whole_periods(staged: Callable[..., Any]) -> None:
    draw = np.random.default_rng(0)
    for period in (5, 6, 7, 12):
        x = draw.integers(-30, 30, 40).astype(np.int32)
        for found in (
            tnp.unwrap(x, period=period),
            staged(lambda v, p=period: tnp.unwrap(v, period=p), x),
        ):
            assert not ((np.asarray(found) - x) % period).any()
            np.testing.assert_array_equal(found, np.unwrap(x, period=period))
