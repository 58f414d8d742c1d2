from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir import Literal, ShapeError, bind, stage
from treadle_ir.core import scalar_type
from treadle_ir.errors import EscapedTracerError, OutOfMemoryError
from treadle_ir.events import Event, ProgramLowered, listening
from treadle_ir.primitives.call import Call
from treadle_ir.primitives.elementwise import Add
from treadle_ir.primitives.reduce import ReduceAdd
from treadle_runtime import DeviceArray, from_host
from treadle_runtime.arrays.array import elements_of
from treadle_runtime.evaluation import evaluator as module

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def array(*values: float, dtype: str = "f4", weak: bool = False) -> DeviceArray:
    return from_host(np.array(values, dtype), weak=weak)


def test_small_arrays_stay_on_the_host() -> None:
    y = ops.add(array(1, 2), array(3, 4))
    assert type(y) is DeviceArray
    assert y.tolist() == [4, 6]
    assert y.raw is None


def test_large_arrays_go_to_xla() -> None:
    x = from_host(np.linspace(-1, 1, 5000, dtype="f4"))  # 4096 is the limit of erf
    for _ in range(2):  # compiled, then found again
        y = ops.erf(x)
        assert y.raw is not None
        assert elements_of(y)[0] == pytest.approx(-0.8427008)


@pytest.mark.parametrize(
    ("shape", "axis", "compiled"),
    [
        ((3, 6000), 1, False),
        ((6000, 3), 1, True),  # NumPy would begin a loop for each row
        ((6000, 3), 0, True),
        ((3, 6000), 0, False),
        ((3, 6000, 1), 2, False),
    ],
)
def test_reductions_of_many_short_rows_go_to_xla(
    shape: tuple[int, ...], axis: int, compiled: bool
) -> None:
    x = from_host(np.arange(np.prod(shape), dtype="f4").reshape(shape))
    y = ops.reduce_maximum(x, axes=(axis,))
    assert (y.raw is not None) is compiled
    assert elements_of(y).tolist() == elements_of(x).max(axis).tolist()


@pytest.mark.parametrize(("axis", "compiled"), [(0, False), (1, True)])
def test_positions_in_many_short_rows_are_looked_for_by_xla(axis: int, compiled: bool) -> None:
    x = from_host(np.arange(18_000, dtype="f4").reshape(6000, 3))
    y = ops.argmax(x, axis=axis, dtype=np.dtype(np.int32))
    assert (y.raw is not None) is compiled


def test_weak_types_follow_inference() -> None:
    assert ops.add(array(1, weak=True), array(2, weak=True)).weak_type
    assert not ops.add(array(1, weak=True), array(2)).weak_type


def test_operands_may_be_numpy_arrays_scalars_and_literals() -> None:
    x = array(1, 2)
    assert ops.add(x, np.array([1, 1], "f4")).tolist() == [2, 3]
    assert ops.add(x, np.float32(1)).tolist() == [2, 3]
    weak = Literal(np.float32(1), scalar_type(1.0))
    assert ops.add(x, weak).tolist() == [2, 3]


def test_results_do_not_share_memory_with_a_users_array() -> None:
    mine = np.array([1, 2, 3, 4], "f4")
    y = ops.reshape(mine, shape=(2, 2))
    z = ops.stop_gradient(mine)
    mine[0] = 99
    assert y.tolist() == [[1, 2], [3, 4]]
    assert z.tolist() == [1, 2, 3, 4]


def test_a_small_view_does_not_keep_a_large_array_alive() -> None:
    x = from_host(np.zeros(100_000, "f4"))
    y = ops.slice(x, start=(0,), limit=(2,), strides=(1,))
    assert elements_of(y).base is None


