"""With one process, which gives itself what it has; with several, `conformance/distributed`."""

import numpy as np
import pytest

import treadle
from treadle.errors import ArgumentError
from treadle.experimental import multihost_utils as utils
from treadle.sharding import PartitionSpec as P


def test_one_process_gathers_its_own():
    np.testing.assert_array_equal(utils.process_allgather(np.arange(3)), [[0, 1, 2]])
    np.testing.assert_array_equal(utils.process_allgather(np.arange(3), tiled=True), [0, 1, 2])
    np.testing.assert_array_equal(utils.process_allgather(2.0, tiled=True), [2.0])
    np.testing.assert_array_equal(utils.broadcast_one_to_all((np.ones(2),))[0], np.ones(2))


def test_one_process_agrees_with_itself():
    utils.sync_global_devices("x")
    utils.assert_equal({"a": 1}, "message")
    assert not utils.reached_preemption_sync_point(1)
    with utils.live_devices(treadle.devices()) as alive:
        assert alive == treadle.devices()


def test_all_of_a_large_tree_is_compared(monkeypatch):
    """The description that processes exchange is cut off, and differs all the same."""
    words = []
    monkeypatch.setattr(utils, "exchanged", lambda doing, word: words.append(word) or [word])
    for last in (np.float32(0), np.int32(0)):
        utils.assert_equal([*[np.float32(0)] * 1000, last])
    assert len(words[0]) == len(words[1]) == 4000
    assert words[0] != words[1]


def test_arrays_of_one_process_are_global():
    mesh = treadle.make_mesh((1,), ("x",))
    tree = {"a": np.ones((2, 3)), "b": np.arange(4.0)}
    for specs in (P("x"), None, {"a": P(None, "x"), "b": P("x")}):
        whole = utils.host_local_array_to_global_array(tree, mesh, specs)
        back = utils.global_array_to_host_local_array(whole, mesh, specs)
        for name, values in tree.items():
            np.testing.assert_array_equal(back[name], values)


def test_mistakes_are_named():
    mesh = treadle.make_mesh((1,), ("x",))
    with pytest.raises(ArgumentError, match="0 of 1 processes are the source"):
        utils.broadcast_one_to_all(1, is_source=False)
    with pytest.raises(ArgumentError, match="pspecs must be"):
        utils.host_local_array_to_global_array([1.0, 2.0], mesh, [P()])
    with pytest.raises(ArgumentError, match="global_mesh must be a mesh"):
        utils.global_array_to_host_local_array([1.0], "mesh", P())
    with (
        pytest.raises(ArgumentError, match="each of devices must be a device"),
        utils.live_devices([3]),
    ):
        pass
    with pytest.raises(ArgumentError, match="name must be"):
        utils.sync_global_devices(3)
    with pytest.raises(ArgumentError, match="step_id must be"):
        utils.reached_preemption_sync_point("3")
