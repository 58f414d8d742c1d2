"""What JAX has pickled is read under the hook: parameters, random keys, specifications."""

from __future__ import annotations

import base64
import pickle
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treadle
import treadle_jax

# Pickled by JAX 0.10.2: a dictionary of what the tests look up in it.
OF_JAX = """
eNp1U8tu00AUTRyHJiFUoYmQkNgipRtLLVVXSCkEqSqWoqorWI38mHSc+sXYVmKJSukibS3NBhh+gHU/giU/wDew4xfgzjhJExNsyeO5M2fuue
fcmapfP6gl+VzyLnswdAMjjjjbHhkTDUXU0gxKjZSzHUSxFfhRTBMrRnnwCyCe+IkXphqyAoo1L3FjZw5orgJgK6vKnZxt+fYCrpdmvF82+Q3v
6mW9MuOkxqp2nIZYAJThAc9ub/gZrFZY+SUfDAZv/8AjP3op5mbWb+bkpz34HPGYX3JWH2PjAslTsigGOFNFhBO1S7ZIQyQlTZlyl7SzPpT/vS
eR5Oltvr8aeYbrbgDAq1xz0mJ1z0WSKGhVM6Vqe4dAesmXdICtrsB7JHmq0950kWXOqjomgYs3ZVFmIofi7K3W/3Fj/UqpvH6qeoFTINVZGkgN
3w48LaT+ObhyejY41nH6au7A7hUXvleR44VQ8GtWExtOxATcFUTYs+JJMaEYD2m6P3mxz9mjxRRFGNuAIjrbvo+FrhPnwc4ymJ+DTAc6TS61lk
vDwLWR4wv7m+t5KvAHlV6Bv0j0VeJBtow9RKYR4XlDbpJybpiSHBTM+UfKFntuf2tkpZ8/fu807/bvfq0Jm5jQRo4Nfr3JRSPH5KSrq6BQu6gQ
Nc8FTRiWoozYY5T4kTHEeXihy4i1ZKCgyYi1V7evyNK4D4PZiRiEKuRdRt5vqB/4EQS1iUui5HdFjsXaKtQY/68VAV8TuEoRx9QoxBZ4AwJwVj
4V/MoTPriWTVVPfIrtxAIBup/g3q9Mks880f4CYH66Cg==
"""


@pytest.fixture(autouse=True)
def _hook() -> Iterator[None]:
    treadle_jax.install()
    yield
    treadle_jax.uninstall()


@pytest.fixture
def found() -> dict[str, Any]:
    loaded: dict[str, Any] = pickle.loads(zlib.decompress(base64.b64decode(OF_JAX)))
    return loaded


def test_arrays(found: dict[str, Any]) -> None:
    expected = {
        "floats": np.arange(3, dtype=np.float32),
        "weak": np.float32(1.5),
        "small": np.ones((1, 2), treadle.numpy.bfloat16),
        "whole": np.arange(2, dtype=np.int8),
        "raw": np.array([0, 3], np.uint32),
    }
    for name, elements in expected.items():
        array = found[name]
        assert isinstance(array, treadle.Array)
        np.testing.assert_array_equal(np.asarray(array), elements, strict=True)
        assert array.weak_type == (name == "weak")
    assert treadle.jit(treadle.numpy.sum)(found["floats"]) == 3


def test_keys(found: dict[str, Any]) -> None:
    words = {
        "keys": [[2724472204, 3573582090], [202567368, 3886822060]],
        "wide": [0, 2, 0, 2],
    }
    for name, expected in words.items():
        keys = found[name]
        assert type(keys) is type(treadle.random.key(0))
        np.testing.assert_array_equal(treadle.random.key_data(keys), expected)
    ours = treadle.random.split(treadle.random.key(5))
    assert treadle.random.normal(found["keys"][1]) == treadle.random.normal(ours[1])
    again = pickle.loads(pickle.dumps(found["keys"]))
    np.testing.assert_array_equal(treadle.random.key_data(again), words["keys"])


def test_specifications(found: dict[str, Any]) -> None:
    assert found["spec"] == treadle.P("x", None)


def test_the_class_of_keys() -> None:
    from jax._src.prng import PRNGKeyArray

    assert isinstance(treadle.random.key(0), PRNGKeyArray)
    assert not isinstance(treadle.random.PRNGKey(0), PRNGKeyArray)
    assert not isinstance(0, PRNGKeyArray)
