"""Snapshots in one process; by several, over meshes, and killed in the middle: `conformance/distributed`."""

import json

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.errors import ArgumentError
from treadle.experimental import snapshots
from treadle.experimental.snapshots import SnapshotError


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "run"


def tree(factor):
    return {
        "w": tnp.arange(6.0).reshape(2, 3) * factor,
        "half": (tnp.arange(4) * factor).astype("bfloat16"),
        "flags": [tnp.array([True, False]), tnp.zeros((0, 3), "int8"), tnp.asarray(1 + 2j)],
        "step": factor,
    }


def test_every_kind_of_array_comes_back_bit_by_bit(folder):
    snapshots.save(folder, 3, tree(2))
    for found, saved in zip(
        treadle.tree.leaves(snapshots.load(folder, tree(0))),
        treadle.tree.leaves(tree(2)),
        strict=True,
    ):
        assert np.asarray(found).dtype == np.asarray(tnp.asarray(saved)).dtype
        np.testing.assert_array_equal(np.asarray(found), np.asarray(saved))


def test_the_last_ones_are_kept(folder):
    for step in (1, 5, 20):
        snapshots.save(folder, step, tree(step))
    assert snapshots.steps(folder) == [5, 20]
    assert int(snapshots.load(folder, tree(0))["step"]) == 20
    assert int(snapshots.load(folder, tree(0), step=5)["step"]) == 5
    snapshots.save(folder, 20, tree(7), keep=0)  # again
    assert int(snapshots.load(folder, tree(0))["step"]) == 7
    assert sorted(path.name for path in folder.iterdir()) == ["step-20", "step-5"]


def test_a_run_that_goes_on_from_an_earlier_snapshot_keeps_its_own(folder):
    for step in (7, 8, 3):
        snapshots.save(folder, step, {"w": np.float32(step)}, keep=2)
    assert snapshots.steps(folder) == [3, 7, 8]
    assert float(snapshots.load(folder, {"w": np.float32(0)}, step=3)["w"]) == 3
    snapshots.save(folder, 4, {"w": np.float32(4)}, keep=1)
    assert snapshots.steps(folder) == [4, 7, 8]


def test_part_of_a_tree_and_types_for_arrays(folder):
    snapshots.save(folder, 1, tree(2))
    found = snapshots.load(folder, {"w": treadle.ShapeDtypeStruct((2, 3), "float32")})
    np.testing.assert_array_equal(found["w"], np.arange(6.0).reshape(2, 3) * 2)


def test_what_is_not_finished_is_not_there(folder):
    snapshots.save(folder, 1, tree(1))
    (folder / "step-2.partial").mkdir()
    assert snapshots.steps(folder) == [1]
    snapshots.save(folder, 2, tree(2))
    assert snapshots.steps(folder) == [1, 2]


def test_damage_is_noticed(folder):
    snapshots.save(folder, 1, {"w": tnp.arange(4.0)})
    file = folder / "step-1" / "process-0.bin"
    content = bytearray(file.read_bytes())
    content[5] ^= 1
    file.write_bytes(content)
    with pytest.raises(SnapshotError, match="is damaged"):
        snapshots.load(folder, {"w": tnp.zeros(4)})
    file.write_bytes(content[:-1])
    with pytest.raises(SnapshotError, match="is damaged"):
        snapshots.load(folder, {"w": tnp.zeros(4)})
    file.unlink()
    with pytest.raises(SnapshotError, match="cannot be read"):
        snapshots.load(folder, {"w": tnp.zeros(4)})


def test_manifests_are_checked(folder):
    snapshots.save(folder, 1, {"w": tnp.arange(4.0)})
    manifest = folder / "step-1" / "manifest.json"
    content = json.loads(manifest.read_text())
    content["arrays"][0]["parts"] = []
    manifest.write_text(json.dumps(content))
    with pytest.raises(SnapshotError, match=r"parts of \['w'\] are missing"):
        snapshots.load(folder, {"w": tnp.zeros(4)})
    manifest.write_text(json.dumps({**content, "version": 99}))
    with pytest.raises(SnapshotError, match="is of version 99"):
        snapshots.load(folder, {"w": tnp.zeros(4)})
    for damaged in ("{", "[]", '{"version": 1}'):
        manifest.write_text(damaged)
        with pytest.raises(SnapshotError, match="manifest"):
            snapshots.load(folder, {"w": tnp.zeros(4)})


def test_mistakes_are_named(folder):
    with pytest.raises(SnapshotError, match="there is no snapshot in"):
        snapshots.load(folder, tree(0))
    snapshots.save(folder, 1, {"w": tnp.arange(4.0)})
    with pytest.raises(SnapshotError, match="there is no snapshot 7"):
        snapshots.load(folder, {"w": tnp.zeros(4)}, step=7)
    with pytest.raises(SnapshotError, match=r"has no array \['v'\]; it has \['w'\]"):
        snapshots.load(folder, {"v": tnp.zeros(4)})
    with pytest.raises(SnapshotError, match=r"was saved as f32\[4\], and is asked for as f32\[5\]"):
        snapshots.load(folder, {"w": tnp.zeros(5)})
    with pytest.raises(ArgumentError, match="random keys"):
        snapshots.save(folder, 2, {"key": treadle.random.key(0)})
    with pytest.raises(ArgumentError, match="step must be 0 or more"):
        snapshots.save(folder, -1, {})
    with pytest.raises(ArgumentError, match="folder must be a path"):
        snapshots.save(3, 1, {})
    with pytest.raises(ArgumentError, match="step must be an integer"):
        snapshots.save(folder, "x", {})
