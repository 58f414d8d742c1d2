"""Snapshots: a tree of arrays on disk, written by all processes together, read by as many as there are then.

    folder/step-7/manifest.json        what there is, and which part of which array is where
    folder/step-7/process-0.bin        the parts that process 0 had

Every process writes its own parts once, whatever the mesh, and reads what its new sharding needs, whatever that is. The
folder is on a file system that all processes see. A snapshot is there or it is not: files are written to a folder of
another name and flushed, the manifest last, and then the folder is renamed. Who is killed meanwhile leaves the previous
snapshot as it was. ([0075](https://github.com/treadle/treadle/blob/main/decisions/0075-snapshots.md) has the reasons.)
"""

from __future__ import annotations

import json
import math
import os
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_ir import ArgumentError, ArrayType, TreadleError
from treadle_ir.errors import boundaries, integer, integer_or_none, refused
from treadle_ir.tree import keystr, tree_flatten_with_path, tree_unflatten
from treadle_runtime import (
    DeviceArray,
    Sharding,
    device_put,
    exchanged,
    make_array_from_callback,
    process_index,
)

__all__ = ["SnapshotError", "load", "save", "steps"]

_PREFIX: Final = "step-"
_PARTIAL: Final = ".partial"
_MANIFEST: Final = "manifest.json"
_VERSION: Final = 1

Entry: TypeAlias = dict[str, Any]  # of a manifest: strings, numbers and lists of them
Box: TypeAlias = list[tuple[int, int]]  # a part of an array: from and to, for each axis


class SnapshotError(TreadleError, ValueError):
    """There is no such snapshot, or it lacks requested arrays, or its files are damaged."""


def save(folder: str | os.PathLike[str], step: int, tree: Any, *, keep: int = 2) -> None:
    """Write a tree of arrays. All processes call it, with the same step and a tree of the same structure.

    Args:
        folder: of all snapshots; it is made if it is not there.
        step: the number of this one.
        tree: of arrays or numbers. For an array on one device, process 0 writes its own.
        keep: how many snapshots to leave, this one and those before; 0 leaves all.

    Raises:
        ArgumentError: an argument of another kind, or keys, whose `random.key_data` can be saved.
        DistributedError: the processes do not agree, or one does not come.

    Example:
        >>> import tempfile, treadle.numpy as tnp
        >>> from treadle.experimental import snapshots
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     snapshots.save(folder, 7, {"w": tnp.arange(3.0)})
        ...     snapshots.load(folder, {"w": tnp.zeros(3)})
        {'w': Array([0., 1., 2.], dtype=float32)}
    """
    number = _natural("save", "step", step)
    _natural("save", "keep", keep)
    root = _path("save", folder)
    leaves = _named_arrays(tree)
    final = root / f"{_PREFIX}{number}"
    partial = root / f"{_PREFIX}{number}{_PARTIAL}"
    doing = f"saving snapshot {number} in {root}"
    _agreed(
        doing,
        json.dumps([number, [[name, list(x.type.shape), str(x.type.dtype)] for name, x in leaves]]),
    )
    first = process_index() == 0
    if first:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
    exchanged(doing, "folder")
    parts = _write(partial / f"process-{process_index()}.bin", leaves)
    (partial / f"process-{process_index()}.json").write_text(json.dumps(parts))
    exchanged(doing, "written")
    if first:
        _write_manifest(partial, leaves)
        if final.exists():  # a run that was started again from an earlier one
            replaced = root / f"{_PREFIX}{number}.replaced{_PARTIAL}"
            shutil.rmtree(replaced, ignore_errors=True)
            final.rename(replaced)
            partial.rename(final)
            shutil.rmtree(replaced)
        else:
            partial.rename(final)
        _flush(root)
        # A run that was started again from an earlier snapshot finds later ones, too: they are left.
        before = [each for each in steps(root) if each <= number]
        for old in before[:-keep] if keep else []:
            shutil.rmtree(root / f"{_PREFIX}{old}")
    exchanged(doing, "done")


