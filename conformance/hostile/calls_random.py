"""Valid calls of random numbers, initializers and attention, in addition to `calls.py`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, Final

from treadle import random
from treadle.nn import initializers

KEY: Final = random.key(1)


def used(make: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes an initializer, and calls it, too: what it was given is looked at then."""

    @functools.wraps(make)
    def made_and_called(*arguments: Any, **keywords: Any) -> Any:
        return make(*arguments, **keywords)(KEY, (1, 2, 3))

    return made_and_called


_MADE: Final = {
    name: used(getattr(initializers, name))
    for name in dir(initializers)
    if name[0] != "_" and name not in ("Initializer", "ones", "zeros")
}
NAMESPACES: Final[dict[str, Any]] = {
    "initializers": SimpleNamespace(**_MADE, ones=initializers.ones, zeros=initializers.zeros)
}
LEFT_OUT: Final[dict[str, str]] = {
    "nn.get_scaled_dot_general_config": "it says that it is not there, whatever it is given",
}
NAMES: Final[dict[str, Any]] = {"stream": KEY}
TABLE: Final = """
initializers: zeros ones (stream, (2, 3))
initializers: constant normal truncated_normal uniform (0.5)
initializers: glorot_normal glorot_uniform he_normal he_uniform kaiming_normal kaiming_uniform ()
initializers: lecun_normal lecun_uniform xavier_normal xavier_uniform ()
initializers: variance_scaling (1.0, "fan_in", "normal")
nn: log1mexp sparse_plus sparse_sigmoid (x)
nn: scaled_matmul (cube, cube, cube[..., :2], cube[..., :2])
nn: scaled_dot_general (square, square, (((1,), (1,)), ((), ())))
random: key_dtype ()
random: ball (stream, 3)
random: beta binomial double_sided_maxwell f (stream, 2.0, 0.5)
random: chisquare gamma generalized_normal loggamma poisson t wald (stream, 2.0)
random: dirichlet (stream, v)
random: multinomial (stream, 10, v)
random: multivariate_normal (stream, v, square)
random: orthogonal (stream, 3)
initializers: delta_orthogonal orthogonal ()
"""
