"""StableHLO as an MLIR module: the only file that imports jaxlib.mlir.

Ordinary compilation never comes here: XLA takes text. A module object is needed in four places only - programs with
host callbacks (jaxlib's text overload takes none), pretty printing, portable artifacts, and lowering rules of libraries
that build with its classes (`built.py`) - so the import (some 90 ms) waits for the first of them. All modules live in
one context, used under a lock.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, final

from treadle_compiler.fork import check_fork, mark_started
from treadle_compiler.library import made_once, start_quietly, supported_release
from treadle_ir import TreadleError
from treadle_ir.process import fork_safe_rlock, frozen, importing

_STABLEHLO: Final = "a module of StableHLO, as `lowered.as_text()` is"
_lock = fork_safe_rlock()


class ModuleError(TreadleError, ValueError):
    """Text that is not a valid StableHLO module."""


@final
@frozen
class Mlir:
    """The parts of jaxlib.mlir that are used; `Any` because jaxlib ships no types for them."""

    ir: Any
    func: Any
    stablehlo: Any
    core: Any
    context: Any
    registry: Any
    dialects: tuple[Any, ...]  # the dialects that a context loads


@made_once
def mlir() -> Mlir:
    """Import jaxlib.mlir and set up the one shared context."""
    start_quietly()
    check_fork()
    mark_started()
    return importing(_import_mlir, forks_wait=False)


def _import_mlir() -> Mlir:
    supported_release()
    ir = importlib.import_module("jaxlib.mlir.ir")
    func = importlib.import_module("jaxlib.mlir.dialects.func")
    stablehlo = importlib.import_module("jaxlib.mlir.dialects.stablehlo")
    chlo = importlib.import_module("jaxlib.mlir.dialects.chlo")
    sdy = importlib.import_module("jaxlib.mlir.dialects.sdy")
    extension = importlib.import_module("jaxlib.mlir._mlir_libs._jax_mlir_ext")
    core = importlib.import_module("jaxlib._jax")
    registry = ir.DialectRegistry()
    extension.register_dialects(registry)
    parts = (stablehlo, chlo, sdy)
    return Mlir(ir, func, stablehlo, core, _new_context(ir, registry, parts), registry, parts)


def _new_context(ir: Any, registry: Any, dialects: Sequence[Any]) -> Any:
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    context.enable_multithreading(False)
    for dialect in dialects:
        dialect.register_dialect(context)
    return context


def new_context() -> Any:
    """A context for modules that are not treadle's own."""
    border = mlir()
    return _new_context(border.ir, border.registry, border.dialects)


def locked() -> AbstractContextManager[object]:
    """The lock under which the shared context is used."""
    return _lock


def parse(text: str) -> Any:
    """Parse text into a verified module in the shared context.

    Raises:
        ModuleError: the text is not valid; the message has MLIR's line and column.
    """
    border = mlir()
    with _lock, border.context:
        try:
            return border.ir.Module.parse(text)
        except (border.ir.MLIRError, ValueError) as error:
            raise ModuleError(
                f"StableHLO text does not parse: {brief(error)}",
                fix="if treadle made this text, please report it together with the program",
            ) from error


def pretty(text: str, *, locations: bool = False) -> str:
    """Print a module the way MLIR does, with source locations if asked.

    Raises:
        ModuleError: the text is not a valid module.
    """
    module = parse(text)
    with _lock:
        return str(module.operation.get_asm(enable_debug_info=locations))


def portable_artifact(text: str) -> bytes:
    """Serialise for other releases of XLA: readable by any StableHLO from twelve weeks ago on.

    Constraints:
        (C1) chlo and sdy operations have been lowered before, for true portability

    Raises:
        ModuleError: the text is not a valid module.
    """
    border = mlir()
    module = parse(text)
    with _lock, border.context:
        kinds = border.stablehlo.StablehloCompatibilityRequirement
        version = border.stablehlo.get_version_from_compatibility_requirement(kinds.WEEK_12)
        located = str(module.operation.get_asm(enable_debug_info=True))
    return serialized(located, version)


def serialized(module: object, version: str) -> bytes:
    """A module, its text or its bytes, as bytes that StableHLO of a version reads.

    Raises:
        ModuleError: it is not a module, or uses what that version lacked.
    """
    return _converted("serialize_portable_artifact", "serialised", _STABLEHLO, module, version)


def from_hlo(computation: bytes) -> bytes:
    """The bytes of a StableHLO module that does what a serialised HLO module does.

    Raises:
        ModuleError: it is none.
    """
    return _converted("hlo_to_stablehlo", "converted", "a serialised HloModuleProto", computation)


def refined(module: str | bytes, *options: bool) -> bytes:
    """The bytes of a module whose sizes are all known, from one whose main function has known sizes.

    Options are whether assertions of shapes are checked, whether a size that stays unknown is an error, and whether
    shardings are Shardy's.

    Raises:
        ModuleError: it is none, or sizes stay unknown.
    """
    given = module.encode("utf-8", "surrogatepass") if isinstance(module, str) else module
    return _converted("refine_polymorphic_shapes", "refined", _STABLEHLO, given, *options)


def _converted(function: str, what: str, wanted: str, /, *arguments: object) -> bytes:
    border = mlir()
    with _lock, border.context:
        try:
            return bytes(getattr(border.core.mlir, function)(*arguments))
        except Exception as error:  # jaxlib's, of several types
            raise ModuleError(
                f"the module cannot be {what}: {brief(error)}",
                fix=f"give {wanted}",
            ) from error


def deserialized(artifact: bytes) -> Any:
    """A portable artifact as a module in the shared context.

    Raises:
        ModuleError: not an artifact, or one from a newer StableHLO than this jaxlib reads.
    """
    border = mlir()
    with _lock, border.context:
        try:
            return border.stablehlo.deserialize_portable_artifact(border.context, artifact)
        except Exception as error:  # the binding's exception type differs between releases
            raise ModuleError(
                f"not a portable artifact that this jaxlib can read: {brief(error)}",
                fix="upgrade jaxlib, or export the program again with an older one",
            ) from error


def brief(error: BaseException) -> str:
    """The first lines of an error of jaxlib's as one, since some go on for pages."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return "; ".join(lines[:3]) or type(error).__name__
