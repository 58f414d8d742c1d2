"""MTH: three ways to jit a method, and what plain @jit on one says."""

from __future__ import annotations

import functools
from typing import Any

import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import Counted, row
from treadle import tree_util


class CustomClass:
    """Plain @jit on a method: defining works, calling raises."""

    def __init__(self, x: Any, mul: bool) -> None:
        self.x = x
        self.mul = mul

    @sut.jit
    def calc(self, y: Any) -> Any:
        """Multiply or not."""
        return self.x * y if self.mul else y


def _helper() -> tuple[type[Any], Counted]:
    """Strategy 1: an external jitted helper with a static flag."""
    body = Counted(lambda mul, x, y: x * y if mul else y)
    jitted = sut.jit(body, static_argnums=0)

    class WithHelper:
        def __init__(self, x: Any, mul: bool) -> None:
            self.x = x
            self.mul = mul

        def calc(self, y: Any) -> Any:
            return jitted(self.mul, self.x, y)

    return WithHelper, body


def _static_self() -> tuple[type[Any], list[str]]:
    """Strategy 2: a static self, hashed by identity."""
    traces: list[str] = []

    class StaticSelf:
        def __init__(self, x: Any, mul: bool) -> None:
            self.x = x
            self.mul = mul

        @functools.partial(sut.jit, static_argnums=0)
        def calc(self, y: Any) -> Any:
            traces.append("traced")
            return self.x * y if self.mul else y

    return StaticSelf, traces


def _hashed_self() -> tuple[type[Any], list[str]]:
    """Strategy 2 with hash and equality by value."""
    traces: list[str] = []

    class HashedSelf:
        def __init__(self, x: Any, mul: bool) -> None:
            self.x = x
            self.mul = mul

        @functools.partial(sut.jit, static_argnums=0)
        def calc(self, y: Any) -> Any:
            traces.append("traced")
            return self.x * y if self.mul else y

        def __hash__(self) -> int:
            return hash((self.x, self.mul))

        def __eq__(self, other: object) -> bool:
            return isinstance(other, HashedSelf) and (self.x, self.mul) == (other.x, other.mul)

    return HashedSelf, traces


