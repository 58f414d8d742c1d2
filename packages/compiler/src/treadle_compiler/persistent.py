"""Compiled programs on disk, shared by all processes of one user.

An entry is one file, named by the digest of everything that decides its content (`DiskCache.key`). It starts with a
magic line, the length of its payload, and a SHA-256 over its own name and its payload, so that a truncated, altered or
renamed file is noticed: XLA itself loads some damaged executables without complaint. The payload is read only if the
file has the length that it says, so nothing that has come in the place of an entry is too large to look at. Whatever is
wrong with an entry, it is removed and the program compiled again; the cache never raises, and never answers with
another program. An entry that cannot be read for reasons of this process (no file descriptors, no memory) stays.

Executables are code. So the folder is made with mode 0700, a folder that others own or may write to is not used, and
an entry that others own, or may write to, or that is a link, is not read. The check is made on the opened file, so
nothing can be swapped in between. Files appear by rename, whole or not at all, so that any number of processes can
read and write at once without locks; when two write the same entry the last wins, and both were right.

A writer that is killed leaves a temporary file. A living writer has its file locked, which the kernel undoes however
the writer ends; so a file that can be locked is abandoned, once it is older than the moment between making and locking
it could be. Sweeping removes such files, whichever process left them.

The total is kept under a limit by removing what was unused longest (a hit renews the time stamp of its file). Sweeping
is left to a process that has written a thirty-second of the limit, or that reads or writes when the last sweep is ten
minutes old.

A folder that cannot be written to is read: there is one warning when something should be stored.

    TREADLE_CACHE=0           no cache
    TREADLE_CACHE_DIR=path    another folder
    TREADLE_CACHE_SIZE=500M   another limit (bytes, or with K, M, G, T; default 2G)

Settings (`treadle_compiler.settings`) say the same from Python, and which programs are worth an entry.

Not cached: programs with host callbacks, and programs whose compilation the user wants to watch (xla_dump_*).
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import math
import os
import re
import stat
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from treadle_compiler.digests import DIGEST_SIZE, sha256
from treadle_compiler.executable import LoadedExecutable
from treadle_compiler.options import CompileOptions
from treadle_compiler.settings import MIN_COMPILE_TIME, MIN_ENTRY_SIZE, RAISE_CACHE_ERRORS
from treadle_compiler.xla import (
    CompileError,
    check_room,
    compile_text,
    deserialise,
    platform_fingerprint,
    register_calls,
    serialise,
    wants_dump,
)
from treadle_ir import TreadleError
from treadle_ir.errors import user_stacklevel
from treadle_ir.process import fork_safe_lock, frozen

if sys.platform != "win32":
    import fcntl

DEFAULT_LIMIT: Final = 2 << 30
_MAGIC: Final = b"treadle executable 2\n"
_LENGTH: Final = 8  # bytes
_HEADER: Final = len(_MAGIC) + _LENGTH + DIGEST_SIZE
_SUFFIX: Final = ".xla"
_TEMPORARY: Final = ".tmp-"
_SWEPT: Final = ".swept"
_SWEEP_EVERY: Final = 600.0  # seconds
_LOCKED_BY_NOW: Final = 60.0  # seconds after which a temporary file without a lock is abandoned
_STALE: Final = 3600.0  # the same where files cannot be locked
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_OFF: Final = frozenset({"0", "off", "false", "no"})
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH
# Why a file cannot be opened that has no fault: what is short is this process's or the system's.
_SHORTAGES: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EIO})
_FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


class CacheError(TreadleError, OSError):
    """The disk cache cannot be used, under `raise_persistent_cache_errors`."""


class CacheWarning(UserWarning):
    """The disk cache is not in use, and why; programs are compiled instead."""


@final
@dataclass(slots=True)
class CacheCounters:
    """What a cache has done so far."""

    hits: int = 0
    misses: int = 0
    stored: int = 0
    discarded: int = 0


@final
@frozen
class StoredProgram:
    """An entry of a cache: its key, the bytes of its file, and when it was last used (seconds since 1970)."""

    key: str
    size: int
    used: float


@final
class DiskCache:
    """A folder of compiled programs; see the module for what it promises.

    `folder`, `limit` and `enabled` default to what the environment says. Nothing touches the disk before the
    first `get` or `put`. An object may be used by several threads.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        limit: int | None = None,
        enabled: bool | None = None,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._environ = os.environ if environ is None else environ
        switch = self._environ.get("TREADLE_CACHE", "").strip().lower()
        self.enabled = switch not in _OFF if enabled is None else enabled
        self.counters = CacheCounters()
        self._asked = None if folder is None else Path(folder)
        self._folder: Path | None = None  # set once it has been found fit
        self._lock = fork_safe_lock()
        self._warned = False
        self._written = 0
        self._swept = False
        self._writable = True
        self._limit = limit

    @property
    def folder(self) -> Path | None:
        """Where entries are, or None when there is no usable folder."""
        return self._ready()

    @property
    def named_folder(self) -> Path | None:
        """The folder that is asked for, whether or not it exists or can be used; None if there is none to name."""
        try:
            return self._asked if self._asked is not None else self._default_folder()
        except (OSError, RuntimeError, ImportError):
            return None

    @property
    def limit(self) -> int:
        """How many bytes the entries may take together."""
        if self._limit is None:
            self._limit = self._limit_from_environment()
        return self._limit

    @staticmethod
    def key(text: str, options: CompileOptions, platform: str) -> str:
        """The name of a program's entry; `platform` is `xla.platform_fingerprint(client)`."""
        parts = [_MAGIC]
        for part in (platform, options.fingerprint(placement=False), text):
            data = part.encode()
            # With their lengths, so that different parts never give equal bytes.
            parts += [len(data).to_bytes(8, "little"), data]
        return sha256(b"".join(parts)).hex()

    def get(self, key: str) -> bytes | None:
        """The payload stored under a key, if it is there, private and undamaged."""
        folder = self._ready()
        if folder is None:
            return None
        if not self._swept:
            self._sweep(folder, unless_lately=True)
        path = folder / (key + _SUFFIX)
        try:
            payload = self._read(path, key, renew=True)
        except (FileNotFoundError, MemoryError):
            self._miss()
            return None
        except OSError as error:
            if error.errno in _SHORTAGES:  # nothing is wrong with the entry
                self._miss()
                return None
            payload = None  # a link, a folder, no permission: not ours to read
        if payload is None:
            self._discard(path)
            return None
        with self._lock:
            self.counters.hits += 1
        return payload

    def _read(self, path: Path, key: str, *, renew: bool) -> bytes | None:
        """The payload of an entry; None if it is not private, or not what was stored. `renew` counts as a use."""
        descriptor = os.open(path, os.O_RDONLY | _CAREFULLY)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not _private(status, stat.S_IFREG):
                return None
            header = file.read(_HEADER)
            length = int.from_bytes(header[len(_MAGIC) :][:_LENGTH], "little")
            if (
                not header.startswith(_MAGIC)
                or status.st_size != _HEADER + length
                or status.st_size > self.limit
            ):
                return None
            payload = file.read(length)
            if renew:
                with contextlib.suppress(OSError):
                    os.utime(descriptor if os.utime in os.supports_fd else path)
        return payload if header == _header(key, payload) else None

    def put(self, key: str, payload: bytes) -> bool:
        """Store a payload under a key; False when that was not possible."""
        folder = self._ready()
        if folder is None or not self._writable or len(payload) + _HEADER > self.limit:
            return False
        try:
            _write(folder, key, payload)
        except FileNotFoundError:
            self._folder = None  # somebody cleared the whole folder; look again next time
            return False
        except OSError as error:
            self._writable = error.errno not in _FORBIDDEN
            self._warn(
                f"cannot write to {folder} ({error.strerror or error})",
                meaning="programs that are not there yet are compiled again in every process",
            )
            return False
        with self._lock:
            self.counters.stored += 1
            self._written += len(payload) + _HEADER
            much = self._written > self.limit // 32
            if much:
                self._written = 0
        if much or not self._swept:
            self._sweep(folder, unless_lately=not much)
        return True

    @property
    def writable(self) -> bool:
        """Whether storing has any prospect: the folder is in use, and has not refused it."""
        return self.enabled and self._writable

    def discard(self, key: str) -> None:
        """Remove an entry that turned out to be of no use."""
        folder = self._ready()
        if folder is not None:
            with self._lock:
                self.counters.hits -= 1  # it was counted as one when it was read
            self._discard(folder / (key + _SUFFIX))

    def entries(self) -> list[StoredProgram]:
        """Return what is stored, the entry that was used last first. The folder is not made, and no entry is read.

        Raises:
            OSError: the folder cannot be read.

        Example:
            >>> import tempfile
            >>> with tempfile.TemporaryDirectory() as folder:
            ...     cache = DiskCache(folder)
            ...     _ = cache.put("ab" * 32, b"payload")
            ...     [(entry.key[:4], entry.size) for entry in cache.entries()]
            [('abab', 68)]
        """
        folder = self.named_folder
        if folder is None:
            return []
        found = []
        with contextlib.suppress(FileNotFoundError), os.scandir(folder) as files:
            for file in files:
                if not file.name.endswith(_SUFFIX):
                    continue
                with contextlib.suppress(FileNotFoundError):  # another process may have removed it
                    status = file.stat(follow_symlinks=False)
                    key = file.name.removesuffix(_SUFFIX)
                    found.append(StoredProgram(key, status.st_size, status.st_mtime))
        return sorted(found, key=lambda entry: entry.used, reverse=True)

    def is_sound(self, key: str) -> bool:
        """Return whether an entry is private and undamaged. Looking does not count as a use.

        Args:
            key: the entry's key.

        Raises:
            FileNotFoundError: there is no such entry.
            OSError: this process cannot read it now.
        """
        folder = self.named_folder
        if folder is None:
            return False
        try:
            return self._read(folder / (key + _SUFFIX), key, renew=False) is not None
        except FileNotFoundError:
            raise
        except OSError as error:
            if error.errno in _SHORTAGES:  # nothing is wrong with the entry
                raise
            return False  # a link, a folder, no permission: not ours to read

    def clear(self) -> int:
        """Remove all entries, and what killed writers left; return the number of entries that were removed.

        Entries that other processes write in the meantime stay. Files that are none of the cache's are not touched.

        Raises:
            OSError: the folder cannot be read, or an entry cannot be removed.
        """
        folder, removed = self.named_folder, 0
        for entry in self.entries():
            assert folder is not None  # otherwise there are no entries
            with contextlib.suppress(FileNotFoundError):
                (folder / (entry.key + _SUFFIX)).unlink()
                removed += 1
        if folder is not None and folder.is_dir():
            self._sweep(folder)  # temporary files without a writer
        return removed

    def sweep(self) -> None:
        """Bring the folder under its limit now."""
        folder = self._ready()
        if folder is not None:
            self._sweep(folder)

    def _miss(self) -> None:
        with self._lock:
            self.counters.misses += 1

    def _discard(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink()
        with self._lock:
            self.counters.discarded += 1
            self.counters.misses += 1

    def _ready(self) -> Path | None:
        """The folder, made and found fit; or None, with one warning."""
        if not self.enabled:
            return None
        found = self._folder
        if found is None:
            with self._lock:
                found = self._folder  # another thread may have been quicker, with either outcome
                if found is None and self.enabled:
                    found = self._folder = self._open()
        return found

    def _open(self) -> Path | None:
        try:
            folder = self._asked if self._asked is not None else self._default_folder()
        except (OSError, RuntimeError, ImportError) as error:
            self._disable(f"cannot find a cache folder for this user ({error})")
            return None
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=0o700)
            status = folder.stat()
        except OSError as error:
            self._disable(f"cannot make the folder {folder} ({error.strerror or error})")
            return None
        if not stat.S_ISDIR(status.st_mode):
            self._disable(f"{folder} is not a folder")
        elif not _private(status, stat.S_IFDIR):
            if _foreign(status):
                self._disable(
                    f"the folder {folder} belongs to another user, who could put code into it"
                )
            else:
                self._disable(
                    f"others may write to the folder {folder}, and could put code into it",
                    fix=f"chmod go-w {folder}",
                )
        elif not os.access(folder, os.R_OK | os.X_OK):
            self._disable(f"cannot read the folder {folder}")
        else:
            return folder
        return None

    def _default_folder(self) -> Path:
        named = self._environ.get("TREADLE_CACHE_DIR", "").strip()
        if named:
            return Path(named).expanduser()
        platformdirs = importlib.import_module("platformdirs")  # here: most processes never need it
        return Path(platformdirs.user_cache_dir("treadle", appauthor=False)) / "executables"

    def _limit_from_environment(self) -> int:
        given = self._environ.get("TREADLE_CACHE_SIZE", "").strip()
        if not given:
            return DEFAULT_LIMIT
        found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", given, re.IGNORECASE)
        size = math.inf if found is None else float(found[1]) * _UNITS[found[2].upper()]
        if size == math.inf:  # more than floats have, too
            self._warn(
                f"TREADLE_CACHE_SIZE is {given!r}, which is not a size; using 2G",
                fix="write a number of bytes, or a number with K, M, G or T, such as 500M",
            )
            return DEFAULT_LIMIT
        return int(size)

    def _disable(self, reason: str, *, fix: str | None = None) -> None:
        self.enabled = False
        self._warn(reason, fix=fix)

    def _warn(
        self,
        reason: str,
        *,
        meaning: str = "programs are compiled again in every process",
        fix: str | None = None,
    ) -> None:
        fix = fix or "set TREADLE_CACHE_DIR to a folder that is yours alone"
        if RAISE_CACHE_ERRORS():
            raise CacheError(f"treadle's cache of compiled programs: {reason}", fix=fix)
        if self._warned:
            return
        self._warned = True
        warnings.warn(
            f"treadle's cache of compiled programs: {reason}\n"
            f"  what it means: {meaning}\n"
            f"  fix: {fix}, or set TREADLE_CACHE=0 to do without the cache",
            CacheWarning,
            stacklevel=user_stacklevel(),
        )

    def _sweep(self, folder: Path, *, unless_lately: bool = False) -> None:
        self._swept = True
        stamp = folder / _SWEPT
        now = time.time()
        if unless_lately:
            with contextlib.suppress(OSError):
                if 0 <= now - stamp.stat().st_mtime < _SWEEP_EVERY:
                    return  # others were here lately
        with contextlib.suppress(OSError):
            stamp.touch(mode=0o600)
        entries: list[tuple[float, int, str]] = []
        with contextlib.suppress(OSError), os.scandir(folder) as found:
            for entry in found:
                with contextlib.suppress(OSError):  # another process may be sweeping too
                    status = entry.stat(follow_symlinks=False)
                    if entry.name.startswith(_TEMPORARY):
                        if _abandoned(entry.path, now - status.st_mtime):
                            os.unlink(entry.path)
                    elif entry.name.endswith(_SUFFIX):
                        if status.st_size > self.limit:  # none of ours: it must not drive those out
                            os.unlink(entry.path)
                        else:
                            entries.append((status.st_mtime, status.st_size, entry.path))
        total = sum(size for _, size, _ in entries)
        if total <= self.limit:
            return
        for _, size, path in sorted(entries):
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size
            # some room, so that the next entry does not sweep again
            if total <= self.limit * 4 // 5:
                return


