"""Commands that messages and pages tell users to type: what they install is there, under one name everywhere."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import jaxlib
import pytest

from treadle_runtime.client import start
from treadle_runtime.client.failures import PlatformError
from treadle_runtime.client.plugins import install_command

ROOT: Final = Path(__file__).resolve().parents[2]
PLUGIN: Final = "jax-cuda13-plugin[with-cuda]"
OTHERS: Final = {"libtpu", "matplotlib"}  # which no package of ours declares


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")


def _known() -> set[str]:
    """Distributions that a package declares, or that `conformance/clients` installs."""
    found = {*OTHERS}
    for file in ROOT.glob("packages/*/pyproject.toml"):
        project = tomllib.loads(file.read_text())["project"]
        groups = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
        found |= {_name(line) for group in groups for line in group}
    lines = (ROOT / "conformance/clients/requirements.txt").read_text().splitlines()
    return found | {_name(line) for line in lines if line and line[0] != "#"}


def _commands() -> Iterator[tuple[Path, str]]:
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*/README.md")]
    pages += [*ROOT.glob("packages/*/README.md"), *ROOT.glob("packages/*/src/**/*.py")]
    for page in pages:
        for found in re.finditer(r"python -m pip install ([^\n`']*)", page.read_text()):
            yield page, found[1]


def test_what_commands_install_is_there() -> None:
    known, seen = _known(), 0
    for page, command in _commands():
        requirements = re.split(r"==\$\(| \(|#|, ", command)[0].replace('"', "").split()
        for word in requirements:
            if word[0] == "-" or "{" in word:
                continue
            seen += 1
            if word == ".":  # the whole repository
                assert "\n[project]\n" in (ROOT / "pyproject.toml").read_text(), page
            elif word.startswith("packages/"):
                assert (ROOT / word / "pyproject.toml").exists(), (page, word)
            else:
                # Nothing of treadle's is on an index yet: by name it cannot be installed.
                assert not _name(word).startswith("treadle"), (page, word)
                assert _name(word) in known, (page, word)
    assert seen >= 15


@pytest.mark.parametrize("page", ["README.md", "docs/coming-from-jax.md"])
def test_the_plugin_for_gpus_is_the_same_everywhere(page: str) -> None:
    said = re.findall(r'python -m pip install "(jax-cuda[^"=]*)==', (ROOT / page).read_text())
    assert said == [PLUGIN]


def test_the_fix_for_a_gpu_without_its_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    assert install_command() == f'python -m pip install "{PLUGIN}=={jaxlib.version.__version__}"'
    backends = start.Backends()
    monkeypatch.setattr(start.Backends, "_plugin", lambda *_: None)
    with pytest.raises(PlatformError) as caught:
        backends._make_cuda()
    assert f"  fix: {install_command()} (or jax-cuda12-plugin, for older drivers)" in (
        caught.value.__notes__
    )
