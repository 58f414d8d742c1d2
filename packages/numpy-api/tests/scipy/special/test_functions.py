"""Special functions against SciPy, as users call them: integers, broadcasting, errors. Their bounds are tried in ir."""

import mpmath
import numpy as np
import pytest
import scipy.special

from treadle_autodiff import grad
from treadle_ir import ArgumentError, DTypeError, UnsupportedError
from treadle_numpy import numpy as tnp
from treadle_numpy.scipy import special

pytestmark = pytest.mark.usefixtures("wide")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("bessel_jn", ()),
        ("beta", (2, 3)),
        ("betainc", (2, 3, [0.0, 0.25, 1.0])),
        ("boxcox", ([0.5, 2.0], [[0.0], [1e-4], [0.3], [-2.0]])),
        ("boxcox1p", ([0.5, 1e-9], [[0.0], [1e-4], [0.3], [-2.0]])),
        ("comb", ([5, 6, 5, -1], [2, 2.5, 6, 1])),
        ("dawsn", ([1, 2],)),
        ("erfcinv", ([0.25, 1e-30],)),
        ("erfcx", ([1, 2],)),
        ("exp1", ([1, 2],)),
        ("expi", ([1, 2],)),
        ("expn", ([[1], [2]], [0.5, 2.0])),
        ("expn", ([[1.0], [2.0]], [0.5, 2.0])),
        ("fresnel", ([1, 2],)),
        ("gammainc", ([[1], [2]], [0.5, 2.0])),
        ("gammaincc", ([[1], [2]], [0.5, 2.0])),
        ("hyp1f1", (1, 2, [0.5, -2.0])),
        ("hyp2f1", (1, 2, 3, [0.5, -2.0])),
        ("i0", ([1, -2],)),
        ("i0e", ([1, -2],)),
        ("i1", ([1, -2],)),
        ("i1e", ([1, -2],)),
        ("log_ndtr", ([-300.0, -1.0, 0.0, 9.0],)),
        ("ndtri", ([1e-300, 0.25, 0.5, 0.75, 0.0, 1.0],)),
        ("owens_t", (1, [0.5, 2.0])),
        ("poch", ([2.0, -2.5, 1.5], [3.0, 1.0, 0.0])),
        ("polygamma", ([[0], [1], [2]], [0.5, 2.0])),
        ("sici", ([1, 2, -2],)),
        ("spence", ([1, 2],)),
        ("sph_harm_y", ([[2], [5]], [-1, 2], 0.5, 0.25)),
        ("wofz", ([1 + 2j, -1 - 0.5j, 8 + 0.01j],)),
        ("zeta", ([2, 3], 1.5)),
    ],
)
def test_agrees_with_scipy(name, arguments):
    arguments = [np.asarray(x) if isinstance(x, list) else x for x in arguments]
    if name == "bessel_jn":
        z = np.array([0.0, 1e-3, 1.0, 20.0])
        found = special.bessel_jn(z, v=3)
        expected = scipy.special.jv(np.arange(4)[:, None], z)
    else:
        found, expected = (
            getattr(special, name)(*arguments),
            getattr(scipy.special, name)(*arguments),
        )
    for one, other in zip(
        *[x if isinstance(x, tuple) else (x,) for x in (found, expected)], strict=True
    ):
        np.testing.assert_allclose(np.asarray(one), other, rtol=2e-13, atol=1e-16)


def test_bernoulli_numbers():
    truth = [float(mpmath.bernoulli(k)) for k in range(41)]  # SciPy's are exact to 1e-11
    np.testing.assert_allclose(special.bernoulli(40), truth, rtol=1e-13)
    assert special.bernoulli(0).shape == (1,)


def test_numpys_i0_is_the_same():
    assert float(tnp.i0(2.0)) == float(special.i0(2.0))


def test_with_repetition():
    found = special.comb(np.array([5, 3]), 2, repetition=True)
    np.testing.assert_allclose(found, scipy.special.comb([5, 3], 2, repetition=True), rtol=1e-13)


def test_orders_beyond_the_argument_vanish():
    found = np.asarray(special.bessel_jn(np.float32(1e-3), v=40))
    assert np.all(np.isfinite(found))
    assert found[0] == pytest.approx(1)


def test_derivatives_of_bessel_functions():
    slope = grad(lambda z: special.bessel_jn(z, v=2)[2])(1.5)
    assert float(slope) == pytest.approx(scipy.special.jvp(2, 1.5), rel=1e-13)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: special.zeta(2.0), UnsupportedError, "Riemann"),
        (lambda: special.polygamma(1.0, 2.0), DTypeError, "orders of derivatives are integers"),
        (lambda: special.expn(1j, 2.0), DTypeError, "expn"),
        (lambda: special.bessel_jn(1j, v=1), DTypeError, "complex"),
        (lambda: special.bessel_jn(1.0, v=-1), ArgumentError, "v"),
        (lambda: special.bessel_jn(1.0, v=1, n_iter=10**6), ArgumentError, "n_iter"),
        (lambda: special.bernoulli(-1), ArgumentError, "n"),
        (lambda: special.sph_harm_y(1.0, 0, 0.0, 0.0), DTypeError, "degrees and orders"),
        (lambda: special.sph_harm_y(1, 0, 0.0, 0.0, diff_n=1), UnsupportedError, "diff_n"),
        (lambda: special.sph_harm_y(1, 0, 0.0, 0.0, n_max=-1), ArgumentError, "n_max"),
        (lambda: special.log_ndtr(1.0, -1), ArgumentError, "series_order"),
        (lambda: special.gammainc(1j, 2.0), DTypeError, "igamma"),
    ],
)
def test_mistakes(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_loggamma_has_no_real_value_at_negative_numbers() -> None:
    x = np.array([-2.5, -1.0, 0.0, 0.5, 4.0])
    np.testing.assert_allclose(special.loggamma(x), scipy.special.loggamma(x), rtol=1e-6)
    np.testing.assert_allclose(special.gammaln(x), scipy.special.gammaln(x), rtol=1e-6)


def test_signs_of_gamma_at_zeros_and_nan() -> None:
    x = np.array([-0.0, 0.0, np.nan], np.float32)
    np.testing.assert_array_equal(special.gammasgn(x), np.array([-1, 1, np.nan], np.float32))
    np.testing.assert_array_equal(special.gamma(x), np.array([-np.inf, np.inf, np.nan], np.float32))


def test_exponential_integrals_of_orders_that_are_not_whole() -> None:
    assert np.isnan(special.expn(1.5, 2.0))
