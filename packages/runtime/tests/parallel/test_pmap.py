from __future__ import annotations

import pytest

from treadle_ir import ArgumentError
from treadle_runtime import pmap


def test_only_functions_are_mapped() -> None:
    with pytest.raises(ArgumentError, match="pmap: fun must be a function"):
        pmap([1, 2])  # type: ignore[arg-type]  # it is none
