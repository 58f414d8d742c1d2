"""LSTMs of several layers, in one or two directions, with their weights in one vector, as cuDNN has them.

A layer reads its sequences in each direction. With `*` for the product of elements, a step is

    i, f, g, o = split(W_ih x + b_ih + W_hh h + b_hh)
    c' = sigmoid(f) * c + sigmoid(i) * tanh(g)
    h' = sigmoid(o) * tanh(c')

The vector holds the matrices of all layers first, then all biases. Here all of it is a scan on any device, with
derivatives of every order.

Source: S. Hochreiter, J. Schmidhuber, Long short-term memory, Neural Computation 9 (1997); F. Gers, J. Schmidhuber,
    F. Cummins, Learning to forget, Neural Computation 12 (2000); the layout follows cuDNN's documentation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias, final

import treadle_numpy as tnp
from treadle_ir import Array, ShapeError, UnsupportedError
from treadle_ir.errors import RangeError, boundaries, flags, integer, number, refused
from treadle_ir.process import frozen
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
    """Return how many weights an LSTM has.

    Raises:
        RangeError: a size or the number of layers is not positive.

    Example:
        >>> from treadle.experimental import rnn
        >>> rnn.get_num_params_in_lstm(3, 4, 2, True)
        736
    """
    return _sizes(input_size, hidden_size, num_layers, bidirectional).count


@final
@frozen
class _Sizes:
    """How large a network is."""

    inputs: int
    hidden: int
    layers: int
    directions: int

    @property
    def gates(self) -> int:
        """The rows of a matrix, for four gates."""
        return _GATES * self.hidden

    @property
    def count(self) -> int:
        """All weights."""
        read = self.inputs + (self.layers - 1) * self.directions * self.hidden
        own = self.layers * (self.hidden + 2)
        return self.directions * self.gates * (read + own)

    @property
    def states(self) -> int:
        """How many states there are: of each layer and direction."""
        return self.layers * self.directions

    def shapes(self) -> list[tuple[int, ...]]:
        """Return the shapes of the parts of the vector, in their order: matrices, then biases."""
        matrices = [
            (self.gates, columns)
            for place in range(self.states)
            for columns in (self.columns(place), self.hidden)
        ]
        return [*matrices, *[(self.gates,)] * (2 * self.states)]

    def columns(self, place: int) -> int:
        """Return how many columns a layer and direction reads: inputs, or all states of the previous layer."""
        return self.directions * self.hidden if place >= self.directions else self.inputs


def _sizes(
    input_size: object, hidden_size: object, num_layers: object, bidirectional: bool
) -> _Sizes:
    """Return the sizes, checked.

    Raises:
        RangeError: one is not positive.
    """
    flags("lstm", bidirectional=bidirectional)
    given = {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers}
    found = {name: integer("lstm", name, value) for name, value in given.items()}
    for name, value in found.items():
        if value < 1:
            raise RangeError(f"lstm: {name} must be positive, got {value}")
    inputs, hidden, layers = found.values()
    return _Sizes(inputs, hidden, layers, 2 if bidirectional else 1)


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
    sizes = _sizes(input_size, hidden_size, num_layers, bidirectional)
    bound = (1.0 / sizes.hidden) ** 0.5
    return random.uniform(rng, (sizes.count,), minval=-bound, maxval=bound)


def _parts(weights: ArrayLike, sizes: _Sizes) -> Iterator[Array]:
    """Yield the matrices and biases in a vector of weights.

    Raises:
        ShapeError: it is not a vector of that many.
    """
    vector = tnp.asarray(weights)
    if vector.shape != (sizes.count,):
        raise ShapeError(
            f"lstm: weights have shape {vector.shape}, where {(sizes.count,)} is needed"
        )
    start = 0
    for shape in sizes.shapes():
        count = math.prod(shape)
        yield vector[start : start + count].reshape(shape)
        start += count


def unpack_lstm_weights(
    weights: ArrayLike, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> tuple[dict[int, Array], dict[int, Array], dict[int, Array], dict[int, Array]]:
    """Return the matrices and biases in a vector of weights: `W_ih, W_hh, b_ih, b_hh`, each by layer and direction.

    `W_ih[2]` belongs to the second layer's first direction, where there are two; its rows are grouped by gate.

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
    return _unpacked(weights, _sizes(input_size, hidden_size, num_layers, bidirectional))


