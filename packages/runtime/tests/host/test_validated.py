from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_compiler.options import CompileOptions
from treadle_compiler.xla import compile_text
from treadle_ir.errors import DTypeError, ShapeError
from treadle_runtime.client import Backend, Backends
from treadle_runtime.host.validated import CallbackError, Validated

F4 = np.dtype("f4")


def test_right_results_pass() -> None:
    call = Validated(lambda x: (x + 1, 3), [((2,), "f4"), ((), "i4")])
    first, second = call(np.ones(2, "f4"))
    assert first is not None
    assert second is not None
    np.testing.assert_array_equal(first, [2, 2])
    assert (second.shape, second.dtype) == ((), np.dtype("i4"))


def test_bare_and_missing_results() -> None:
    assert len(Validated(lambda: np.zeros(2, "f4"), [((2,), "f4")])()) == 1
    assert Validated(lambda: None, [])() == ()


def test_results_are_contiguous() -> None:
    (value,) = Validated(lambda: np.zeros((4, 6), "f4")[::2, ::2], [((2, 3), "f4")])()
    assert value is not None
    assert value.flags.c_contiguous


def test_operands_are_read_only() -> None:
    def write(x: Any) -> Any:
        x[0] = 1
        return x

    with pytest.raises(ValueError, match="read-only"):
        Validated(write, [((2,), "f4")])(np.zeros(2, "f4"))


def test_tokens_are_passed_as_none() -> None:
    seen: list[object] = []
    Validated(seen.append, [])(None)
    assert seen == [None]


def test_wrong_shape() -> None:
    with pytest.raises(ShapeError, match=r"result 0 has shape \[3\], but \[2\] was declared"):
        Validated(lambda: np.zeros(3, "f4"), [((2,), "f4")])()


def test_wrong_dtype() -> None:
    with pytest.raises(DTypeError, match="result 0 has dtype float64, but float32 was declared"):
        Validated(lambda: np.zeros(2), [((2,), "f4")])()
    with pytest.raises(DTypeError, match="is a str"):
        Validated(lambda: "text", [((2,), "f4")])()


def test_wrong_number() -> None:
    with pytest.raises(CallbackError, match="2 results were returned, 1 declared"):
        Validated(lambda: (1, 2), [((), "f4")])()
    with pytest.raises(CallbackError, match="1 results were returned, 0 declared"):
        Validated(lambda: 1, [])()


def test_the_exception_is_kept_once() -> None:
    def fail() -> None:
        raise KeyError("mine")

    call = Validated(fail, [])
    for _ in range(40):
        with pytest.raises(KeyError):
            call()
    assert isinstance(call.take_error(), KeyError)
    taken = 0
    while call.take_error() is not None:
        taken += 1
    assert taken < 20


def handlers(backend: Backend) -> Any:
    """For one result of three floats."""
    return backend.handlers([((3,), F4, backend.result_sharding(backend.devices[0]))])


TEXT = """module {
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {api_version = 4 : i32, has_side_effect = true,
         backend_config = {index = 0 : ui64}} : (tensor<3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
}"""


@pytest.mark.xla
@pytest.mark.parametrize(
    ("function", "error"),
    [
        (lambda x: np.zeros(300, "f4"), ShapeError),
        (lambda x: np.zeros(3), DTypeError),
        (lambda x: (x, x), CallbackError),
        (lambda x: 1 / 0, ZeroDivisionError),
    ],
)
def test_in_a_program(function: Any, error: type[Exception]) -> None:
    backend = Backends(environ={}).get("cpu")
    call = Validated(function, [((3,), "f4")])
    executable = compile_text(backend.raw, TEXT, backend.devices, CompileOptions(), [call])
    buffer = backend.put(np.ones(3, "f4"))
    with pytest.raises(RuntimeError):
        backend.block(executable.execute([buffer], handlers(backend))[0])
    kept = call.take_error()
    assert isinstance(kept, error)
    assert kept.__traceback__ is not None


@pytest.mark.xla
def test_a_sound_callback_in_a_program() -> None:
    backend = Backends(environ={}).get("cpu")
    call = Validated(lambda x: x * 3, [((3,), "f4")])
    executable = compile_text(backend.raw, TEXT, backend.devices, CompileOptions(), [call])
    buffer = backend.put(np.ones(3, "f4"))
    (result,) = executable.execute([buffer], handlers(backend))
    np.testing.assert_array_equal(backend.read(result), [3, 3, 3])
