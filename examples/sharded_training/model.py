"""A transformer of two blocks in plain `treadle.numpy`, and one step of training it.

Of devices it knows one thing: an axis of their mesh is called "data", and divides the batch.

Sources: A. Vaswani et al., Attention Is All You Need, 2017, with the norms first and without biases; D. Kingma and
J. Ba, Adam, 2015.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import treadle
import treadle.numpy as tnp
from treadle import lax, nn, random
from treadle.sharding import PartitionSpec as P

Parameters = dict[str, Any]

TOKENS: Final = 32  # the sequences count modulo this
LENGTH: Final = 16
WIDTH: Final = 128
HEADS: Final = 8
HIDDEN: Final = 512
BLOCKS: Final = 2
RATE: Final = 3e-3


class State(NamedTuple):
    """Parameters, with Adam's means of their gradients and of the squares of these."""

    parameters: Parameters
    mean: Parameters
    square: Parameters


def start(key: Any) -> State:
    """Normal weights, each scaled by the size of what it is multiplied with."""
    sizes = {
        "embed": (TOKENS, WIDTH),
        "place": (LENGTH, WIDTH),
        "logits": (WIDTH, TOKENS),
        "norm": (WIDTH,),
    }
    for block in range(BLOCKS):
        sizes |= {
            f"query{block}": (WIDTH, WIDTH),
            f"key{block}": (WIDTH, WIDTH),
            f"value{block}": (WIDTH, WIDTH),
            f"mix{block}": (WIDTH, WIDTH),
            f"up{block}": (WIDTH, HIDDEN),
            f"down{block}": (HIDDEN, WIDTH),
            f"norm_attend{block}": (WIDTH,),
            f"norm_think{block}": (WIDTH,),
        }
    keys = random.split(key, len(sizes))
    parameters = {}
    for each, (name, size) in zip(keys, sizes.items(), strict=True):
        if name.startswith("norm"):
            parameters[name] = tnp.ones(size)
        else:
            parameters[name] = random.normal(each, size) / size[0] ** 0.5
    zeros = treadle.tree.map(tnp.zeros_like, parameters)
    return State(parameters, zeros, zeros)


def normed(x: Any, scale: Any) -> Any:
    """Each position divided by its root mean square (B. Zhang and R. Sennrich 2019)."""
    return x * scale / tnp.sqrt(tnp.mean(x * x, axis=-1, keepdims=True) + 1e-5)


def as_batch(x: Any) -> Any:
    """Say that what the network computes is divided as the batch is, however its weights lie.

    Without it XLA may gather the batch and keep the weights where they are: right as well, but other messages.
    """
    return lax.with_sharding_constraint(x, P("data"))


def attended(p: Parameters, block: int, x: Any) -> Any:
    """Each position looks at itself and at those before it."""

    def heads(name: str) -> Any:
        return (x @ p[f"{name}{block}"]).reshape(-1, LENGTH, HEADS, WIDTH // HEADS)

    scores = tnp.einsum("bqhd,bkhd->bhqk", heads("query"), heads("key"))
    scores = tnp.where(tnp.tri(LENGTH, dtype=bool), scores / (WIDTH // HEADS) ** 0.5, -1e9)
    seen = tnp.einsum("bhqk,bkhd->bqhd", nn.softmax(scores), heads("value"))
    return seen.reshape(-1, LENGTH, WIDTH) @ p[f"mix{block}"]


def loss(p: Parameters, tokens: Any) -> Any:
    """Return how surprising each token is after the previous ones: the mean, in nats."""
    given, wanted = tokens[:, :-1], tokens[:, 1:]
    x = as_batch(nn.one_hot(given, TOKENS) @ p["embed"] + p["place"])
    for block in range(BLOCKS):
        x = as_batch(x + attended(p, block, normed(x, p[f"norm_attend{block}"])))
        hidden = nn.gelu(normed(x, p[f"norm_think{block}"]) @ p[f"up{block}"])
        x = as_batch(x + hidden @ p[f"down{block}"])
    logits = nn.log_softmax(normed(x, p["norm"]) @ p["logits"])
    return -tnp.mean(tnp.sum(nn.one_hot(wanted, TOKENS) * logits, axis=-1))


def step(state: State, number: Any, tokens: Any) -> tuple[State, Any]:
    """One step of Adam."""
    value, slopes = treadle.value_and_grad(loss)(state.parameters, tokens)
    mean = treadle.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.mean, slopes)
    square = treadle.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, state.square, slopes)
    rate = RATE * tnp.sqrt(1 - 0.99**number) / (1 - 0.9**number)
    parameters = treadle.tree.map(
        lambda p, m, v: p - rate * m / (tnp.sqrt(v) + 1e-8), state.parameters, mean, square
    )
    return State(parameters, mean, square), value


def batch(key: Any, count: int) -> Any:
    """Sequences that count on from a random token by a random stride: the stride is seen, not told."""
    first, stride = random.split(key)
    begin = random.randint(first, (count, 1), 0, TOKENS)
    by = random.randint(stride, (count, 1), 1, 5)
    return (begin + by * tnp.arange(LENGTH + 1)) % TOKENS