def load(
    folder: str | os.PathLike[str], like: Any, *, step: int | None = None
) -> Any:  # Any: a tree of arrays
    """Read a tree of arrays, with the shardings of another tree, which may differ from the saved ones.

    Args:
        folder: of all snapshots.
        like: a tree of arrays, or of `ShapeDtypeStruct`s with a sharding: which arrays to read, by their names in the
            tree, and their shardings.
        step: the number of the snapshot; the last one, unless said.

    Raises:
        SnapshotError: there is none, it has no such array, one of another shape or element type, or it is damaged.

    Example:
        >>> from treadle.experimental import snapshots
        >>> import tempfile, treadle.numpy as tnp
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     snapshots.save(folder, 1, [tnp.ones(2)])
        ...     snapshots.load(folder, [tnp.zeros(2)], step=1)
        [Array([1., 1.], dtype=float32)]
    """
    root = _path("load", folder)
    wanted = integer_or_none("load", "step", step)
    there = steps(root)
    if not there or (wanted is not None and wanted not in there):
        what = (
            f"there is no snapshot {wanted} in {root}"
            if there
            else f"there is no snapshot in {root}"
        )
        raise SnapshotError(
            what, fix=f"there are {there}" if there else "save one first, or look at the path"
        )
    place = root / f"{_PREFIX}{there[-1] if wanted is None else wanted}"
    entries = _manifest(place)
    named, structure = tree_flatten_with_path(like)
    return tree_unflatten(
        structure, [_read(place, entries, keystr(path), leaf) for path, leaf in named]
    )


def steps(folder: str | os.PathLike[str]) -> list[int]:
    """Return the numbers of the complete snapshots in a folder, in order.

    Example:
        >>> from treadle.experimental import snapshots
        >>> snapshots.steps("nowhere")
        []
    """
    root = _path("steps", folder)
    try:
        names = [each.name.removeprefix(_PREFIX) for each in root.glob(f"{_PREFIX}*")]
    except OSError:  # a name that no folder can have
        return []
    return sorted([int(name) for name in names if name.isdecimal()])


# --- writing


def _named_arrays(tree: Any) -> list[tuple[str, DeviceArray]]:
    named = []
    for path, leaf in tree_flatten_with_path(tree)[0]:
        array = leaf if isinstance(leaf, DeviceArray) else device_put(leaf)
        if array.type.dtype.names is not None:
            raise ArgumentError(
                f"save: {keystr(path) or 'the array'} is of random keys, which files do not have",
                fix="save treadle.random.key_data(key), and make it a key again with wrap_key_data",
            )
        named.append((keystr(path), array))
    return named


def _write(file: Path, leaves: list[tuple[str, DeviceArray]]) -> list[Entry]:
    """Write this process's parts of all arrays, one after the other; where each is."""
    parts: list[Entry] = []
    with file.open("wb") as out:
        for number, (_, array) in enumerate(leaves):
            for box, elements in _own_parts(array):
                data = np.ascontiguousarray(elements).tobytes()
                parts.append(
                    {
                        "array": number,
                        "box": box,
                        "file": file.name,
                        "offset": out.tell(),
                        "bytes": len(data),
                        "crc32": zlib.crc32(data),
                    }
                )
                out.write(data)
        out.flush()
        os.fsync(out.fileno())
    return parts


def _own_parts(array: DeviceArray) -> Iterator[tuple[Box, np.ndarray[Any, Any]]]:
    """Yield the parts that this process writes: of equal ones, on several devices, the first only."""
    shape = array.type.shape
    if array.sharding.num_devices == 1:
        if process_index() == 0:
            yield [(0, size) for size in shape], np.asarray(array)
        return
    for shard in array.addressable_shards:
        if shard.replica_id == 0:
            yield _box(shard.index, shape), np.asarray(shard.data)


def _write_manifest(partial: Path, leaves: list[tuple[str, DeviceArray]]) -> None:
    entries: list[Entry] = [
        {"name": name, "shape": list(x.type.shape), "dtype": str(x.type.dtype), "parts": []}
        for name, x in leaves
    ]
    for index in sorted(partial.glob("process-*.json")):
        for part in json.loads(index.read_text()):
            entries[part.pop("array")]["parts"].append(part)
        index.unlink()
    with (partial / _MANIFEST).open("w") as out:
        json.dump({"version": _VERSION, "arrays": entries}, out, indent=1)
        out.flush()
        os.fsync(out.fileno())
    _flush(partial)


