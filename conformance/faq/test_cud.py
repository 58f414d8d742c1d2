"""CUD: CUDA's memory; the row that a CPU shows."""

from __future__ import annotations

import pytest

from conformance.faq.rows import output_of, row


@row("CUD-01")
@pytest.mark.parametrize(
    "environment",
    [
        {"XLA_PYTHON_CLIENT_MEM_FRACTION": ".5", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"},
        {"TREADLE_MEM_FRACTION": ".5", "TREADLE_PREALLOCATE": "false"},
    ],
    ids=["xla", "treadle"],
)
def test_cud_01_memory_variables_do_no_harm_on_cpu(environment: dict[str, str]) -> None:
    script = "import treadle as sut; print(sut.jit(lambda x: x + 1)(1.0))"
    assert output_of(script, **environment) == "2.0"
