"""`lax.dtype` of element types, and arguments that name a sharding."""

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, MissingRuleError
from treadle_numpy import lax, numpy as tnp
from treadle_numpy.random import bernoulli, key


@pytest.mark.parametrize(
    ("given", "name"),
    [(np.dtype("int32"), "int32"), (tnp.float16, "float16"), ("int8", "int8"), (int, "int32")],
)
def test_element_types_are_given_back(given: Any, name: str) -> None:
    assert lax.dtype(given) == np.dtype(name)


def test_names_of_no_type_are_refused() -> None:
    with pytest.raises(ArgumentError):
        lax.dtype("nothing")


def test_a_sharding_may_be_none() -> None:
    assert bernoulli(key(0), 0.5, (3,), out_sharding=None).shape == (3,)
    with pytest.raises((MissingRuleError, ArgumentError)):  # without a runtime, and with one
        bernoulli(key(0), 0.5, (3,), out_sharding="x")
    x = np.ones((1, 1, 4), np.float32)
    assert lax.conv_general_dilated(x, x, (1,), "VALID", out_sharding=None).shape == (1, 1, 1)
