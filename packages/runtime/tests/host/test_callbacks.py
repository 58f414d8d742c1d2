from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir import ArgumentError, DTypeError, ShapeError, TreadleError
from treadle_runtime import (
    CallbackError,
    DeviceArray,
    ShapeDtypeStruct,
    debug_callback,
    debug_log,
    debug_print,
    effects_barrier,
    from_host,
    io_callback,
    jit,
    pure_callback,
)

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def _noted(notes: list[Any], note: Any, value: Any) -> Any:
    notes.append(note)
    return value


def array(*values: float, dtype: str = "f4") -> DeviceArray:
    return from_host(np.array(values, dtype))


def scalar(value: float, dtype: str = "i4") -> DeviceArray:
    return from_host(np.array(value, dtype))


def both(function: Any) -> list[Any]:
    return [function, jit(function)]


def test_trc06_debug_print_prints_on_each_call(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any) -> Any:
        debug_print("x={} twice={t}", x, t=ops.add(x, x))
        return x

    for function in both(f):
        function(scalar(1))
        function(scalar(2))
        effects_barrier()
        assert capsys.readouterr().out == "x=1 twice=2\nx=2 twice=4\n"


def test_debug_print_takes_values_that_are_no_arrays(capsys: pytest.CaptureFixture[str]) -> None:
    jit(lambda x: debug_print("{name}: {x:.2f} {n}", name="loss", x=x, n=None))(1.5)
    assert capsys.readouterr().out == "loss: 1.50 None\n"


@pytest.mark.parametrize("bad", [("{x}", {}), ("no field", {"x": 1}), ("{", {})])
def test_debug_print_checks_its_format(bad: tuple[str, dict[str, Any]]) -> None:
    with pytest.raises(TreadleError, match="print"):
        debug_print(bad[0], **bad[1])


def test_trc08_pure_callback_runs_host_code() -> None:
    def f(x: Any) -> Any:
        return pure_callback(lambda v: np.sort(v)[::-1], ShapeDtypeStruct(x.shape, x.dtype), x)

    for function in both(f):
        assert function(array(2, 6, 4)).tolist() == [6, 4, 2]


def test_pure_callback_takes_and_returns_trees() -> None:
    def host(tree: Any, *, scale: Any) -> Any:
        return {"sum": tree["a"] + tree["b"], "scaled": [tree["a"] * scale]}

    def f(a: Any, b: Any) -> Any:
        return pure_callback(host, {"sum": a, "scaled": [a]}, {"a": a, "b": b}, scale=2.0)

    for function in both(f):
        given = function(array(1, 2), array(3, 4))
        assert given["sum"].tolist() == [4, 6]
        assert given["scaled"][0].tolist() == [2, 4]


def test_an_unused_pure_callback_is_dropped_and_an_io_callback_is_not() -> None:
    calls: list[str] = []

    def f(x: Any) -> Any:
        pure_callback(lambda v: _noted(calls, "pure", v), x, x)
        io_callback(lambda v: calls.append("io"), None, x)
        return x

    jit(f)(array(1))
    assert calls == ["io"]


def test_trc12_ordered_io_callbacks_keep_their_order() -> None:
    log: list[int] = []

    def f(x: Any) -> Any:
        io_callback(lambda v: log.append(int(v)), None, ops.add(x, x), ordered=True)
        io_callback(lambda v: log.append(int(v)), None, x, ordered=True)
        return x

    g = jit(f)
    for i in range(3):
        g(scalar(i))
    assert log == [0, 0, 2, 1, 4, 2]


def test_ordered_callbacks_of_functions_called_again_keep_their_order() -> None:
    log: list[float] = []

    def leaf(x: Any) -> Any:
        io_callback(lambda v: log.append(float(v)), None, x, ordered=True)
        io_callback(lambda v: log.append(-float(v)), None, x, ordered=True)
        return ops.add(ops.multiply(ops.negate(x), np.float32(-1)), one)

    def twice(inner: Any) -> Any:
        return jit(lambda x: inner(inner(x)))

    one = np.float32(1)
    function: Any = jit(leaf)
    for _ in range(4):
        function = twice(function)
    assert function.lower(one).as_text().count("custom_call") == 2
    function(one)
    effects_barrier()
    assert log == [sign * i for i in range(1, 17) for sign in (1, -1)]


def test_trc13_io_callback_brings_data_in_on_each_run(tmp_path: Path) -> None:
    file = tmp_path / "data.npy"
    f = jit(lambda x: ops.add(x, io_callback(lambda: np.load(file), x)))
    np.save(file, np.array([1], "f4"))
    assert f(array(1)).tolist() == [2]
    np.save(file, np.array([5], "f4"))
    assert f(array(1)).tolist() == [6]


def test_the_users_own_exception_comes_out() -> None:
    class MineError(Exception):
        pass

    def fail(x: Any) -> Any:
        raise MineError("from the host")

    for function in both(lambda x: pure_callback(fail, x, x)):
        with pytest.raises(MineError, match="from the host"):
            function(array(1))


@pytest.mark.parametrize(
    ("result", "error"),
    [(np.zeros(3, "f4"), ShapeError), (np.zeros(2, "i4"), DTypeError)],
)
def test_wrong_results_are_refused(result: Any, error: type[Exception]) -> None:
    for function in both(lambda x: pure_callback(lambda v: result, x, x)):
        with pytest.raises(error, match="declared"):
            function(array(1, 2))


def test_double_results_are_narrowed_as_arrays_are() -> None:
    for function in both(lambda x: pure_callback(lambda v: v.astype("f8"), np.zeros(2), x)):
        assert function(array(1, 2)).dtype == np.float32


