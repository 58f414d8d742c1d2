from __future__ import annotations

import errno
import os
import subprocess
import sys
import textwrap
import time
import warnings
from pathlib import Path
from typing import Any

import pytest

from treadle_compiler import persistent, xla
from treadle_compiler.options import CompileOptions
from treadle_compiler.persistent import CacheWarning, DiskCache, _made_and_locked, compile_cached

if sys.platform != "win32":
    import fcntl

KEY = "ab" * 32
posix = pytest.mark.skipif(os.name != "posix", reason="modes and owners are of POSIX")


@pytest.fixture
def cache(tmp_path: Path) -> DiskCache:
    return DiskCache(tmp_path / "cache", environ={})


def counts(cache: DiskCache) -> tuple[int, int, int, int]:
    counters = cache.counters
    return counters.hits, counters.misses, counters.stored, counters.discarded


def entry(cache: DiskCache) -> Path:
    assert cache.folder is not None
    (path,) = cache.folder.glob("*.xla")
    return path


def test_get_and_put(cache: DiskCache) -> None:
    assert cache.get(KEY) is None
    assert cache.put(KEY, b"payload")
    assert cache.get(KEY) == b"payload"
    assert counts(cache) == (1, 1, 1, 0)


def test_counters_change_under_the_lock(cache: DiskCache) -> None:
    changed = []

    class Counters:
        hits = misses = stored = discarded = 0

        def __setattr__(self, name: str, value: int) -> None:
            changed.append((name, cache._lock.locked()))
            object.__setattr__(self, name, value)

    counters: Any = Counters()
    cache.counters = counters
    assert cache.get(KEY) is None
    assert cache.put(KEY, b"payload")
    assert cache.get(KEY) == b"payload"
    cache.discard(KEY)
    assert {name for name, _ in changed} == {"hits", "misses", "stored", "discarded"}
    assert all(locked for _, locked in changed)


@posix
def test_folder_and_entries_are_private(cache: DiskCache) -> None:
    cache.put(KEY, b"payload")
    assert cache.folder is not None
    assert cache.folder.stat().st_mode & 0o777 == 0o700
    assert entry(cache).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "damage", ["truncate", "empty", "flip", "append", "magic", "length", "digest", "sparse"]
)
def test_damaged_entry_is_discarded(cache: DiskCache, damage: str) -> None:
    cache.put(KEY, b"payload" * 100)
    path = entry(cache)
    data = bytearray(path.read_bytes())
    match damage:
        case "truncate":
            del data[-10:]
        case "empty":
            data.clear()
        case "flip":
            data[-5] ^= 1
        case "append":
            data += b"x"
        case "magic":
            data[0] ^= 1
        case "length":
            data[24] ^= 1
        case "digest":
            data[35] ^= 1
    path.write_bytes(data)
    if damage == "sparse":
        os.truncate(path, 1 << 40)
    assert cache.get(KEY) is None
    assert not path.exists()
    assert counts(cache) == (0, 1, 1, 1)


def test_renamed_entry_is_discarded(cache: DiskCache) -> None:
    cache.put(KEY, b"payload")
    path = entry(cache)
    path.rename(path.with_name("cd" * 32 + ".xla"))
    assert cache.get("cd" * 32) is None
    assert cache.counters.discarded == 1


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_entry_that_others_may_write_to(cache: DiskCache, mode: int) -> None:
    cache.put(KEY, b"payload")
    entry(cache).chmod(mode)
    assert cache.get(KEY) is None
    assert cache.counters.discarded == 1


@posix
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_entry_of_another_user(cache: DiskCache) -> None:
    cache.put(KEY, b"payload")
    os.chown(entry(cache), 12345, -1)
    assert cache.get(KEY) is None
    assert cache.counters.discarded == 1


@posix
def test_entry_that_is_a_link_or_a_pipe(cache: DiskCache, tmp_path: Path) -> None:
    cache.put(KEY, b"payload")
    path = entry(cache)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert cache.get(KEY) is None
    os.mkfifo(path)
    assert cache.get(KEY) is None
    assert cache.counters.discarded == 2


