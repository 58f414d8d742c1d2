"""The meeting and the lines to it, in threads of one process; no jaxlib."""

import socket
import threading
import time

import pytest

from treadle_runtime import DistributedError
from treadle_runtime.distributed import line as line_module
from treadle_runtime.distributed.line import Line
from treadle_runtime.distributed.meeting import Meeting
from treadle_runtime.distributed.messages import PROTOCOL
from treadle_runtime.distributed.options import Options


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def options(port, process, count, initialization=10, heartbeat=100):
    return Options(
        "127.0.0.1", port, "127.0.0.1", port, count, process, None, initialization, heartbeat, 5
    )


def joined(port, numbers, count, **times):
    """What each process that joins comes to: its line, or the error."""
    found = {}

    def join(place, number):
        try:
            found[place] = Line(options(port, number, count, **times))
        except DistributedError as error:
            found[place] = error

    threads = [threading.Thread(target=join, args=each) for each in enumerate(numbers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return [found[place] for place in range(len(numbers))]


def heard(line):
    """What a line hears of losses, as it comes."""
    losses = []
    line.listen(lambda process, why: losses.append((process, why)), lambda process, name: None)
    return losses


def eventually(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


@pytest.fixture
def port():
    return free_port()


def test_all_meet_and_part(port):
    meeting = Meeting(options(port, 0, 3), lambda: "service:1")
    lines = joined(port, [0, 1, 2], 3)
    assert [line.service for line in lines] == ["service:1"] * 3
    assert len(lines[0].names) == 3
    losses = [heard(line) for line in lines]
    left = [
        threading.Thread(target=lambda line=line: came.append(line.leave(10))) for line in lines
    ]
    came = []
    for thread in left:
        thread.start()
    for thread in left:
        thread.join()
    assert came == [True] * 3
    for line in lines:
        line.close()
    meeting.close(5)
    assert losses == [[], [], []]


def test_lost_and_failed_processes_are_told_of(port):
    meeting = Meeting(options(port, 0, 3), lambda: "service:1")
    lines = joined(port, [0, 1, 2], 3)
    losses = [heard(line) for line in lines]
    lines[1].close()
    eventually(lambda: losses[0] and losses[2])
    ((process, why),) = losses[0]
    assert process == 1
    assert why.startswith("process 1 (")
    assert why.endswith("ended without a word: it was killed, or crashed")
    lines[2].fail("ValueError: x")
    eventually(lambda: len(losses[0]) == 2)
    assert losses[0][1][1].endswith("ended with ValueError: x")
    lines[2].close()
    lines[0].follow()
    lines[0].close()
    meeting.close(5)


def test_who_waits_in_vain_to_leave_has_left_early(port):
    meeting = Meeting(options(port, 0, 2), lambda: "service:1")
    lines = joined(port, [0, 1], 2)
    losses = [heard(line) for line in lines]
    assert lines[1].leave(0.3) is False
    lines[1].close()
    eventually(lambda: losses[0])
    assert "left early" in losses[0][0][1]
    lines[0].close()
    meeting.close(5)


def test_silence_is_a_loss(port):
    meeting = Meeting(options(port, 0, 2, heartbeat=1), lambda: "service:1")
    lines = joined(port, [0, 1], 2, heartbeat=1)
    losses = heard(lines[0])  # the other one never starts the thread that says it is there
    eventually(lambda: losses)
    assert losses[0][0] == 1
    assert "for 1 seconds" in losses[0][1]
    for line in lines:
        line.close()
    meeting.close(5)


def test_two_with_one_number_end_the_meeting(port):
    Meeting(options(port, 0, 3), lambda: "service:1")
    for error in joined(port, [0, 1, 1], 3):
        assert "two processes say that they are process 1" in str(error)


def test_different_counts_end_the_meeting(port):
    meeting = Meeting(options(port, 0, 2), lambda: "service:1")
    (error,) = joined(port, [1], 3)
    assert "says that there are 3 processes, and process 0 that there are 2" in str(error)
    meeting.close(5)


def test_who_does_not_come_is_named(port):
    Meeting(options(port, 0, 4, initialization=1), lambda: "service:1")
    for error in joined(port, [0, 2], 4, initialization=1):
        assert "processes 1, 3 did not join within 1 seconds; processes 0, 2 did" in str(error)


def test_a_service_that_does_not_start_is_told_to_all(port):
    def service():
        raise DistributedError("initialize: no service")

    Meeting(options(port, 0, 2), service)
    for error in joined(port, [0, 1], 2):
        assert "no service" in str(error)


def test_nobody_there(port):
    (error,) = joined(port, [1], 2, initialization=1)
    assert f"did not open the meeting at 127.0.0.1:{port} within 1 seconds" in str(error)


def test_something_else_there(port):
    with socket.create_server(("127.0.0.1", port)) as other:

        def answer():
            connection, _ = other.accept()
            connection.sendall(b"HTTP/1.1 400 Bad Request\n")
            connection.close()

        threading.Thread(target=answer, daemon=True).start()
        (error,) = joined(port, [1], 2, initialization=2)
    assert "is no process of treadle" in str(error)


def test_strangers_are_sent_away(port):
    meeting = Meeting(options(port, 0, 1), lambda: "service:1")
    with socket.create_connection(("127.0.0.1", port)) as stranger:
        stranger.sendall(b"GET / HTTP/1.1\r\n\r\n")
        stranger.settimeout(5)
        assert stranger.recv(100) == b""
    (line,) = joined(port, [0], 1)
    line.close()
    meeting.close(5)


def test_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(DistributedError, match=f"port {port} of 127.0.0.1 is in use"):
            Meeting(options(port, 0, 1), lambda: "")


def test_address_of_another_machine():
    elsewhere = Options("192.0.2.1", 1, "192.0.2.1", 1, 1, 0, None, 1, 1, 1)
    with pytest.raises(
        DistributedError, match=r"process 0 cannot listen at port 1 of 192\.0\.2\.1"
    ):
        Meeting(elsewhere, lambda: "")


def test_another_version_of_the_protocol_is_refused(port, monkeypatch):
    monkeypatch.setattr(line_module, "PROTOCOL", PROTOCOL + 1)
    meeting = Meeting(options(port, 0, 2), lambda: "service:1")
    (found,) = joined(port, [1], 2)
    meeting.close(5)
    assert isinstance(found, DistributedError)
    assert "another version of treadle" in str(found)
