from __future__ import annotations

import pickle
from typing import Any

import pytest

from treadle_ir.errors.kinds import ArgumentError, TreeError
from treadle_ir.tree.paths import DictKey, FlattenedIndexKey, GetAttrKey, SequenceKey, keystr, place

ALL = (DictKey("a"), SequenceKey(1), GetAttrKey("x"), FlattenedIndexKey(2))


def test_a_path_is_written_as_an_expression() -> None:
    assert keystr(ALL) == "['a'][1].x[<flat index 2>]"
    assert keystr((DictKey(3), DictKey((1, 2)))) == "[3][(1, 2)]"
    assert keystr(()) == ""


def test_simple_keys_and_separator() -> None:
    assert keystr(ALL, simple=True, separator="/") == "a/1/x/2"
    assert keystr(ALL[:2], separator=" ") == "['a'] [1]"


def test_a_foreign_key_is_written_by_str() -> None:
    assert keystr(("foreign",), simple=True) == "foreign"


def test_keys_are_values() -> None:
    assert len({SequenceKey(0), SequenceKey(0), FlattenedIndexKey(0)}) == 2
    assert len({*ALL, *ALL}) == len(ALL)
    assert pickle.loads(pickle.dumps(ALL)) == ALL
    with pytest.raises(AttributeError):
        ALL[1].idx = 2  # type: ignore[misc]


def test_the_empty_path_has_words() -> None:
    assert place(()) == "the top level"


def test_errors_are_what_users_catch() -> None:
    assert issubclass(TreeError, ValueError)
    assert issubclass(TreeError, TypeError)


def test_a_step_too_deep_to_write_is_refused() -> None:
    deep: Any = []
    for _ in range(100_000):  # Python 3.13 writes 5,000
        deep = [deep]
    for path in (deep, (DictKey(deep),)):
        with pytest.raises(ArgumentError, match="keystr: keys must be a path"):
            keystr(path)
