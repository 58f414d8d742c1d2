import hashlib
import threading
from types import SimpleNamespace

import pytest

from treadle_runtime import DistributedError
from treadle_runtime.client.peers import Peers, met
from treadle_runtime.distributed import agreement
from treadle_runtime.settings import PROGRAM_CHECK

DEVICES = [SimpleNamespace(process_index=number, id=number) for number in range(3)]


def program(text, name="step"):
    return SimpleNamespace(
        text=text, name=name, program=SimpleNamespace(parameters=[], result_types=["f32[]"])
    )


@pytest.fixture
def processes(values):
    """Be one process after the other: each with its own count of programs, on one store."""
    known = {}

    def become(number):
        if number not in known:
            known[number] = Peers(number, 3, "", None, values, 1)
        met[:] = [known[number]]

    yield become
    met.clear()


def compare(processes, texts):
    """Return the error messages of the processes that find a difference between these programs, by process."""
    found = {}
    lock = threading.Lock()

    def attempt(number):
        try:
            with lock:  # only up to the wait
                processes(number)
                peers = met[0]
            key = "treadle/programs/x/0"
            agreement._compare(peers, [0, 1, 2], key, texts[number], 0)
        except DistributedError as error:
            found[number] = str(error)

    threads = [threading.Thread(target=attempt, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def test_equal_programs_agree(processes):
    assert compare(processes, ["a step"] * 3) == {}


def test_a_different_program_is_seen_by_two(processes):
    found = compare(processes, ["a step", "b other", "a step"])
    assert sorted(found) == [0, 1]
    assert "process 1 runs a different program from process 0" in found[0]
    assert "`step` here and `other` there" in found[0]


def test_equal_descriptions_of_different_texts(processes):
    found = compare(processes, ["a step", "a step", "b step"])
    assert "`step` in both, with different operations or values" in found[1]


def test_a_program_is_compared_once(processes):
    processes(0)
    met[0].client.key_value_set(f"treadle/programs/{_among()}/0/1", _fingerprint(program("one")))
    agreement.agree(program("one"), DEVICES)
    agreement.agree(program("one"), DEVICES)  # no process is asked again
    with pytest.raises(DistributedError, match="process 1 did not reach program number 1"):
        agreement.agree(program("two"), DEVICES)


def test_nothing_is_compared_inside_one_process_or_without_the_setting(processes):
    processes(0)
    agreement.agree(program("one"), DEVICES[:1])
    with PROGRAM_CHECK.override(False):
        agreement.agree(program("one"), DEVICES)
    met.clear()
    agreement.agree(program("one"), DEVICES)


def _among():
    return hashlib.sha256(b"[0, 1, 2]").hexdigest()[:8]


def _fingerprint(lowered):
    return hashlib.sha256(f"0,1,2\n{lowered.text}".encode()).hexdigest()[:32] + " step() -> f32[]"
