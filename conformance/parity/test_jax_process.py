"""A question to JAX that has no answer in time is an error that names the question."""

from __future__ import annotations

import sys

import pytest

from conformance.parity.jax_process import Jax

# Instead of JAX: answers one question, and then does `then`.
PROGRAM = """
import time
input()
print("answered", flush=True)
{then}
"""


def process(then: str, limit: float) -> Jax:
    return Jax([sys.executable, "-c", PROGRAM.format(then=then)], False, limit)


def test_a_question_that_takes_too_long_is_named() -> None:
    jax = process("time.sleep(600)", limit=5.0)
    with pytest.raises(RuntimeError, match=r"JAX took more than 5 seconds for .*'second'"):
        jax([{"of": "first"}, {"of": "second"}])
    assert jax.ended
    jax.close()


@pytest.mark.parametrize("then", ["", "print('a warning')"])
def test_a_process_that_ends_or_prints_is_an_error_at_the_question(then: str) -> None:
    jax = process(then, limit=60.0)
    with pytest.raises(RuntimeError, match=r"the process with JAX ended, or .*'second'"):
        jax([{"of": "first"}, {"of": "second"}])
    assert jax.ended
    jax.close()
