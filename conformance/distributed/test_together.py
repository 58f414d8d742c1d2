"""`multihost_utils` in two processes."""

from conformance.distributed.starting import run


def test_processes_give_each_other_what_they_have():
    for ended in run("together.py", count=2, devices=2):
        assert ended.code == 0, ended.output
