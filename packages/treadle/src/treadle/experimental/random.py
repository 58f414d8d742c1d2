"""A random generator with a state: `stateful_rng(seed)`, whose methods give other numbers at each call.

The state is a key and a counter in a mutable reference; each call folds the counter into the key. So it works where
mutable references do: in jitted functions, as their argument or made around them, and in loops. It is a pytree.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import numpy as np

from treadle import numpy as tnp, random
from treadle.tree_util import register_pytree_node
from treadle_ir import Array, ShapeError
from treadle_ir.errors import boundaries, integer
from treadle_ir.refs import Ref, new_ref

if TYPE_CHECKING:
    from treadle.typing import ArrayLike, DTypeLike

__all__ = ["StatefulPRNG", "stateful_rng"]

Size: TypeAlias = int | Sequence[int] | None
_FLOAT: Final = float
_INT: Final = int


@final
class StatefulPRNG:
    """A random generator whose state is in a mutable reference; `stateful_rng` makes it.

    Example:
        >>> rng = stateful_rng(42)
        >>> bool(rng.random() == rng.random())
        False
    """

    __slots__ = ("_base_key", "_counter")

    def __init__(self, _base_key: Any, _counter: Any) -> None:
        self._base_key = _base_key  # a key, or an array of keys in a batch that `split` made
        self._counter = _counter  # how many keys were taken, in a reference

    def __repr__(self) -> str:
        return f"StatefulPRNG(_base_key={self._base_key!r}, _counter={self._counter!r})"

    def key(self, shape: int | Sequence[int] = ()) -> Array:
        """Return a new key, or an array of new keys.

        Raises:
            ShapeError: the generator is a batch that `split` made.

        Example:
            >>> stateful_rng(0).key((2, 3)).shape
            (2, 3)
        """
        if self._base_key.shape:
            raise ShapeError(
                f"cannot operate on split stateful generator, of shape {self._base_key.shape}",
                fix="use it as a mapped argument of treadle.vmap",
            )
        one = random.fold_in(self._base_key, self._counter[...])
        self._counter[...] = self._counter[...] + 1
        return one if _is_empty(shape) else random.split(one, shape)

    def random(self, size: Size = None, dtype: DTypeLike = _FLOAT) -> Array:
        """Draw numbers in [0, 1), a scalar by default.

        Example:
            >>> stateful_rng(0).random(3).shape
            (3,)
        """
        return random.uniform(self.key(), _sizes(size), dtype)

    def uniform(
        self,
        low: ArrayLike = 0,
        high: ArrayLike = 1,
        size: Size = None,
        *,
        dtype: DTypeLike = _FLOAT,
    ) -> Array:
        """Draw numbers between two bounds, which broadcast to `size`; of their shape by default.

        Example:
            >>> bool(-2 <= stateful_rng(0).uniform(-2, -1) < -1)
            True
        """
        return random.uniform(self.key(), _sizes(size, low, high), dtype, minval=low, maxval=high)

    def normal(
        self,
        loc: ArrayLike = 0,
        scale: ArrayLike = 1,
        size: Size = None,
        *,
        dtype: DTypeLike = _FLOAT,
    ) -> Array:
        """Normal numbers with a mean and a standard deviation, which broadcast to `size`; of their shape by default.

        Example:
            >>> stateful_rng(0).normal(np.zeros(3)).shape
            (3,)
        """
        drawn = random.normal(self.key(), _sizes(size, loc, scale), dtype)
        return tnp.asarray(loc, drawn.dtype) + tnp.asarray(scale, drawn.dtype) * drawn

    def integers(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: Size = None,
        *,
        dtype: DTypeLike = _INT,
    ) -> Array:
        """Integers from `low` up to `high`, which is not among them; from 0 up to `low` without `high`.

        Example:
            >>> bool(0 <= stateful_rng(0).integers(10) < 10)
            True
        """
        if high is None:
            low, high = 0, low
        return random.randint(self.key(), _sizes(size, low, high), low, high, dtype)

    def split(self, num: int | Sequence[int]) -> StatefulPRNG:
        """Return a batch of generators, to be an argument over which `vmap` maps.

        Example:
            >>> import treadle
            >>> treadle.vmap(lambda rng: rng.random())(stateful_rng(0).split(3)).shape
            (3,)
        """
        keys = self.key(num)
        return StatefulPRNG(keys, new_ref(tnp.zeros(keys.shape, np.int32)))

    def spawn(self, n_children: int) -> list[StatefulPRNG]:
        """New generators, independent of each other and of this one.

        Example:
            >>> len(stateful_rng(0).spawn(2))
            2
        """
        count = integer("spawn", "n_children", n_children)
        return [_generator(key) for key in self.key(count)] if count else []


register_pytree_node(
    StatefulPRNG,
    lambda rng: ((rng._base_key, rng._counter), None),
    lambda _, parts: StatefulPRNG(*parts),
)


def stateful_rng(seed: ArrayLike | None = None, *, impl: Any = None) -> StatefulPRNG:
    """Return a random generator with a state, from a seed; without one, from the randomness of the operating system.

    Args:
        seed: an integer.
        impl: the name of the generator of its keys, as for `random.key`.

    Raises:
        ArgumentError: the seed is not an integer, or there is no such generator.

    Example:
        >>> one, two = stateful_rng(7), stateful_rng(7)
        >>> bool(one.random() == two.random())
        True
    """
    return _generator(random.key(secrets.randbits(32) if seed is None else seed, impl=impl))


def _generator(key: Array) -> StatefulPRNG:
    return StatefulPRNG(key, new_ref(0))


def _is_empty(shape: object) -> bool:
    return isinstance(shape, tuple | list) and not shape


def _sizes(size: Size, *bounds: Any) -> Any:
    """Return the requested shape, or the shape of the bounds."""
    if size is None:
        return np.broadcast_shapes(
            *[np.shape(x) if not isinstance(x, Array | Ref) else x.shape for x in bounds]
        )
    return size


boundaries(__name__)
