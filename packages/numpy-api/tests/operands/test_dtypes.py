"""Element types that make arrays stand for classes."""

import pytest

from treadle_numpy import numpy as tnp


@pytest.mark.parametrize("name", ["float32", "int8", "complex64", "bfloat16"])
def test_names_are_those_of_the_classes(name: str) -> None:
    assert getattr(tnp, name).__name__ == name
