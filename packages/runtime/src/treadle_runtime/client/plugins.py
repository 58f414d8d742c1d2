"""The plugins of accelerators: where their libraries are, and how they are started."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from treadle_compiler import jaxlib
from treadle_runtime.client.failures import PlatformError
from treadle_runtime.client.peers import Peers


def plugin_library(platform: str, environ: Mapping[str, str]) -> Path | None:
    """Return the shared library of a platform's plugin, found without importing any package."""
    if platform == "cuda":
        package, pattern = "jax_plugins", "xla_cuda*/xla_cuda_plugin.so"
    else:
        named = environ.get("TPU_LIBRARY_PATH", "").strip()
        if named:
            return Path(named)
        package, pattern = "libtpu", "libtpu.so"
    spec = importlib.util.find_spec(package)
    if spec is None:
        return None
    for folder in spec.submodule_search_locations or ():
        found = sorted(Path(folder).glob(pattern))
        if found:
            return found[-1]  # the newest CUDA, if there are several
    return None


def start_plugin(platform: str, library: Path, peers: Peers | None = None) -> Any:
    """Load and register the plugin of a platform; return jaxlib's client, connected to other processes if any.

    Raises:
        PlatformError: the plugin or its driver cannot be used.
    """
    client = jaxlib().xla_client
    try:
        if platform == "cuda":
            _check_release(library)
            _load_cuda_libraries()
        if client.pjrt_plugin_loaded(platform):
            plugin = None
        else:
            plugin = client.load_pjrt_plugin_dynamically(platform, str(library))
        if not client.pjrt_plugin_initialized(platform):
            client.initialize_pjrt_plugin(platform)
        options = client.generate_pjrt_gpu_plugin_options() if platform == "cuda" else {}
        if platform == "cuda" and plugin is not None:
            _register_cuda(plugin, library)
        if peers is None:
            return client.make_c_api_client(platform, options, None)
        if platform == "cuda":
            options = {**options, "node_id": peers.process, "num_nodes": peers.count}
            if peers.local_device_ids is not None:
                options["visible_devices"] = [*peers.local_device_ids]
        return client.make_c_api_client(platform, options, peers.client)
    except (jaxlib().core.JaxRuntimeError, ImportError, OSError, ValueError) as error:
        lines = str(error).splitlines()
        raise PlatformError(
            f"platform `{platform}` cannot be started: {lines[0] if lines else type(error).__name__}",
            fix=f"check the driver and that the plugin has the version of jaxlib {jaxlib().release}, "
            "or set TREADLE_PLATFORMS=cpu",
        ) from error


def install_command(plugin: str = "jax-cuda13-plugin") -> str:
    """Return the command that installs a plugin of the release of this jaxlib, with the libraries it needs."""
    return f'python -m pip install "{plugin}[with-cuda]=={jaxlib().release}"'


def _check_release(library: Path) -> None:
    """Refuse a plugin whose release is not jaxlib's: it would start, and fail later.

    Raises:
        PlatformError: the releases differ.
    """
    package = f"jax-{library.parent.name.removeprefix('xla_')}-pjrt"
    try:
        release = metadata.version(package)
    except metadata.PackageNotFoundError:  # built by hand
        return
    if release != jaxlib().release:
        raise PlatformError(
            f"platform `cuda` cannot be started: {package} is of release {release}, jaxlib of {jaxlib().release}",
            fix=install_command(f"{package.removesuffix('-pjrt')}-plugin"),
        )


def _load_cuda_libraries() -> None:
    """Load the CUDA libraries that wheels bring, so that the plugin finds them; those missing may be the system's."""
    spec = importlib.util.find_spec("nvidia")
    for root in (spec.submodule_search_locations or ()) if spec is not None else ():
        # Libraries need one another: go round until a round loads nothing new.
        waiting = sorted(Path(root).glob("*/lib/lib*.so.*"))
        while waiting:
            failed = [path for path in waiting if not _loads(path)]
            if len(failed) == len(waiting):
                break
            waiting = failed


def _loads(path: Path) -> bool:
    try:
        ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    except OSError:
        return False
    return True


def _register_cuda(plugin: Any, library: Path) -> None:
    """Register the custom calls of the CUDA plugin with XLA: the plugin's own calls and jaxlib's."""
    client = jaxlib().xla_client
    digits = "".join(filter(str.isdigit, library.parent.name))
    extension = importlib.import_module(f"jax_cuda{digits}_plugin.cuda_plugin_extension")

    def register_type(*arguments: Any, **options: Any) -> object:
        return extension.register_custom_type(plugin, *arguments, **options)

    def register_call(*arguments: Any, **options: Any) -> object:
        return extension.register_custom_call_target(plugin, *arguments, **options)

    client.register_custom_type_handler("CUDA", register_type)
    client.register_custom_call_handler("CUDA", register_call)
    for name, value in extension.ffi_types().items():
        client.register_custom_type(name, value, platform="CUDA")
    for name, value in extension.ffi_handlers().items():
        client.register_custom_call_target(name, value, platform="CUDA", api_version=1)
    for family in ("solver", "linalg", "sparse", "prng", "rnn", "triton"):
        module = importlib.import_module(f"jaxlib.gpu_{family}")
        registrations: dict[str, Any] = getattr(module, "registrations", dict)()
        for name, value, version in registrations.get("CUDA", []):
            client.register_custom_call_target(name, value, platform="CUDA", api_version=version)
