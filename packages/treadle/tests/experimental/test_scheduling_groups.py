"""Attributes of calls that are scheduled together."""

from __future__ import annotations

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.experimental import scheduling_groups, xla_metadata
from treadle.experimental.scheduling_groups import scheduling_group


def test_the_group_is_an_attribute_in_the_program() -> None:
    """Under JAX's name; derivatives have it as the call has."""
    f = scheduling_group("loads")(lambda x: tnp.sin(x) * 2)
    assert 'mhlo.frontend_attributes = {scheduling_group = "loads"}' in (
        treadle.jit(f).lower(1.0).as_text()
    )
    assert 'scheduling_group = "loads"' in treadle.jit(treadle.grad(f)).lower(1.0).as_text()
    np.testing.assert_allclose(treadle.grad(f)(1.0), 2 * np.cos(1.0), rtol=1e-6)
    assert "scheduling_group" not in treadle.jit(tnp.sin).lower(1.0).as_text()


def test_names() -> None:
    assert scheduling_groups.xla_metadata_call is xla_metadata.xla_metadata_call
    with pytest.raises(ArgumentError, match="scheduling_group: name must be a string"):
        scheduling_group(3)  # type: ignore[arg-type]
