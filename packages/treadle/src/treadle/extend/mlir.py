"""Modules of StableHLO as bytes: made for other releases, read, made of HLO, and refined to known sizes."""

from __future__ import annotations

from typing import Any

from treadle_compiler import deserialized, from_hlo, refined, serialized
from treadle_ir.errors import boundaries, flags, names, refused

__all__ = [
    "deserialize_portable_artifact",
    "hlo_to_stablehlo",
    "refine_polymorphic_shapes",
    "serialize_portable_artifact",
]


def serialize_portable_artifact(
    mlir_module: Any, target: str, use_mixed_serialization: bool = False
) -> bytes:
    """Return a module as bytes that StableHLO of a version, and all later ones, read.

    Args:
        mlir_module: the text of a module, its bytes, or a `Module` of `jaxlib.mlir.ir`.
        target: the version, as "1.9.0".
        use_mixed_serialization: for JAX's sake; only operations of StableHLO are accepted.

    Raises:
        ModuleError: it is not a module, or has what that version lacked.

    Example:
        >>> import treadle
        >>> from treadle.extend import mlir
        >>> text = treadle.jit(lambda x: x + 1).lower(1.0).as_text()
        >>> artifact = mlir.serialize_portable_artifact(text, "1.0.0")
        >>> "stablehlo.add" in str(mlir.deserialize_portable_artifact(artifact))
        True
    """
    names("serialize_portable_artifact", target=target)
    flags("serialize_portable_artifact", use_mixed_serialization=use_mixed_serialization)
    if use_mixed_serialization:
        raise refused(
            "serialize_portable_artifact",
            "use_mixed_serialization",
            "left out",
            use_mixed_serialization,
        )
    return serialized(mlir_module, target)


def deserialize_portable_artifact(mlir_module: bytes) -> Any:
    """Restore what `serialize_portable_artifact` made, as a `Module` of `jaxlib.mlir.ir`.

    Raises:
        ArgumentError: it is not bytes.
        ModuleError: it is not such a module, or of a newer StableHLO.

    Example:
        >>> import treadle
        >>> from treadle.extend import mlir
        >>> exported = treadle.export.export(treadle.jit(lambda x: x + 1))(1.0)
        >>> module = mlir.deserialize_portable_artifact(exported.mlir_module_serialized)
        >>> "stablehlo.add" in str(module)
        True
    """
    return deserialized(_bytes("deserialize_portable_artifact", "mlir_module", mlir_module))


def hlo_to_stablehlo(computation: bytes) -> bytes:
    """Return a serialised HLO module as a module of StableHLO, in MLIR's bytes.

    Raises:
        ArgumentError: it is not bytes.
        ModuleError: it is not such a module.

    Example:
        >>> import treadle
        >>> from treadle.extend import mlir
        >>> compiled = treadle.jit(lambda x: x + 1).lower(1.0).compile()
        >>> (module,) = compiled.runtime_executable().hlo_modules()
        >>> found = mlir.hlo_to_stablehlo(module.as_serialized_hlo_module_proto())
        >>> found.startswith(b"ML")
        True
    """
    return from_hlo(_bytes("hlo_to_stablehlo", "computation", computation))


def refine_polymorphic_shapes(
    mlir_module: str | bytes,
    enable_shape_assertions: bool = True,
    validate_static_shapes: bool = True,
    enable_shardy: bool = False,
) -> bytes:
    """Return a module whose sizes are all known, of one whose main function has known sizes, in MLIR's bytes.

    Args:
        mlir_module: the text or the bytes of a module.
        enable_shape_assertions: check what the module asserts of its sizes.
        validate_static_shapes: a size that stays unknown is an error.
        enable_shardy: shardings are Shardy's.

    Raises:
        ArgumentError: it is neither text nor bytes, or a flag is not a boolean.
        ModuleError: it is not a module, or sizes stay unknown.

    Example:
        >>> import treadle
        >>> from treadle.extend import mlir
        >>> text = treadle.jit(lambda x: x + 1).lower(1.0).as_text()
        >>> mlir.refine_polymorphic_shapes(text).startswith(b"ML")
        True
    """
    options = {
        "enable_shape_assertions": enable_shape_assertions,
        "validate_static_shapes": validate_static_shapes,
        "enable_shardy": enable_shardy,
    }
    flags("refine_polymorphic_shapes", **options)
    if not isinstance(mlir_module, str | bytes):
        raise refused("refine_polymorphic_shapes", "mlir_module", "text or bytes", mlir_module)
    return refined(mlir_module, *options.values())


def _bytes(function: str, name: str, given: object) -> bytes:
    if not isinstance(given, bytes):
        raise refused(function, name, "bytes", given)
    return given


boundaries(__name__)
