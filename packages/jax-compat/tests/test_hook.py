from __future__ import annotations

import importlib
import importlib.metadata
import pickle
import subprocess
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import treadle
import treadle_jax
from treadle.errors import ShapeError, UnsupportedError


@pytest.fixture(autouse=True)
def _hook() -> Iterator[None]:
    treadle_jax.install()
    yield
    treadle_jax.uninstall()


def run(script: str) -> str:
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_modules_are_views_with_the_same_objects() -> None:
    import jax
    import jax.numpy as jnp
    from jax.scipy.special import logsumexp

    assert jax.numpy is jnp is sys.modules["jax.numpy"]
    assert jax.jit is treadle.jit
    assert jnp.sin is treadle.numpy.sin
    assert logsumexp is treadle.scipy.special.logsumexp
    assert jax.Array is treadle.Array
    assert isinstance(jnp.ones(2), jax.Array)
    assert jnp.linalg is sys.modules["jax.numpy.linalg"]
    assert jnp.__name__ == "jax.numpy"
    assert "sin" in dir(jnp)
    assert "treadle.numpy" in repr(jnp)


def test_a_function_keeps_its_name_when_a_module_of_that_name_is_imported() -> None:
    package = importlib.import_module("jax.experimental.roofline")
    module = importlib.import_module("jax.experimental.roofline.roofline")
    assert isinstance(module, types.ModuleType)
    assert package.roofline is module.roofline is treadle.experimental.roofline.roofline


def test_versions_are_those_of_jaxlib() -> None:
    import jax

    version = importlib.metadata.version("jaxlib")
    assert jax.__version__ == jax.version.__version__ == version
    assert jax.__version_info__ == tuple(map(int, version.split(".")))
    assert importlib.metadata.version("jax") == version
    assert importlib.metadata.distribution("jax").metadata["Name"] == "jax"
    with pytest.raises(importlib.metadata.PackageNotFoundError):
        importlib.metadata.version("no-such-distribution-of-anyone")


def test_a_missing_name_says_so() -> None:
    import jax

    with pytest.raises(AttributeError, match=r"treadle has no `jax\.no_such_name`"):
        _ = jax.no_such_name  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match=r"treadle has no `jax\.no_such_name`"):
        from jax import no_such_name  # type: ignore[attr-defined]  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match=r"treadle has no `jax\.no_such_module`"):
        importlib.import_module("jax.no_such_module")
    assert not hasattr(jax.numpy, "no_such_name")


def test_a_stand_in_can_be_named_and_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    import jax

    from treadle_jax import wanted

    monkeypatch.setitem(wanted.USERS, "jax.experimental.not_there.Thing", "somebody")
    from jax.experimental.not_there import Thing

    assert not isinstance(jax.numpy.ones(2), Thing)
    with pytest.raises(UnsupportedError, match="somebody imports it"):
        Thing(1, x=2)


def test_the_real_jax_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    treadle_jax.uninstall()
    real = types.ModuleType("jax")
    real.__file__ = "/somewhere/jax/__init__.py"
    monkeypatch.setitem(sys.modules, "jax", real)
    with pytest.raises(UnsupportedError, match="has been imported already, from /somewhere"):
        treadle_jax.install()
    assert not treadle_jax.installed()


def test_it_can_be_taken_out() -> None:
    import jax  # noqa: F401
    import jax.numpy as jnp

    treadle_jax.uninstall()
    treadle_jax.uninstall()
    assert not [name for name in sys.modules if name == "jax" or name.startswith("jax.")]
    assert float(jnp.sin(0.0)) == 0.0  # what was imported before still works
    treadle_jax.install()
    treadle_jax.install()
    import jax as again

    assert again.jit is treadle.jit


def test_jaxlib_finds_what_it_asks_for() -> None:
    script = """
import treadle_jax; treadle_jax.install()
import numpy as np, jax, jax.numpy as jnp
x = jax.device_put(np.arange(6.0, dtype=np.float32).reshape(2, 3))
assert jax.dlpack.from_dlpack(np.ones(3, np.float32)).shape == (3,)
assert x.addressable_shards[0].data.shape == (2, 3)
assert np.allclose(jax.jit(jnp.linalg.inv)(jnp.eye(2)), np.eye(2))
jax.pure_callback(np.sin, jax.ShapeDtypeStruct((), np.float32), 1.0)
print(jax.jit(lambda x: (x @ x.T).sum())(x))
"""
    assert run(script).strip() == "83.0"


def test_objects_are_pickled_by_treadles_names() -> None:
    script = """
import pickle, treadle_jax; treadle_jax.install()
import jax, jax.numpy as jnp
for each in (jnp.sin, jax.nn.relu, jax.nn.softmax, jnp.matmul):
    assert pickle.loads(pickle.dumps(each)) is each
assert (pickle.loads(pickle.dumps({"w": jnp.arange(3)}))["w"] == jnp.arange(3)).all()
structure = jax.tree.structure({"a": (1, 2)})
assert pickle.loads(pickle.dumps(structure)) == structure
"""
    run(script)


@pytest.mark.parametrize("module", ["flatten_util", "core", "tree_util", "extend.core", "numpy"])
def test_a_star_imports_the_public_names(module: str) -> None:
    # Views look names up when they are asked for; without an `__all__` a star would bind the names looked up before.
    lines = [
        "import sys, treadle_jax; treadle_jax.install()",
        f"from jax.{module} import *",
        f"view = sys.modules['jax.{module}']",
        "assert len(view.__all__) > 2 or view.__name__ == 'jax.flatten_util'",
        "assert not [name for name in view.__all__ if globals()[name] is not getattr(view, name)]",
        "assert not {'annotations', 'treadle', 'tnp', 'treadle_numpy'} & ({*globals()} | {*dir(view)})",
    ]
    run("\n".join(lines))