@posix
@pytest.mark.parametrize("mode", [0o770, 0o777, 0o1777])
def test_folder_that_others_may_write_to(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(mode)
    cache = DiskCache(folder, environ={})
    with pytest.warns(CacheWarning, match=f"chmod go-w {folder}") as caught:
        assert not cache.put(KEY, b"payload")
    assert cache.get(KEY) is None  # and no second warning
    assert len(caught) == 1
    assert list(folder.iterdir()) == []


@posix
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")
def test_folder_of_another_user(tmp_path: Path) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, -1)
    with pytest.warns(CacheWarning, match="belongs to another user"):
        assert DiskCache(folder, environ={}).get(KEY) is None


def test_a_file_in_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        cache = DiskCache(folder, environ={})
        with pytest.warns(CacheWarning, match="TREADLE_CACHE_DIR") as caught:
            assert cache.get(KEY) is None
        assert not cache.put(KEY, b"payload")
        assert len(caught) == 1


def test_folder_that_cannot_be_written(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.put(KEY, b"payload")

    def refuse(*_: object) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "write", refuse)
    with pytest.warns(CacheWarning, match="cannot write to .* \\(Permission denied\\)"):
        assert not cache.put("cd" * 32, b"payload")
    assert not cache.put("cd" * 32, b"payload")
    assert cache.get(KEY) == b"payload"  # reading goes on
    assert not cache.writable
    assert [path.name for path in entry(cache).parent.glob(".tmp-*")] == []


def test_folder_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.warns(CacheWarning, match="cannot read the folder"):
        assert DiskCache(folder, environ={}).get(KEY) is None


def test_cleared_folder_comes_back(cache: DiskCache) -> None:
    cache.put(KEY, b"payload")
    assert cache.folder is not None
    for path in cache.folder.iterdir():
        path.unlink()
    cache.folder.rmdir()
    assert cache.get(KEY) is None
    assert not cache.put(KEY, b"payload")
    assert cache.put(KEY, b"payload")
    assert cache.get(KEY) == b"payload"


def test_switches(tmp_path: Path) -> None:
    for off in ("0", "off", "False"):
        cache = DiskCache(tmp_path / "off", environ={"TREADLE_CACHE": off})
        assert not cache.put(KEY, b"payload")
    assert not (tmp_path / "off").exists()
    cache = DiskCache(
        environ={"TREADLE_CACHE_DIR": str(tmp_path / "a" / "b"), "TREADLE_CACHE_SIZE": "1.5k"}
    )
    assert cache.folder == tmp_path / "a" / "b"
    assert cache.limit == 1536
    assert DiskCache(environ={}).limit == 2 << 30
    for size in ("lots", "9" * 400, "9" * 5000 + "T"):
        with pytest.warns(CacheWarning, match=f"TREADLE_CACHE_SIZE is '{size[:4]}"):
            assert DiskCache(environ={"TREADLE_CACHE_SIZE": size}).limit == 2 << 30


def test_default_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = DiskCache(environ={}).folder
    assert folder is not None
    assert folder.name == "executables"
    assert folder.parent.name == "treadle"


def test_least_recently_used_goes_first(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, limit=10_000, environ={})
    keys = [f"{number:064x}" for number in range(12)]
    for age, key in enumerate(keys[:8]):
        cache.put(key, bytes(1000))
        os.utime(tmp_path / f"{key}.xla", (1e9 + age, 1e9 + age))
    assert cache.get(keys[0]) is not None  # renews it
    for key in keys[8:]:
        cache.put(key, bytes(1000))
    cache.sweep()
    left = {path.name[:-4] for path in tmp_path.glob("*.xla")}
    assert sum(path.stat().st_size for path in tmp_path.glob("*.xla")) <= 10_000
    assert keys[0] in left
    assert keys[-1] in left
    assert keys[1] not in left
    assert not cache.put(KEY, bytes(20_000))  # never fits


def test_abandoned_temporary_files_go(cache: DiskCache) -> None:
    assert cache.folder is not None
    old, new = cache.folder / ".tmp-old", cache.folder / ".tmp-new"
    old.write_bytes(b"")
    new.write_bytes(b"")
    os.utime(old, (1e9, 1e9))
    cache.sweep()
    assert (old.exists(), new.exists()) == (False, True)


