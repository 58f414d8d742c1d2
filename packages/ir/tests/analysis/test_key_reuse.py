"""Keys are followed through operations: used up, moved about, in branches and loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import Array, ArrayType, KeyReuseError, Program, ops, stage
from treadle_ir.analysis import KeyUses, new_cells
from treadle_ir.dtypes import KEY
from treadle_ir.primitives.call import Call, Checkpoint
from treadle_ir.primitives.control import Case
from treadle_ir.trace import bind

KEY_TYPE = ArrayType((), KEY)
KEYS = ArrayType((3,), KEY)


def program(function: Callable[..., Any], *types: ArrayType) -> Program:
    return stage(function, *types).program


def bits(key: Any) -> Array:
    return ops.random_bits(key, shape=())


def first(keys: Any, index: int) -> Array:
    return ops.reshape(ops.slice(keys, start=(index,), limit=(index + 1,), strides=(1,)), shape=())


def test_new_keys_are_all_different() -> None:
    cells = new_cells((2, 3))
    assert len({id(cell) for cell in cells.ravel()}) == 6


@pytest.mark.parametrize(
    "function",
    [
        lambda keys: [bits(keys), bits(keys)],
        lambda keys: [bits(keys), bits(first(keys, 2))],
        lambda keys: [bits(first(keys, 0)), bits(first(keys, 0))],
        lambda keys: [bits(ops.concatenate([keys, keys], dimension=0))],
        lambda keys: [bits(ops.reverse(keys, dimensions=(0,))), bits(first(keys, 0))],
    ],
)
def test_moving_keys_about_makes_no_new_ones(function: Callable[..., Any]) -> None:
    with pytest.raises(KeyReuseError, match="has been used already"):
        KeyUses().run(program(function, KEYS), [None])


def test_elements_are_keys_of_their_own() -> None:
    KeyUses().run(program(lambda keys: [bits(first(keys, i)) for i in range(3)], KEYS), [None])


def test_results_hold_the_keys_that_were_moved() -> None:
    cells = new_cells((3,))
    flipped = program(lambda keys: [ops.reverse(keys, dimensions=(0,))], KEYS)
    (result,) = KeyUses().run(flipped, [cells])
    assert result is not None
    assert [*result] == [*cells[::-1]]


def test_nothing_is_used_up_before_it_is_said_to_be() -> None:
    cells: Any = new_cells(())
    uses = KeyUses()
    uses.run(program(lambda key: [bits(key)], KEY_TYPE), [cells])
    used: Any = lambda: cells[()].used  # noqa: E731 - asked twice
    assert used() is None
    uses.commit()
    assert used() is not None
    with pytest.raises(KeyReuseError):
        KeyUses().run(program(lambda key: [bits(key)], KEY_TYPE), [cells])


def test_branches_may_use_a_key_each_and_nobody_after_them() -> None:
    branch = program(lambda key: [bits(key)], KEY_TYPE)
    case = Case((branch, branch))

    def once(key: Any) -> list[Any]:
        return [*bind(case, np.int32(0), key)]

    KeyUses().run(program(once, KEY_TYPE), [None])
    with pytest.raises(KeyReuseError):
        KeyUses().run(program(lambda key: [*once(key), bits(key)], KEY_TYPE), [None])


def test_calls_are_followed_and_recomputation_is_not() -> None:
    inner = program(lambda key: [bits(key)], KEY_TYPE)

    def calling(call: Any) -> Program:
        return program(lambda key: [*bind(call, key), bits(key)], KEY_TYPE)

    with pytest.raises(KeyReuseError):
        KeyUses().run(calling(Call(inner, "f")), [None])
    KeyUses().run(calling(Checkpoint(inner, recomputes=True)), [None])


def test_raw_keys_and_numbers_are_none() -> None:
    words = ArrayType((2,), np.dtype(np.uint32))
    made = KeyUses().run(program(lambda words: [bits(words), bits(words)], words), [None])
    assert made == [None, None]
