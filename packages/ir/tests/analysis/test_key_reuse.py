"""Keys are followed through operations: used up, moved about, in branches and loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from treadle_ir import Array, ArrayType, Program, ops, stage
from treadle_ir.analysis import KeyUses, new_cells
from treadle_ir.core.dtypes import KEY
from treadle_ir.errors import KeyReuseError
from treadle_ir.primitives.call import Call, Checkpoint
from treadle_ir.primitives.control import Case, Scan, While
from treadle_ir.tracing.trace import bind

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


def test_branches_may_use_a_key_each_and_nothing_after_them() -> None:
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


def split(key: Any, index: int) -> Array:
    return first(ops.random_split(key, shape=(2,)), index)


def doubled(inner: Program) -> Program:
    """A program that calls another one twice."""
    call = Call(inner, "f")
    return program(lambda key: [*bind(call, *bind(call, key))], KEY_TYPE)


def test_programs_are_followed_once_for_each_kind_of_operands() -> None:
    tower = program(lambda key: [split(key, 0)], KEY_TYPE)
    for _ in range(60):  # 2 ** 60 splits
        tower = doubled(tower)
    cells: Any = new_cells(())
    uses = KeyUses()
    (made,) = uses.run(tower, [cells])
    uses.commit()
    assert cells[()].used is not None
    assert made is not None
    assert made.item().used is None
    uses.run(tower, [made])
    with pytest.raises(KeyReuseError):
        uses.run(tower, [made])


NESTED = ("call", "case", "scan", "while")


@st.composite
def towers(draw: st.DrawFn) -> Program:
    """Programs from three keys to three, which use keys, make new ones and call earlier programs again and again."""
    leaf = program(lambda a, b, c: [split(a, 0), b, c], *[KEY_TYPE] * 3)
    made = [leaf, program(lambda a, b, c: [b, a, split(c, 1)], *[KEY_TYPE] * 3)]
    for _ in range(draw(st.integers(1, 3))):
        steps = draw(
            st.lists(
                st.tuples(
                    st.sampled_from(("split", "call", "call", *NESTED)),
                    st.lists(st.integers(0, 5), min_size=3, max_size=3),
                    st.sampled_from(range(len(made))),
                    st.sampled_from(range(len(made))),
                ),
                min_size=1,
                max_size=4,
            )
        )
        last = draw(st.lists(st.integers(0, 5), min_size=3, max_size=3))

        def function(*keys: Any, steps: Any = steps, last: Any = last) -> list[Any]:
            pool = [*keys]
            for kind, places, one, two in steps:
                given = [pool[-1 - place % len(pool)] for place in places]
                if kind == "split":
                    pool += [split(given[0], 0), split(pool[-1], 1)]
                else:
                    holder = _holding(kind, made[one], made[two])
                    pool += bind(holder, *([np.int32(0)] if kind == "case" else []), *given)
            return [pool[-1 - place % len(pool)] for place in last]

        made.append(program(function, KEY_TYPE, KEY_TYPE, KEY_TYPE))
    return made[-1]


def _holding(kind: str, inner: Program, other: Program) -> Any:
    if kind == "call":
        return Call(inner, "f")
    if kind == "case":
        return Case((inner, other))
    if kind == "scan":
        return Scan(inner, 3, 0, 3)
    always = program(lambda *keys: [np.bool_(True)], KEY_TYPE, KEY_TYPE, KEY_TYPE)
    return While(always, inner)


class _Forgetful(dict[Any, Any]):
    def __setitem__(self, key: Any, value: Any) -> None:
        """Remember nothing."""


def outcome(uses: KeyUses, program: Program, operands: list[Any]) -> Any:
    """Return the text and the notes of the error, or which keys are used and which are returned."""
    try:
        results = uses.run(program, operands)
    except KeyReuseError as error:
        return str(error), error.__notes__
    uses.commit()
    numbers: dict[Any, int] = {}
    return [
        (numbers.setdefault(cell, len(numbers)), cell.used)
        for cells in [*operands, *results]
        for cell in cells.ravel()
    ]


@given(towers(), st.lists(st.integers(0, 2), min_size=3, max_size=3))
def test_what_is_remembered_is_what_following_finds(tower: Program, same: list[int]) -> None:
    found = []
    for forgetful in (False, True):
        keys = [new_cells(()) for _ in range(3)]
        uses = KeyUses()
        if forgetful:
            uses._known = _Forgetful()
        found.append(outcome(uses, tower, [keys[i] for i in same]))
    assert found[0] == found[1]
