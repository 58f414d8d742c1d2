"""A package that imports its names lazily is like a package that imports them all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = """
from treadle_ir.errors import lazy_names
__getattr__, __dir__, __all__ = lazy_names(
    __name__, {"lazypack.inner": "one two:second"}, ("sub",)
)
"""
INNER = "print('inner')\none, two = 1, 2\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "lazypack"
    folder.mkdir()
    (folder / "__init__.py").write_text(PACKAGE)
    (folder / "inner.py").write_text(INNER)
    (folder / "sub.py").write_text("three = 3\n")
    return tmp_path


def run(package: Path, code: str) -> tuple[str, str]:
    path = [str(package), *[entry for entry in sys.path if entry]]
    prelude = f"import sys; sys.path[:0] = {path!r}\n"
    done = subprocess.run([sys.executable, "-c", prelude + code], capture_output=True, text=True)
    return done.stdout, done.stderr


def test_modules_are_imported_when_a_name_is_asked_for(package: Path) -> None:
    code = "import lazypack; print('outer'); lazypack.one; print(lazypack.second, lazypack.one)"
    assert run(package, code)[0].split("\n")[:3] == ["outer", "inner", "2 1"]


def test_names_are_offered_before_they_are_there(package: Path) -> None:
    code = "import lazypack; print(dir(lazypack), lazypack.__all__, lazypack.sub.three)"
    names = "['one', 'second', 'sub']"
    assert run(package, code)[0].strip() == f"{names} {names} 3"


def test_a_star_import_takes_all_names(package: Path) -> None:
    assert run(package, "from lazypack import *; print(one, second)")[0].endswith("1 2\n")


def test_another_name_is_an_attribute_error_with_a_likely_one(package: Path) -> None:
    errors = run(package, "import lazypack; lazypack.secnd")[1]
    assert "module 'lazypack' has no attribute 'secnd'; did you mean 'second'?" in errors
    assert errors.count("second") == 1
    assert run(package, "import lazypack; print(hasattr(lazypack, '_x'))")[0] == "False\n"


def test_threads_that_ask_at_once_get_whole_modules(package: Path) -> None:
    code = """
import threading, lazypack
found = []
threads = [threading.Thread(target=lambda: found.append(lazypack.second)) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
print(found)
"""
    assert run(package, code)[0] == f"inner\n{[2] * 8}\n"


def test_a_name_that_is_also_a_modules_stays_the_name(package: Path) -> None:
    folder = package / "named"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from treadle_ir.errors import lazy_names\n"
        '__getattr__, __dir__, __all__ = lazy_names(__name__, {"named.both": "both", "named.other": "other:third"})\n'
    )
    (folder / "both.py").write_text("both = 1\n")
    (folder / "other.py").write_text("other = 3\n")
    code = (
        "import named.both, named.other, types; print(named.both, named.third); from named import both; print(both); "
        "print(named.other.other, isinstance(named.other, types.ModuleType))"
    )
    assert run(package, code)[0].split("\n")[:3] == ["1 3", "1", "3 True"]
