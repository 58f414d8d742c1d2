from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError, UnsupportedError
from treadle.experimental.serialize_executable import deserialize_and_load, serialize

CAPTURED = tnp.arange(3.0)


def f(x: Any, *, scale: Any, times: int) -> Any:
    return {"y": (x["a"] * scale + CAPTURED) * times, "n": tnp.arange(2)}


def compiled() -> Any:
    jitted = treadle.jit(f, static_argnames="times", donate_argnums=0)
    return jitted.lower({"a": tnp.ones(3)}, scale=2.0, times=3).compile()


def test_what_comes_back_computes_the_same() -> None:
    again = deserialize_and_load(*serialize(compiled()))
    x = {"a": tnp.array([1.0, 2.0, 3.0])}
    found = again(x, scale=2.0, times=3)
    np.testing.assert_array_equal(found["y"], [6, 15, 24])
    assert x["a"].is_deleted()  # it is donated still
    assert found["n"].tolist() == [0, 1]
    assert found["y"].committed is False
    assert again.donate_argnums == compiled().donate_argnums
    assert "HloModule" in again.as_text()
    with pytest.raises(ArgumentError, match="static"):
        again({"a": tnp.ones(3)}, scale=2.0, times=4)
    with pytest.raises(ArgumentError, match="compiled for f32"):
        again({"a": tnp.ones(4)}, scale=2.0, times=3)
    assert serialize(again)[1:] == serialize(compiled())[1:]


def test_another_process_loads_it(tmp_path: Path) -> None:
    file = tmp_path / "compiled"
    sine = treadle.jit(tnp.sin).lower(tnp.zeros(2)).compile()
    file.write_bytes(pickle.dumps(serialize(sine)))
    program = (
        "import pickle, sys, treadle.numpy as tnp\n"
        "from treadle.experimental.serialize_executable import deserialize_and_load\n"
        "f = deserialize_and_load(*pickle.load(open(sys.argv[1], 'rb')))\n"
        "print(f(tnp.ones(2)).round(4))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "[0.8415 0.8415]\n", done.stderr


def test_a_device_may_be_chosen() -> None:
    parts = serialize(treadle.jit(lambda x: x + 1).lower(1.0).compile())
    device = treadle.devices()[0]
    assert deserialize_and_load(*parts, execution_devices=[device])(1.0).committed
    assert float(deserialize_and_load(*parts, backend="cpu")(1.0)) == 2
    with pytest.raises(UnsupportedError, match="there are 2 devices"):
        deserialize_and_load(*parts, execution_devices=[device, device])


def test_damage_and_strangers_are_refused() -> None:
    data, in_tree, out_tree = serialize(treadle.jit(lambda x: x).lower(1.0).compile())
    for wrong in (data[:-1], data[1:], data[:60] + b"x" + data[61:], b""):
        with pytest.raises(ArgumentError, match="damaged"):
            deserialize_and_load(wrong, in_tree, out_tree)
    with pytest.raises(ArgumentError, match="the bytes that `serialize` gave"):
        deserialize_and_load("text", in_tree, out_tree)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="in_tree is a tuple"):
        deserialize_and_load(data, (), out_tree)  # type: ignore[arg-type]


def test_what_cannot_be_written_down_is_refused() -> None:
    with pytest.raises(ArgumentError, match="what `jit"):
        serialize(f)  # type: ignore[arg-type]

    def called_back(x: Any) -> Any:
        return treadle.pure_callback(lambda x: x, x, x)

    with pytest.raises(UnsupportedError, match="calls Python functions back"):
        serialize(treadle.jit(called_back).lower(tnp.ones(2)).compile())
    static = treadle.jit(lambda x, g: g(x), static_argnums=1)
    with pytest.raises(ArgumentError, match="static argument"):
        serialize(static.lower(1.0, lambda x: x).compile())
