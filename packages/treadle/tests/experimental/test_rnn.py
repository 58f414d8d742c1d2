"""LSTMs, compared with a loop in NumPy over the formulas, and with numbers of JAX 0.10.2."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import random
from treadle.errors import RangeError, ShapeError, UnsupportedError
from treadle.experimental import rnn
from treadle.test_util import check_grads

SIZES = 3, 4, 2
LENGTHS = np.array([5, 3, 1, 0])


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def by_loops(x: Any, h_0: Any, c_0: Any, parts: Any, lengths: Any, both: bool) -> Any:
    """One sequence after the other, one step after the other, in float64."""
    parts = [{k: np.asarray(v, np.float64) for k, v in part.items()} for part in parts]
    directions = 1 + both
    h_n, c_n = np.array(h_0, np.float64), np.array(c_0, np.float64)
    y = np.asarray(x, np.float64)
    for layer in range(SIZES[2]):
        made = np.zeros((*y.shape[:2], directions * SIZES[1]))
        for direction in range(directions):
            number = layer * directions + direction
            w_ih, w_hh, b_ih, b_hh = (part[number] for part in parts)
            for row, length in enumerate(lengths):
                h, c = h_n[number, row], c_n[number, row]
                for time in range(length)[:: -1 if direction else 1]:
                    gates = w_ih @ y[row, time] + b_ih + w_hh @ h + b_hh
                    i, f, g, o = np.split(gates, 4)
                    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                    h = sigmoid(o) * np.tanh(c)
                    made[row, time, direction * SIZES[1] : (direction + 1) * SIZES[1]] = h
                h_n[number, row], c_n[number, row] = h, c
        y = made
    return y, h_n, c_n


def case(both: bool) -> tuple[Any, ...]:
    keys = random.split(random.key(1), 4)
    states = (SIZES[2] * (1 + both), len(LENGTHS), SIZES[1])
    return (
        random.normal(keys[0], (len(LENGTHS), 5, SIZES[0])),
        random.normal(keys[1], states),
        random.normal(keys[2], states),
        rnn.init_lstm_weight(keys[3], *SIZES, both),
    )


@pytest.mark.parametrize("both", [False, True])
def test_it_is_what_the_formulas_say(both: bool) -> None:
    x, h, c, weights = case(both)
    parts = rnn.unpack_lstm_weights(weights, *SIZES, both)
    wanted = by_loops(x, h, c, parts, LENGTHS, both)
    found = rnn.lstm(x, h, c, weights, LENGTHS, *SIZES, 0.0, both)
    jitted = treadle.jit(rnn.lstm, static_argnums=(5, 6, 7, 8, 9, 10))
    compiled = jitted(x, h, c, weights, LENGTHS, *SIZES, 0.0, both, "highest")
    apart = rnn.lstm_ref(
        x,
        h,
        c,
        *parts,
        seq_lengths=LENGTHS,
        input_size=3,
        hidden_size=4,
        num_layers=2,
        dropout=0.0,
        bidirectional=both,
    )
    for each in (found, compiled, apart):
        assert [a.shape for a in each] == [a.shape for a in wanted]
        for one, other in zip(each, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


def test_weights_and_results_are_those_of_jax() -> None:
    """`jax.experimental.rnn` 0.10.2 with these arguments."""
    key = random.key(0)
    weights = rnn.init_lstm_weight(key, *SIZES, True)
    assert rnn.get_num_params_in_lstm(*SIZES, False) == 304
    np.testing.assert_allclose(
        weights[:5], [0.447667, 0.47857988, -0.16770852, -0.03133154, 0.06988871], rtol=1e-6
    )
    x, state = random.normal(key, (2, 5, 3)), random.normal(key, (4, 2, 4))
    y, *_ = rnn.lstm(x, state, state / 2, weights, tnp.array([5, 3]), *SIZES, 0.0, True)
    wanted = [
        [-0.63813, 0.33523, 0.17010, -0.10856, 0.27106, 0.00378, -0.09054, 0.25004],
        [-0.24138, 0.24314, 0.19900, -0.09693, 0.22085, 0.02559, -0.16357, 0.24638],
        [-0.05885, 0.13918, 0.17327, -0.09282, 0.04204, 0.02359, -0.18602, 0.13880],
    ]
    np.testing.assert_allclose(y[1, 3:], np.zeros((2, 8)))
    np.testing.assert_allclose(y[1, :3], wanted, atol=1e-5)


def test_the_order_of_weights_in_the_vector() -> None:
    """The start of each part and the order of gates agree with JAX 0.10.2."""
    parts = rnn.unpack_lstm_weights(tnp.arange(736), *SIZES, True)
    firsts = [[int(each.ravel()[0]) for each in part.values()] for part in parts]
    assert firsts == [
        [0, 112, 224, 416],
        [48, 160, 352, 544],
        [608, 640, 672, 704],
        [624, 656, 688, 720],
    ]
    swapped = rnn.swap_lstm_gates(tnp.arange(20), 2, 1, 1, False)
    assert swapped.tolist() == [
        0,
        1,
        2,
        3,
        6,
        7,
        4,
        5,
        8,
        9,
        11,
        10,
        12,
        13,
        15,
        14,
        16,
        17,
        19,
        18,
    ]
    twice = rnn.swap_lstm_gates(rnn.swap_lstm_gates(tnp.arange(736), *SIZES, True), *SIZES, True)
    assert twice.tolist() == list(range(736))


def test_derivatives() -> None:
    x, h, c, weights = case(True)

    def loss(x: Any, h: Any, c: Any, weights: Any) -> Any:
        y, h_n, c_n = rnn.lstm(x, h, c, weights, LENGTHS, *SIZES, 0.0, True)
        return tnp.sum(y**2) + tnp.sum(h_n * c_n)

    with treadle.enable_x64():
        arguments = [each.astype(float) for each in (x, h, c, weights)]
        check_grads(loss, arguments, order=1, rtol=1e-4, atol=1e-4)
    after_the_end = treadle.grad(loss)(x, h, c, weights)[1, 3:]
    np.testing.assert_array_equal(after_the_end, 0 * after_the_end)


def test_a_batch_of_networks() -> None:
    x, h, c, weights = case(False)

    def run(weights: Any) -> Any:
        return rnn.lstm(x, h, c, weights, LENGTHS, *SIZES, 0.0, False)[0]

    several = tnp.stack([weights, -weights, 2 * weights])
    one_by_one = np.stack([run(each) for each in several])
    np.testing.assert_allclose(treadle.vmap(run)(several), one_by_one, rtol=1e-5, atol=1e-6)


def test_what_is_wrong_is_said() -> None:
    x, h, c, weights = case(False)
    with pytest.raises(UnsupportedError, match=r"dropout is 0\.5"):
        rnn.lstm(x, h, c, weights, LENGTHS, *SIZES, 0.5, False)
    with pytest.raises(ShapeError, match=r"weights have shape \(304,\), where \(736,\)"):
        rnn.lstm(x, h, c, weights, LENGTHS, *SIZES, 0.0, True)
    with pytest.raises(ShapeError, match=r"x has shape \(4, 5, 2\), where \(4, 5, 3\)"):
        rnn.lstm(x[..., :2], h, c, weights, LENGTHS, *SIZES, 0.0, False)
    with pytest.raises(ShapeError, match=r"c_0 has shape"):
        rnn.lstm(x, h, c[:1], weights, LENGTHS, *SIZES, 0.0, False)
    with pytest.raises(ShapeError, match=r"seq_lengths has shape"):
        rnn.lstm(x, h, c, weights, LENGTHS[:2], *SIZES, 0.0, False)
    with pytest.raises(RangeError, match="num_layers must be positive, got 0"):
        rnn.init_lstm_weight(random.key(0), 3, 4, 0, False)