def test_callbacks_cannot_write_to_their_arguments() -> None:
    def spoil(v: Any) -> Any:
        v[0] = 9
        return v

    for function in both(lambda x: pure_callback(spoil, x, x)):
        with pytest.raises(ValueError, match="read-only"):
            function(array(1, 2))


def test_a_callback_may_keep_what_it_returned() -> None:
    kept = np.array([1, 2], "f4")
    y = pure_callback(lambda v: kept, array(0, 0), array(0, 0))
    kept[0] = 9
    assert y.tolist() == [1, 2]


def test_debug_callback_sees_values() -> None:
    seen: list[float] = []
    jit(lambda x: debug_callback(lambda v: seen.append(float(v)), x))(2.0)
    assert seen == [2.0]


def test_options_may_have_a_call_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[dict[str, Any]] = []
    look = debug_callback(ordered=True)
    jit(lambda x: look(lambda **named: seen.append(named), ordered=x))(2.0)
    jit(lambda x: debug_print(ordered=True)("{ordered} {}", 1, ordered=x))(2.0)
    debug_print(skip_format_check=True)("as it is", 1)
    effects_barrier()
    assert seen == [{"ordered": 2.0}]
    assert capsys.readouterr().out == "2.0 1\nas it is\n"


def test_values_without_what_takes_them_are_refused() -> None:
    with pytest.raises(
        ArgumentError, match=r"debug\.callback: there are values, but the callback is missing"
    ):
        debug_callback(x=1)  # type: ignore[call-overload]
    with pytest.raises(
        ArgumentError, match=r"debug\.print: there are values, but the format string is missing"
    ):
        debug_print(None, 1)  # type: ignore[call-overload]
    with pytest.raises(ArgumentError, match=r"debug\.print: fmt must be a string"):
        debug_print()(None)


def test_unknown_vmap_methods_are_refused() -> None:
    with pytest.raises(TreadleError, match="vmap_method"):
        pure_callback(lambda v: v, array(1), array(1), vmap_method="maybe")  # type: ignore[arg-type]


def test_a_result_of_another_structure_names_the_callback() -> None:
    pair = (ShapeDtypeStruct((), np.dtype("f4")),) * 2

    def low_end(x: Any) -> Any:
        return (x.min(),)

    for f in both(lambda x: pure_callback(low_end, pair, x)):
        with pytest.raises(CallbackError, match=r"callback low_end: .* tuple of 2 and tuple of 1"):
            f(array(1, 2))


def test_a_result_of_another_shape_names_the_callback_under_jit_too() -> None:
    def low_end(x: Any) -> Any:
        return x

    for f in both(lambda x: pure_callback(low_end, ShapeDtypeStruct((), np.dtype("f4")), x)):
        with pytest.raises(ShapeError, match="callback low_end: result 0"):
            f(array(1, 2))


class _NoHash:
    """An object that is compared by value, and so has no hash."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _NoHash)

    __hash__ = None  # type: ignore[assignment]  # that is how Python says it

    def __call__(self, x: Any, *_: Any) -> Any:
        return x + np.float32(1)


def test_objects_without_a_hash_reach_the_callback() -> None:
    seen: list[Any] = []
    given = bytearray(b"ab")

    def note(x: Any, value: Any) -> Any:
        seen.append(value)
        return x

    for function in both(lambda x: pure_callback(note, x, x, given)):
        assert function(array(1, 2)).tolist() == [1, 2]
    assert seen
    assert all(each is given for each in seen)
    for function in both(lambda x: pure_callback(_NoHash(), x, x)):
        assert function(array(1, 2)).tolist() == [2, 3]


@pytest.mark.parametrize("result", ["abc", 10**400, [[1.0], [1.0, 2.0]], {1: 2}, object(), np.int8])
def test_results_that_are_no_arrays_are_refused(result: Any) -> None:
    for function in both(lambda x: pure_callback(lambda v: result, x, x)):
        with pytest.raises((DTypeError, CallbackError, ArgumentError), match="callback <lambda>"):
            function(array(1, 2))


@pytest.mark.parametrize("declared", ["abc", np.int8, object()])
def test_results_are_declared_by_shape_and_element_type(declared: Any) -> None:
    with pytest.raises(ArgumentError, match="declared by things with shape and dtype"):
        pure_callback(lambda x: x, declared, array(1, 2))


def test_debug_print_takes_formats_within_formats(capsys: pytest.CaptureFixture[str]) -> None:
    debug_print("{x:{width}.{}f}|", 1, x=2.0, width=6)
    effects_barrier()
    assert capsys.readouterr().out == "   2.0|\n"


def test_a_pure_callback_may_have_no_results() -> None:
    seen = []
    assert pure_callback(lambda x: seen.append(x.tolist()), None, array(1, 2)) is None
    assert jit(lambda x: pure_callback(lambda x: None, None, x))(np.float32(1)) is None
    assert seen == [[1, 2]]


def test_debug_log_goes_to_the_logger(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="treadle"):
        jit(lambda x: debug_log("{} is {y}", x, y=ops.add(x, x)))(np.float32(2))
        effects_barrier()
    assert [(each.levelname, each.getMessage()) for each in caplog.records] == [
        ("INFO", "2.0 is 4.0")
    ]
    with pytest.raises(ArgumentError, match="not given"):
        debug_log("{x}")


def test_debug_log_refuses_what_is_no_format_and_names_itself() -> None:
    with pytest.raises(ArgumentError, match=r"debug\.log: fmt must be a string, got 3"):
        debug_log(3)  # type: ignore[call-overload]
    with pytest.raises(ArgumentError, match=r"debug\.log: '{x}' asks for x, which is not given"):
        debug_log("{x}")
