"""Links of the Markdown pages, which are written for the repository, on the site.

A link to a page of the site is Sphinx's own business. A link to a folder leads to its README if this is a page, and is
otherwise text; a link to any other file lets readers download the file.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Container
from pathlib import Path

from sphinx.project import Project

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(((?!\w+:|#)[^)#\s]+)(#[^)\s]*)?\)")


def rewritten(text: str, page: str, pages: Container[str]) -> str:
    """Return the text of a page with its links to folders replaced.

    Args:
        text: Markdown.
        page: the name of the page, a path without suffix.
        pages: the names of all pages.
    """

    def replaced(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), match[2]))
        if target.startswith("../"):  # a page of site/, written as from its folder
            return f"[{match[1]}]({target.removeprefix('../')}{match[3] or ''})"
        if posixpath.splitext(target)[1] or "." in posixpath.basename(target):
            return match[0]
        if f"{target}/README" in pages:
            return f"[{match[1]}]({match[2].rstrip('/')}/README.md{match[3] or ''})"
        return match[1]

    return LINK.sub(replaced, text)


class Repository(Project):
    """Sphinx's sources, which finds the page of a file through the symbolic links to the repository's pages."""

    def path2doc(self, filename: str | os.PathLike[str]) -> str | None:
        """Return the name of the page that a file of the repository, or of the folder of sources, is."""
        path = Path(filename)
        if path.is_relative_to(ROOT) and not path.is_relative_to(self.srcdir):
            path = Path(self.srcdir) / path.relative_to(ROOT)
        return super().path2doc(path)
