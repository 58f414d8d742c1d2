"""Sphinx's configuration of the site: `nox -s site` builds it. `stage.py` makes the folder of sources that it reads."""

from __future__ import annotations

import builtins
import os
import re
import sys
import urllib.request
from collections.abc import Mapping
from importlib.metadata import version as release_of
from pathlib import Path

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

# Neighbours of this file, found once the path is set.
import links  # noqa: E402
from docstrings import lookup  # noqa: E402
from names import known_names  # noqa: E402

project = "treadle"
author = "the authors of treadle"
release = version = release_of("treadle")

extensions = [
    "myst_parser",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "sphinx_design",
]
root_doc = "index"
templates_path = ["_templates"]
include_patterns = [
    "*.md",
    *("docs/**", "decisions/*.md", "packages/*/README.md", "examples/*/README.md", "api/**"),
]
# Not for pages: they would take long to search.
exclude_patterns = ["_extra", "packages/*/*/**", "conformance", "benchmarks", "scripts", ".github"]

myst_heading_anchors = 6
myst_enable_extensions = ["colon_fence"]

python_maximum_signature_line_length = 88

# Without network the site is built without links to other documentation.
INVENTORIES = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
}


def reachable(address: str) -> bool:
    """Return whether an inventory answers within five seconds."""
    try:
        with urllib.request.urlopen(f"{address}objects.inv", timeout=5):
            return True
    except OSError:
        return False


offline = bool(os.environ.get("SITE_OFFLINE"))
intersphinx_mapping = {
    name: (address, None)
    for name, address in INVENTORIES.items()
    if not offline and reachable(address)
}

KNOWN = known_names()
# Python's exceptions, which an offline build cannot resolve.
nitpick_ignore = [("py:exc", name) for name in dir(builtins)]
nitpick_ignore_regex = [
    # Annotations are shown as they are written, and also name type variables and types that are not public.
    # `full_names` below finds the public ones.
    ("py:class", r"[\w.]+"),
]

html_theme = "pydata_sphinx_theme"
html_title = "treadle"
html_static_path = ["_static", ".source/_static"]
html_css_files = ["site.css"]
html_extra_path = [".source/_extra"]
html_show_sourcelink = False
html_copy_source = True  # llms.txt refers to the sources of the pages
html_theme_options = {
    "logo": {"text": "treadle"},
    "navbar_end": ["version-switcher", "theme-switcher"],
    "switcher": {
        "json_url": "_static/switcher.json",
        "version_match": os.environ.get("SITE_VERSION", "dev"),
    },
    "check_switcher": False,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
# The theme's own list of the reference would repeat two thousand names on each page.
html_sidebars = {"api/**": ["namespace.html"], "index": []}
copyright = "the authors of treadle, Apache License 2.0"  # noqa: A001 - Sphinx's name


def through_links(app: Sphinx) -> None:
    """Let links find pages through the symbolic links."""
    app.env.project.__class__ = links.Repository


def local_links(app: Sphinx, docname: str, content: list[str]) -> None:
    """Point links of Markdown pages that lead to folders to pages."""
    if app.env.doc2path(docname).suffix == ".md":
        content[0] = links.rewritten(content[0], docname, app.env.found_docs)


def full_names(app: Sphinx, document: nodes.document) -> None:
    """Give the types in signatures, and the exceptions of `Raises`, their full names: several namespaces offer each."""
    for node in document.findall(pending_xref):
        if node.get("refdomain") != "py" or node.get("reftype") not in ("class", "exc"):
            continue
        scope = node.attributes.pop("py:module", None) or "treadle"
        node.attributes.pop("py:class", None)
        node.attributes.pop("refspecific", None)  # Sphinx asks whether it is present
        node["reftarget"] = lookup(KNOWN, scope)(node["reftarget"]) or node["reftarget"]


def readable_sources(app: Sphinx, env: BuildEnvironment) -> None:
    """Forget modules without Python source, which the index of sources would list."""
    known = getattr(env, "_viewcode_modules", {})
    for name in [name for name, found in known.items() if not found]:
        del known[name]


BACK = re.compile(r'<a class="viewcode-back"[^>]*>.*?</a>')


def siblings(
    app: Sphinx,
    docname: str,
    template: str,
    context: dict[str, object],
    tree: nodes.document | None,
) -> None:
    """Give the sidebar of a page of the reference its namespace and the names in it."""
    if docname.startswith("_modules/"):
        # From a source to its documentation Sphinx finds the way only if one namespace alone offers the name.
        context["body"] = BACK.sub("", str(context["body"]))
    if not docname.startswith("api/"):
        return
    name = docname.removeprefix("api/")
    namespace = name if app.env.toctree_includes.get(docname) else name.rpartition(".")[0]
    pages = app.env.toctree_includes.get(f"api/{namespace}", [])
    context["namespace"] = namespace
    context["siblings"] = [(page, page.rpartition(".")[2], page == docname) for page in pages]


def setup(app: Sphinx) -> Mapping[str, bool]:
    """Connect what this file defines."""
    app.connect("builder-inited", through_links)
    app.connect("source-read", local_links)
    app.connect("doctree-read", full_names)
    app.connect("env-updated", readable_sources)
    app.connect("html-page-context", siblings)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
