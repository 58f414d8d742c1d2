"""Rows of `treadle.nn`."""

from __future__ import annotations

from typing import Any, Final

import mpmath as mp
import numpy as np

import treadle.nn as nn
from conformance.derivatives.row import Row, array, scalar
from conformance.derivatives.special_functions import (
    FAR,
    SPREAD,
    TIES,
    log_soft_maximum,
    log_sum,
    soft_maximum,
)

ONCE: Final = "its second derivative jumps there"
LOST: Final = "1 - y is lost where the logistic function y rounds to 1"
LOST_BELOW: Final = "y + 1 is lost where y = expm1(x) rounds to -1"


def sigmoid(x: Any) -> Any:
    """`1 / (1 + exp(-x))`."""
    return 1 / (1 + mp.exp(-x))


def softplus(x: Any) -> Any:
    """`log(1 + exp(x))`."""
    return mp.log1p(mp.exp(x))


def elu(alpha: float, scale: float = 1.0) -> Any:
    """`scale` times `x`, or `alpha * (exp(x) - 1)`."""
    return lambda x: mp.mpf(scale) * (x if x > 0 else mp.mpf(alpha) * mp.expm1(x))


def celu(alpha: float) -> Any:
    """`x`, or `alpha * (exp(x / alpha) - 1)`."""
    return lambda x: x if x > 0 else mp.mpf(alpha) * mp.expm1(x / mp.mpf(alpha))


def gelu(x: Any) -> Any:
    """By the tanh, with its constants as doubles."""
    return x / 2 * (1 + mp.tanh(mp.mpf(float(np.sqrt(2 / np.pi))) * (x + mp.mpf(0.044715) * x**3)))


def clipped(x: Any, low: float, high: float) -> Any:
    """Between bounds."""
    return min(max(x, mp.mpf(low)), mp.mpf(high))


def standardized(x: Any) -> Any:
    """By mean and variance."""
    mean = sum(x) / len(x)
    return (x - mean) / mp.sqrt(sum((x - mean) ** 2) / len(x) + mp.mpf(1e-5))


def attention(q: Any, k: Any, v: Any) -> Any:
    """Of one batch and head."""
    scores = np.einsum("tnh,snh->nts", q, k) / mp.sqrt(q.shape[-1])
    chances = np.array([[soft_maximum(row) for row in head] for head in scores])
    return np.einsum("nts,snh->tnh", chances, v)


QUERIES: Final = [[[0.5, -1.0]], [[1.5, 0.25]]]
KEYS: Final = [[[1.0, 0.0]], [[0.5, -0.75]]]
EQUAL: Final = [[[1.0, 1.0]], [[1.0, 1.0]]]
SCALE: Final = (1.6732632423543772848170429916717, 1.0507009873554804934193349852946)