def _pytree() -> tuple[type[Any], list[str]]:
    """Strategy 3: the class is a pytree."""
    traces: list[str] = []

    class TreeSelf:
        def __init__(self, x: Any, mul: bool) -> None:
            self.x = x
            self.mul = mul

        @sut.jit
        def calc(self, y: Any) -> Any:
            traces.append("traced")
            return self.x * y if self.mul else y

        def _tree_flatten(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
            return (self.x,), {"mul": self.mul}

        @classmethod
        def _tree_unflatten(cls, aux: dict[str, Any], children: tuple[Any, ...]) -> Any:
            return cls(*children, **aux)

    tree_util.register_pytree_node(TreeSelf, TreeSelf._tree_flatten, TreeSelf._tree_unflatten)
    return TreeSelf, traces


@row("MTH-01")
@pytest.mark.parametrize("mul", [True, False])
def test_mth_01_plain_jit_on_a_method_raises_at_the_call(mul: bool) -> None:
    with pytest.raises(TypeError):
        CustomClass(2, mul).calc(3)


@row("MTH-02")
def test_mth_02_the_text_of_that_error() -> None:
    c = CustomClass(2, True)
    with pytest.raises(TypeError) as caught:
        c.calc(3)
    expected = f"of type <class '{__name__}.CustomClass'> is not a valid treadle type"
    assert expected in str(caught.value)
    assert repr(c) in str(caught.value)
    assert "static_argnums" in "\n".join(caught.value.__notes__)


@row("MTH-03")
def test_mth_03_the_error_names_the_class() -> None:
    with pytest.raises(TypeError, match="CustomClass"):
        CustomClass(2, True).calc(3)


@row("MTH-04")
def test_mth_04_strategy_1(capsys: pytest.CaptureFixture[str]) -> None:
    cls, _ = _helper()
    print(cls(2, True).calc(3))
    assert capsys.readouterr().out == "6\n"


@row("MTH-05")
def test_mth_05_strategy_1_follows_mutation() -> None:
    cls, body = _helper()
    c = cls(2, False)
    assert int(c.calc(3)) == 3
    c.mul, c.x = True, 5
    assert int(c.calc(3)) == 15
    assert body.count == 2


@row("MTH-06")
@pytest.mark.parametrize("numbers", [0, (0,), [0]])
def test_mth_06_static_argnums_is_an_int_or_a_sequence(numbers: Any) -> None:
    f = sut.jit(lambda mul, x, y: x * y if mul else y, static_argnums=numbers)
    assert [int(f(True, 2, 3)), int(f(False, 2, 3))] == [6, 3]


@row("MTH-07")
def test_mth_07_strategy_2(capsys: pytest.CaptureFixture[str]) -> None:
    cls, _ = _static_self()
    print(cls(2, True).calc(3))
    assert capsys.readouterr().out == "6\n"


@row("MTH-08")
def test_mth_08_strategy_2_misses_mutation(capsys: pytest.CaptureFixture[str]) -> None:
    cls, traces = _static_self()
    c = cls(2, True)
    c.calc(3)
    c.mul = False
    print(c.calc(3))
    assert capsys.readouterr().out == "6\n"
    assert len(traces) == 1


@row("MTH-09")
def test_mth_09_identity_is_the_default_key() -> None:
    cls, traces = _static_self()
    a, b = cls(2, True), cls(2, True)
    assert [int(a.calc(3)), int(b.calc(3)), int(a.calc(3))] == [6, 6, 6]
    assert len(traces) == 2


@row("MTH-10")
def test_mth_10_equal_objects_share_a_compile() -> None:
    cls, traces = _hashed_self()
    a, b = cls(2, True), cls(2, True)
    assert [int(a.calc(3)), int(b.calc(3))] == [6, 6]
    assert len(traces) == 1


@row("MTH-11")
def test_mth_11_a_changed_value_compiles_again() -> None:
    cls, traces = _hashed_self()
    results = [int(cls(x, mul).calc(3)) for x, mul in [(2, True), (5, True), (2, False), (2, True)]]
    assert results == [6, 15, 3, 6]
    assert len(traces) == 3


@row("MTH-12")
def test_mth_12_a_mutated_object_is_hashed_again(capsys: pytest.CaptureFixture[str]) -> None:
    cls, _ = _hashed_self()
    c = cls(2, True)
    print(c.calc(3))
    c.mul = False
    print(c.calc(3))
    c.mul = True
    print(c.calc(3))
    assert capsys.readouterr().out == "6\n3\n6\n"


@row("MTH-13")
def test_mth_13_an_array_attribute_makes_the_object_unhashable() -> None:
    cls, _ = _hashed_self()
    with pytest.raises(ValueError, match="Non-hashable") as caught:
        cls(tnp.array(2), True).calc(3)
    message = str(caught.value)
    assert message.startswith("Non-hashable static arguments are not supported.")
    assert f"while trying to hash an object of type {cls}" in message


@row("MTH-14")
def test_mth_14_the_error_names_the_function() -> None:
    cls, _ = _hashed_self()
    with pytest.raises(ValueError, match="Non-hashable") as caught:
        cls(tnp.array(2), True).calc(3)
    assert "occurred during a call to 'calc'" in str(caught.value)


@row("MTH-15")
def test_mth_15_arrays_are_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(tnp.array(2))


@row("MTH-16")
def test_mth_16_lists_and_dicts_cannot_be_static_tuples_can() -> None:
    f = sut.jit(lambda static, x: x * len(static), static_argnums=0)
    for static in ([1], {1: 1}):
        with pytest.raises(ValueError, match="Non-hashable static arguments are not supported"):
            f(static, 1.0)
    assert float(f((1, 2), 1.0)) == 2.0


@row("MTH-17")
def test_mth_17_static_self_under_other_transforms() -> None:
    cls, _ = _hashed_self()
    c = cls(2.0, True)
    assert float(sut.grad(c.calc)(3.0)) == 2.0
    assert sut.vmap(c.calc)(tnp.arange(3.0)).tolist() == [0.0, 2.0, 4.0]


@row("MTH-18")
def test_mth_18_strategy_3(capsys: pytest.CaptureFixture[str]) -> None:
    cls, _ = _pytree()
    print(cls(2, True).calc(3))
    assert capsys.readouterr().out == "6\n"


@row("MTH-19")
def test_mth_19_strategy_3_sees_mutation(capsys: pytest.CaptureFixture[str]) -> None:
    cls, _ = _pytree()
    c = cls(2, True)
    c.calc(3)
    c.mul = False
    print(c.calc(3))
    assert capsys.readouterr().out == "3\n"


@row("MTH-20")
def test_mth_20_strategy_3_allows_array_attributes(capsys: pytest.CaptureFixture[str]) -> None:
    cls, _ = _pytree()
    print(cls(tnp.array(2), True).calc(3))
    assert capsys.readouterr().out == "6\n"


@row("MTH-21")
def test_mth_21_children_are_dynamic_and_aux_data_static() -> None:
    cls, traces = _pytree()
    results = [int(cls(x, mul).calc(3)) for x, mul in [(2, True), (7, True), (2, False)]]
    assert results == [6, 21, 3]
    assert len(traces) == 2


@row("MTH-22")
def test_mth_22_registered_objects_go_into_any_jitted_function() -> None:
    cls, _ = _pytree()
    assert int(sut.jit(lambda a, b: a.x + b.x)(cls(1, True), cls(4, False))) == 5


@row("MTH-23")
def test_mth_23_flatten_and_unflatten_are_inverse() -> None:
    cls, _ = _pytree()
    leaves, structure = tree_util.tree_flatten(cls(2, True))
    assert leaves == [2]
    back = tree_util.tree_unflatten(structure, leaves)
    assert (type(back), back.x, back.mul) == (cls, 2, True)
