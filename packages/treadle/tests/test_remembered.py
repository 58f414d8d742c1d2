"""What operations remember by type and attributes decides nothing but how long they take."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
import treadle.random
from treadle_ir.tracing import ROOT
from treadle_numpy.numpy.manipulation import conversion, shapes
from treadle_numpy.operands import plans as coercion
from treadle_runtime import RuntimeEvaluator, launch
from treadle_runtime.evaluation import plans as evaluation

TWICE = range(2)  # the first call remembers, the second one is served from memory


@pytest.fixture(autouse=True)
def evaluator(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runtime's, also where tests of other distributions have put the reference evaluator back."""
    monkeypatch.setattr(ROOT, "evaluator", RuntimeEvaluator())


@pytest.mark.parametrize(
    "index",
    [
        1,
        -1,
        slice(1, 5),
        slice(None, None, -2),
        slice(3, 3),
        (slice(None), 1),
        (1, slice(None)),
        (..., 0),
        (None, 2, None),
        (slice(1, None), None, slice(None, -1)),
        (slice(None, None, -1), slice(None, None, 2)),
        (),
        (slice(1, 5, 2),),
        (1, 2),
        np.int64(2),
        (np.int32(1), slice(0, 2)),
    ],
)
def test_static_indices_agree_with_numpy(index: Any) -> None:
    expected = np.arange(42, dtype=np.float32).reshape(6, 7)
    x = tnp.asarray(expected)
    for _ in TWICE:
        found = x[index]
        assert found.shape == expected[index].shape
        np.testing.assert_array_equal(found, expected[index])
        np.testing.assert_array_equal(treadle.jit(lambda x: x[index])(x), expected[index])


def test_equal_indices_of_other_classes_are_not_confused() -> None:
    x = tnp.arange(6.0).reshape(2, 3)
    for _ in TWICE:
        assert x[1].shape == (3,)
        assert x[True].shape == (1, 2, 3)
        assert x[1, 0].shape == ()
        assert x[True, 0].shape == (1, 3)
        assert x[1:2].shape == (1, 3)
        with pytest.raises(TypeError):
            x[1.0]  # type: ignore[index]
        with pytest.raises(TypeError):
            x[1.0:2]
        with pytest.raises(TypeError):
            x[0, 1.0]  # type: ignore[index]


