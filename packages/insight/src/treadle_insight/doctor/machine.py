"""What the doctor looks at: versions, GPUs and their driver, plugins, libraries, the cache folder."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Final, Self, final

from treadle_insight.doctor.nvidia import Driver, driver_here
from treadle_insight.doctor.versions import normalised
from treadle_runtime.client import nvidia_gpu_present

_PLUGINS: Final = "jax_plugins/xla_cuda*/xla_cuda_plugin.so"
_CUDA_LIBRARIES: Final = "nvidia/*/lib/lib*.so*"


@final
@dataclass(frozen=True)
class Plugin:
    """A plugin of jaxlib for NVIDIA GPUs.

    Attributes:
        cuda: the number of its CUDA, such as 13.
        release: its release; empty if it was not installed from a distribution.
    """

    cuda: int
    release: str

    @property
    def distribution(self) -> str:
        """The name of the distribution that installs it with its libraries."""
        return f"jax-cuda{self.cuda}-plugin"


@final
@dataclass(frozen=True)
class CacheFolder:
    """The folder of compiled programs.

    Attributes:
        path: the folder, which need not exist yet.
        writable: whether this user can write there.
        free: the bytes that are free on its disk.
    """

    path: str
    writable: bool
    free: int

    @classmethod
    def of(cls, path: Path) -> Self:
        """Return what a folder allows, or its nearest parent that exists.

        Args:
            path: the folder.
        """
        existing = next((each for each in (path, *path.parents) if each.exists()), Path("/"))
        writable = existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)
        return cls(str(path), writable, shutil.disk_usage(existing).free)


@final
@dataclass(frozen=True)
class Machine:
    """The facts about a machine and its installation that checks need.

    Attributes:
        environ: the environment variables.
        versions: the release of each installed distribution, by its normalised name.
        requirements: the requirements of each distribution of treadle, as its metadata gives them.
        gpu: whether there is an NVIDIA GPU.
        driver: what the driver says; None if it cannot be asked.
        plugins: the installed plugins for NVIDIA GPUs.
        own_libraries: the file names of the CUDA libraries that were installed with a plugin.
        library_path: the file names in each folder of `LD_LIBRARY_PATH`.
        cache: the folder of compiled programs; None if it is not known, or not wanted.
        unknown_variables: a message for each environment variable that looks like a setting and is not a setting.
    """

    environ: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    requirements: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gpu: bool = False
    driver: Driver | None = None
    plugins: tuple[Plugin, ...] = ()
    own_libraries: tuple[str, ...] = ()
    library_path: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    cache: CacheFolder | None = None
    unknown_variables: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def here(
        cls, environ: Mapping[str, str] | None = None, search_path: Sequence[str] | None = None
    ) -> Self:
        """Return what there is on this machine; nothing is imported or started.

        Args:
            environ: the environment variables; `os.environ` by default.
            search_path: the folders of installed packages; `sys.path` by default.
        """
        variables = os.environ if environ is None else environ
        folders = [Path(each or ".") for each in (sys.path if search_path is None else search_path)]
        driver = driver_here(variables)
        found: dict[str, metadata.Distribution] = {}
        for each in metadata.distributions(path=[*map(str, folders)]):
            if each.name:  # what is left of a broken installation has none
                found.setdefault(normalised(each.name), each)  # the first is imported
        versions = {name: each.version for name, each in found.items()}
        needs = {name: tuple(each.requires or ()) for name, each in found.items() if is_ours(name)}
        return cls(
            environ=dict(variables),
            versions=versions,
            requirements=needs,
            gpu=driver is not None or nvidia_gpu_present(),
            driver=driver,
            plugins=_plugins(folders, versions),
            own_libraries=_names(folders, _CUDA_LIBRARIES),
            library_path=_library_path(variables),
        )


def is_ours(name: str) -> bool:
    """Return whether a distribution is one of treadle's.

    Args:
        name: its normalised name.
    """
    return name.partition("-")[0] == "treadle"


def _plugins(folders: Sequence[Path], releases: Mapping[str, str]) -> tuple[Plugin, ...]:
    """Return the plugins in the folders of installed packages."""
    numbers = {
        int("".join(filter(str.isdigit, path.parent.name)))
        for folder in folders
        for path in folder.glob(_PLUGINS)
    }
    return tuple([Plugin(n, releases.get(f"jax-cuda{n}-pjrt", "")) for n in sorted(numbers)])


def _names(folders: Sequence[Path], pattern: str) -> tuple[str, ...]:
    """Return the names of the files that match a pattern below some folders."""
    return tuple(sorted({path.name for folder in folders for path in folder.glob(pattern)}))


def _library_path(environ: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the shared libraries in each folder that the dynamic linker searches first."""
    folders = [each for each in environ.get("LD_LIBRARY_PATH", "").split(":") if each]
    return {each: _names([Path(each)], "lib*.so*") for each in folders}
