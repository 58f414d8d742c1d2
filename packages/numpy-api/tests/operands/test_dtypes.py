"""Element types that make arrays stand for classes."""

import pytest

from treadle_numpy import numpy as tnp


@pytest.mark.parametrize("name", ["float32", "int8", "complex64", "bfloat16"])
def test_names_are_those_of_the_classes(name: str) -> None:
    assert getattr(tnp, name).__name__ == name


@pytest.mark.parametrize("other", ["any text", "(2,3", "f4,,f4", [("a", "f4"), ("a", "f4")], None])
def test_unequal_to_what_is_no_element_type(other: object) -> None:
    for scalar in (tnp.float32, tnp.float64, tnp.bfloat16):
        assert (scalar == other) is False
        assert (other == scalar) is False
        assert (scalar != other) is True