def compile_cached(
    client: Any,  # a jaxlib client
    text: str,
    devices: Sequence[Any],  # jaxlib devices
    options: CompileOptions,
    cache: DiskCache | None,
    host_callbacks: Sequence[Callable[..., object]] = (),
    named: Callable[[], str] | None = None,
) -> LoadedExecutable:
    """Read a program from the cache, or compile it and store it there.

    `named` makes the text that is compiled, where that has the names of operations: the key is of the text without,
    so programs that differ in names only are one entry.

    Raises:
        ArgumentError, CompileError: as `xla.compile_text`; never because of the cache.
    """
    if cache is None or not cache.enabled or host_callbacks or wants_dump(options, os.environ):
        return compile_text(client, named() if named else text, devices, options, host_callbacks)
    check_room()  # an entry would be blamed otherwise
    key = cache.key(text, options, platform_fingerprint(client))
    payload = cache.get(key)
    if payload is not None:
        try:
            register_calls(text)
            return deserialise(client, payload, devices, options)
        except CompileError:
            cache.discard(key)
    started = time.perf_counter()
    executable = compile_text(client, named() if named else text, devices, options)
    if not cache.writable or time.perf_counter() - started < MIN_COMPILE_TIME():
        return executable
    try:
        payload = serialise(executable)
    except Exception:  # a platform that cannot serialise: every kind of error means the same
        return executable
    if len(payload) >= MIN_ENTRY_SIZE():
        cache.put(key, payload)
    return executable


