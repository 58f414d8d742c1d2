"""Parameters of distributions: what all of them refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import DTypeError
from treadle_numpy import random

KEY = np.array([0, 0], np.uint32)
SKEW = 1 + 1j
SHARES = np.array([SKEW, 1])


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        *[(name, (SKEW,)) for name in ("bernoulli", "chisquare", "gamma", "generalized_normal")],
        *[(name, (SKEW,)) for name in ("geometric", "loggamma", "lognormal", "pareto", "poisson")],
        *[(name, (SKEW,)) for name in ("rayleigh", "t", "wald")],
        *[(name, (SKEW, 1.0)) for name in ("beta", "binomial", "f", "weibull_min")],
        *[(name, (1.0, SKEW)) for name in ("beta", "binomial", "f", "weibull_min")],
        *[("double_sided_maxwell", pair) for pair in ((SKEW, 1.0), (0.0, SKEW))],
        *[("truncated_normal", pair) for pair in ((SKEW, 1.0), (0.0, SKEW))],
        *[(name, (SHARES,)) for name in ("categorical", "dirichlet")],
        ("ball", (2, SKEW)),
        ("choice", (2, (), True, SHARES)),
        ("multinomial", (3, SHARES)),
        ("multivariate_normal", (SHARES, np.eye(2), (), np.float32)),
        ("triangular", (0.0, SKEW, 2.0)),
        ("uniform", ((), np.float32, 0.0, SKEW)),
    ],
)
def test_no_distribution_drops_an_imaginary_part(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(DTypeError, match=f"{name} does not support complex-valued inputs"):
        getattr(random, name)(KEY, *arguments)