def test_modules_that_the_one_behind_imports_are_no_attributes() -> None:
    import jax

    assert hasattr(importlib.import_module("treadle.flatten_util"), "tnp")
    assert not hasattr(importlib.import_module("jax.flatten_util"), "tnp")
    assert jax.numpy.linalg.inv is treadle.numpy.linalg.inv


def test_reshape_leaves_numpys_arrays_to_numpy() -> None:
    import jax
    import jax.numpy as jnp

    x = np.arange(6.0)
    results: list[object] = [jnp.reshape(x, (2, 3)), jnp.reshape(x, shape=-1, order="F")]
    for made in results:
        assert isinstance(made, np.ndarray)
        assert made.dtype == np.float64
    assert isinstance(jnp.reshape(jnp.asarray(x), (2, 3)), jax.Array)
    assert isinstance(jnp.reshape(1.0, (1,)), jax.Array)
    assert isinstance(jnp.ravel(x), jax.Array)
    with pytest.raises(ShapeError, match="cannot reshape array of shape"):
        jnp.reshape(x, (4, 3))

    @jax.jit
    def total(y: jax.Array) -> jax.Array:
        kept = jnp.reshape(x, (2, 3))
        return y if (kept > 0).all() else y + jnp.sum(kept)

    assert total(jnp.float32(1)) == 16


def test_arrays_and_tracers_say_that_they_come_from_jax() -> None:
    seen: list[str] = []

    def look(x: treadle.Array) -> treadle.Array:
        seen.append(type(x).__module__.split(".")[0])
        return x

    def everywhere() -> list[str]:
        seen.clear()
        look(treadle.numpy.ones(()))
        for transform in (treadle.jit, treadle.grad, treadle.vmap, treadle.jacfwd):
            x = treadle.numpy.ones(2 if transform is treadle.vmap else ())
            transform(look)(x)
        return seen

    assert set(everywhere()) == {"jax"}
    treadle_jax.uninstall()
    assert all(each.startswith("treadle") for each in everywhere())


def test_classes_of_tracers_defined_later_come_from_jax_too() -> None:
    script = """
import treadle_jax; treadle_jax.install()
import sys, jax
assert "treadle_batching" not in sys.modules
jax.vmap(lambda x: print(type(x).__module__) or x)(jax.numpy.ones(1))
treadle_jax.uninstall()
import treadle
treadle.vmap(lambda x: print(type(x).__module__) or x)(treadle.numpy.ones(1))
"""
    assert run(script).split() == ["jax.core", "treadle_batching.batch"]


def test_classes_of_arrays_are_pickled() -> None:
    import jax

    for cls in (jax.Array, type(jax.numpy.ones(1))):
        assert pickle.loads(pickle.dumps(cls)) is cls


def test_arrays_over_several_devices() -> None:
    script = """
import os
os.environ["TREADLE_NUM_CPU_DEVICES"] = "4"
import treadle_jax
treadle_jax.install()
import jax, jax.numpy as jnp, numpy as np
from jax._src.sharding_impls import canonicalize_sharding
from jax.sharding import NamedSharding, PartitionSpec as P, SingleDeviceSharding
mesh = jax.make_mesh((4,), ("i",))
x = jax.device_put(jnp.arange(8.0), NamedSharding(mesh, P("i")))
print(x + 1)
print([part.data.tolist() for part in x.addressable_shards])
print({type(part.data.sharding) is SingleDeviceSharding for part in x.addressable_shards})
total = jax.shard_map(lambda y: jax.lax.psum(y.sum(), "i"), mesh=mesh, in_specs=P("i"), out_specs=P())
print(jax.jit(total)(x), np.from_dlpack(x.addressable_shards[1].data).tolist())
print(jax.device_put(x, jax.devices()[2]).devices(), SingleDeviceSharding(jax.devices()[1]).device_set)
"""
    assert run(script).splitlines() == [
        "[1. 2. 3. 4. 5. 6. 7. 8.]",
        "[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]",
        "{True}",
        "28.0 [2.0, 3.0]",
        "{CpuDevice(id=2)} {CpuDevice(id=1)}",
    ]


def test_a_function_of_the_name_find_spec_is_not_that_of_importlib() -> None:
    from treadle_jax import finder

    def inner() -> bool:
        return finder._only_asked()

    def find_spec() -> bool:
        return inner()

    assert not find_spec()


def test_a_module_that_lacks_another_one_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    jax: Any = importlib.import_module("jax")

    def fail(name: str) -> types.ModuleType:
        raise ModuleNotFoundError("No module named 'other'", name="other")

    with pytest.raises(AttributeError, match=r"jax\.no_such"):
        _ = jax.no_such
    monkeypatch.setattr("treadle_jax.view.importlib.import_module", fail)
    with pytest.raises(ModuleNotFoundError, match="No module named 'other'"):
        _ = jax.no_other


def test_names_between_underscores_are_no_modules() -> None:
    jax: Any = importlib.import_module("jax")

    with pytest.raises(AttributeError, match=r"^module 'jax' has no attribute '__no_such__'"):
        _ = jax.__no_such__
