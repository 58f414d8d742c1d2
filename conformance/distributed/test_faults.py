"""When a process fails, every other one ends in bounded time with an error that names the process and the cause."""

import socket

import pytest

from conformance.distributed.starting import run


def moments(ended):
    """When it happened, and when the others raised an error, in seconds."""
    times = {"now": [], "heard": []}
    for each in ended:
        for line in each.output.splitlines():
            word, _, number = line.partition(" ")
            if word in times:
                times[word].append(float(number))
    return times


def check_survivors(ended, who, *words):
    for number, each in enumerate(ended):
        if number != who:
            assert each.code == 1, each.output
            assert "ProcessFailureError" in each.output
            assert f"process {who} (" in each.output
            for word in words:
                assert word in each.output, each.output


@pytest.mark.parametrize("who", [1, 0])  # 0 is the coordinator
def test_process_killed_in_a_step(who):
    ended = run("faulty.py", "killed", who, 60, 100, 60, count=3)
    assert ended[who].code == -9
    check_survivors(
        ended, who, "disconnected unexpectedly: it was killed, or crashed", "faulty.py:"
    )
    times = moments(ended)
    assert max(times["heard"], default=times["now"][0]) - times["now"][0] < 5


def test_process_that_raises_is_named_with_its_error():
    ended = run("faulty.py", "raises", 1, 60, 100, 60, count=2)
    assert ended[1].code == 1
    check_survivors(ended, 1, "ended with ValueError: no more data")


def test_error_of_a_lost_process_can_be_caught():
    ended = run("faulty.py", "killed", 1, 60, 100, 60, count=2, HOW="--catch")
    assert "saved what there was" in ended[0].output
    assert ended[0].code == 1


def test_process_that_is_silent_is_lost_after_the_heartbeat_timeout():
    # Its connections stay open, so the other one may wait inside XLA: then it is ended after the grace period.
    ended = run("faulty.py", "stopped", 1, 60, 3, 60, count=2, leave=(1,), seconds=25)
    check_survivors(ended, 1, "no message from process 1", "for 3 seconds", "faulty.py:")


def test_process_that_leaves_early():
    """Others find in seconds that its end stands where they launch a program, long before the timeout of shutdown."""
    for each in run("faulty.py", "leaves", 1, 60, 100, 60, count=2, seconds=40):
        assert each.code == 1, each.output
        assert "step 11 over their devices is a launch of" in each.output
        assert (
            "the end of the process (its program is over, or has called sys.exit) there"
            in each.output
        )


def test_different_programs_are_an_error_in_every_process():
    ended = run("faulty.py", "differs", 1, 60, 100, 60, count=3)
    for each in ended:
        assert each.code == 1, each.output
        assert "runs a different program from process" in each.output
        assert "all steps taken" not in each.output


def check_order(ended):
    """Check that each process reports the fault: the process that finds it names the programs and notifies the rest."""
    for each in ended:
        assert each.code == 1, each.output
        assert "launches programs in a different order from process" in each.output
        assert "`evaluate(" in each.output


@pytest.mark.parametrize("count", [2, 3])
def test_known_programs_in_another_order_are_an_error_in_every_process(count):
    # Their exchanges are alike, so that no process waits: the check every ten seconds finds it, or the one at exit.
    check_order(run("faulty.py", "swaps", 1, 60, 100, 60, count=count, seconds=40))


@pytest.mark.parametrize("count", [2, 3])
def test_known_programs_that_wait_for_each_other_are_found_in_seconds(count):
    ended = run("faulty.py", "swaps", 1, 60, 100, 60, count=count, HOW="gathers", seconds=25)
    check_order(ended)
    assert all("all steps taken" not in each.output for each in ended)


def test_processes_that_launch_in_one_order_are_not_disturbed():
    for each in run("faulty.py", "known", 1, 60, 100, 60, count=2, HOW="slow", seconds=60):
        assert each.code == 0, each.output
        assert "all steps taken" in each.output


def test_process_that_never_joins():
    ended = run("faulty.py", "nothing", 9, 2, 100, 60, count=3, ids=[0, 1])
    for each in ended:
        assert each.code == 1
        assert "process 2 did not join within 2 seconds; processes 0, 1 did" in each.output


def test_coordinator_that_never_opens():
    (ended,) = run("faulty.py", "nothing", 9, 2, 100, 60, count=2, ids=[1])
    assert ended.code == 1
    assert "process 0 did not accept connections at 127.0.0.1:" in ended.output


def test_two_processes_with_one_number():
    ended = run("faulty.py", "nothing", 9, 60, 100, 60, count=3, ids=[0, 1, 1])
    for each in ended:
        assert each.code == 1, each.output
        assert "two processes have the process_id 1: " in each.output


def test_port_in_use():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        (ended,) = run("faulty.py", "nothing", 9, 5, 100, 60, count=2, ids=[0], port=port)
    assert ended.code == 1
    assert f"port {port} of 127.0.0.1 is in use" in ended.output
