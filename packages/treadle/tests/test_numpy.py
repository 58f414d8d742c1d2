"""The NumPy-shaped API against results recorded from JAX 0.10.2: values, element types, shapes and weak marks.

`numpy_cases.json` maps an expression over the arrays below to its result; `!!` stands for an error.
"""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as jnp
from treadle import ShapeDtypeStruct, lax, nn, random as r
from treadle.errors import ArgumentError
from treadle.scipy import special as sp

CASES: dict[str, Any] = json.loads(Path(__file__).with_name("numpy_cases.json").read_text())
NAMES: dict[str, Any] = {
    "jnp": jnp,
    "lax": lax,
    "nn": nn,
    "r": r,
    "sp": sp,
    "np": np,
    "x": jnp.arange(6.0).reshape(2, 3),
    "v": jnp.array([3.0, 1.0, 2.0]),
    "i": jnp.arange(3),
    "k": r.PRNGKey(3),
    "ii": jnp.array([[0, 1], [2, 0]]),
    "big": jnp.arange(24).reshape(2, 3, 4),
    "nanv": jnp.array([1.0, jnp.nan, 3.0]),
    "lg": jnp.log(jnp.array([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])),
    "b8": jnp.array([100, 100], jnp.int8),
    "m": jnp.array([True, False, True]),
    "z": jnp.array([1 + 2j, 3 - 1j]),
    "s": jnp.array([-2.0, -0.5, 0.0, 0.5, 2.0]),
    "img": jnp.arange(32.0).reshape(1, 2, 4, 4),
    "ker": jnp.arange(36.0).reshape(2, 2, 3, 3),
}


def check(result: Any, expected: Any) -> None:
    """Compare a result with its record: [element type, weak, shape, elements], or nested."""
    if isinstance(expected, list) and len(expected) == 4 and isinstance(expected[1], bool):
        dtype, weak, shape, elements = expected
        assert str(result.dtype) == dtype
        assert list(result.shape) == shape
        if dtype != "bool" and hasattr(result, "weak_type"):
            assert bool(result.weak_type) == weak
        found = np.asarray(getattr(result, "words", result))
        if found.dtype.kind == "c":
            np.testing.assert_allclose([found.real, found.imag], elements, rtol=3e-5, atol=1e-6)
        else:
            np.testing.assert_allclose(
                found.astype(float), np.array(elements, float), rtol=3e-5, atol=1e-6
            )
    elif isinstance(expected, list):
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            check(one, other)
    else:
        assert repr(result) == expected


@pytest.mark.parametrize("expression", CASES)
def test_as_recorded(expression: str) -> None:
    expected = CASES[expression]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if expected == "!!":
            with pytest.raises((TypeError, ValueError, IndexError)):
                eval(expression, dict(NAMES))
        else:
            check(eval(expression, dict(NAMES)), expected)


def test_names_that_only_numpy_has_are_said_to_be_missing() -> None:
    with pytest.raises(AttributeError, match="'busday_count', which numpy has and treadle lacks"):
        jnp.busday_count  # type: ignore[attr-defined]  # noqa: B018 - the look-up is what is tested


@pytest.mark.parametrize(
    ("module", "misspelt", "meant"),
    [
        (jnp, "sinn", "sin"),
        (jnp.linalg, "nrom", "norm"),
        (lax, "dot_genral", "dot_general"),
        (nn, "sofmax", "softmax"),
        (r, "unifrom", "uniform"),
        (sp, "logsumxep", "logsumexp"),
    ],
)
def test_misspelt_names_are_told_the_likely_one(module: Any, misspelt: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{misspelt}'; did you mean '{meant}'"):
        getattr(module, misspelt)


def test_names_that_jax_has_are_said_to_be_missing() -> None:
    with pytest.raises(AttributeError, match="which jax has and treadle lacks"):
        lax.dce_sink  # type: ignore[attr-defined]  # noqa: B018 - the look-up is what is tested


def test_public_modules_show_public_names_only() -> None:
    import treadle.scipy  # noqa: PLC0415

    for module in (jnp, jnp.linalg, lax, nn, r, sp, treadle.scipy):
        assert dir(module) == sorted(module.__all__)
        assert not {"np", "ops", "coerce", "annotations", "TYPE_CHECKING"} & {*dir(module)}
        for name in dir(module):
            assert getattr(module, name) is not None or name == "newaxis"


def test_submodules_are_imported_by_statements() -> None:
    import treadle.numpy.linalg  # noqa: PLC0415
    from treadle.numpy.linalg import norm  # noqa: PLC0415

    assert norm is jnp.linalg.norm
    assert treadle.numpy.linalg is jnp.linalg


def test_keys_are_close_where_they_are_equal() -> None:
    key, other = r.key(0), r.key(1)
    assert jnp.allclose(key, r.key(0))
    assert not jnp.allclose(key, other)
    assert jnp.isclose(jnp.stack([key, other]), key).tolist() == [True, False]


def test_operators_take_what_converts_itself() -> None:
    class Holder:
        def __jax_array__(self) -> Any:
            return jnp.arange(2.0)

        def __radd__(self, other: object) -> str:
            return "reflected"

    found: Any = jnp.ones(2) + Holder()
    np.testing.assert_array_equal(found, [1, 2])


def test_the_shape_of_what_stands_for_an_array() -> None:
    struct: Any = ShapeDtypeStruct((2, 3), np.float32)
    assert (jnp.shape(struct), jnp.ndim(struct), jnp.size(struct)) == ((2, 3), 2, 6)
    with pytest.raises(ArgumentError):
        jnp.shape(ShapeDtypeStruct)  # type: ignore[arg-type]


def test_einsum_takes_digits_for_letters() -> None:
    x, y = np.arange(6.0).reshape(2, 3), np.arange(12.0).reshape(3, 4)
    np.testing.assert_allclose(jnp.einsum("a1,1b->ab", x, y), x @ y)
    with pytest.raises(ArgumentError, match="letters or digits"):
        jnp.einsum("a$,$b->ab", x, y)


def test_arrays_like_an_object_that_converts_itself_are_on_its_device() -> None:
    device = treadle.devices()[-1]
    x = treadle.device_put(jnp.ones((2, 3)), device)

    class Holder:
        shape, dtype = (2, 3), np.dtype("float32")

        def __jax_array__(self) -> Any:
            return x

    holder: Any = Holder()
    for found in (jnp.zeros_like(holder), jnp.ones_like(holder), jnp.full_like(holder, 3)):
        assert found.committed
        assert found.sharding == x.sharding
        assert found.shape == (2, 3)


def test_a_batch_of_vectors_of_shifts() -> None:
    x, shifts = np.arange(6).reshape(2, 3), np.array([[1, 2], [0, -1]], np.int32)
    found = treadle.vmap(lambda s: treadle.numpy.roll(x, s, (0, 1)))(shifts)
    np.testing.assert_array_equal(found, np.stack([np.roll(x, s, (0, 1)) for s in shifts]))


def test_sorted_vectors_have_one_axis() -> None:
    with pytest.raises(ArgumentError, match="a should be 1-dimensional"):
        jnp.searchsorted(np.ones((2, 2)), 1.0)
