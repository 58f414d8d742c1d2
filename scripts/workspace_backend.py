"""Build the project at the root of the repository: a wheel without modules that requires all distributions of the tree.

`pip install .` calls `build_wheel`. Pip knows no workspaces, and would look for `treadle-ir` in a registry; so the
wheel names each distribution with its place, `treadle-ir @ file:///.../packages/ir`. uv does not build the root, and
follows `[tool.uv.sources]` in its place. The wheel is of use on this machine alone, and is never published.
"""

from __future__ import annotations

import base64
import hashlib
import re
import tomllib
import zipfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
Settings = dict[str, Any] | None  # Any: what an installer passes; nothing of it is used


def places(root: Path) -> dict[str, Path]:
    """Return the folder of each distribution in `root`, by its name."""
    files = sorted(root.glob("packages/*/pyproject.toml"))
    return {tomllib.loads(file.read_text())["project"]["name"]: file.parent for file in files}


def located(requirement: str, folders: dict[str, Path]) -> str:
    """Return `treadle[tpu]` as `treadle[tpu] @ file:///...`, with the place that `folders` has for its name.

    Raises:
        ValueError: it is not a name of `folders`, with extras or without.
    """
    match = re.fullmatch(r"([\w-]+)(\[[\w,-]+\])?", requirement)
    if match is None or match[1] not in folders:
        raise ValueError(f"pyproject.toml: {requirement!r} is not a distribution of this tree")
    return f"{requirement} @ {folders[match[1]].as_uri()}"


def metadata(root: Path) -> str:
    """Return the METADATA of the project in `root`."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    folders = places(root)
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {each}" for each in project["classifiers"]),
        *(f"Requires-Dist: {located(each, folders)}" for each in project["dependencies"]),
    ]
    for extra, requirements in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        for each in requirements:
            lines.append(f'Requires-Dist: {located(each, folders)} ; extra == "{extra}"')
    return "\n".join(lines) + "\n"


def build_wheel(
    wheel_directory: str, config_settings: Settings = None, metadata_directory: str | None = None
) -> str:
    """Write the wheel into `wheel_directory`, and return its name (PEP 517)."""
    text = metadata(ROOT)
    name, version = re.findall(r"^(?:Name|Version): (.*)$", text, re.MULTILINE)
    stem = f"{name.replace('-', '_')}-{version}"
    tag = "Wheel-Version: 1.0\nGenerator: treadle\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {f"{stem}.dist-info/METADATA": text, f"{stem}.dist-info/WHEEL": tag}
    records = [
        f"{path},{digest(content)},{len(content.encode())}" for path, content in files.items()
    ]
    record = f"{stem}.dist-info/RECORD"
    files[record] = "\n".join([*records, f"{record},,"]) + "\n"
    wheel = f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory) / wheel, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return wheel


def digest(content: str) -> str:
    """Return the hash of a file's content as RECORD writes it."""
    code = base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest())
    return f"sha256={code.decode().rstrip('=')}"


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """Refuse: the root is not a distribution (PEP 517 wants the function).

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError("the root is not published: build the folders under packages/")
