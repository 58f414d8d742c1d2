"""Snapshots that two processes write and others read over other meshes; a process that is killed while it writes."""

from conformance.distributed.starting import run


def test_snapshots_survive_and_fit_other_meshes(tmp_path):
    def saved(step):
        for ended in run("saving.py", "save", tmp_path, step, -1, count=2, devices=2):
            assert ended.code == 0, ended.output

    def loaded(step, count, devices):
        for ended in run("saving.py", "load", tmp_path, step, count=count, devices=devices):
            assert ended.code == 0, ended.output
            assert "equal" in ended.output

    saved(1)
    loaded(1, 1, 8)
    for who in (0, 1):  # in the middle of writing its file
        ended = run("saving.py", "killed", tmp_path, 2, who, count=2, devices=2)
        assert ended[who].code == -9
        # Mostly from `save`; where the coordinator is killed, jaxlib may hold the survivor, which is ended then.
        assert ended[1 - who].code == 1
        assert "treadle.errors.ProcessFailureError: " in ended[1 - who].output
        assert f"process {who} (" in ended[1 - who].output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-1", "step-2.partial"]
    loaded(1, 4, 1)
    saved(2)
    loaded(2, 1, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-1", "step-2"]
