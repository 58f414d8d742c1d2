"""Attention against a loop over queries, for each way to choose the keys that a query sees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError, ShapeError, UnsupportedError
from treadle_numpy import nn

RANDOM = np.random.default_rng(0)
QUERY = RANDOM.normal(size=(2, 4, 4, 8)).astype(np.float32)
KEY, VALUE = RANDOM.normal(size=(2, 2, 5, 2, 8)).astype(np.float32)
BIAS = RANDOM.normal(size=(1, 4, 4, 5)).astype(np.float32)
MASK = RANDOM.random((2, 1, 4, 5)) < 0.6
MASK[0, 0, 1] = False
SCALE = 8**-0.5
NONE = np.zeros((1, 4, 4, 5))


def attended(
    sees: Callable[[int, int, int, int], bool],
    scale: float = SCALE,
    bias: Any = NONE,
) -> tuple[np.ndarray, np.ndarray]:
    """Attention of each query on its own, and the logarithms of the denominators."""
    result, residual = np.zeros(QUERY.shape), np.zeros((2, 4, 4))
    for b, t, n in np.ndindex(2, 4, 4):
        scores = scale * (KEY[b, :, n // 2] @ QUERY[b, t, n]).astype(np.float64) + bias[0, n, t]
        seen = np.array([sees(b, n, t, s) for s in range(5)])
        chances = np.exp(scores) * seen if seen.any() else np.ones(5)
        residual[b, t, n] = np.log(chances.sum())
        result[b, t, n] = chances / chances.sum() @ VALUE[b, :, n // 2]
    return result, residual


CASES: dict[str, tuple[dict[str, Any], Callable[[int, int, int, int], bool]]] = {
    "all": ({}, lambda b, n, t, s: True),
    "mask": ({"mask": MASK}, lambda b, n, t, s: bool(MASK[b, 0, t, s])),
    "causal": ({"is_causal": True}, lambda b, n, t, s: s <= t),
    "window": ({"local_window_size": 1}, lambda b, n, t, s: abs(s - t) <= 1),
    "sides": ({"local_window_size": (1, 2)}, lambda b, n, t, s: -1 <= s - t <= 2),
    "lengths": ({"key_value_seq_lengths": np.array([3, 5])}, lambda b, n, t, s: s < (3, 5)[b]),
    "two": (
        {"is_causal": True, "local_window_size": (1, 9)},
        lambda b, n, t, s: t - 1 <= s <= t,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_which_keys_are_seen(case: str, staged: Callable[..., Any]) -> None:
    keywords, sees = CASES[case]
    result, residual = nn.dot_product_attention(QUERY, KEY, VALUE, return_residual=True, **keywords)
    expected, logarithms = attended(sees)
    np.testing.assert_allclose(result, expected, atol=1e-5)
    whole = logarithms if case != "mask" else np.delete(logarithms, 1, axis=1)
    own = np.asarray(residual) if case != "mask" else np.delete(np.asarray(residual), 1, axis=1)
    np.testing.assert_allclose(own, whole, atol=1e-5)
    again = staged(lambda q: nn.dot_product_attention(q, KEY, VALUE, **keywords), QUERY)
    np.testing.assert_allclose(again, expected, atol=1e-5)


def test_scale_and_bias() -> None:
    result = nn.dot_product_attention(QUERY, KEY, VALUE, BIAS, scale=0.3)
    expected, _ = attended(lambda b, n, t, s: True, 0.3, BIAS)
    np.testing.assert_allclose(result, expected, atol=1e-5)


def test_queries_beyond_the_lengths_give_zeros() -> None:
    lengths = np.array([2, 4])
    result = np.asarray(nn.dot_product_attention(QUERY, KEY, VALUE, query_seq_lengths=lengths))
    plain = np.asarray(nn.dot_product_attention(QUERY, KEY, VALUE))
    assert not result[0, 2:].any()
    np.testing.assert_array_equal(result[0, :2], plain[0, :2])
    np.testing.assert_array_equal(result[1], plain[1])


def test_batches_and_types() -> None:
    single = nn.dot_product_attention(
        QUERY[0], KEY[0], VALUE[0], key_value_seq_lengths=np.array([5])
    )
    plain = np.asarray(nn.dot_product_attention(QUERY, KEY, VALUE))
    np.testing.assert_allclose(single, plain[0], atol=1e-6)
    half = nn.dot_product_attention(*[x.astype(np.float16) for x in (QUERY, KEY, VALUE)])
    assert half.dtype == np.float16
    np.testing.assert_allclose(half, plain, atol=5e-3)
    more = nn.dot_product_attention(QUERY[None], KEY[None], VALUE[None])
    np.testing.assert_allclose(more, plain[None], atol=1e-6)


def test_what_does_not_go_together() -> None:
    attention = nn.dot_product_attention
    with pytest.raises(ShapeError, match="multiple"):
        attention(QUERY[:, :, :3], KEY, VALUE)
    with pytest.raises(ShapeError, match="must agree"):
        attention(QUERY, KEY, VALUE[..., :4])
    with pytest.raises(ShapeError, match="must agree"):
        attention(QUERY, KEY[0], VALUE[0])
    with pytest.raises(ShapeError, match="time, heads and features"):
        attention(QUERY[..., :0], KEY[..., :0], VALUE[..., :0])
    with pytest.raises(DTypeError, match="boolean"):
        attention(QUERY, KEY, VALUE, mask=np.ones((4, 5)))
    with pytest.raises(DTypeError, match="integers"):
        attention(QUERY, KEY, VALUE, query_seq_lengths=np.ones(2))
    with pytest.raises(ShapeError, match="batch"):
        attention(QUERY, KEY, VALUE, query_seq_lengths=np.array([2]))
    for window in (-1, (1, 2, 3)):
        with pytest.raises(ArgumentError, match="local_window_size"):
            attention(QUERY, KEY, VALUE, local_window_size=window)  # type: ignore[arg-type]  # three sizes
    with pytest.raises(UnsupportedError, match="cudnn"):
        attention(QUERY, KEY, VALUE, implementation="cudnn")
    with pytest.raises(ArgumentError, match="unsupported implementation"):
        attention(QUERY, KEY, VALUE, implementation="fast")


def test_bias_and_mask_broadcast_to_the_scores_and_not_beyond() -> None:
    attention = nn.dot_product_attention
    query, key, value = QUERY[0], KEY[0], VALUE[0]
    bias, mask = BIAS[0], MASK[0]
    expected = attention(query, key, value, bias=bias, mask=mask)
    found = attention(query, key, value, bias=bias[None], mask=mask[None])
    assert found.shape == expected.shape == query.shape
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(ShapeError, match="the bias has shape"):
        attention(query, key, value, bias=np.zeros((2, 4, 4, 5)))
    with pytest.raises(ShapeError, match="the mask has shape"):
        attention(QUERY[:1], KEY[:1], VALUE[:1], mask=MASK)
