"""The quickstart as a user runs it: a good run, files of one's own, and invalid files.

pytest examples/quickstart
"""

from __future__ import annotations

import contextlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).with_name("quickstart.py")
RNG = np.random.default_rng(0)
IMAGES = RNG.random((60, 9, 10))
LABELS = np.arange(60) % 3


def run(*words: object) -> subprocess.CompletedProcess[str]:
    """The script in a process of its own."""
    command = [sys.executable, str(SCRIPT), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def refused(*words: object) -> str:
    """Return the message of a refusal: one paragraph, no traceback, and exit code 2."""
    result = run(*words)
    assert result.returncode == 2, result.stdout + result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    paragraph = result.stderr.strip()
    assert "\n\n" not in paragraph
    return paragraph


def saved(folder: Path, **arrays: Any) -> Path:
    """An `.npz` file."""
    path = folder / "my.npz"
    np.savez(path, **arrays)
    return path


def test_digits_are_learned_and_the_report_stands_alone(tmp_path: Path) -> None:
    out = tmp_path / "new folder" / "report.html"
    result = run("--out", out)
    assert result.returncode == 0, result.stderr
    accuracy = re.search(r"^accuracy: (\d+\.\d)%$", result.stdout, re.MULTILINE)
    assert accuracy is not None
    assert float(accuracy[1]) >= 97.0
    for line in result.stdout.strip().splitlines()[-7:-1]:
        assert re.search(r"trace \d+ ms, lower \d+ ms, compile \d+ ms, run \d+ ms", line), line
    page = out.read_text(encoding="utf-8")
    # Nothing is loaded from anywhere: every address in the page is data in the page.
    assert not re.findall(r'(?:src|href)="(?!data:)', page)
    assert not re.findall(r"url\(|@import|<script|<link|https?://", page)
    assert page.count('<svg class="graph"') == 3
    assert page.count("<section>") == 7


def test_equal_seeds_give_equal_results(tmp_path: Path) -> None:
    path = saved(tmp_path, images=IMAGES, labels=LABELS)
    words = ("--data", path, "--epochs", 3, "--seed", 5, "--out", tmp_path / "r.html")
    first, second = (
        [line for line in run(*words).stdout.splitlines() if "ms" not in line][1:5]
        for _ in range(2)
    )
    assert len(first) == 4
    assert [re.sub(r"\d+:\d+:\d+", "", line) for line in first] == [
        re.sub(r"\d+:\d+:\d+", "", line) for line in second
    ]


def test_own_images_of_odd_size_and_one_epoch(tmp_path: Path) -> None:
    path = saved(tmp_path, images=(255 * IMAGES).astype(np.uint8), labels=LABELS + 7)
    result = run("--data", path, "--epochs", 1, "--out", tmp_path / "r.html")
    assert result.returncode == 0, result.stderr
    assert "accuracy: " in result.stdout
    assert "12×12" in result.stdout  # sides are padded to multiples of four


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"pictures": IMAGES, "labels": LABELS}, "has no array `images`; it holds `pictures`"),
        ({"images": IMAGES}, "has no array `labels`"),
        ({"images": IMAGES[0], "labels": LABELS}, "shape (9, 10), but (count, height, width)"),
        ({"images": IMAGES, "labels": LABELS[:-1]}, "must have shape (60,)"),
        ({"images": IMAGES[:5], "labels": LABELS[:5]}, "too small"),
        ({"images": IMAGES[:, :2], "labels": LABELS}, "too small"),
        ({"images": IMAGES, "labels": LABELS * 0}, "1 different numbers"),
        ({"images": IMAGES, "labels": np.arange(60)}, "60 different numbers"),
        ({"images": IMAGES, "labels": LABELS + 0.5}, "labels[0] is 0.5"),
        ({"images": IMAGES.astype(str), "labels": LABELS}, "element type <U"),
        ({"images": IMAGES, "labels": LABELS.astype(str)}, "numpy.unique"),
        ({"images": IMAGES.astype(object), "labels": LABELS}, "objects are not loaded"),
        ({"images": IMAGES * 1j, "labels": LABELS}, "complex128"),
        ({"images": np.where(IMAGES > 0.999, np.nan, IMAGES), "labels": LABELS}, "not finite"),
    ],
)
def test_unusable_arrays_are_explained(tmp_path: Path, arrays: dict[str, Any], said: str) -> None:
    path = saved(tmp_path, **arrays)
    message = refused("--data", path, "--out", tmp_path / "r.html")
    assert said in message
    assert str(path) in message
    assert not (tmp_path / "r.html").exists()


def test_missing_and_foreign_files_are_explained(tmp_path: Path) -> None:
    assert "There is no file" in refused("--data", tmp_path / "none.npz")
    assert "Is a directory" in refused("--data", tmp_path)
    text = tmp_path / "text.npz"
    text.write_text("5,0,0,1\n")
    assert "not a NumPy file" in refused("--data", text)
    text.write_bytes(b"")
    assert str(text) in refused("--data", text)
    np.save(tmp_path / "bare.npy", IMAGES)
    assert "one bare array" in refused("--data", tmp_path / "bare.npy")


def test_damaged_archives_are_explained(tmp_path: Path) -> None:
    good = saved(tmp_path, images=IMAGES, labels=LABELS).read_bytes()
    path = tmp_path / "damaged.npz"
    for content in (good[: len(good) // 2], good[:-10], spoilt(good, 70)):
        path.write_bytes(content)
        assert str(path) in refused("--data", path)


def test_no_spoilt_byte_surprises_the_reader(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("quickstart_data", SCRIPT.with_name("data.py"))
    assert spec is not None
    assert spec.loader is not None
    data = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = data
    spec.loader.exec_module(data)
    good = saved(tmp_path, images=IMAGES, labels=LABELS).read_bytes()
    path = tmp_path / "damaged.npz"
    refusals = 0
    for place in (*range(0, 300, 2), *RNG.integers(0, len(good), 100)):
        path.write_bytes(spoilt(good, int(place)))
        # A changed byte may be in an unused place: then the file is read. Any error but this one gets out.
        with contextlib.suppress(data.DataError):
            data.load(path)
            continue
        refusals += 1
    assert refusals > 150


def spoilt(content: bytes, place: int) -> bytes:
    """The content with one byte changed."""
    return content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :]


def test_wrong_options_are_explained(tmp_path: Path) -> None:
    assert "--epochs" in run("--epochs", 0).stderr
    assert "--seed" in run("--seed", -1).stderr
    assert "folder" in refused("--out", tmp_path)
    (tmp_path / "file").write_text("")
    assert "cannot be written" in refused("--out", tmp_path / "file" / "r.html")
