"""`ffi_call` without a target: what is checked before anything is called. treadle's test_ffi.py calls some."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from treadle_compiler import CompileError
from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_ir.errors import RangeError
from treadle_runtime import ShapeDtypeStruct, abstract_token, ffi_call, jit

X = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
UNKNOWN = itertools.count()


def like(x: Any) -> Any:
    return ShapeDtypeStruct(x.shape, np.float32)


def test_an_unknown_target_is_refused_by_name() -> None:
    name = f"unknown_{next(UNKNOWN)}"
    with pytest.raises(CompileError, match=f"no foreign function is registered for '{name}'"):
        ffi_call(name, like(X))(X)


def test_options_are_checked() -> None:
    call = ffi_call
    with pytest.raises(ArgumentError, match="target_name"):
        call(3, like(X))  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="has_side_effect"):
        call("t", like(X), has_side_effect="no")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="vmap_method"):
        call("t", like(X), vmap_method="some")  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="declared"):
        call("t", {"a": like(X)})
    with pytest.raises(UnsupportedError, match="token"):
        call("t", abstract_token)
    with pytest.raises(ArgumentError, match="legacy_backend_config"):
        call("t", like(X), legacy_backend_config="x")
    with pytest.raises(ArgumentError, match="custom_call_api_version"):
        call("t", like(X), custom_call_api_version=2)(X, a=1)
    with pytest.raises(ShapeError, match="input_layouts has 2 entries for 1"):
        call("t", like(X), input_layouts=[None, None])(X)
    with pytest.raises(ShapeError, match="not an order of its 2 axes"):
        call("t", like(X), output_layouts=(0, 0))
    with pytest.raises(RangeError, match="1 arguments and 1 results"):
        call("t", like(X), input_output_aliases={3: 0})(X)
    with pytest.raises(ShapeError, match="take over its memory"):
        call("t", like(X), input_output_aliases={0: 0})(X.T)
    with pytest.raises(ArgumentError, match="cannot be an attribute"):
        call("t", like(X))(X, a=(1, 2))
    with pytest.raises(ArgumentError, match="cannot be an attribute"):
        jit(lambda x: call("t", like(X))(x, a=x))(X)