# Not through a link, not waiting for who writes to a pipe, and not for the processes that this one starts.
_CAREFULLY: Final = (
    getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)


def _header(key: str, payload: bytes) -> bytes:
    length = len(payload).to_bytes(_LENGTH, "little")
    return _MAGIC + length + sha256(key.encode() + b"\n" + payload)


def _write(folder: Path, key: str, payload: bytes) -> None:
    """Make an entry appear, whole; whatever happens meanwhile, nothing else is left of it."""
    temporary = folder / f"{_TEMPORARY}{os.getpid()}-{os.urandom(8).hex()}"
    try:
        with _made_and_locked(temporary) as descriptor:
            for part in (_header(key, payload), payload):
                left = memoryview(part)
                while left:
                    left = left[os.write(descriptor, left) :]
            if sys.platform != "win32":  # while the lock is held
                os.replace(temporary, folder / (key + _SUFFIX))
        if sys.platform == "win32":  # where an open file cannot be renamed
            os.replace(temporary, folder / (key + _SUFFIX))
    except BaseException:  # also an interrupt
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


@contextlib.contextmanager
def _made_and_locked(path: Path) -> Iterator[int]:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _CAREFULLY, 0o600)
    try:
        if sys.platform != "win32":
            with contextlib.suppress(OSError):  # there are file systems without locks
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield descriptor
    finally:
        os.close(descriptor)


def _abandoned(path: str, age: float) -> bool:
    """Return whether the writer of a temporary file is gone, by its lock, or else by its age in seconds."""
    if sys.platform == "win32" or age <= _LOCKED_BY_NOW:
        return age > _STALE
    try:
        descriptor = os.open(path, os.O_RDWR | _CAREFULLY)
    except OSError:
        return age > _STALE
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return age > _STALE
    finally:
        os.close(descriptor)
    return True


def _foreign(status: os.stat_result) -> bool:
    return sys.platform != "win32" and status.st_uid != os.geteuid()


def _private(status: os.stat_result, kind: int) -> bool:
    """Return whether a file is of this kind, and this user's own, to which no other user may write."""
    if stat.S_IFMT(status.st_mode) != kind or _foreign(status):
        return False
    return os.name != "posix" or not status.st_mode & _OTHERS_WRITE