@posix
def test_the_file_of_a_writer_at_work_stays(cache: DiskCache) -> None:
    assert cache.folder is not None
    path = cache.folder / ".tmp-old"
    with _made_and_locked(path):
        os.utime(path, (1e9, 1e9))
        cache.sweep()
        assert path.exists()
    cache.sweep()
    assert not path.exists()


@posix
def test_files_without_locks_go_by_age(cache: DiskCache, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    assert cache.put(KEY, b"payload")
    assert cache.folder is not None
    path = cache.folder / ".tmp-old"
    for age, stays in ((100, True), (4000, False)):
        path.write_bytes(b"")
        os.utime(path, (time.time() - age,) * 2)
        cache.sweep()
        assert path.exists() == stays


def test_a_reader_sweeps_when_no_process_has_lately(cache: DiskCache) -> None:
    cache.put(KEY, b"payload")
    assert cache.folder is not None
    path = cache.folder / ".tmp-old"
    for stamp_age, stays in ((10, True), (1000, False)):
        path.write_bytes(b"")
        for each in (path, cache.folder / ".swept"):
            os.utime(each, (time.time() - (stamp_age if each.name == ".swept" else 10_000),) * 2)
        assert DiskCache(cache.folder, environ={}).get(KEY) == b"payload"
        assert path.exists() == stays


def test_an_interrupted_writer_leaves_nothing(
    cache: DiskCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            cache.put(KEY, b"payload")
    assert cache.folder is not None
    assert [path for path in cache.folder.iterdir() if path.name != ".swept"] == []
    assert cache.put(KEY, b"payload")


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOMEM, errno.EIO])
def test_an_entry_that_cannot_be_opened_now_stays(
    cache: DiskCache, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    cache.put(KEY, b"payload")

    def short(*_: object) -> Any:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", short)
        assert cache.get(KEY) is None
    assert cache.get(KEY) == b"payload"
    assert counts(cache) == (1, 1, 1, 0)


def test_an_entry_for_which_there_is_no_memory_stays(
    cache: DiskCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.put(KEY, b"payload")

    def short(*_: object) -> Any:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(persistent, "_header", short)
        assert cache.get(KEY) is None
    assert cache.get(KEY) == b"payload"


def test_an_entry_above_the_limit_is_not_read(cache: DiskCache) -> None:
    cache.put(KEY, bytes(2000))
    assert DiskCache(cache.folder, limit=1000, environ={}).get(KEY) is None
    assert cache.get(KEY) is None  # it has been removed


def test_key_depends_on_every_part() -> None:
    options = CompileOptions()
    keys = {
        DiskCache.key("text", options, "platform"),
        DiskCache.key("textp", options, "latform"),
        DiskCache.key("text2", options, "platform"),
        DiskCache.key("text", CompileOptions(effort="quick"), "platform"),
        DiskCache.key("text", options, "platform2"),
    }
    assert len(keys) == 5


# ---- with jaxlib

SINE = """func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.sine %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}"""


@pytest.fixture(scope="module")
def client() -> Any:
    return xla.jaxlib().xla_client.make_cpu_client(asynchronous=True, num_devices=2)


@pytest.mark.xla
def test_compiled_once(client: Any, cache: DiskCache) -> None:
    first, second = client.local_devices()
    for device, from_cache in ((first, False), (first, True), (second, True)):
        options = CompileOptions(device_ids=(device.id,))
        assert compile_cached(client, SINE, [device], options, cache).from_cache == from_cache
    assert counts(cache) == (2, 1, 1, 0)
    again = DiskCache(cache.folder, environ={})
    assert compile_cached(client, SINE, [first], CompileOptions(), again).from_cache


@pytest.mark.xla
def test_entry_that_xla_refuses_is_compiled_again(client: Any, cache: DiskCache) -> None:
    options = CompileOptions()
    key = cache.key(SINE, options, xla.platform_fingerprint(client))
    cache.put(key, b"sound as a file, but no executable")
    device = client.local_devices()[0]
    assert not compile_cached(client, SINE, [device], options, cache).from_cache
    assert compile_cached(client, SINE, [device], options, cache).from_cache
    assert counts(cache) == (1, 1, 2, 1)


@pytest.mark.xla
def test_not_cached(client: Any, cache: DiskCache, tmp_path: Path) -> None:
    device = client.local_devices()[0]
    dump = CompileOptions(flags=(("xla_dump_to", str(tmp_path / "dump")),))
    compile_cached(client, SINE, [device], dump, cache)
    assert (tmp_path / "dump").exists()
    compile_cached(client, SINE, [device], CompileOptions(), cache, [lambda: ()])
    compile_cached(client, SINE, [device], CompileOptions(), None)
    assert counts(cache) == (0, 0, 0, 0)


WORKER = """
    import sys, warnings
    warnings.simplefilter("error")
    from treadle_compiler import xla
    from treadle_compiler.options import CompileOptions
    from treadle_compiler.persistent import DiskCache, compile_cached
    client = xla.jaxlib().xla_client.make_cpu_client(asynchronous=True, num_devices=1)
    cache = DiskCache(sys.argv[1], limit=60_000, environ={})
    for turn in range(3):
        for n in range(1, 9):
            t = f"tensor<{n}xf32>"
            text = (f"func.func public @main(%a: {t}) -> {t} {{ %0 = stablehlo.negate %a : {t} "
                    f"return %0 : {t} }}")
            exe = compile_cached(client, text, client.local_devices(), CompileOptions(effort="quick"), cache)
            assert f"f32[{n}]" in xla.optimized_hlo(exe)
            if cache.folder is not None and n == 4 and turn == 1:  # somebody spoils what the others read
                for path in list(cache.folder.glob("*.xla"))[:2]:
                    try:
                        data = path.read_bytes()
                        path.write_bytes(data[: len(data) // 2])
                    except OSError:
                        pass
    print(cache.counters)
"""


@pytest.mark.xla
@pytest.mark.slow
def test_many_processes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(WORKER), str(tmp_path / "cache")]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    outcomes = [(*process.communicate(timeout=120), process.returncode) for process in processes]
    assert [code for _, _, code in outcomes] == [0] * 6, outcomes
    cache = DiskCache(tmp_path / "cache", limit=60_000, environ={})
    cache.sweep()
    assert cache.folder is not None
    assert sum(path.stat().st_size for path in cache.folder.glob("*.xla")) <= 60_000
    assert not list(cache.folder.glob(".tmp-*"))


def test_no_warning_in_normal_use(cache: DiskCache) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.put(KEY, b"payload")
        cache.get(KEY)
        cache.sweep()


def test_entries_are_listed_the_last_used_first(cache: DiskCache) -> None:
    assert cache.entries() == []
    assert cache.named_folder is not None
    assert not cache.named_folder.exists()  # looking does not make it
    other = "cd" * 32
    cache.put(KEY, b"payload")
    cache.put(other, b"longer payload")
    folder = cache.named_folder
    os.utime(folder / f"{other}.xla", (1_000, 1_000))
    (folder / "note.txt").write_text("not an entry")
    found = cache.entries()
    assert [each.key for each in found] == [KEY, other]
    assert [each.size for each in found] == [
        (folder / f"{each.key}.xla").stat().st_size for each in found
    ]
    assert found[1].used == 1_000


def test_looking_whether_an_entry_is_sound_neither_uses_nor_removes_it(cache: DiskCache) -> None:
    cache.put(KEY, b"payload")
    path = entry(cache)
    os.utime(path, (1_000, 1_000))
    assert cache.is_sound(KEY)
    assert path.stat().st_mtime == 1_000
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    assert not cache.is_sound(KEY)
    assert path.exists()
    assert counts(cache) == (0, 0, 1, 0)
    with pytest.raises(FileNotFoundError):
        cache.is_sound("cd" * 32)


@posix
def test_a_link_is_no_sound_entry(cache: DiskCache, tmp_path: Path) -> None:
    cache.put(KEY, b"payload")
    path = entry(cache)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert not cache.is_sound(KEY)


def test_clearing_removes_entries_and_nothing_else(cache: DiskCache) -> None:
    assert cache.clear() == 0
    cache.put(KEY, b"payload")
    cache.put("cd" * 32, b"payload")
    assert cache.folder is not None
    note = cache.folder / "note.txt"
    note.write_text("not an entry")
    assert cache.clear() == 2
    assert cache.entries() == []
    assert note.exists()
    assert cache.put(KEY, b"payload")  # the cache goes on
