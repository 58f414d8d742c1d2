"""Training in several processes gives, bit by bit, what it gives in one process with as many devices.

The one process has the same collectives (gloo), so that sums over devices are added in the same order. Without
`initialize`, XLA's own collectives add them in another one: there results agree up to rounding.
"""

import numpy as np
import pytest

from conformance.distributed.starting import run


def losses(output):
    return [
        float(line.split()[2])
        for line in output.splitlines()
        if len(line.split()) == 3 and "0x" in line
    ]


def lines(output):
    return [line for line in output.splitlines() if line.startswith(("data", "tensor"))]


@pytest.mark.parametrize("count", [2, 4])
def test_training_in_processes_is_bit_equal_to_one_process(count):
    (one,) = run("training.py", count=1, devices=2 * count)
    assert one.code == 0, one.output
    expected = lines(one.output)
    assert len(expected) == 2 * (6 + 2)
    for each in run("training.py", count=count, devices=2):
        assert each.code == 0, each.output
        assert lines(each.output) == expected
    # Both ways of dividing the work are the same training.
    both = losses(one.output)
    np.testing.assert_allclose(both[:6], both[6:], rtol=1e-6)
    assert both[5] < 0.9 * both[0]
