"""The differences of two signatures, as data, and which known signature is the most similar."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from treadle_ir import ArrayType
from treadle_ir.settings import X64, Context, current_context
from treadle_ir.tracing import Signature, difference, nearest, only_compiles
from treadle_ir.tree import tree_structure


@dataclass(frozen=True)
class Placed:
    """Stands for the runtime's type with a placement."""

    type: ArrayType
    placement: str


def array(*shape: int, dtype: str = "f4", weak: bool = False) -> ArrayType:
    return ArrayType(shape, np.dtype(dtype), weak)


def signature(*types: Any, tree: Any = None, statics: Any = None) -> Signature:
    """Return a signature with these types of leaves. Any: trees, and types with placements."""
    structure = tree_structure(tuple(range(len(types))) if tree is None else tree)
    return Signature(current_context().key, structure, statics, types)


def causes(now: Signature, before: Signature) -> list[tuple[str, int]]:
    return [(each.cause, each.index) for each in difference(now, before)]


def test_equal_signatures_do_not_differ() -> None:
    assert difference(signature(array(3)), signature(array(3))) == ()


def test_a_signature_equals_the_plain_tuple_and_is_found_by_it() -> None:
    one = signature(array(3))
    known: dict[tuple[Any, ...], int] = {one: 1}
    assert known[tuple(one)] == 1
    assert {tuple(one): 1}[one] == 1


def test_types_differ_by_leaf() -> None:
    now, before = signature(array(3), array(4)), signature(array(3), array(5))
    (found,) = difference(now, before)
    assert (found.cause, found.index, found.now, found.before) == ("type", 1, array(4), array(5))


def test_weak_types_differ() -> None:
    assert causes(signature(array(weak=True)), signature(array())) == [("type", 0)]


def test_types_of_other_structures_are_not_compared() -> None:
    now, before = signature(array(3), tree=[0]), signature(array(4), tree=(0,))
    assert causes(now, before) == [("structure", -1)]


def test_static_arguments_differ_one_by_one() -> None:
    now = signature(statics=((0, 2), ("a", 1), ("k",), (True,)))
    before = signature(statics=((0, 2), ("b", 1), ("k",), (False,)))
    assert causes(now, before) == [("static", 0), ("static", 2)]
    assert now.static_names(["x", "y"]) == ["x", "argument 2", "k"]


def test_other_static_arguments_differ_as_a_whole() -> None:
    now, before = signature(statics=((0,), ("a",), (), ())), signature()
    (found,) = difference(now, before)
    assert (found.cause, found.index, found.before) == ("static", -1, None)


def test_contexts_differ() -> None:
    before = signature(array(3))
    with X64.override(True):
        now = signature(array(3))
    (found,) = difference(now, before)
    assert found.cause == "context"
    assert isinstance(found.now, Context)
    assert found.now.differences(found.before) == ["enable_x64 is True, was False"]


def test_placements_differ() -> None:
    one, two = Placed(array(3), "here"), Placed(array(3), "there")
    assert causes(signature(one), signature(two)) == [("placement", 0)]
    assert causes(signature(one), signature(one)) == []
    other = Placed(array(4), "there")
    assert causes(signature(one), signature(other)) == [("type", 0), ("placement", 0)]


def test_only_placements_need_no_trace() -> None:
    one, two = Placed(array(3), "here"), Placed(array(3), "there")
    assert only_compiles(signature(one), signature(two))
    assert not only_compiles(signature(one), signature(Placed(array(4), "here")))
    assert not only_compiles(signature(one), None)


def test_the_nearest_has_the_fewest_differences() -> None:
    near, far = signature(array(3), array(5)), signature(array(4), array(5))
    assert nearest(signature(array(3), array(6)), [near, far]) is near
    assert nearest(signature(array(3), array(6)), []) is None


def test_of_equally_similar_signatures_the_last_is_nearest() -> None:
    one, two = signature(array(3)), signature(array(4))
    assert nearest(signature(array(5)), [one, two]) is two


def test_what_needs_no_trace_is_nearer_than_what_does() -> None:
    now = signature(Placed(array(3), "a"), Placed(array(3), "a"))
    moved = signature(Placed(array(3), "b"), Placed(array(3), "b"))
    resized = signature(Placed(array(4), "a"), now.types[1])
    assert nearest(now, [moved, resized]) is moved


def test_other_containers_are_least_similar() -> None:
    now = signature(array(3), array(3))
    other = signature(array(3), array(3), tree=[0, 0])
    resized = signature(array(4), array(4))
    assert nearest(now, [resized, other]) is resized


def test_leaves_have_paths() -> None:
    one = signature(array(3), array(3), tree=({"w": 0}, 0))
    assert one.paths(["params"]) == ["argument params['w']", "argument 1"]
