"""The launcher, with programs that need no devices."""

import os
import signal
import subprocess
import sys
import time

import pytest

from treadle.distributed.run import main


def launched(*arguments, seconds=60):
    command = [sys.executable, "-m", "treadle.distributed.run", *map(str, arguments)]
    began = time.monotonic()
    ended = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    return ended, time.monotonic() - began


def test_every_line_says_which_process_wrote_it():
    code = """
import os, sys
me = os.environ["TREADLE_PROCESS_ID"]
print("out", me, os.environ["TREADLE_NUM_PROCESSES"], os.environ["TREADLE_NUM_CPU_DEVICES"], sys.argv[1:])
print("err", me, file=sys.stderr)
sys.stdout.write("no end")
"""
    ended, _ = launched("-n", 3, "--devices-per-process", 2, "-c", code, "--flag", "x")
    assert ended.returncode == 0
    expected = [f"[{n}] out {n} 3 2 ['--flag', 'x']" for n in range(3)] + [
        f"[{n}] no end" for n in range(3)
    ]
    assert sorted(ended.stdout.splitlines()) == sorted(expected)
    assert sorted(ended.stderr.splitlines()) == [f"[{n}] err {n}" for n in range(3)]


def test_modules_and_scripts(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("import sys; print(sys.argv[1:])")
    assert launched("-n", 1, script, 5)[0].stdout == "[0] ['5']\n"
    assert "usage" in launched("-n", 1, "-m", "json.tool", "-h")[0].stdout


def test_when_one_fails_all_are_ended_with_its_exit_code():
    code = """
import os, sys, time
if os.environ["TREADLE_PROCESS_ID"] == "1":
    sys.exit(7)
time.sleep(100)
"""
    ended, seconds = launched("-n", 3, "--grace", 0.2, "-c", code)
    assert ended.returncode == 7
    assert "process 1 ended with exit code 7; ending the 2 that still run" in ended.stderr
    assert seconds < 20


def test_one_that_ignores_sigterm_is_killed():
    code = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.environ["TREADLE_PROCESS_ID"] == "1":
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(100)
"""
    ended, seconds = launched("-n", 2, "--grace", 0.2, "-c", code)
    assert ended.returncode == 128 + 9
    assert "process 1 was killed by SIGKILL; ending the 1 that still run" in ended.stderr
    assert seconds < 20


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{process}/stat") as file:
        return file.read().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_signals_reach_all_and_leave_no_orphans(number):
    code = "import os, time; print(os.getpid(), flush=True); time.sleep(100)"
    command = [
        sys.executable,
        "-m",
        "treadle.distributed.run",
        "-n",
        "2",
        "--grace",
        "1",
        "-c",
        code,
    ]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as launcher:
        children = [int(launcher.stdout.readline().split()[1]) for _ in range(2)]
        launcher.send_signal(number)
        code = launcher.wait(20)
    assert code == (-9 if number == signal.SIGKILL else 128 + number)
    end = time.monotonic() + 10
    while any(map(alive, children)) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(map(alive, children))


def test_what_it_cannot_do_is_said(capsys):
    with pytest.raises(SystemExit):
        main(["-n", "0", "x.py"])
    assert "must be 1 or more, got '0'" in capsys.readouterr().err