def test_reshapes_of_equal_numbers_of_other_classes() -> None:
    x = tnp.arange(6.0)
    for _ in TWICE:
        assert x.reshape(2, 3).shape == (2, 3)
        assert x.reshape((2, -1)).shape == (2, 3)
        assert tnp.reshape(x, [3, 2]).shape == (3, 2)
        assert x.reshape(-1).shape == (6,)
        with pytest.raises(TypeError):
            x.reshape(2.0, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("order", [None, (0, 2, 1), (2, 0, 1), (-1, 0, 1), (0, 1, 2)])
def test_transposes(order: tuple[int, ...] | None) -> None:
    expected = np.arange(24).reshape(2, 3, 4)
    x = tnp.asarray(expected)
    for _ in TWICE:
        np.testing.assert_array_equal(tnp.transpose(x, order), expected.transpose(order))
        np.testing.assert_array_equal(x.T, expected.T)


def test_astype_follows_the_width_in_force() -> None:
    x = tnp.arange(3, dtype="int16")
    for _ in TWICE:
        assert x.astype(float).dtype == np.float32
        assert x.astype(int).dtype == np.int32
        with treadle.enable_x64(True):
            assert x.astype(float).dtype == np.float64
            assert x.astype("int64").dtype == np.int64
        with pytest.warns(UserWarning, match="truncated"):  # each time
            assert x.astype("int64").dtype == np.int32
        assert x.astype("int16") is x


@pytest.mark.parametrize(
    "target", ["int8", "int32", "uint8", "uint32", "bool", "float16", "complex64"]
)
@pytest.mark.parametrize("source", ["float32", "float16", "bfloat16", "float8_e5m2"])
def test_astype_saturates_as_compiled(source: str, target: str) -> None:
    numbers = [
        0.0,
        -0.0,
        1.75,
        -1.75,
        -0.5,
        127.5,
        128.0,
        -128.0,
        255.0,
        3e4,
        np.inf,
        -np.inf,
        np.nan,
    ]
    for part in (numbers, numbers[:5], []):
        x = tnp.asarray(np.asarray(part, np.float32)).astype(source)
        for _ in TWICE:
            found = x.astype(target)
            expected = treadle.jit(lambda x: x.astype(target))(x)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(np.asarray(found), np.asarray(expected))


@pytest.mark.parametrize(
    "index",
    [3, -1, slice(1, 4), (2, slice(None)), (slice(1, 3), 0), (..., 1), (2, 3), (None, 1), ()],
)
@pytest.mark.parametrize("value", [7.0, 3])
def test_numbers_written_at_static_indices(index: Any, value: float) -> None:
    expected = np.zeros((5, 6), np.float32)
    x = tnp.asarray(expected)
    expected[index] = value
    for _ in TWICE:
        np.testing.assert_array_equal(x.at[index].set(value), expected)
        np.testing.assert_array_equal(treadle.jit(lambda x: x.at[index].set(value))(x), expected)
        np.testing.assert_array_equal(x, 0.0)


def test_positions_out_of_range_are_dropped_and_other_steps_work() -> None:
    x = tnp.zeros(4)
    for _ in TWICE:
        np.testing.assert_array_equal(x.at[9].set(1.0), [0, 0, 0, 0])
        np.testing.assert_array_equal(x.at[-9].set(1.0), [0, 0, 0, 0])
        np.testing.assert_array_equal(x.at[::2].set(1.0), [1, 0, 1, 0])
        np.testing.assert_array_equal(x.at[2:2].set(1.0), [0, 0, 0, 0])
        with pytest.warns(FutureWarning):
            tnp.zeros(4, int).at[1].set(1.5)


def test_products_sums_and_joins() -> None:
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.arange(3, dtype=np.float32)
    x, y = tnp.asarray(a), tnp.asarray(b)
    whole = tnp.arange(3)
    for _ in TWICE:
        np.testing.assert_array_equal(x @ y, a @ b)
        np.testing.assert_array_equal(tnp.dot(x, y), a @ b)
        np.testing.assert_array_equal(x @ x.T, a @ a.T)
        np.testing.assert_array_equal(x.sum(), a.sum())
        np.testing.assert_array_equal(x.sum(-1), a.sum(-1))
        np.testing.assert_array_equal(x.sum(axis=0, keepdims=True), a.sum(0, keepdims=True))
        np.testing.assert_array_equal(tnp.concatenate([x, x], axis=-1), np.concatenate([a, a], -1))
        assert tnp.concatenate([y, whole]).dtype == np.float32
        assert tnp.concatenate([whole, whole]).dtype == np.int32
        np.testing.assert_array_equal(tnp.where(x > 2, x, 0.0), np.where(a > 2, a, 0))
        np.testing.assert_array_equal(tnp.where(y > 1, x, 0.0), np.where(b > 1, a, 0))
        assert tnp.where(whole > 1, whole, 0.5).dtype == np.float32
        with pytest.raises(ValueError, match="contracting"):
            y @ x


def test_methods_have_their_own_names() -> None:
    method = treadle.Array.sum
    assert method.__qualname__ == "Array.sum"
    assert method.__code__.co_filename.endswith("sums.py")


def test_tables_do_not_grow_without_end() -> None:
    plans: dict[object, None] = {}
    for i in range(10_000):
        coercion.remember(plans, i, None)
    assert len(plans) <= 4096
    assert 9_999 in plans
    assert all(len(table) <= 4096 for table in (shapes._RESHAPES, conversion._CONVERSIONS))


def test_small_views_do_not_keep_large_arrays_alive() -> None:
    x = tnp.asarray(np.ones(10_000, np.float32))
    for _ in TWICE:
        part: Any = x[2:5]
        held = part.__treadle_host__()
        assert held.base is None or held.base.nbytes < 1000


def test_no_warning_of_numpy_comes_through() -> None:
    x = tnp.asarray(np.asarray([3e38, -3e38, np.nan], np.float32))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in TWICE:
            x.astype("int32"), x.astype("float16"), x.sum(), x + x


@pytest.mark.skipif(treadle.default_backend() != "cpu", reason="on a device all is compiled")
def test_initial_values_of_reductions_are_part_of_one_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: list[str] = []
    compile_program = launch.compile_program

    def compiling(lowered: Any, *args: Any) -> Any:
        found.append(lowered.text)
        return compile_program(lowered, *args)

    monkeypatch.setattr(evaluation, "compile_program", compiling)
    for size, compiled in ((6, 0), ((1 << 17) + 1, 2)):
        x = np.arange(size, dtype=np.float32) % 7
        pairs = x[:-1] + x[1:]
        for start in (0.0, 1.5, -2.5, 3.0):  # the first is a constant, the others are an operand
            windows = treadle.lax.reduce_window(tnp.asarray(x), start, treadle.lax.add, (2,))
            assert windows.dtype == np.float32
            assert not windows.weak_type
            np.testing.assert_array_equal(windows, pairs + np.float32(start))
            most = treadle.lax.reduce(tnp.asarray(x), start, treadle.lax.max, (0,))
            assert float(most) == max(x.max(), start)
        assert len(found) == compiled


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_one_random_number_is_an_array_again(dtype: str) -> None:
    for _ in TWICE:
        drawn = treadle.random.uniform(treadle.random.key(42), (), dtype)
        assert np.asarray(drawn).shape == ()
