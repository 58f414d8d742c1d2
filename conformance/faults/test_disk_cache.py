"""The disk cache where the disk fails: programs run, with at most one warning, and no entry is damaged."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import random
import resource
import shutil
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import treadle_compiler
from conformance.faults.inside import compiled_programs
from conformance.faults.process import finished, run, started
from treadle_compiler import DiskCache

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes and signals are of POSIX")


def compile_some(count: int) -> None:
    """Compile programs, or read them from disk."""
    print(json.dumps(compiled_programs(count)))


def compiled(folder: Path, count: int = 2) -> Any:
    """Return the events of compiling some programs with a cache."""
    return json.loads(run(compile_some, count, cache=folder))


def entries(folder: Path) -> dict[str, int]:
    """The entries of a cache with their sizes; each is read, and must be complete."""
    found = {path.name: path.stat().st_size for path in folder.glob("*.xla")}
    cache = DiskCache(folder, environ={})
    for name in found:
        assert cache.get(name.removesuffix(".xla")) is not None, f"{name} is damaged"
    return found


def litter(folder: Path) -> list[Path]:
    """The temporary files of a cache."""
    return [path for path in folder.iterdir() if path.name.startswith(".tmp-")]


# ---- entries


@pytest.mark.parametrize("size", [1 << 31, 1 << 40])
@pytest.mark.parametrize("start", ["zeros", "entry"])
def test_a_huge_sparse_file_in_the_place_of_an_entry(tmp_path: Path, start: str, size: int) -> None:
    folder = tmp_path / "cache"
    compiled(folder)
    whole = entries(folder)
    for name in whole:
        if start == "zeros":
            (folder / name).write_bytes(b"")
        os.truncate(folder / name, size)
    begun = time.monotonic()
    found = compiled(folder)
    assert (
        time.monotonic() - begun < 10
    )  # a second to start Python and treadle; nothing of that size is read
    assert found == {"right": True, "from_disk": [False, False], "warnings": []}
    assert entries(folder) == whole
    assert compiled(folder)["from_disk"] == [True, True]


def sweep_with_a_giant(folder: str) -> None:
    """Sweep a cache in which one file is larger than the limit."""
    cache = treadle_compiler.DiskCache(folder, limit=1 << 20, environ={})
    cache.sweep()


def test_a_huge_file_does_not_drive_out_the_entries(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    compiled(folder)
    whole = entries(folder)
    giant = folder / f"{'f' * 64}.xla"
    giant.write_bytes(b"")
    os.truncate(giant, 1 << 40)
    run(sweep_with_a_giant, str(folder))
    assert entries(folder) == whole
    assert not giant.exists()


def short_of_files(keep: int) -> None:
    """The process has no file descriptors left while it compiles."""
    compiled_programs(1)  # all that is imported late
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
    held = []
    try:
        while True:
            held.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        for descriptor in held[:keep]:
            os.close(descriptor)
    found = compiled_programs(3)
    for descriptor in held[keep:]:
        os.close(descriptor)
    assert found["right"], found
    assert len(found["warnings"]) <= 1, found
    print(json.dumps(found["from_disk"]))


def test_no_file_descriptors_left(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    compiled(folder, 3)
    whole = entries(folder)
    # The first is loaded before the descriptors are gone.
    assert json.loads(run(short_of_files, 0, cache=folder)) == [True, False, False]
    assert entries(folder) == whole  # a good entry is not removed because it could not be opened
    assert compiled(folder, 3)["from_disk"] == [True] * 3


# ---- writers that are killed


def write_for_ever(folder: str) -> None:
    """Store entries, slowly, until killed."""
    cache = treadle_compiler.DiskCache(folder, environ={})
    write = os.write

    def slowly(descriptor: int, data: Any) -> int:
        time.sleep(0.0005)
        return write(descriptor, data[: 1 << 16])

    os.write = slowly
    print("ready", flush=True)
    number = 0
    while True:
        number += 1
        cache.put(f"{number % 7:064x}", bytes([number % 251]) * (1 << 20))


def test_writers_that_are_killed(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    writers = [started(write_for_ever, str(folder)) for _ in range(6)]
    for writer in writers:
        assert writer.stdout is not None
        writer.stdout.readline()  # it writes from now on
        time.sleep(random.uniform(0.01, 0.05))
        writer.kill()
        finished(writer, 10)
    left = litter(folder)
    assert left, "no writer was killed while it wrote: this test shows nothing"
    assert len(entries(folder)) <= 7
    # Nothing of it is old enough: a writer might be at work that has not locked its file yet.
    assert compiled(folder)["right"]
    assert litter(folder) == left
    # A process that only reads removes it, when there was no sweep for some time.
    for path in [*left, folder / ".swept"]:
        os.utime(path, (time.time() - 1000,) * 2)
    assert compiled(folder)["from_disk"] == [True, True]
    assert litter(folder) == []
    assert entries(folder)


def write_slowly(folder: str) -> None:
    """Store an entry whose writing takes until the test lets it go on."""
    cache = treadle_compiler.DiskCache(folder, environ={})
    write = os.write

    def slowly(descriptor: int, data: Any) -> int:
        done = write(descriptor, data)
        print("writing", flush=True)
        sys.stdin.readline()
        return done

    os.write = slowly
    assert cache.put("ab" * 32, b"payload")
    print("stored", flush=True)


def test_the_file_of_a_living_writer_stays(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    compiled(folder)
    writer = started(write_slowly, str(folder), talks=True)
    assert writer.stdout is not None
    assert writer.stdin is not None
    assert writer.stdout.readline() == "writing\n"
    (path,) = litter(folder)
    for each in (path, folder / ".swept"):
        os.utime(each, (time.time() - 10_000,) * 2)
    assert compiled(folder)["from_disk"] == [True, True]
    assert litter(folder) == [path]
    output, errors = writer.communicate("\n" * 5, timeout=20)
    assert output.endswith("stored\n")
    assert not errors
    assert "ab" * 32 + ".xla" in entries(folder)
    assert litter(folder) == []


# ---- disks and folders


def on_a_full_disk(folder: str) -> None:
    """The file system of the cache has 64 kB; where mounting is not permitted, writing fails as if it were full."""
    libc = ctypes.CDLL(None)
    os.makedirs(folder)
    new_mounts, private, recursive = 0x20000, 1 << 18, 1 << 14
    mounted = (
        libc.unshare(new_mounts) == 0
        and libc.mount(b"none", b"/", None, private | recursive, None) == 0
        and libc.mount(b"tmpfs", folder.encode(), b"tmpfs", 0, b"size=64k,mode=700") == 0
    )
    if mounted:
        filler = Path(folder, "filler")
        filler.write_bytes(bytes(60_000))
    else:

        def full(descriptor: int, data: Any) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        os.write = full
    found = compiled_programs(4)
    left = [each for each in os.listdir(folder) if each.startswith(".tmp-")]
    print(json.dumps([found, left]))


def test_a_full_disk(tmp_path: Path) -> None:
    found, left = json.loads(run(on_a_full_disk, str(tmp_path / "c"), cache=tmp_path / "c"))
    assert found["right"]
    assert found["from_disk"] == [False] * 4
    (warning,) = found["warnings"]
    assert "cannot write to" in warning
    assert "No space left on device" in warning
    assert left == []


def under_a_quota() -> None:
    """No file may be longer than 4 kB, which is less than an entry."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    print(json.dumps(compiled_programs(3)))


