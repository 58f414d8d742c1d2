"""Arrays from bytes, texts, iterators and files are NumPy's, and say what they cannot read."""

from __future__ import annotations

import io
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, DTypeError
from treadle_numpy.numpy import (
    arange,
    asarray,
    bfloat16,
    frombuffer,
    fromfile,
    fromiter,
    fromstring,
    load,
    save,
)


def test_buffers_are_arrays() -> None:
    for buffer in (array("i", [2, 3]), array("d", [2, 3]), bytearray(b"ab"), memoryview(b"ab")):
        found = asarray(buffer)
        np.testing.assert_array_equal(found, np.asarray(buffer))
    grid = memoryview(np.arange(6, dtype=np.int8).reshape(2, 3))  # type: ignore[arg-type]  # mypy knows no buffers of 3.11
    assert asarray(grid).shape == (2, 3)
    for other in (b"ab", "ab"):
        with pytest.raises(ArgumentError, match="requires ndarray or scalar arguments"):
            asarray(other)  # type: ignore[arg-type]


def test_bfloat16_goes_to_a_file_and_back() -> None:
    file = io.BytesIO()
    save(file, asarray([2, 4], dtype=bfloat16))
    file.seek(0)
    found: Any = load(file)
    assert (found.dtype, found.tolist()) == (bfloat16, [2.0, 4.0])


def test_bytes() -> None:
    data = np.arange(5.0)
    np.testing.assert_array_equal(frombuffer(data.tobytes()), data)
    np.testing.assert_array_equal(frombuffer(bytearray(b"\1\2\3"), "int8", 2), [1, 2])
    np.testing.assert_array_equal(frombuffer(memoryview(b"\1\2\3"), "int8", offset=1), [2, 3])
    np.testing.assert_array_equal(frombuffer(arange(3), "int32"), [0, 1, 2])
    assert frombuffer(b"", "int32").shape == (0,)


@pytest.mark.usefixtures("wide")
def test_width_of_bytes() -> None:
    assert frombuffer(np.arange(2.0).tobytes()).dtype == np.float64


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((b"123", "int32"), "whole number of elements"),
        ((b"1234", "int32", 2), "more than the 4 bytes"),
        ((b"1234", "int8", -1, 9), "offset 9"),
        ((3, "int8"), "must be bytes"),
        (("text", "int8"), "must be bytes"),
    ],
)
def test_bytes_refused(arguments: tuple[object, ...], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        frombuffer(*arguments)  # type: ignore[arg-type]


def test_types_refused() -> None:
    cases: Any = ((frombuffer, b"12"), (fromfile, io.BytesIO(b"")))
    for function, what in cases:
        with pytest.raises(DTypeError):
            function(what, "S1")


def test_texts() -> None:
    np.testing.assert_array_equal(fromstring("1.5 2", sep=" "), [1.5, 2])
    assert fromstring("1;2;3", int, 2, sep=";").dtype == np.int32
    for text, sep in (("1,x", ","), ("1", "")):
        with pytest.raises(ArgumentError):
            fromstring(text, sep=sep)


def test_iterators() -> None:
    np.testing.assert_array_equal(fromiter(iter(range(5)), float, 3), [0, 1, 2])
    left = iter([1, 2, 3])
    fromiter(left, int, 2)
    assert next(left) == 3  # no more is read than asked for
    with pytest.raises(ArgumentError, match="fewer than count"):
        fromiter([1], int, 2)
    with pytest.raises(ArgumentError, match="an iterable"):
        fromiter(3, int)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError):
        fromiter(["a"], int)


def test_files(tmp_path: Path) -> None:
    np.arange(4.0).tofile(tmp_path / "numbers")
    np.testing.assert_array_equal(fromfile(tmp_path / "numbers"), [0, 1, 2, 3])
    np.testing.assert_array_equal(fromfile(tmp_path / "numbers", count=1, offset=8), [1])
    (tmp_path / "text").write_text("1 2")
    np.testing.assert_array_equal(fromfile(tmp_path / "text", int, sep=" "), [1, 2])
