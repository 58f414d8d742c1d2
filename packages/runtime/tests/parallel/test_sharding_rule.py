"""Sharding rules: in words and as objects, what they say, and what is wrong with them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from treadle_ir import ArgumentError, ArrayType, ShapeError
from treadle_ir.errors import ShardingError
from treadle_runtime import BATCHING, ArrayMapping, CompoundFactor, SdyShardingRule
from treadle_runtime.parallel.sharding_rule import rule_of


def _types(*shapes: tuple[int, ...]) -> list[ArrayType]:
    return [ArrayType(shape, np.dtype("f4")) for shape in shapes]


def _written(rule: SdyShardingRule, operands: list[ArrayType], results: list[ArrayType]) -> str:
    text = rule.text(operands, results)
    return text.removeprefix("#sdy.op_sharding_rule").removesuffix(", custom>")


@pytest.mark.parametrize(
    ("text", "operands", "results", "expected"),
    [
        (
            "i j, j k -> i k",
            [(2, 3), (3, 4)],
            [(2, 4)],
            "<([i, j], [j, k])->([i, k]) {i=2, j=3, k=4}",
        ),
        ("-> ", [()], [()], "<([])->([]) {}"),
        ("...i->...i", [(2, 3, 4)], [(2, 3, 4)], "<([i, j, k])->([i, j, k]) {i=2, j=3, k=4}"),
        (
            "...1 a, ...2 b -> ...1, ...2 b",
            [(8, 4), (2, 8, 4)],
            [(8,), (2, 8, 4)],
            "<([i, j], [k, l, m])->([i], [k, l, m]) {i=8, j=4, k=2, l=8, m=4}",
        ),
        ("(a b) -> a b", [(6,)], [(2, 3)], "<([ij])->([i, j]) {i=2, j=3}"),
        ("... -> ...", [()], [()], "<([])->([]) {}"),
        ("row col_1 -> row", [(2, 3)], [(2,)], "<([i, j])->([i]) {i=2, j=3}"),
    ],
)
def test_words(
    text: str, operands: list[tuple[int, ...]], results: list[tuple[int, ...]], expected: str
) -> None:
    assert _written(rule_of(text), _types(*operands), _types(*results)) == expected


def test_more_factors_than_letters() -> None:
    names = " ".join([f"a{number}" for number in range(20)])
    (type,) = _types((1,) * 20)
    written = _written(rule_of(f"{names} -> {names}"), [type], [type])
    assert "y, z, z_1, z_2]" in written
    assert written.endswith("z=1, z_1=1, z_2=1}")


def test_kinds_of_factors_that_an_ellipsis_stands_for() -> None:
    rule = SdyShardingRule(
        (ArrayMapping(BATCHING, "i"),), (ArrayMapping("i"),), reduction_factors=(BATCHING,)
    )
    found = _written(rule, _types((2, 3, 4)), _types((4,)))
    assert found == "<([i, j, k])->([k]) {i=2, j=3, k=4} reduction={i, j}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("i j", "has 0 arrows"),
        ("i -> j -> k", "has 2 arrows"),
        ("i ... -> i", "character 2: an ellipsis stands for leading axes only"),
        ("(i ...) -> i", "character 3: an ellipsis"),
        ("((i k)) -> i", "character 1: a bracket within brackets"),
        ("(i) j -> i", "character 0: brackets are around at least two"),
        ("i -> (i j", "character 5: a bracket that is not closed"),
        ("i) -> i", "character 1: a closing bracket, and none is open"),
        ("(i, j) -> i", "character 2: a comma within brackets"),
        ("i 1 -> i", "character 2: the factor '1' does not begin with a letter"),
        ("_i -> _i", "character 0: the factor '_i' does not begin"),
        ("i-j -> i", "character 1: '-' has no meaning"),
        ("..i -> i", "character 0: '.' has no meaning"),
        ("i -> i $", "character 7: '$' has no meaning"),
    ],
)
def test_words_that_are_no_rule(text: str, message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        rule_of(text)


def test_arrays_that_a_rule_is_not_of() -> None:
    rule = rule_of("...a i, ...a j -> i")  # `a` is a factor of its own
    with pytest.raises(ShardingError, match="argument 0 has 2 axes, but it is f32"):
        rule.text(_types((2,), (2,)), _types((2,)))
    with pytest.raises(ShardingError, match="has 1 results, but the function has 2 arrays there"):
        rule_of("i -> i").text(_types((2,)), _types((2,), (2,)))
    with pytest.raises(ShapeError, match=r"argument 1 have the shape \(3,\)"):
        rule_of("... i, ... j -> i").text(_types((2, 5), (3, 5)), _types((5,)))
    with pytest.raises(ShapeError, match=r"has the size 8, but its factors \('i', 'k'\) have"):
        rule_of("(i k) -> i", k=3).text(_types((8,)), _types((4,)))


def test_what_a_rule_refuses() -> None:
    row, split = ArrayMapping("i", "j"), ArrayMapping(CompoundFactor("i", "k"))
    cases = [
        (lambda: CompoundFactor("a"), "at least two"),
        (lambda: CompoundFactor("a", 1), "1 is not a valid factor name"),  # type: ignore[arg-type]
        (lambda: CompoundFactor("a", "1b"), "'1b' is not a valid factor name"),
        (lambda: CompoundFactor("a", BATCHING), "BATCHING stands for whole axes"),
        (lambda: ArrayMapping("a", 1), "axis 1 is 1"),  # type: ignore[arg-type]
        (lambda: ArrayMapping(("a", "b")), "axis 0 is"),  # type: ignore[arg-type]
        (lambda: ArrayMapping("a", BATCHING), "at position 1"),
        (lambda: ArrayMapping("a-b"), "'a-b' is not a valid factor name"),
        (lambda: SdyShardingRule((split,), (row,)), "factor k is only in compound factors"),
        (lambda: SdyShardingRule((row,), (row,), i=2), "i is a whole axis"),
        (lambda: SdyShardingRule((row,), (row,), z=2), "no factor z"),
        (lambda: SdyShardingRule((split,), (row,), k=0), "the size of k is 0"),
        (lambda: SdyShardingRule((row,), (row,), reduction_factors="i"), "must be a tuple"),  # type: ignore[arg-type]
        (lambda: SdyShardingRule((row,), (row,), reduction_factors=("z",)), "has 'z'"),
        (
            lambda: SdyShardingRule(
                (row,), (row,), reduction_factors=("i",), permutation_factors=("i",)
            ),
            "in reduction_factors and in permutation_factors",
        ),
    ]
    for make, message in cases:
        with pytest.raises(ArgumentError, match=message):
            make()
