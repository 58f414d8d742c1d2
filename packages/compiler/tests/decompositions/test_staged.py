"""Functions of formulas are the operations of their names."""

from __future__ import annotations

import keyword

import pytest

from treadle_compiler.decompositions.staged import _FUNCTIONS
from treadle_ir import ops


@pytest.mark.parametrize("name", _FUNCTIONS)
def test_functions_have_the_names_of_operations(name: str) -> None:
    assert _FUNCTIONS[name] is getattr(ops, f"{name}_" if keyword.iskeyword(name) else name)
