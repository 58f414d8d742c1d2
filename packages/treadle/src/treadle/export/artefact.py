"""Exported functions as bytes: a function and its derivatives, in one container.

Compatibility: an artefact of any release is read by that release and all later ones. `FORMAT` grows when the header
changes so that older releases cannot read it; fields that they need not know are added without that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from treadle._version import __version__
from treadle.export import shardings
from treadle.export.body import Body, read_body, read_types
from treadle.export.checks import DisabledSafetyCheck
from treadle.export.container import Elements, damaged, pack, unpack
from treadle.export.exported import CALLING_CONVENTION, Exported, structs
from treadle.export.trees import read_tree, write_tree
from treadle_ir import ArgumentError, ArrayType
from treadle_runtime import PLATFORMS, ShapeDtypeStruct

FORMAT: Final = 1
# where sizes are symbolic, which releases that know format 1 only cannot read
SYMBOLIC_FORMAT: Final = 2
# The calling conventions that `deserialize` reads, by JAX's names.
minimum_supported_calling_convention_version: Final = CALLING_CONVENTION
maximum_supported_calling_convention_version: Final = CALLING_CONVENTION

_MOST_ORDERS: Final = 64

Json = dict[str, Any]  # Any: what JSON holds


# --- writing --------------------------------------------------------------------------------------------


def to_bytes(chain: Sequence[Exported]) -> bytes:
    """Return a function, its vjp, the vjp of that and so on as bytes.

    Raises:
        ArgumentError: a node of the trees of arguments or results has no name.
        UnsupportedError: one calls Python functions back.
    """
    arrays: list[Elements] = []
    functions = [_written(each, arrays) for each in chain]
    symbolic = any([each.body.is_symbolic for each in chain])
    form = SYMBOLIC_FORMAT if symbolic else FORMAT
    header = {"format": form, "treadle": __version__, "functions": functions}
    return pack(header, arrays)


def _written(exported: Exported, arrays: list[Elements]) -> Json:
    return {
        "name": exported.fun_name,
        "calling_convention": exported.calling_convention_version,
        "platforms": exported.platforms,
        "in_tree": write_tree(exported.in_tree),
        "out_tree": write_tree(exported.out_tree),
        "in_types": _types(exported.in_avals),
        "out_types": _types(exported.out_avals),
        "donated": exported.donated,
        "disabled_checks": [each.kind for each in exported.disabled_safety_checks],
        **shardings.written(exported.body.shardings),
        **exported.body.written(arrays),
    }


def _types(avals: Sequence[ShapeDtypeStruct]) -> list[str]:
    return [repr(ArrayType(x.shape, x.dtype, x.weak_type)) for x in avals]


# --- reading --------------------------------------------------------------------------------------------


def deserialize(blob: bytes | bytearray) -> Exported:
    """Return the exported function of what `Exported.serialize` gave. Nothing that the bytes say is executed by
    reading.

    Raises:
        ArgumentError: the bytes are not an artefact, are damaged, or were written by a later release.

    Example:
        >>> import treadle
        >>> from treadle import export
        >>> data = export.export(treadle.jit(lambda x: x + 1))(1).serialize()
        >>> export.deserialize(data).call(41)
        Array(42, dtype=int32, weak_type=True)
    """
    header, arrays = unpack(blob)
    if header.get("format") not in (FORMAT, SYMBOLIC_FORMAT):
        raise ArgumentError(
            f"deserialize: the artefact has format {str(header.get('format'))[:20]}, "
            f"and this release reads formats {FORMAT} and {SYMBOLIC_FORMAT}",
            fix=f"it was written by treadle {str(header.get('treadle'))[:40]}: install that release, or a later one",
        )
    functions = header.get("functions")
    if not isinstance(functions, list) or not 0 < len(functions) <= _MOST_ORDERS:
        raise damaged("the artefact's header does not list its functions")
    exported: Exported | None = None
    for each in reversed(functions):
        exported = _read(each, arrays, exported)
    assert exported is not None
    return exported


def _read(written: object, arrays: Sequence[Elements], derivative: Exported | None) -> Exported:
    if not isinstance(written, dict):
        raise damaged("the artefact's header does not describe its function")
    name, version = written.get("name"), written.get("calling_convention")
    if not isinstance(name, str):
        raise damaged("the artefact's function has no name")
    lowest, highest = (
        minimum_supported_calling_convention_version,
        maximum_supported_calling_convention_version,
    )
    if type(version) is not int or not lowest <= version <= highest:
        raise ArgumentError(
            f"deserialize: {name[:80]} has calling convention {str(version)[:20]}, "
            f"and this release reads {lowest} to {highest}",
            fix="install the release that wrote the artefact, or a later one",
        )
    body = read_body(name, written, arrays)
    in_tree, out_tree = read_tree(written.get("in_tree")), read_tree(written.get("out_tree"))
    in_types, out_types = (
        read_types(written.get(name), body.scope) for name in ("in_types", "out_types")
    )
    _check(body, in_types, out_types)
    if in_tree.num_leaves != len(in_types) or out_tree.num_leaves != len(out_types):
        raise damaged("the artefact's trees and its program have other numbers of arrays")
    platforms = _strings(written, "platforms")
    if not platforms or not {*platforms} <= {*PLATFORMS}:
        raise damaged(f"the artefact is for {', '.join(platforms)[:60] or 'no platform'}")
    body.shardings = shardings.read(written, body.program, in_types, out_types)
    return Exported(
        fun_name=name,
        in_tree=in_tree,
        in_avals=structs(in_types),
        out_tree=out_tree,
        out_avals=structs(out_types),
        platforms=platforms,
        body=body,
        donated=_numbers(written, "donated", len(in_types)),
        disabled_safety_checks=tuple(
            [DisabledSafetyCheck(kind) for kind in _strings(written, "disabled_checks")]
        ),
        calling_convention_version=version,
        nr_devices=1 if body.shardings is None else body.shardings.mesh.size,
        in_shardings_hlo=(None,) * len(in_types),
        out_shardings_hlo=(None,) * len(out_types),
        derivative=derivative,
        deserialized=True,
    )


def _check(body: Body, in_types: list[ArrayType], out_types: list[ArrayType]) -> None:
    if [*body.parameter_types] != in_types or [*body.program.result_types] != out_types:
        raise damaged("the types of the artefact's program differ from its header")


def _strings(written: Json, name: str) -> tuple[str, ...]:
    found = written.get(name)
    if not isinstance(found, list) or not all([isinstance(each, str) for each in found]):
        raise damaged(f"the artefact's `{name}` is not a list of strings")
    return tuple(found)


def _numbers(written: Json, name: str, count: int) -> tuple[int, ...]:
    found = written.get(name)
    if not isinstance(found, list) or not all(
        [type(each) is int and 0 <= each < count for each in found]
    ):
        raise damaged(f"the artefact's `{name}` is not a list of numbers of arguments")
    return tuple(found)
