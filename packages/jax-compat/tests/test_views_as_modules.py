"""Modules under JAX's names answer as ordinary modules do, whatever else changes how Python imports."""

from __future__ import annotations

import copy
import importlib
import importlib.metadata
import importlib.resources
import importlib.util
import inspect
import pkgutil
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import treadle_jax

# So many names are there at least; JAX 0.12 has 429 in jax.numpy.
_NAMES = {
    "jax": 120,
    "jax.numpy": 400,
    "jax.lax": 360,
    "jax.nn": 35,
    "jax.random": 45,
    "jax.tree_util": 30,
    "jax.numpy.linalg": 30,
    "jax.scipy.special": 50,
    "jax.scipy.stats": 30,
}


@pytest.fixture(autouse=True)
def _hook() -> Iterator[None]:
    treadle_jax.install()
    yield
    treadle_jax.uninstall()


def run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", _NAMES)
def test_names_are_there_by_vars_dir_and_getattr(name: str) -> None:
    module = importlib.import_module(name)
    names = vars(module)
    assert names is module.__dict__
    assert len([each for each in names if each[0] != "_"]) >= _NAMES[name]
    for each in dir(module):
        if each[0] != "_":
            assert names[each] is getattr(module, each), each
    assert dict(inspect.getmembers(module)).keys() >= {each for each in names if each[0] != "_"}


def test_what_was_set_stays_when_all_names_are_asked_for() -> None:
    import jax.numpy as jnp

    jnp.sin = "mine"  # type: ignore[assignment,misc]
    assert vars(jnp)["sin"] == "mine"
    assert vars(jnp)["cos"] is jnp.cos


def test_names_are_looked_up_one_by_one_until_all_are_asked_for() -> None:
    script = """
import sys, treadle_jax; treadle_jax.install()
import jax, jax.numpy as jnp
jnp.zeros
few = {name for name in sys.modules if name.startswith("treadle_numpy")}
vars(jnp)
all = {name for name in sys.modules if name.startswith("treadle_numpy")}
print(len(few) < len(all))
"""
    assert run(script) == "True\n"


def test_libraries_that_wrap_every_function_of_a_module() -> None:
    import jax
    import jax.numpy as jnp

    wrapped = types.SimpleNamespace()
    for name, value in jnp.__dict__.items():
        if callable(value) and not isinstance(value, type):
            setattr(wrapped, name, value)
    assert wrapped.cos(0.0) == 1
    namespace: dict[str, object] = {}
    exec("from jax.numpy import *; from jax.lax import *", namespace)
    assert namespace["cumsum"] is jax.lax.cumsum
    assert namespace["einsum"] is jnp.einsum


def test_inspect_and_copies() -> None:
    import jax.numpy as jnp

    assert inspect.ismodule(jnp)
    assert inspect.isfunction(jnp.sin)
    found = inspect.getmodule(jnp.sin)
    assert found is not None
    assert found.__name__ == "treadle_numpy.numpy"
    assert inspect.getsource(jnp)
    assert Path(inspect.getsourcefile(jnp) or "").is_file()
    assert copy.deepcopy({"module": jnp})["module"] is jnp
    cloudpickle = pytest.importorskip("cloudpickle")
    assert cloudpickle.loads(cloudpickle.dumps(lambda: jnp.cos(0.0)))() == 1


def test_a_module_is_reloaded() -> None:
    import jax
    import jax.numpy as jnp

    for module in (jax, jnp, importlib.import_module("jax._src.api")):
        assert importlib.reload(module) is module
    assert jnp.cos(0.0) == 1


def test_specs_say_where_modules_are() -> None:
    import jax

    spec = importlib.util.find_spec("jax.numpy")
    assert spec is not None
    assert Path(spec.origin or "").is_file()
    assert Path(jax.__file__ or "").is_file()
    assert Path(jax.__path__[0]).parent.is_dir()
    assert not Path(jax.__path__[0]).exists()  # no file of treadle's is taken for a module of JAX's
    for name in ("jax.no_such", "jax.numpy.no_such", "jax._src.no_such"):
        assert importlib.util.find_spec(name) is None
    with pytest.raises(ModuleNotFoundError, match=r"treadle has no `jax\.no_such`"):
        importlib.import_module("jax.no_such")
    assert importlib.resources.files("jax").joinpath("py.typed").is_file()


