import threading

import pytest

from treadle_compiler import jaxlib
from treadle_runtime import DistributedError, ProcessFailureError
from treadle_runtime.client import execution_error
from treadle_runtime.client.peers import Peers, met


@pytest.fixture
def peers():
    return Peers(0, 3, "127.0.0.1", None, None, 1)


def test_errors_name_who_was_lost(peers):
    peers.check("working")
    assert peers.error("working") is None
    peers.lost(2, "process 2 (b) ended")
    peers.lost(1, "process 1 (a) was killed")
    peers.lost(1, "process 1 (a) closed")  # what is heard first is the cause
    with pytest.raises(
        ProcessFailureError, match=r"^working: process 1 \(a\) was killed; process 2 \(b\) ended"
    ):
        peers.check("working")


def test_a_loss_that_is_heard_of_soon_is_waited_for(peers):
    threading.Timer(0.1, lambda: peers.lost(1, "process 1 ended")).start()
    assert "process 1 ended" in str(peers.error("working", wait=10))


def test_a_failed_collective_names_the_process(peers):
    error = RuntimeError("UNKNOWN: Gloo all-reduce failed: Connection closed by peer [127.0.0.1]:1")
    assert "Gloo" in str(execution_error(error))
    met.append(peers)
    try:
        peers.lost(1, "process 1 was killed")
        found = execution_error(error)
    finally:
        met.clear()
    assert isinstance(found, ProcessFailureError)
    assert str(found) == "a program over several processes failed: process 1 was killed"


def test_a_service_that_is_gone_is_told_as_the_loss_of_its_process(peers):
    def broken():
        raise jaxlib().core.JaxRuntimeError("UNKNOWN: recvmsg:Connection reset by peer")

    assert peers.ask(lambda: 5, "working") == 5
    threading.Timer(0.1, lambda: peers.lost(1, "process 1 was killed")).start()
    with pytest.raises(ProcessFailureError, match=r"^working: process 1 was killed"):
        peers.ask(broken, "working")
    other = Peers(0, 2, "127.0.0.1", None, None, 1)
    with pytest.raises(DistributedError, match=r"^working: UNKNOWN: recvmsg:Connection reset"):
        other.ask(broken, "working")


def test_waiting_ends(peers):
    def late(patience):
        raise jaxlib().core.JaxRuntimeError("DEADLINE_EXCEEDED: too late")

    with pytest.raises(
        DistributedError, match=r"^working: process 1 did not come within 0\.2 seconds"
    ):
        peers.wait(late, "working", 1, "did not come", 0.2)
    assert peers.wait(lambda patience: "there", "working", 1, "", 1) == "there"
    peers.lost(1, "process 1 ended")
    with pytest.raises(ProcessFailureError, match="process 1 ended"):
        peers.wait(late, "working", 1, "", 5)


def test_a_wait_for_a_process_that_has_come_to_its_end_is_over(peers: Peers) -> None:
    def late(_: int) -> None:
        raise jaxlib().core.JaxRuntimeError("DEADLINE_EXCEEDED: not there")

    peers.left[1] = "node7, pid 812"
    with pytest.raises(
        ProcessFailureError, match=r"process 1 \(node7, pid 812\) did not come, and has"
    ):
        peers.wait(late, "working", 1, "did not come", 60)