def _flush(folder: Path) -> None:
    """See that the names in a folder are on disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# --- reading


def _manifest(place: Path) -> dict[str, Entry]:
    try:
        content = json.loads((place / _MANIFEST).read_text())
        if content["version"] != _VERSION:
            raise SnapshotError(
                f"{place} is of version {content['version']}, and this treadle reads version {_VERSION}",
                fix="load it with the treadle that saved it",
            )
        return {entry["name"]: entry for entry in content["arrays"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, SnapshotError):
            raise
        raise SnapshotError(
            f"the manifest of {place} cannot be read: {error}", fix="load another step"
        ) from None


def _read(place: Path, entries: dict[str, Entry], name: str, like: Any) -> Any:  # Any: an array
    entry = entries.get(name)
    shown = name or "the array"
    if entry is None:
        raise SnapshotError(
            f"{place} has no array {shown}; it has {', '.join(entries) or 'none'}",
            fix="load a tree of the structure that was saved",
        )
    array = like if hasattr(like, "shape") and hasattr(like, "dtype") else device_put(like)
    shape, dtype = tuple(entry["shape"]), np.dtype(entry["dtype"])
    if tuple(array.shape) != shape or np.dtype(array.dtype) != dtype:
        raise SnapshotError(
            f"{place}: {shown} was saved as {ArrayType(shape, dtype)}, and is asked for as "
            f"{ArrayType(tuple(array.shape), np.dtype(array.dtype))}",
            fix="ask for it as it was saved, and convert it then",
        )
    sharding = getattr(array, "sharding", None)
    whole = tuple([slice(0, size) for size in shape])
    if not isinstance(sharding, Sharding):
        return device_put(_assembled(place, entry, shape, dtype, whole))
    if sharding.num_devices == 1:
        elements = _assembled(place, entry, shape, dtype, whole)
        return device_put(elements, sharding if getattr(array, "committed", True) else None)
    return make_array_from_callback(
        shape, sharding, lambda part: _assembled(place, entry, shape, dtype, part)
    )


def _assembled(
    place: Path,
    entry: Entry,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    index: tuple[slice, ...],
) -> np.ndarray[Any, Any]:
    """Return a part of an array, assembled from the parts on disk that overlap it."""
    box = _box(index, shape)
    result = np.empty([stop - start for start, stop in box], dtype)
    filled = 0
    for part in entry["parts"]:
        common = [
            (max(a, start), min(b, stop))
            for (a, b), (start, stop) in zip(box, part["box"], strict=True)
        ]
        if any(start >= stop for start, stop in common):
            continue
        elements = _elements(place, part, dtype)
        source = [
            slice(a - start, b - start)
            for (a, b), (start, _) in zip(common, part["box"], strict=True)
        ]
        target = [
            slice(a - start, b - start) for (a, b), (start, _) in zip(common, box, strict=True)
        ]
        result[tuple(target)] = elements[tuple(source)]
        filled += math.prod([b - a for a, b in common])
    if filled != result.size:
        raise SnapshotError(
            f"{place}: parts of {entry['name'] or 'the array'} are missing", fix="load another step"
        )
    return result


def _elements(place: Path, part: Entry, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    file = place / part["file"]
    try:
        data = np.fromfile(file, np.uint8, part["bytes"], offset=part["offset"])
    except OSError as error:
        raise SnapshotError(f"{file} cannot be read: {error}", fix="load another step") from None
    if data.nbytes != part["bytes"] or zlib.crc32(data.tobytes()) != part["crc32"]:
        raise SnapshotError(
            f"{file} is damaged: its bytes from {part['offset']} on are not those that were saved",
            fix="load another step",
        )
    return data.view(dtype).reshape([stop - start for start, stop in part["box"]])


# --- arguments


def _box(index: tuple[slice, ...], shape: tuple[int, ...]) -> Box:
    return [each.indices(size)[:2] for each, size in zip(index, shape, strict=True)]


def _path(function: str, folder: object) -> Path:
    if not isinstance(folder, str | os.PathLike):
        raise refused(function, "folder", "a path", folder)
    return Path(folder)


def _natural(function: str, name: str, value: object) -> int:
    number = integer(function, name, value)
    if number < 0:
        raise ArgumentError(
            f"{function}: {name} must be 0 or more, got {number}", fix="count from 0"
        )
    return number


def _agreed(doing: str, word: str) -> None:
    """See that all processes save the same.

    Raises:
        ArgumentError: they do not.
    """
    words = exchanged(doing, f"{zlib.crc32(word.encode())} {word[:300]}")
    for number, other in enumerate(words):
        if other != words[0]:
            raise ArgumentError(
                f"{doing}: process {number} saves something else than process 0: {other.partition(' ')[2]}, not "
                f"{words[0].partition(' ')[2]}",
                fix="call save in every process with the same step and a tree of the same structure",
            )


boundaries(__name__)
