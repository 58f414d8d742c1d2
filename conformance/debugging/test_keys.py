"""`debug_key_reuse`: a random key that is used twice is an error that names both lines, eager and compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax, random
from treadle.errors import KeyReuseError

Use = Callable[[Any], Any]
DRAWS: tuple[Use, ...] = (random.bits, random.cauchy, random.bernoulli)


def twice(key: Any) -> Any:
    x = random.normal(key)  # first
    return x + random.uniform(key)  # second


jitted_normal = treadle.jit(random.normal)

REUSES: dict[str, Use] = {
    "twice": twice,
    "split twice": lambda k: (random.split(k), random.split(k)),
    "split, then drawn from": lambda k: (random.split(k), random.normal(k)),
    "one of many": lambda k: [random.normal(random.split(k)[i]) for i in (0,)] + [twice(k)],
    "the same element": lambda k: _of_split(k, lambda ks: (random.bits(ks[0]), random.bits(ks[0]))),
    "all, then one": lambda k: _of_split(
        k, lambda ks: (treadle.vmap(random.bits)(ks), random.bits(ks[1]))
    ),
    "stacked": lambda k: treadle.vmap(random.bits)(tnp.stack([k, k])),
    "reshaped": lambda k: (random.bits(k), random.bits(k.reshape(1)[0])),
    "two calls of a compiled function": lambda k: (jitted_normal(k), jitted_normal(k)),
    "a compiled function, then eager": lambda k: (jitted_normal(k), random.bits(k)),
    "closed over": lambda k: (treadle.jit(lambda: random.bits(k))(), random.bits(k)),
    "a branch, then outside": lambda k: (
        lax.cond(True, lambda: random.uniform(k), lambda: 0.0),
        random.uniform(k),
    ),
    "a constant of a loop": lambda k: lax.scan(
        lambda c, _: (c, random.uniform(k)), 0.0, None, length=3
    ),
    "a carry of a loop": lambda k: lax.scan(lambda c, _: (c, random.uniform(c)), k, None, length=2),
    "a while loop": lambda k: lax.while_loop(
        lambda s: s[0] < 2, lambda s: (s[0] + 1, s[1] + random.uniform(k)), (0, 0.0)
    ),
    "returned after use": lambda k: random.bits(
        treadle.jit(lambda key: (random.bits(key), key))(k)[1]
    ),
    "in a gradient": lambda k: treadle.grad(lambda x: x * random.normal(k) + random.normal(k))(1.0),
}
USES: dict[str, Use] = {
    "once": random.normal,
    "two of a split": lambda k: _of_split(k, lambda ks: (random.bits(ks[0]), random.bits(ks[1]))),
    "folded in": lambda k: [random.bits(random.fold_in(k, i)) for i in range(3)],
    "folded in after use": lambda k: (random.bits(k), random.fold_in(k, 1)),
    "cloned": lambda k: (random.bits(k), random.bits(random.clone(k))),
    "both branches": lambda k: lax.cond(True, lambda: random.uniform(k), lambda: random.normal(k)),
    "one draw of many": lambda k: treadle.vmap(lambda x: x + random.uniform(k))(tnp.ones(2)),
    "words": lambda k: (random.bits(k), random.key_data(k)),
    "compared": lambda k: (random.bits(k), k == k),
    "a loop that splits": lambda k: lax.scan(
        lambda c, _: _of_split(c, lambda ks: (ks[0], random.uniform(ks[1]))), k, None, length=3
    ),
    "a loop over keys": lambda k: lax.scan(
        lambda c, key: (c, random.uniform(key)), 0.0, random.split(k, 3)
    ),
    "one iteration": lambda k: lax.scan(lambda c, _: (c, random.uniform(k)), 0.0, None, length=1),
    "recomputed": lambda k: treadle.grad(
        treadle.checkpoint(lambda x: tnp.sin(x * random.normal(k)))
    )(2.0),
    "distributions": lambda k: [
        draw(key) for draw, key in zip(DRAWS, random.split(k, 3), strict=True)
    ],
}


def _of_split(key: Any, use: Use) -> Any:
    return use(random.split(key))


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("name", REUSES)
def test_a_key_that_is_used_twice_is_refused(name: str, compiled: bool) -> None:
    use = treadle.jit(REUSES[name]) if compiled else REUSES[name]
    use(random.key(0))  # without the setting nothing is raised
    with treadle.debug_key_reuse(), pytest.raises(KeyReuseError):
        use(random.key(0))


@pytest.mark.parametrize("compiled", [False, True], ids=["eager", "jit"])
@pytest.mark.parametrize("name", USES)
def test_a_key_that_is_used_once_is_not(name: str, compiled: bool) -> None:
    use = treadle.jit(USES[name]) if compiled else USES[name]
    with treadle.debug_key_reuse():
        use(random.key(0))
        use(random.key(0))


@pytest.mark.parametrize("use", [twice, treadle.jit(twice)], ids=["eager", "jit"])
def test_both_lines_are_named(use: Use) -> None:
    with treadle.debug_key_reuse(), pytest.raises(KeyReuseError) as caught:
        use(random.key(0))
    notes = "\n".join(caught.value.__notes__)
    assert "# second" in caught.value.__notes__[0]
    assert "first used at" in notes
    assert "# first" in notes


def test_raw_keys_are_not_followed() -> None:
    with treadle.debug_key_reuse():
        twice(random.PRNGKey(0))


def test_use_is_remembered_only_under_the_setting() -> None:
    key = random.key(3)
    random.normal(key)
    with treadle.debug_key_reuse():
        random.normal(key)
        with pytest.raises(KeyReuseError):
            random.normal(key)
    random.normal(key)
