"""Native functions that programs call by a name: telling XLA of them, and the headers that they are written with."""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from treadle_compiler import jaxlib
from treadle_ir import ArgumentError, UnsupportedError
from treadle_ir.errors import integer, names, refused

_PLATFORMS: Final = {"gpu": "CUDA", "cuda": "CUDA", "rocm": "ROCM"}


def register_ffi_target(
    name: str,
    fn: Any,  # a capsule, which has no class of its own, or a dict of them
    platform: str = "cpu",
    api_version: int = 1,
    **kwargs: Any,
) -> None:
    """Register a native function under the name by which `ffi_call` calls it. The name cannot be reassigned.

    Args:
        name: the name of the target.
        fn: what `pycapsule` makes of a function of a library, or a dict of such by stage: "instantiate", "prepare",
            "initialize", "execute".
        platform: where it runs: "cpu", "CUDA" or "ROCM".
        api_version: 1 for functions written with XLA's headers (`include_dir`), 0 for the previous interface.
        kwargs: passed on to `jaxlib.xla_client.register_custom_call_target`.

    Raises:
        ArgumentError: `fn` is neither a capsule nor such a dict, or the name belongs to another function.

    Example:
        >>> import ctypes
        >>> library = ctypes.CDLL("./libmine.so")  # doctest: +SKIP
        >>> register_ffi_target("half", pycapsule(library.Half))  # doctest: +SKIP
    """
    names("register_ffi_target", name=name, platform=platform)
    integer("register_ffi_target", "api_version", api_version)
    if not (
        _is_capsule(fn) or (isinstance(fn, Mapping) and fn and all(map(_is_capsule, fn.values())))
    ):
        raise ArgumentError(
            f"register_ffi_target: fn must be a capsule, or a dict of capsules by stage, got {type(fn)}",
            fix="pass `treadle.ffi.pycapsule(library.function)`",
        )
    given = dict(fn) if isinstance(fn, Mapping) else fn
    border = jaxlib()
    try:
        border.xla_client.register_custom_call_target(
            name, given, platform=_platform(platform), api_version=api_version, **kwargs
        )
    except (border.core.JaxRuntimeError, TypeError, ValueError) as error:
        raise ArgumentError(
            f"register_ffi_target: XLA refuses {name!r} on platform {platform!r}: {_brief(error)}"
        ) from error


def register_ffi_target_as_batch_partitionable(name: str) -> None:
    """Say that a target does the same along its leading axes, so that several devices may each call it on a part.

    Raises:
        ArgumentError: the name is not a string.

    Example:
        >>> register_ffi_target_as_batch_partitionable("half")
    """
    if not isinstance(name, str):
        raise refused("register_ffi_target_as_batch_partitionable", "name", "a string", name)
    jaxlib().xla_client.register_custom_call_as_batch_partitionable(name)


def register_ffi_type(
    name: str,
    type_registration: Any,  # a dict of capsules
    platform: str = "cpu",
) -> None:
    """Register a type of native objects, such as the state of a target, under a name.

    Args:
        name: the name; each only once in a process.
        type_registration: a dict of capsules: "type_id", of a pointer to the `ffi::TypeId`, and "type_info".
        platform: where it is used.

    Raises:
        ArgumentError: `type_registration` is not such a dict, or XLA refuses it.

    Example:
        >>> register_ffi_type("state", {"type_id": type_id, "type_info": type_info})  # doctest: +SKIP
    """
    names("register_ffi_type", name=name, platform=platform)
    if not isinstance(type_registration, Mapping) or not all(
        map(_is_capsule, type_registration.values())
    ):
        raise refused(
            "register_ffi_type", "type_registration", "a dict of capsules", type_registration
        )
    border = jaxlib()
    try:
        border.xla_client.register_custom_type(
            name, dict(type_registration), platform=_platform(platform)
        )
    except (border.core.JaxRuntimeError, TypeError, ValueError, KeyError) as error:
        raise ArgumentError(
            f"register_ffi_type: XLA refuses {name!r} on platform {platform!r}: {_brief(error)}"
        ) from error


def register_ffi_type_id(
    name: str,
    obj: Any,  # a capsule
    platform: str = "cpu",
) -> None:
    """Raise an error: only old releases of jaxlib have this function. Register types with `register_ffi_type`.

    Raises:
        UnsupportedError: always.

    Example:
        >>> try:
        ...     register_ffi_type_id("state", None)
        ... except UnsupportedError as error:
        ...     print(error)
        register_ffi_type_id: jaxlib takes a type together with what is known of it, since its version 381
    """
    raise UnsupportedError(
        "register_ffi_type_id: jaxlib takes a type together with what is known of it, since its version 381",
        fix='`register_ffi_type(name, {"type_id": capsule, "type_info": capsule}, platform)`',
    )


def pycapsule(funcptr: Any) -> Any:  # Any: a function of ctypes, and a capsule, which has no class
    """Return a function of a library that `ctypes` has loaded, as XLA takes it.

    Raises:
        ArgumentError: it is not a function of `ctypes`.

    Example:
        >>> import ctypes
        >>> from treadle.ffi import pycapsule
        >>> type(pycapsule(ctypes.pythonapi.Py_GetVersion)).__name__
        'PyCapsule'
    """
    if not isinstance(funcptr, ctypes._CFuncPtr):  # type: ignore[attr-defined]  # no public name
        raise refused("pycapsule", "funcptr", "a function of a library of ctypes", funcptr)
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
        ("PyCapsule_New", ctypes.pythonapi)
    )
    return new(ctypes.cast(funcptr, ctypes.c_void_p), None, None)


def include_dir() -> str:
    """Return the folder of XLA's headers for foreign functions: `g++ -I$(...) ...`. jaxlib brings them.

    Raises:
        UnsupportedError: this jaxlib has none.

    Example:
        >>> import pathlib
        >>> from treadle.ffi import include_dir
        >>> pathlib.Path(include_dir(), "xla", "ffi", "api", "ffi.h").is_file()
        True
    """
    spec = importlib.util.find_spec("jaxlib")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        found = Path(folder, "include")
        if found.is_dir():
            return str(found)
    raise UnsupportedError(
        f"include_dir: jaxlib {jaxlib().release} has no headers", fix="install jaxlib from a wheel"
    )


def _is_capsule(value: object) -> bool:
    return type(value).__name__ == "PyCapsule"


def _platform(name: str) -> str:
    return _PLATFORMS.get(name, name)


def _brief(error: BaseException) -> str:
    return str(error).partition("\n")[0].partition(": ")[2] or str(error)
