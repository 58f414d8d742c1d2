"""`multihost_utils` in two processes, and programs of JAX's in as many."""

import pytest

from conformance.distributed.starting import run


@pytest.mark.parametrize("program", ["together.py", "under_the_hook.py"])
def test_processes_give_each_other_what_they_have(program):
    for ended in run(program, count=2, devices=2):
        assert ended.code == 0, ended.output
