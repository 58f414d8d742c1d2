"""DON: donated arguments give their memory to results."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import treadle as sut
import treadle.numpy as tnp
from conformance.faq.rows import row


def add(x: Any, y: Any) -> Any:
    return x + y


def _owned(*shape: int) -> Any:
    """An array of ones whose memory belongs to the device: a result of a compiled program."""
    return sut.jit(lambda: tnp.ones(shape))().block_until_ready()


def _donated() -> Any:
    y = _owned(2, 3)
    sut.jit(add, donate_argnums=(1,))(_owned(2, 3), y)
    assert y.is_deleted()
    return y


@row("DON-01", "DON-20")
def test_don_01_donating_y() -> None:
    x, y = _owned(2, 3), _owned(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        z = sut.jit(add, donate_argnums=(1,))(x, y)
    assert z.dtype == np.float32
    assert z.tolist() == [[2.0] * 3] * 2
    assert y.is_deleted()
    assert not x.is_deleted()
    assert x.tolist() == [[1.0] * 3] * 2


@row("DON-02")
def test_don_02_the_result_takes_over_the_buffer() -> None:
    x, y = _owned(2, 3), _owned(2, 3)
    pointer = y.unsafe_buffer_pointer()
    z = sut.jit(add, donate_argnums=(1,))(x, y)
    assert z.unsafe_buffer_pointer() == pointer


@row("DON-03")
def test_don_03_memory_use_drops_by_the_donated_size() -> None:
    x = tnp.ones((2, 3))
    sizes = [
        sut.jit(add, donate_argnums=donated)
        .lower(x, x)
        .compile()
        .memory_analysis()
        .alias_size_in_bytes
        for donated in ((), (1,))
    ]
    assert sizes == [0, 24]


@row("DON-04")
@pytest.mark.parametrize(("numbers", "index"), [(1, 1), ((0,), 0), ([1], 1)])
def test_don_04_donate_argnums_is_an_int_or_a_sequence(numbers: Any, index: int) -> None:
    arrays = [_owned(2, 3), _owned(2, 3)]
    sut.jit(add, donate_argnums=numbers)(*arrays)
    assert [a.is_deleted() for a in arrays] == [i == index for i in range(2)]


@row("DON-05")
def test_don_05_nothing_is_donated_by_default() -> None:
    x, y = _owned(2, 3), _owned(2, 3)
    sut.jit(add)(x, y)
    assert (x + y).tolist() == [[2.0] * 3] * 2


@row("DON-06")
def test_don_06_pjit_donates() -> None:
    x, y = _owned(2, 3), _owned(2, 3)
    sut.pjit(add, donate_argnums=(1,))(x, y)
    assert y.is_deleted()


def _pmapped() -> tuple[Any, Any, Any]:
    def step(params: Any, state: Any) -> Any:
        return {k: v + 1 for k, v in params.items()}, state * 2

    params = {"w": _owned(1, 3), "b": _owned(1)}
    return sut.pmap(step, donate_argnums=(0, 1)), params, _owned(1, 2)


@row("DON-07")
def test_don_07_the_pmap_update_pattern() -> None:
    step, params, state = _pmapped()
    params, state = step(params, state)
    old = [*params.values(), state]
    params, state = step(params, state)
    assert all(leaf.is_deleted() for leaf in old)
    assert params["w"].tolist() == [[3.0] * 3]
    assert params["b"].tolist() == [3.0]
    assert state.tolist() == [[4.0, 4.0]]


@row("DON-08")
def test_don_08_keyword_arguments_are_not_donated() -> None:
    x, y = _owned(2, 3), _owned(2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sut.jit(add, donate_argnums=(0, 1))(x=x, y=y)
    assert not x.is_deleted()
    assert not y.is_deleted()
    sut.jit(add, donate_argnames="y")(x=x, y=y)
    assert not x.is_deleted()
    assert y.is_deleted()


@row("DON-09")
def test_don_09_nor_by_pmap() -> None:
    step, params, state = _pmapped()
    step(params=params, state=state)
    assert not any(leaf.is_deleted() for leaf in [*params.values(), state])


def _tree() -> list[Any]:
    return [_owned(2, 3), _owned(3, 4)]


@row("DON-10")
def test_don_10_a_tree_donates_all_its_leaves() -> None:
    tree = _tree()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sut.jit(lambda t: [leaf + 1 for leaf in t], donate_argnums=0)(tree)
    assert all(leaf.is_deleted() for leaf in tree)


@row("DON-11")
def test_don_11_results_share_those_buffers() -> None:
    tree = _tree()
    pointers = [leaf.unsafe_buffer_pointer() for leaf in tree]
    results = sut.jit(lambda t: [leaf + 1 for leaf in t], donate_argnums=0)(tree)
    assert [leaf.unsafe_buffer_pointer() for leaf in results] == pointers


@row("DON-12")
@pytest.mark.parametrize(
    "use",
    [lambda y: y + 1, np.asarray, repr, sut.jit(lambda y: y), lambda y: tnp.sum(y)],
    ids=["add", "asarray", "repr", "jit", "sum"],
)
def test_don_12_using_a_donated_array_raises(use: Any) -> None:
    y = _donated()
    for _ in range(3):  # also when the operation is on the fast path
        with pytest.raises(RuntimeError):
            use(y)


@row("DON-13")
@pytest.mark.parametrize("use", [lambda y: y + 1, np.asarray, sut.jit(lambda y: y)])
def test_don_13_the_text_of_that_error(use: Any) -> None:
    with pytest.raises(RuntimeError) as caught:
        use(_donated())
    assert str(caught.value) == "Array has been deleted with shape=float32[2,3]."


@row("DON-14")
def test_don_14_more_donations_than_results() -> None:
    x, y = _owned(2, 3), _owned(2, 3)
    with pytest.warns(UserWarning, match="Some donated buffers were not usable: ") as caught:
        z = sut.jit(add, donate_argnums=(0, 1))(x, y)
    assert len(caught) == 1
    assert z.tolist() == [[2.0] * 3] * 2
    assert x.is_deleted()
    assert not y.is_deleted()


@row("DON-15")
def test_don_15_the_text_of_the_warning() -> None:
    with pytest.warns(UserWarning, match="not usable") as caught:
        sut.jit(add, donate_argnums=(0, 1))(_owned(2, 3), _owned(2, 3))
    first = str(caught[0].message).splitlines()[0]
    assert first == "Some donated buffers were not usable: f32[2,3]{1,0}"


@row("DON-16", "DON-17", "DON-18")
def test_don_16_no_result_of_that_shape() -> None:
    x, y = _owned(2, 3), _owned(1, 3)
    with pytest.warns(UserWarning, match="not usable") as caught:
        z = sut.jit(add, donate_argnums=(1,))(x, y)
    assert str(caught[0].message).splitlines()[0].endswith("not usable: f32[1,3]{1,0}")
    assert z.tolist() == [[2.0] * 3] * 2
    assert (y + 1).tolist() == [[2.0] * 3]


@row("DON-19")
@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.astype(tnp.int32),
        lambda x: x.astype(tnp.uint32),
        lambda x: x.reshape(3, 2),
        lambda x: x.reshape(6),
        lambda x: x.astype(tnp.float16),
        lambda x: x > 0,
        lambda x: x.astype(tnp.int8),
    ],
    ids=["i32", "u32", "(3, 2)", "(6,)", "f16", "bool", "i8"],
)
def test_don_19_shape_and_element_type_must_match(function: Any) -> None:
    x = _owned(2, 3)
    with pytest.warns(UserWarning, match="Some donated buffers were not usable"):
        sut.jit(function, donate_argnums=0)(x)
    assert not x.is_deleted()


@pytest.mark.gpu
@pytest.mark.tpu
@row("DON-21")
def test_don_21_accelerators_honour_donation() -> None:
    x, y = _owned(2, 3), _owned(2, 3)
    pointer = y.unsafe_buffer_pointer()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        z = sut.jit(add, donate_argnums=(1,))(x, y)
    assert y.is_deleted()
    assert not x.is_deleted()
    assert z.devices() == {sut.devices()[0]}
    assert z.unsafe_buffer_pointer() == pointer
    assert z.tolist() == [[2.0] * 3] * 2


@row("DON-22")
def test_don_22_passing_a_donated_array_again() -> None:
    x, y = _owned(2, 3), _owned(2, 3)
    f = sut.jit(add, donate_argnums=(1,))
    f(x, y)
    for _ in range(3):
        with pytest.raises(RuntimeError):
            f(x, y)
