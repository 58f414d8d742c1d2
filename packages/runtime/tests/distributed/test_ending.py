import subprocess
import sys


def ended(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def test_a_process_that_waits_for_ever_is_ended_with_a_message():
    found = ended("""
import threading
from treadle_runtime.distributed.ending import end_after
end_after(0.2, lambda: True, lambda: "because")
threading.Event().wait()
""")
    assert (found.returncode, found.stderr) == (1, "because\n")


def test_it_goes_on_if_the_end_is_not_wanted_any_more():
    found = ended("""
import time
from treadle_runtime.distributed.ending import end_after
end_after(0.1, lambda: False, lambda: "because")
time.sleep(0.5)
print("on")
""")
    assert (found.returncode, found.stdout) == (0, "on\n")


def test_terminate_of_c_comes_to_us():
    found = ended("""
import ctypes, os
from treadle_runtime.distributed.ending import end, replace_terminate
kept = replace_terminate(lambda: end("ours"))
assert kept is not None
ctypes.CDLL("libstdc++.so.6")._ZSt9terminatev()
""")
    assert (found.returncode, found.stderr) == (1, "ours\n")