def test_every_module_that_is_listed_can_be_imported() -> None:
    import jax

    listed = [each.name for each in pkgutil.walk_packages(jax.__path__, "jax.")]
    assert {"jax.numpy", "jax.numpy.linalg", "jax._src.numpy.ufuncs", "jax.scipy.stats.norm"} <= {
        *listed
    }
    for name in listed:
        assert importlib.import_module(name).__name__ == name
    assert len(listed) == len({*listed}) < 1000


_STRANGERS = {
    "a backport takes `PathFinder.find_distributions` away": """
        from importlib.machinery import PathFinder
        from importlib.metadata import MetadataPathFinder
        del PathFinder.find_distributions
        sys.meta_path.append(MetadataPathFinder())
    """,
    "a finder in front": """
        class Finder:
            def find_spec(self, name, path=None, target=None):
                return None
        sys.meta_path.insert(0, Finder())
    """,
    "a finder in front that asks all others": """
        class Finder:
            def find_spec(self, name, path=None, target=None):
                for finder in sys.meta_path:
                    if finder is not self and hasattr(finder, "find_spec"):
                        spec = finder.find_spec(name, path, target)
                        if spec is not None:
                            return spec
                return None
        sys.meta_path.insert(0, Finder())
    """,
    "the order turned round": "sys.meta_path.reverse()",
    "a path hook for everything": """
        from importlib._bootstrap_external import FileFinder, _get_supported_file_loaders
        sys.path_hooks.insert(0, FileFinder.path_hook(*_get_supported_file_loaders()))
        sys.path_importer_cache.clear()
    """,
    "caches thrown away": """
        import importlib
        importlib.invalidate_caches()
        sys.path_importer_cache.clear()
    """,
    "an import function that counts": """
        import builtins
        plain = builtins.__import__
        def counting(*args, **kwargs):
            counting.calls += 1
            return plain(*args, **kwargs)
        counting.calls = 0
        builtins.__import__ = counting
    """,
    "a loader around every loader": """
        import importlib.abc
        class Around(importlib.abc.Loader):
            def __init__(self, loader):
                self.loader = loader
            def create_module(self, spec):
                return self.loader.create_module(spec)
            def exec_module(self, module):
                self.loader.exec_module(module)
        class Finder:
            def find_spec(self, name, path=None, target=None):
                for finder in sys.meta_path:
                    if finder is not self and hasattr(finder, "find_spec"):
                        spec = finder.find_spec(name, path, target)
                        if spec is not None and type(spec.loader).__name__ == "ViewLoader":
                            spec.loader = Around(spec.loader)
                        if spec is not None:
                            return spec
                return None
        sys.meta_path.insert(0, Finder())
    """,
}


@pytest.mark.parametrize("what", _STRANGERS)
def test_the_hook_survives_what_others_do_to_imports(what: str) -> None:
    import textwrap

    stranger, hook = textwrap.dedent(_STRANGERS[what]), "import treadle_jax; treadle_jax.install()"
    use = """
import importlib, importlib.metadata, importlib.util
import jax, jax.numpy as jnp, jax.scipy.special
from jax._src.numpy import ufuncs
assert importlib.metadata.version("jax") == importlib.metadata.version("jaxlib")
assert "numpy" in {each.name for each in importlib.metadata.distributions() if each.name}
assert jnp.cos(0.0) == 1 and ufuncs.cos is jnp.cos
assert importlib.util.find_spec("jax.no_such") is None
assert importlib.reload(jnp) is jnp and len(vars(jnp)) > 400
try:
    import jax.no_such
except ModuleNotFoundError as error:
    assert "no_such" in str(error)
else:
    raise AssertionError
print(jax.jit(jax.grad(jnp.sin))(0.0))
"""
    again = (
        "\ntreadle_jax.uninstall(); treadle_jax.install()\n"  # now it is in front of the stranger
    )
    assert run("import sys\n" + hook + "\n" + stranger + use + again + use) == "1.0\n1.0\n"