def test_a_limit_of_file_sizes(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    found = json.loads(run(under_a_quota, cache=folder))
    assert found["right"]
    assert found["from_disk"] == [False] * 3
    (warning,) = found["warnings"]
    assert "File too large" in warning
    assert entries(folder) == {}
    assert litter(folder) == []
    assert compiled(folder)["warnings"] == []


def obey_modes() -> None:
    """Give up root's right to ignore the modes of files and folders."""
    libc = ctypes.CDLL(None)
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)  # the third version; this process
    words = (
        ctypes.c_uint32 * 6
    )()  # effective, permitted, inheritable: the low halves, then the high ones
    assert libc.capget(header, words) == 0
    override, read_search = 1 << 1, 1 << 2
    for index in range(3):
        words[index] &= ~(override | read_search)
    assert libc.capset(header, words) == 0


linux = pytest.mark.skipif(sys.platform != "linux", reason="capabilities are Linux's")


@linux
def test_a_folder_that_can_only_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    compiled(folder)
    folder.chmod(0o500)
    found = json.loads(run(compile_some, 2, cache=folder, before=obey_modes))
    assert found == {"right": True, "from_disk": [True, True], "warnings": []}
    found = json.loads(run(compile_some, 4, cache=folder, before=obey_modes))
    assert found["from_disk"] == [True, True, False, False]
    (warning,) = found["warnings"]
    assert "cannot write to" in warning
    assert "Permission denied" in warning
    folder.chmod(0o700)
    assert len(entries(folder)) == 2
    assert litter(folder) == []


@linux
def test_a_folder_that_cannot_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    compiled(folder)
    folder.chmod(0)
    found = json.loads(run(compile_some, 3, cache=folder, before=obey_modes))
    folder.chmod(0o700)
    assert found["right"]
    (warning,) = found["warnings"]
    assert "cannot read the folder" in warning
    assert len(entries(folder)) == 2


@linux
def test_a_parent_that_cannot_be_written(tmp_path: Path) -> None:
    parent = tmp_path / "parent"
    parent.mkdir(mode=0o500)
    found = json.loads(run(compile_some, 3, cache=parent / "cache", before=obey_modes))
    parent.chmod(0o700)
    assert found["right"]
    (warning,) = found["warnings"]
    assert "cannot make the folder" in warning


def test_a_folder_of_another_user(tmp_path: Path) -> None:
    folder = Path("/usr/lib")
    if os.geteuid() == 0:
        folder = tmp_path / "theirs"
        folder.mkdir(mode=0o700)
        os.chown(folder, 12345, 12345)
    before = sorted(folder.iterdir())
    found = compiled(folder, 3)
    assert found["right"]
    (warning,) = found["warnings"]
    assert "belongs to another user" in warning
    assert sorted(folder.iterdir()) == before


def deleted_while_in_use(folder: str) -> None:
    """The folder goes away between two programs, and comes back."""
    found = [compiled_programs(2)]
    shutil.rmtree(folder)
    found.append(compiled_programs(4))
    found.append(compiled_programs(6))
    print(json.dumps(found))


def test_a_folder_that_is_deleted_while_in_use(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    found = json.loads(run(deleted_while_in_use, str(folder), cache=folder))
    assert [each["right"] for each in found] == [True] * 3
    assert [each["warnings"] for each in found] == [[]] * 3
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert entries(folder)
    assert compiled(folder, 6)["from_disk"].count(True) >= 2
