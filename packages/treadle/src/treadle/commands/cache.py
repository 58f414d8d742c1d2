"""`treadle cache`: the compiled programs on disk, as the settings and the environment variables name their folder."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

from treadle.commands import USAGE
from treadle_compiler import DiskCache, StoredProgram, disk_cache

_UNITS: Final = ("B", "KB", "MB", "GB", "TB")


def cache(action: str, *, yes: bool = False, as_json: bool = False) -> int:
    """List, measure, clear or verify the cache of compiled programs.

    Args:
        action: `ls`, `size`, `clear` or `verify`.
        yes: whether `clear` removes what it finds; else it says what it would remove.
        as_json: whether `ls` and `size` print JSON.

    Returns:
        The exit code: 1 if `verify` found a damaged entry, or `clear` has entries to remove and not the user's yes.
    """
    found = disk_cache()
    folder = found.named_folder if found is not None and found.enabled else None
    if found is None or folder is None:
        print("treadle cache: the cache of compiled programs is off", file=sys.stderr)
        print("  fix: unset TREADLE_CACHE and TREADLE_ENABLE_COMPILATION_CACHE", file=sys.stderr)
        return USAGE
    try:
        entries = found.entries()
        if action == "ls":
            return _list(entries, as_json=as_json)
        if action == "size":
            return _size(found, entries, as_json=as_json)
        if action == "clear":
            return _clear(found, entries, yes=yes)
        return _verify(found, entries)
    except BrokenPipeError:
        raise  # of the output
    except OSError as error:
        print(f"treadle cache: {folder}: {error.strerror or error}", file=sys.stderr)
        return USAGE


def _list(entries: Sequence[StoredProgram], *, as_json: bool) -> int:
    if as_json:
        rows = [{"key": each.key, "bytes": each.size, "used": each.used} for each in entries]
        print(json.dumps(rows, indent=2))
        return 0
    for each in entries:
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(each.used))
        print(f"{each.key}  {readable(each.size):>8}  {used}")
    return 0


def _size(found: DiskCache, entries: Sequence[StoredProgram], *, as_json: bool) -> int:
    total = sum([each.size for each in entries])
    if as_json:
        values = {"programs": len(entries), "bytes": total, "limit": found.limit}
        print(json.dumps({**values, "folder": str(found.named_folder)}, indent=2))
    else:
        limit = readable(found.limit)
        print(f"{_programs(len(entries))}, {readable(total)} of {limit}, in {found.named_folder}")
    return 0


def _clear(found: DiskCache, entries: Sequence[StoredProgram], *, yes: bool) -> int:
    if not entries:
        print(f"nothing to remove in {found.named_folder}")
        return 0
    total = readable(sum([each.size for each in entries]))
    if not yes:
        print(f"would remove {_programs(len(entries))}, {total}, from {found.named_folder}")
        print("  fix: treadle cache clear --yes", file=sys.stderr)
        return 1
    print(f"removed {_programs(found.clear())}, {total}, from {found.named_folder}")
    return 0


def _verify(found: DiskCache, entries: Sequence[StoredProgram]) -> int:
    unsound = _unsound(found.is_sound, [each.key for each in entries])
    for key in unsound:
        print(f"damaged: {key}")
    print(f"{_programs(len(entries))}, {len(unsound)} damaged, in {found.named_folder}")
    if unsound:
        print("  a damaged entry never runs: its program is compiled again", file=sys.stderr)
    return 1 if unsound else 0


def _unsound(is_sound: Callable[[str], bool], keys: Sequence[str]) -> list[str]:
    """Return the keys of damaged entries; an entry that is removed in the meantime is none."""
    unsound = []
    for key in keys:
        try:
            if not is_sound(key):
                unsound.append(key)
        except FileNotFoundError:
            continue
    return unsound


def _programs(count: int) -> str:
    return "1 program" if count == 1 else f"{count} programs"


def readable(size: float) -> str:
    """Return a number of bytes for people: `readable(1536)` is `1.5 KB`, with 1024 bytes to the KB."""
    for unit in _UNITS[:-1]:
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" or size >= 10 else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} {_UNITS[-1]}"