def _unpacked(
    weights: ArrayLike, sizes: _Sizes
) -> tuple[dict[int, Array], dict[int, Array], dict[int, Array], dict[int, Array]]:
    found = [*_parts(weights, sizes)]
    matrices, biases = found[: 2 * sizes.states], found[2 * sizes.states :]
    w_ih, w_hh, b_ih, b_hh = (
        dict(enumerate(each)) for each in (matrices[::2], matrices[1::2], biases[::2], biases[1::2])
    )
    return w_ih, w_hh, b_ih, b_hh


def swap_lstm_gates(
    weights: ArrayLike, input_size: int, hidden_size: int, num_layers: int, bidirectional: bool
) -> Array:
    """Return the same weights with the rows of the third and the fourth gate exchanged, as other libraries order them.

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
    for part in _parts(weights, _sizes(input_size, hidden_size, num_layers, bidirectional)):
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
    """Run an LSTM over sequences, and return its outputs and final states: `y, h_n, c_n`.

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
        ShapeError: an array has a different shape from these.
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
    sizes = _sizes(input_size, hidden_size, num_layers, bidirectional)
    _refuse_dropout(dropout)
    parts = _unpacked(weights, sizes)
    return _layers(x, h_0, c_0, parts, seq_lengths, sizes, precision)


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
    """Run `lstm` with unpacked weights, as `unpack_lstm_weights` returns them.

    Raises:
        RangeError: a size or the number of layers is not positive.
        ShapeError: an array does not have the shape that `lstm` expects.
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
    sizes = _sizes(input_size, hidden_size, num_layers, bidirectional)
    _refuse_dropout(dropout)
    parts = [
        _checked(name, given, sizes, columns)
        for name, given, columns in (
            ("W_ih", W_ih, lambda place: (sizes.columns(place),)),
            ("W_hh", W_hh, lambda _: (sizes.hidden,)),
            ("b_ih", b_ih, lambda _: ()),
            ("b_hh", b_hh, lambda _: ()),
        )
    ]
    return _layers(x, h_0, c_0, parts, seq_lengths, sizes, None)


def _checked(
    name: str, given: object, sizes: _Sizes, columns: Callable[[int], tuple[int, ...]]
) -> dict[int, Array]:
    """Weights of one kind, by layer and direction.

    Raises:
        ArgumentError: they are not a dict of all of these.
        ShapeError: one has another shape.
    """
    if not isinstance(given, Mapping) or len(given) != sizes.states:
        raise refused("lstm_ref", name, f"a dict of {sizes.states} arrays, by their number", given)
    found = {}
    for place in range(sizes.states):
        if place not in given:
            raise refused("lstm_ref", name, f"a dict that has the number {place}", given)
        found[place] = tnp.asarray(given[place])
        wanted = (sizes.gates, *columns(place))
        if found[place].shape != wanted:
            raise ShapeError(
                f"lstm_ref: {name}[{place}] has shape {found[place].shape}, where {wanted} is needed"
            )
    return found


def _refuse_dropout(dropout: float) -> None:
    if number("lstm", "dropout", dropout) != 0:
        raise UnsupportedError(
            f"lstm: dropout is {dropout}, and which elements cuDNN drops is not known",
            fix="pass 0.0, and drop elements between LSTMs of one layer each",
        )


def _layers(
    x: ArrayLike,
    h_0: ArrayLike,
    c_0: ArrayLike,
    parts: Sequence[Mapping[int, Array]],
    seq_lengths: ArrayLike,
    sizes: _Sizes,
    precision: PrecisionLike,
) -> tuple[Array, Array, Array]:
    y, h_0, c_0, seq_lengths = (tnp.asarray(each) for each in (x, h_0, c_0, seq_lengths))
    batch = y.shape[:1]
    state = (sizes.states, *batch, sizes.hidden)
    for name, each, wanted in (
        ("x", y, (*batch, *y.shape[1:2], sizes.inputs)),
        ("h_0", h_0, state),
        ("c_0", c_0, state),
        ("seq_lengths", seq_lengths, batch),
    ):
        if y.ndim != 3 or each.shape != wanted:
            raise ShapeError(f"lstm: {name} has shape {each.shape}, where {wanted} is needed")
    # Time first, as a scan has it. A sequence that has ended keeps its states.
    y = tnp.swapaxes(y, 0, 1)
    runs = tnp.arange(y.shape[0])[:, None] < seq_lengths
    ends = []
    for layer in range(sizes.layers):
        made = []
        for direction in range(sizes.directions):
            place = layer * sizes.directions + direction
            weights = [part[place] for part in parts]
            one, h, c = _layer(y, h_0[place], c_0[place], weights, runs, bool(direction), precision)
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
    """Return one direction of one layer; backwards, a sequence begins where it ends, so its states wait until then."""
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


boundaries(__name__)
