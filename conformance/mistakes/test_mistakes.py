"""Every mistake of the catalogue gets an error that says what, where and how to fix it, in under ten lines."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from conformance.faq.rows import fresh_process
from conformance.mistakes.catalogue import MISTAKES, Mistake

PACKAGES: Final = [Path(treadle.__file__).parent.parent / "treadle"] + [
    Path(module.__file__ or "").parent
    for name, module in list(sys.modules.items())
    if name
    in {
        f"treadle_{each}" for each in ["ir", "autodiff", "batching", "compiler", "runtime", "numpy"]
    }
]
EACH: Final = pytest.mark.parametrize(
    "mistake", MISTAKES, ids=[each.make.__name__ for each in MISTAKES]
)


def _raised(mistake: Mistake) -> BaseException:
    with pytest.raises(mistake.error) as caught:
        mistake.make()
    return caught.value


def _masked(text: str) -> str:
    """The text without what differs from process to process."""
    return re.sub(r"jaxlib [0-9.]+", "jaxlib ...", re.sub(r"0x[0-9a-f]+", "0x...", text))


def _here(mistake: Mistake) -> tuple[int, str]:
    """The line of the user that the error has to show: its number and its text."""
    lines, first = inspect.getsourcelines(mistake.make)
    found = [(first + i, line.strip()) for i, line in enumerate(lines) if "# here" in line]
    assert len(found) == 1
    return found[0]


def test_the_catalogue_has_at_least_sixty_mistakes() -> None:
    assert len(MISTAKES) >= 60
    assert len({each.make.__name__ for each in MISTAKES}) == len(MISTAKES)


@EACH
def test_what(mistake: Mistake) -> None:
    assert _masked(str(_raised(mistake)).splitlines()[0]) == mistake.first_line


@EACH
def test_where(mistake: Mistake) -> None:
    number, text = _here(mistake)
    notes = _raised(mistake).__notes__
    assert any(
        note.startswith(f"  at catalogue.py:{number}, in ") and note.endswith(f":  {text}")
        for note in notes
    ), notes


@EACH
def test_how(mistake: Mistake) -> None:
    assert f"  fix: {mistake.fix}" in _raised(mistake).__notes__


@EACH
def test_under_ten_lines(mistake: Mistake) -> None:
    error = _raised(mistake)
    assert len("\n".join([str(error), *error.__notes__]).splitlines()) < 10


@EACH
def test_the_traceback_shows_the_line_and_none_of_ours(
    mistake: Mistake, capsys: pytest.CaptureFixture[str]
) -> None:
    error = _raised(mistake)
    sys.excepthook(type(error), error, error.__traceback__)
    shown = capsys.readouterr().err
    assert f'catalogue.py", line {_here(mistake)[0]}' in shown
    assert [folder for folder in PACKAGES if str(folder) + "/" in shown] == []


CRASH: Final = """
import treadle, treadle.numpy as tnp
def f(x):
    return x if x > 0 else -x
treadle.jit(f)(1.0)
"""


def _crash(tmp_path: Path, *arguments: str, **environment: str) -> str:
    script = tmp_path / "crash.py"
    script.write_text(CRASH)
    code = f"import runpy; runpy.run_path({str(script)!r})"
    done = fresh_process("".join(arguments) + code, **environment)
    assert done.returncode == 1
    return done.stderr


def test_a_crash_shows_the_users_frames_only(tmp_path: Path) -> None:
    shown = _crash(tmp_path)
    assert "return x if x > 0 else -x" in shown
    assert "treadle.jit(f)(1.0)" in shown
    assert [folder for folder in PACKAGES if str(folder) + "/" in shown] == []


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        ((), {"TREADLE_TRACEBACK": "full"}),
        (
            ("import treadle; treadle.config.update('treadle_traceback_filtering', 'off'); ",),
            {},
        ),
    ],
    ids=["environment", "config"],
)
def test_a_switch_shows_all_frames(
    tmp_path: Path, arguments: tuple[str, ...], environment: dict[str, str]
) -> None:
    shown = _crash(tmp_path, *arguments, **environment)
    assert [folder for folder in PACKAGES if str(folder) + "/" in shown] != []


def test_a_cache_folder_that_cannot_be_written_warns_once_and_works(tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("")
    done: subprocess.CompletedProcess[str] = fresh_process(
        "import treadle\n"
        "print(treadle.jit(lambda x: x + 1)(1.0), treadle.jit(lambda x: x * 3)(1.0))",
        TREADLE_CACHE_DIR=str(occupied / "cache"),
    )
    assert done.stdout == "2.0 3.0\n", done.stderr
    assert done.stderr.count("CacheWarning") == 1
    assert [folder for folder in PACKAGES if str(folder) + "/" in done.stderr] == []
    assert "fix: set TREADLE_CACHE_DIR" in done.stderr


def test_an_npz_that_holds_no_numbers(tmp_path: Path) -> None:
    file = tmp_path / "names.npz"
    np.savez(file, names=np.array(["a", "b"]))
    loaded = tnp.load(file)
    with pytest.raises(TypeError, match="element type <U1 is not supported"):
        tnp.sin(loaded["names"])  # type: ignore[index]


def test_an_unknown_setting_says_where_those_stand_that_exist() -> None:
    with pytest.raises(AttributeError) as caught:
        treadle.config.update("treadle_foo", 1)
    assert str(caught.value) == "treadle has no setting 'treadle_foo'"
    assert caught.value.__notes__ == [
        "  fix: take a name that `print(*treadle.config.values)` shows"
    ]
    assert "treadle_enable_x64" in treadle.config.values


def test_an_unknown_setting_names_a_likely_one() -> None:
    with pytest.raises(AttributeError, match="did you mean 'treadle_enable_x64'"):
        treadle.config.update("enable_x46", 1)


def test_an_environment_variable_that_says_neither_yes_nor_no() -> None:
    done = fresh_process("import treadle", TREADLE_ENABLE_X64="maybe")
    assert done.returncode == 1
    assert "environment variable TREADLE_ENABLE_X64 is 'maybe'" in done.stderr
    assert "fix: unset TREADLE_ENABLE_X64, or set it to what `enable_x64` takes" in done.stderr
