"""CUD: CUDA's memory; the row that a CPU shows, and three that need a GPU."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

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


LIMIT = """
import treadle as sut
sut.jit(lambda x: x + 1)(1.0).block_until_ready()
print(sut.devices()[0].memory_stats()["bytes_limit"])
"""
# `nvidia-smi` says what the driver has given away, which no library can embellish.
USED = """
import subprocess
import treadle as sut
def used_and_total():
    query = ["nvidia-smi", "--query-gpu=memory.used,memory.total", "--format=csv,noheader,nounits", "--id=0"]
    return [int(each) for each in subprocess.check_output(query, text=True).split(",")]
before, total = used_and_total()
sut.jit(lambda x: x + 1)(1.0).block_until_ready()
print((used_and_total()[0] - before) / total)
"""


@pytest.mark.gpu
@row("CUD-02")
def test_cud_02_the_fraction_of_memory_can_be_set() -> None:
    """Three quarters of it by default; nothing is taken in advance here, since the suite itself uses the GPU."""
    default = int(output_of(LIMIT, TREADLE_PREALLOCATE="false"))
    half = int(output_of(LIMIT, TREADLE_PREALLOCATE="false", XLA_PYTHON_CLIENT_MEM_FRACTION=".375"))
    assert half == pytest.approx(default / 2, rel=0.02)


@pytest.mark.gpu
@row("CUD-03")
def test_cud_03_memory_need_not_be_taken_in_advance() -> None:
    assert float(output_of(USED, XLA_PYTHON_CLIENT_PREALLOCATE="false")) < 0.1


@pytest.mark.gpu
@row("CUD-04")
def test_cud_04_two_processes_fit_with_smaller_fractions() -> None:
    script = LIMIT + "import time; time.sleep(5); print(float(sut.numpy.ones(1000).sum()))"
    with ThreadPoolExecutor(2) as pool:
        outputs = pool.map(
            lambda _: output_of(script, XLA_PYTHON_CLIENT_MEM_FRACTION=".3"), range(2)
        )
        assert [output.splitlines()[1] for output in outputs] == ["1000.0", "1000.0"]