ROWS: Final[tuple[Row, ...]] = (
    scalar("nn.relu", lambda x: max(x, mp.mpf(0)), 2.0, -2.0, kinks=(0.0,)),
    scalar("nn.relu6", lambda x: clipped(x, 0, 6), 2.0, -2.0, 7.0, kinks=(0.0, 6.0)),
    scalar("nn.identity", lambda x: x, 0.0, 2.0),
    scalar("nn.sigmoid", sigmoid, 0.0, 1.0, -40.0, -100.0),
    scalar("nn.sigmoid", sigmoid, 40.0, 800.0, atol=1e-15, because=LOST),
    scalar("nn.log_sigmoid", lambda x: -softplus(-x), 0.0, 1.0, -3.0, 40.0, 1000.0),
    scalar("nn.log_sigmoid", lambda x: -softplus(-x), -40.0, -1000.0, atol=1e-15, because=LOST),
    scalar("nn.softplus", softplus, 0.0, 1.0, -3.0, -40.0, -100.0),
    scalar("nn.softplus", softplus, 40.0, 1000.0, atol=1e-15, because=LOST),
    scalar("nn.soft_sign", lambda x: x / (1 + abs(x)), 2.0, -2.0, 1e5),
    scalar("nn.soft_sign", lambda x: x / (1 + abs(x)), 0.0, orders=1, because=ONCE),
    scalar("nn.squareplus", lambda x: (x + mp.sqrt(x * x + 4)) / 2, 0.0, 1.0, -3.0, 1e3),
    scalar("nn.silu", lambda x: x * sigmoid(x), 0.0, 1.0, -40.0),
    scalar("nn.silu", lambda x: x * sigmoid(x), 40.0, 1000.0, atol=1e-13, because=LOST),
    scalar("nn.mish", lambda x: x * mp.tanh(softplus(x)), 0.0, 1.0, -3.0, -40.0),
    scalar("nn.mish", lambda x: x * mp.tanh(softplus(x)), 40.0, 1000.0, atol=1e-13, because=LOST),
    scalar("nn.elu", elu(1.0), 1.0, -1.0, 1000.0),
    scalar("nn.elu", elu(1.0), -40.0, -1000.0, atol=1e-15, because=LOST_BELOW),
    scalar("nn.elu", elu(1.0), 0.0, orders=1, because=ONCE),
    scalar("nn.elu", elu(0.5), 1.0, -1.0, kinks=(0.0,), keywords={"alpha": 0.5}),
    scalar("nn.elu", lambda x, a: a * mp.expm1(x), (-1.0, 0.5), function=nn.elu),
    scalar("nn.celu", celu(1.0), 1.0, -1.0, 1000.0),
    scalar("nn.celu", celu(1.0), -40.0, -1000.0, atol=1e-15, because=LOST_BELOW),
    scalar("nn.celu", celu(1.0), 0.0, orders=1, because=ONCE),
    scalar("nn.celu", celu(0.5), 0.0, orders=1, because=ONCE, keywords={"alpha": 0.5}),
    scalar("nn.celu", celu(0.5), 1.0, -1.0, -3.0, keywords={"alpha": 0.5}),
    scalar("nn.celu", lambda x, a: a * mp.expm1(x / a), (-1.0, 0.5), function=nn.celu),
    scalar("nn.selu", elu(*SCALE), 1.0, -1.0, kinks=(0.0,)),
    scalar("nn.selu", elu(*SCALE), -40.0, -1000.0, atol=1e-15, because=LOST_BELOW),
    scalar("nn.leaky_relu", lambda x: x if x > 0 else mp.mpf(0.01) * x, 1.0, -1.0, kinks=(0.0,)),
    scalar("nn.hard_tanh", lambda x: clipped(x, -1, 1), 0.0, 0.5, -2.0, 3.0, kinks=(1.0, -1.0)),
    scalar(
        "nn.hard_sigmoid",
        lambda x: clipped(x + 3, 0, 6) / 6,
        0.0,
        1.0,
        -4.0,
        5.0,
        kinks=(3.0, -3.0),
    ),
    scalar(
        "nn.hard_silu",
        lambda x: x * clipped(x + 3, 0, 6) / 6,
        0.0,
        1.0,
        -4.0,
        5.0,
        kinks=(3.0, -3.0),
    ),
    scalar("nn.gelu", gelu, 0.0, 1.0, -2.0),
    scalar(
        "nn.gelu",
        lambda x: x * mp.ncdf(x),
        0.0,
        1.0,
        -2.0,
        -10.0,
        10.0,
        keywords={"approximate": False},
    ),
    array(
        "nn.glu",
        ([0.5, -1.0, 0.0, 2.0],),
        truth=lambda x: np.array([x[0] * sigmoid(x[2]), x[1] * sigmoid(x[3])]),
    ),
    array("nn.softmax", TIES, SPREAD, truth=soft_maximum),
    array("nn.log_softmax", TIES, SPREAD, truth=log_soft_maximum),
    array(
        "nn.softmax",
        TIES,
        SPREAD,
        truth=lambda x: np.array([mp.mpf(0), *soft_maximum(x[1:])]),
        function=lambda x: nn.softmax(x, where=np.array([False, True, True])),
    ),
    array("nn.logsumexp", TIES, SPREAD, FAR, truth=log_sum),
    array("nn.logmeanexp", TIES, SPREAD, FAR, truth=log_sum),
    array("nn.standardize", SPREAD, truth=standardized),
    array(
        "nn.dot_product_attention", (QUERIES, KEYS, EQUAL), (EQUAL, EQUAL, KEYS), truth=attention
    ),
)
