"""Every public name has a page on the site, and every page of docs/ a place in it; nothing is built here."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import treadle

ROOT = Path(__file__).resolve().parents[3]
SITE = ROOT / "site"
TREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def names() -> ModuleType:
    # `site` is a module of Python: the file is loaded by its path.
    spec = importlib.util.spec_from_file_location("site_names", SITE / "names.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_public_name_is_described(names):
    described = names.known_names()
    for package in ("treadle", "ir"):
        public = (ROOT / f"packages/{package}/public_names.txt").read_text().split()
        module = {"treadle": "treadle", "ir": "treadle_ir"}[package]
        assert [name for name in public if f"{module}.{name}" not in described] == []


@pytest.mark.parametrize(
    "namespace",
    [
        "numpy",
        "numpy.linalg",
        "numpy.fft",
        "lax",
        "random",
        "nn",
        "tree",
        "scipy.special",
        "errors",
    ],
)
def test_functions_and_classes_have_pages_of_their_own(names, namespace):
    module = names.importlib.import_module(f"treadle.{namespace}")
    pages = set(names.all_pages())
    for name in [each for each in module.__all__ if not each.startswith("_")]:
        value = getattr(module, name)
        if isinstance(value, type) or type(value).__name__ == "function":
            assert f"api/treadle.{namespace}.{name}" in pages


def test_values_share_the_page_of_their_namespace(names):
    lax = names.namespaces()["treadle.lax"]
    assert "add_p" in lax.values
    assert "api/treadle.lax.add_p" not in set(names.all_pages())


def test_settings_as_context_managers_have_pages(names):
    assert "api/treadle.debug_nans" in set(names.all_pages())


def test_a_module_without_all_offers_what_it_imports_as_public(names):
    offered = names.public_names(treadle.tree_util)
    assert "tree_map" in offered
    assert "node_registry" not in offered  # imported for the module itself


def entries() -> set[str]:
    """Return the pages that the tables of contents name, with their patterns resolved."""
    found = set()
    for page in SITE.glob("*.md"):
        for body in TREE.findall(page.read_text()):
            for line in body.splitlines():
                entry = line.rpartition("<")[2].rstrip(">").strip()
                if not entry or entry.startswith(":"):
                    continue
                matched = ROOT.glob(f"{entry}.md") if "*" in entry else [ROOT / f"{entry}.md"]
                found |= {path.relative_to(ROOT).as_posix() for path in matched}
    return found


def test_every_page_of_docs_is_in_a_table_of_contents():
    pages = {path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages - entries() == set()


def test_tables_of_contents_name_pages_that_exist():
    own = {path.name for path in SITE.glob("*.md")} | {"api/index.md"}
    assert {entry for entry in entries() - own if not (ROOT / entry).exists()} == set()
