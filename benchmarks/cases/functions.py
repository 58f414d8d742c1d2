"""Every public function on 10 and on a million elements: a single call of each, eager on few, jitted on many.

A line of the table is a namespace, the names of functions, and arguments that suit them; `m` and `s` are square
matrices with about as many elements, `s` symmetric and positive definite. What has no size of its own (dtypes,
constructors from Python values, control flow) is in other groups.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy

from cases.base import Budget, Case, Namespace

FEW: Final = 10
MANY: Final = 1_000_000
LEVEL: Final = Budget(jax=1.0)

TABLE: Final = """
numpy: abs acos acosh asin asinh atan atanh cbrt ceil conj cos cosh deg2rad exp exp2 expm1 fabs floor (x)
numpy: isfinite isinf isnan isneginf isposinf log log10 log1p log2 logical_not negative positive rad2deg (x)
numpy: reciprocal rint sign signbit sin sinc sinh sqrt square tan tanh trunc angle i0 nan_to_num (x)
numpy: all any max min nanmax nanmin sum prod mean std var nansum nanprod nanmean nanstd nanvar ptp (x)
numpy: median nanmedian count_nonzero argmax argmin nanargmax nanargmin average cumsum cumprod nancumsum (x)
numpy: cumulative_sum argsort sort round diff ediff1d gradient copy ravel real imag flip spacing frexp modf (x)
numpy: ones_like zeros_like empty_like histogram histogram_bin_edges trapezoid unwrap (x)
numpy: add arctan2 divide equal float_power greater greater_equal less less_equal logaddexp logaddexp2 (x, y)
numpy: logical_and logical_or logical_xor maximum minimum multiply nextafter not_equal subtract copysign (x, y)
numpy: divmod floor_divide fmax fmin fmod heaviside hypot pow remainder allclose isclose array_equal dot (x, y)
numpy: inner vdot vecdot append (x, y)
numpy: bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm (i, i)
numpy: bitwise_count bitwise_invert bincount (i)
numpy: where (b, x, y)
numpy: clip (x, 0.2, 0.8)
numpy: percentile nanpercentile (x, 50.0)
numpy: quantile nanquantile (x, 0.5)
numpy: repeat tile roll (x, 2)
numpy: take (x, i)
numpy: searchsorted (t, x)
numpy: digitize (x, t)
numpy: interp (x, t, t)
numpy: transpose tril triu diagonal trace rot90 fliplr flipud matrix_transpose (m)
numpy: cov corrcoef (m)
numpy: matmul tensordot (m, m)
numpy: concatenate stack hstack vstack dstack column_stack ([x, y])
numpy: pad (x, 1)
numpy.linalg: cholesky eigh eigvalsh inv det slogdet (s)
numpy.linalg: qr svd svdvals pinv matrix_rank cond eigvals eig norm matrix_norm (m)
numpy.linalg: solve lstsq (s, m)
numpy.linalg: matrix_power (m, 3)
numpy.linalg: vector_norm (x)
numpy.fft: fft ifft rfft irfft hfft ihfft fftshift ifftshift (x)
numpy.fft: fft2 ifft2 rfft2 irfft2 (m)
lax: abs acos acosh asin asinh atan atanh cbrt ceil cos cosh digamma erf erf_inv erfc exp exp2 expm1 (x)
lax: floor is_finite lgamma log log1p logistic neg rsqrt sign sin sinh sqrt square tan tanh round (x)
lax: bessel_i0e bessel_i1e cumlogsumexp cummax cummin cumprod cumsum sort reciprocal (x)
lax: add atan2 complex div eq ge gt le lt max min mul ne nextafter pow rem sub (x, y)
lax: igamma igammac igamma_grad_a random_gamma_grad (x, y)
lax: betainc (x, y, x)
lax: clz population_count bitwise_not (i)
lax: integer_pow (x, 3)
lax: top_k approx_max_k approx_min_k (x, 5)
lax: reduce_sum reduce_max reduce_min reduce_prod (x, (0,))
lax: clamp (0.2, x, 0.8)
lax: rev (x, (0,))
lax.linalg: cholesky eigh (s)
lax.linalg: lu qr svd schur hessenberg eig (m)
lax.linalg: triangular_solve (s, m, left_side=True, lower=True)
nn: celu elu gelu hard_sigmoid hard_silu hard_tanh leaky_relu log_sigmoid log_softmax mish (x)
nn: relu relu6 selu sigmoid silu soft_sign softmax softplus squareplus standardize logsumexp sparse_plus (x)
scipy.special: betaln beta kl_div rel_entr xlog1py xlogy gammainc gammaincc (x, y)
scipy.special: digamma entr erf erfc erfinv expit gamma gammaln log_ndtr ndtr ndtri loggamma logit i0 i0e (x)
scipy.special: i1 i1e exp1 expi spence factorial (x)
scipy.special: betainc (x, y, x)
scipy.special: zeta (z, y)
scipy.special: polygamma (1, x)
scipy.stats.norm: cdf isf logcdf logpdf logsf pdf ppf sf (x)
scipy.stats.beta: cdf logpdf (x, y, z)
scipy.stats.gamma: cdf logpdf (x, y)
scipy.linalg: expm (m)
scipy.linalg: cho_factor eigh (s)
scipy.linalg: lu lu_factor schur (m)
random: bits cauchy exponential gumbel laplace logistic maxwell normal rademacher uniform (key, (n,))
random: double_sided_maxwell (key, 0.5, 1.5, (n,))
random: beta (key, 2.0, 3.0, (n,))
random: binomial (key, 10.0, 0.3, (n,))
random: bernoulli (key, 0.3, (n,))
random: chisquare t gamma loggamma poisson pareto rayleigh (key, 3.0, (n,))
random: randint (key, (n,), 0, 10)
random: permutation (key, x)
random: choice (key, x, (n,))
ops: segment_sum segment_max segment_min segment_prod (x, j)
"""

_LINE: Final = re.compile(r"([\w.]+): ([\w ]+?) (\(.*\))")


def operands(ns: Namespace, n: int) -> dict[str, Any]:
    """The values that a line of the table may name, each made of n elements."""
    drawn = numpy.random.default_rng(0)
    side = round(n**0.5)
    matrix = drawn.standard_normal((side, side)).astype(numpy.float32)
    values = {
        "x": drawn.uniform(0.05, 0.95, n).astype(numpy.float32),
        "y": drawn.uniform(0.5, 4.0, n).astype(numpy.float32),
        "z": drawn.uniform(1.5, 4.0, n).astype(numpy.float32),
        "t": numpy.linspace(0, 1, 101, dtype=numpy.float32),
        "i": drawn.integers(0, 8, n, dtype=numpy.int32),
        "j": numpy.sort(drawn.integers(0, 8, n, dtype=numpy.int32)),
        "b": drawn.random(n) < 0.3,
        "m": matrix,
        "s": matrix @ matrix.T / numpy.float32(side) + numpy.eye(side, dtype=numpy.float32),
    }
    return {name: ns.np.asarray(value) for name, value in values.items()}


def called(namespace: str, name: str, arguments: str, n: int, jitted: bool) -> Case:
    """One call of one function; random keys stay arguments, sizes and the like are constants."""

    def make(ns: Namespace) -> Callable[[], Any]:
        function = getattr(importlib.import_module(f"{ns.library}.{namespace}"), name)
        arrays = operands(ns, n)
        arrays["key"] = ns.random.key(0)
        used = [each for each in arrays if re.search(rf"\b{each}\b", arguments)]
        body: Callable[..., Any] = eval(
            f"lambda {', '.join(used)}: function{arguments}", {"function": function, "n": n}
        )
        call = ns.jit(body) if jitted else body
        given = [arrays[each] for each in used]
        return lambda: call(*given)

    manner = "jit" if jitted else "eager"
    drawn = namespace == "random"  # by an algorithm of its own, where JAX's is not published
    return Case(f"{namespace}.{name} {manner} {n:g}", make, budget=LEVEL, compared=not drawn)


def every() -> Iterator[Case]:
    """All cases of the table."""
    for line in TABLE.strip().splitlines():
        found = _LINE.fullmatch(line)
        assert found is not None, line
        namespace, names, arguments = found.groups()
        for name in names.split():
            for n, jitted in ((FEW, False), (MANY, True)):
                yield called(namespace, name, arguments, n, jitted)


CASES: Final = tuple(every())