def test_numpy_warnings_are_off_and_the_users_setting_is_kept() -> None:
    zero = array(0, 1)
    with np.errstate(divide="raise"):
        assert ops.divide(array(1, 1), zero).tolist() == [np.inf, 1]
        with pytest.raises(FloatingPointError):
            np.divide(np.ones(1), np.zeros(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ops.log(array(-1, 0))


def test_kernel_errors_leave_the_error_state_alone() -> None:
    before = np.geterr()
    with pytest.raises(ShapeError):
        ops.add(array(1, 2), array(1, 2, 3))
    assert np.geterr() == before


def test_escaped_tracers_are_refused() -> None:
    kept: list[object] = []

    def leak(x: object) -> list[object]:
        kept.append(x)
        return [x]

    stage(leak, array(1).type)  # type: ignore[arg-type]
    with pytest.raises(EscapedTracerError):
        ops.add(kept[0], array(1))


def test_programs_are_compiled_once_for_each_program() -> None:
    heard: list[Event] = []
    staged = stage(lambda x: [ops.add(x, x)], array(1, 2).type)
    with listening(heard.append):
        for _ in range(3):
            (y,) = bind(Call(staged.program, "twice"), array(1, 2))
            assert y.tolist() == [2, 4]
            assert y.raw is not None  # type: ignore[attr-defined]
    assert len([each for each in heard if isinstance(each, ProgramLowered)]) == 1


def test_attributes_tell_operations_apart() -> None:
    x = from_host(np.arange(6, dtype="f4"))
    assert ops.reshape(x, shape=(2, 3)).shape == (2, 3)
    assert ops.reshape(x, shape=(3, 2)).shape == (3, 2)
    assert ops.reshape(x, shape=(2, 3)).shape == (2, 3)


def test_compiled_and_eager_results_mix() -> None:
    x = array(1, 2)
    staged = stage(lambda x: [ops.add(x, x)], x.type)
    (y,) = bind(Call(staged.program), x)
    assert ops.add(ops.add(y, x), y).tolist() == [5, 10]


def test_threads_share_an_evaluator() -> None:
    wrong: list[object] = []

    def work(number: int) -> None:
        for size in range(1, 40):
            x = from_host(np.full(size, number, "f4"))
            if ops.multiply(x, x).tolist() != [number * number] * size:
                wrong.append((number, size))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_eager_work_on_small_arrays_never_imports_jaxlib() -> None:
    code = (
        "import sys, numpy as np\n"
        "from treadle_ir import ops\n"
        "from treadle_ir.tracing import install\n"
        "from treadle_runtime import RuntimeEvaluator, from_host\n"
        "install(evaluator=RuntimeEvaluator())\n"
        "x = from_host(np.ones(3, 'f4'))\n"
        "print(ops.add(x, x))\n"
        "assert 'jaxlib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_operations_are_found_by_attributes_taken_in_c() -> None:
    # A primitive that inherits its family's comparison must not be compared in Python at each call.
    key = module._attributes_of(ReduceAdd)
    assert key(ReduceAdd((0,))) == (ReduceAdd, (0,))
    assert module._attributes_of(Add)(Add()) is Add


def test_results_without_memory_are_refused_before_xla_compiles_them() -> None:
    with pytest.raises(OutOfMemoryError, match="out of memory"):
        ops.broadcast_in_dim(array(1.0), shape=(2**46,), dimensions=(0,))


@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (70,)])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_the_first_call_gives_the_bits_of_the_others(dtype: str, shape: tuple[int, ...]) -> None:
    """Special functions of few elements have kernels of their own, which the first call takes, too."""
    count = int(np.prod(shape))
    x = from_host(np.linspace(0.3, 7.7, max(count, 2), dtype=dtype)[:count].reshape(shape))
    evaluator: Any = treadle_ir.tracing.current_evaluator()
    evaluator.clear()
    for function in (ops.erf, ops.erfc, ops.digamma, ops.lgamma, ops.bessel_i0e, ops.bessel_i1e):
        first, second, third = (np.asarray(function(x)).tobytes() for _ in range(3))
        assert first == second == third


def test_updates_that_are_added_do_not_warn() -> None:
    """Warnings are errors here: infinity less infinity is NaN without a warning, in the first call and later."""
    x, updates = from_host(np.array([np.inf, 1], np.float32)), np.array([[-np.inf]], np.float32)
    for _ in range(3):
        found = ops.scatter_add(
            x,
            np.array([[0]], np.int32),
            updates[0],
            update_window_dims=(),
            inserted_window_dims=(0,),
            scatter_dims_to_operand_dims=(0,),
        )
        np.testing.assert_array_equal(found, np.array([np.nan, 1], np.float32))
