"""LSTMs of several layers, in one or two directions, with their weights in one vector, as cuDNN has them.

A layer reads its sequences in each direction. With `*` for the product of elements, a step is

    i, f, g, o = split(W_ih x + b_ih + W_hh h + b_hh)
    c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
    h' = sigmoid(o) * tanh(c')

The vector holds the matrices of all layers first, then all biases. Here all of it is a scan on any device, with
derivatives of every order.

Source: S. Hochreiter, J. Schmidhuber, Long short-term memory, Neural Computation 9 (1997); F. Gers, J. Schmidhuber,
    F. Cummins, Learning to forget, Neural Computation 12 (2000); the layout is that of cuDNN's documentation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

import treadle_numpy as tnp
from treadle_ir import Array, RangeError, ShapeError, UnsupportedError, as_array, flags, integer
from treadle_numpy import lax, nn, random
from treadle_numpy.lax import PrecisionLike
from treadle_numpy.operands.coerce import ArrayLike

__all__ = [
    "get_num_params_in_lstm",
    "init_lstm_weight",
    "lstm",
    "lstm_ref",
    "swap_lstm_gates",
    "unpack_lstm_weights",
]

Weights: TypeAlias = Mapping[int, ArrayLike]  # by layer and direction
_GATES: Final = 4


def get_num_params_in_lstm(
    input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> int:
    """How many weights an LSTM has.

    Raises:
        RangeError: a size or the number of layers is not positive.

    Example:
        >>> from treadle.experimental import rnn
        >>> rnn.get_num_params_in_lstm(3, 4, 2, True)
        736
    """
    return sum(
        rows * columns
        for rows, columns in _shapes(input_size, hidden_size, num_layers, bidirectional)
    )


def _shapes(
    input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> list[tuple[int, int]]:
    """The shapes of the parts of the vector, in their order: matrices, and biases as matrices of one column."""
    given = {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers}
    for name, value in given.items():
        if integer("lstm", name, value) < 1:
            raise RangeError(f"lstm: {name} must be positive, got {value}")
    flags("lstm", bidirectional=bidirectional)
    directions = 2 if bidirectional else 1
    gates = _GATES * hidden_size
    matrices = [
        shape
        for layer in range(num_layers)
        for _ in range(directions)
        for shape in (
            (gates, directions * hidden_size if layer else input_size),
            (gates, hidden_size),
        )
    ]
    return matrices + [(gates, 1)] * (2 * directions * num_layers)


def init_lstm_weight(
    rng: Array, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> Array:
    """Random weights, uniform between -k and k, where k is the square root of 1 / hidden_size.

    Args:
        rng: a key.
        input_size: elements of an input.
        hidden_size: elements of a state.
        num_layers: how many layers there are.
        bidirectional: whether each layer reads in both directions.

    Raises:
        RangeError: a size or the number of layers is not positive.

    Example:
        >>> from treadle import random
        >>> from treadle.experimental import rnn
        >>> rnn.init_lstm_weight(random.key(0), 3, 4, 2, bidirectional=True).shape
        (736,)
    """
    count = get_num_params_in_lstm(input_size, hidden_size, num_layers, bidirectional)
    bound = (1.0 / hidden_size) ** 0.5
    return random.uniform(rng, (count,), minval=-bound, maxval=bound)


def _parts(
    weights: ArrayLike, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> Iterator[Array]:
    """The matrices and biases in a vector of weights.

    Raises:
        ShapeError: it is no vector of that many.
    """
    vector = as_array(weights)
    shapes = _shapes(input_size, hidden_size, num_layers, bidirectional)
    count = sum(rows * columns for rows, columns in shapes)
    if vector.shape != (count,):
        raise ShapeError(f"lstm: weights have shape {vector.shape}, where {(count,)} is needed")
    start = 0
    for rows, columns in shapes:
        yield vector[start : start + rows * columns].reshape(rows, columns)
        start += rows * columns


def unpack_lstm_weights(
    weights: ArrayLike, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> tuple[dict[int, Array], dict[int, Array], dict[int, Array], dict[int, Array]]:
    """The matrices and biases in a vector of weights: `W_ih, W_hh, b_ih, b_hh`, each by layer and direction.

    `W_ih[2]` is that of the second layer's first direction, where there are two; its rows are those of four gates.

    Raises:
        RangeError: a size or the number of layers is not positive.
        ShapeError: there are not as many weights.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import rnn
        >>> W_ih, W_hh, b_ih, b_hh = rnn.unpack_lstm_weights(tnp.arange(16.0), 1, 1, 1, False)
        >>> print(W_ih[0].ravel(), b_hh[0])
        [0. 1. 2. 3.] [12. 13. 14. 15.]
    """
    found = [*_parts(weights, input_size, hidden_size, num_layers, bidirectional)]
    matrices, biases = found[: len(found) // 2], found[len(found) // 2 :]
    return (
        dict(enumerate(matrices[::2])),
        dict(enumerate(matrices[1::2])),
        {number: each[:, 0] for number, each in enumerate(biases[::2])},
        {number: each[:, 0] for number, each in enumerate(biases[1::2])},
    )


def swap_lstm_gates(
    weights: ArrayLike, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> Array:
    """The same weights with the rows of the third and the fourth gate exchanged, which other libraries have so.

    Raises:
        RangeError: a size or the number of layers is not positive.
        ShapeError: there are not as many weights.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import rnn
        >>> print(rnn.swap_lstm_gates(tnp.arange(16), 1, 1, 1, False))
        [ 0  1  3  2  4  5  7  6  8  9 11 10 12 13 15 14]
    """
    swapped = []
    for part in _parts(weights, input_size, hidden_size, num_layers, bidirectional):
        i, f, g, o = tnp.split(part, _GATES)
        swapped += [each.ravel() for each in (i, f, o, g)]
    return tnp.concatenate(swapped)


def lstm(
    x: ArrayLike,
    h_0: ArrayLike,
    c_0: ArrayLike,
    weights: ArrayLike,
    seq_lengths: ArrayLike,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    dropout: float,
    bidirectional: bool,
    precision: PrecisionLike = None,
) -> tuple[Array, Array, Array]:
    """What an LSTM makes of sequences, and its states after them: `y, h_n, c_n`.

    JAX has it on GPUs alone; here it works on every device.

    Args:
        x: the sequences, filled up to one length.
        h_0: the first hidden states, of each layer and direction.
        c_0: the first cell states.
        weights: all weights, as `init_lstm_weight` makes them.
        seq_lengths: how long each sequence is. What comes after does not count, and its `y` is zero.
        input_size: elements of an input.
        hidden_size: elements of a state.
        num_layers: how many layers there are; each reads what the one before it made.
        dropout: 0; others are refused.
        bidirectional: whether each layer reads in both directions.
        precision: of the products of matrices.

    Shapes:
        x: [batch, time, input_size]
        h_0, c_0, h_n, c_n: [layers * directions, batch, hidden_size]
        weights: [get_num_params_in_lstm(...)]
        seq_lengths: [batch]
        y: [batch, time, directions * hidden_size]

    Raises:
        RangeError: a size or the number of layers is not positive.
        ShapeError: an array has another shape than these.
        UnsupportedError: there is dropout.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle import random
        >>> from treadle.experimental import rnn
        >>> weights = rnn.init_lstm_weight(random.key(0), 3, 4, 1, False)
        >>> x, state = tnp.ones((2, 5, 3)), tnp.zeros((1, 2, 4))
        >>> y, h_n, c_n = rnn.lstm(x, state, state, weights, tnp.array([5, 2]), 3, 4, 1, 0.0, False)
        >>> y.shape, bool((y[1, 1] == h_n[0, 1]).all()), float(abs(y[1, 2:]).max())
        ((2, 5, 4), True, 0.0)
    """
    sizes = input_size, hidden_size, num_layers
    parts = unpack_lstm_weights(weights, *sizes, bidirectional)
    return _layers(x, h_0, c_0, parts, seq_lengths, sizes, dropout, bidirectional, precision)


def lstm_ref(
    x: ArrayLike,
    h_0: ArrayLike,
    c_0: ArrayLike,
    W_ih: Weights,  # noqa: N803 - JAX's name
    W_hh: Weights,  # noqa: N803
    b_ih: Weights,
    b_hh: Weights,
    seq_lengths: ArrayLike,
    input_size: int,
    hidden_size: int,
    num_layers: int,
    dropout: float,
    bidirectional: bool,
) -> tuple[Array, Array, Array]:
    """The same as `lstm`, of weights that are apart, as `unpack_lstm_weights` gives them.

    Raises:
        RangeError: a size or the number of layers is not positive.
        ShapeError: an array has another shape than `lstm` says.
        UnsupportedError: there is dropout.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle import random
        >>> from treadle.experimental import rnn
        >>> parts = rnn.unpack_lstm_weights(rnn.init_lstm_weight(random.key(0), 3, 4, 2, False), 3, 4, 2, False)
        >>> x, state = tnp.ones((2, 5, 3)), tnp.zeros((2, 2, 4))
        >>> y, h_n, c_n = rnn.lstm_ref(x, state, state, *parts, tnp.array([5, 2]), 3, 4, 2, 0.0, False)
        >>> y.shape, h_n.shape
        ((2, 5, 4), (2, 2, 4))
    """
    sizes = input_size, hidden_size, num_layers
    parts = W_ih, W_hh, b_ih, b_hh
    return _layers(x, h_0, c_0, parts, seq_lengths, sizes, dropout, bidirectional, None)


def _layers(
    x: ArrayLike,
    h_0: ArrayLike,
    c_0: ArrayLike,
    parts: tuple[Weights, ...],
    seq_lengths: ArrayLike,
    sizes: tuple[int, int, int],
    dropout: float,
    bidirectional: bool,
    precision: PrecisionLike,
) -> tuple[Array, Array, Array]:
    if dropout != 0:
        raise UnsupportedError(
            f"lstm: dropout is {dropout}, and which elements cuDNN drops is not known",
            fix="pass 0.0, and drop elements between LSTMs of one layer each",
        )
    input_size, hidden_size, num_layers = sizes
    directions = 2 if bidirectional else 1
    y, h_0, c_0, seq_lengths = map(as_array, (x, h_0, c_0, seq_lengths))
    batch = y.shape[:1]
    state = (num_layers * directions, *batch, hidden_size)
    for name, each, wanted in (
        ("x", y, (*batch, *y.shape[1:2], input_size)),
        ("h_0", h_0, state),
        ("c_0", c_0, state),
        ("seq_lengths", seq_lengths, batch),
    ):
        if each.shape != wanted or not batch:
            raise ShapeError(f"lstm: {name} has shape {each.shape}, where {wanted} is needed")
    # Time first, as a scan has it. A sequence that has ended keeps its states.
    y = tnp.swapaxes(y, 0, 1)
    runs = tnp.arange(y.shape[0])[:, None] < seq_lengths
    ends = []
    for layer in range(num_layers):
        made = []
        for direction in range(directions):
            number = layer * directions + direction
            weights = [tnp.asarray(part[number]) for part in parts]
            one, h, c = _layer(
                y, h_0[number], c_0[number], weights, runs, bool(direction), precision
            )
            made.append(one)
            ends.append((h, c))
        y = tnp.concatenate(made, axis=-1)
    h_n, c_n = (tnp.stack(each) for each in zip(*ends, strict=True))
    return tnp.swapaxes(y, 0, 1), h_n, c_n


def _layer(
    x: Array,
    h_0: Array,
    c_0: Array,
    weights: list[Array],
    runs: Array,
    backwards: bool,
    precision: PrecisionLike,
) -> tuple[Array, Array, Array]:
    """One direction of one layer; backwards, a sequence begins where it ends, so its states wait until then."""
    w_ih, w_hh, b_ih, b_hh = weights
    inputs = tnp.matmul(x, w_ih.T, precision=precision) + (b_ih + b_hh)  # of all times at once

    def step(
        state: tuple[Array, Array], at: tuple[Array, Array]
    ) -> tuple[tuple[Array, Array], Array]:
        (h, c), (own, runs) = state, at
        i, f, g, o = tnp.split(own + tnp.matmul(h, w_hh.T, precision=precision), _GATES, axis=-1)
        new_c = nn.sigmoid(f) * c + nn.sigmoid(i) * tnp.tanh(g)
        new_h = nn.sigmoid(o) * tnp.tanh(new_c)
        on = runs[:, None]
        return (tnp.where(on, new_h, h), tnp.where(on, new_c, c)), tnp.where(on, new_h, 0)

    (h, c), y = lax.scan(step, (h_0, c_0), (inputs, runs), reverse=backwards)
    return y, h, c
