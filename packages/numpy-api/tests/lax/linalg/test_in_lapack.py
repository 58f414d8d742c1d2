"""Counterparts in LAPACK give what the operations of the functions give, up to rounding, and leave the rest to them."""

import numpy as np
import pytest

from treadle_ir import ArrayType
from treadle_ir.calling import host_functions
from treadle_ir.errors import module_or_none
from treadle_ir.settings import X64
from treadle_numpy import numpy as tnp, scipy as tsp
from treadle_numpy.lax.linalg import in_lapack

TYPES = "fdFD"
# Of each counterpart the functions that have it, and the kinds of its operands.
TABLE = {
    "det": ([tnp.linalg.det, tsp.linalg.det], "a"),
    "eigvalsh": ([tnp.linalg.eigvalsh], "a"),
    "expm": ([tsp.linalg.expm], "a"),
    "hessenberg": ([tsp.linalg.hessenberg], "a"),
    "inv": ([tnp.linalg.inv, tsp.linalg.inv], "a"),
    "lu": ([tsp.linalg.lu], "r"),
    "lu_factor": ([tsp.linalg.lu_factor], "r"),
    "slogdet": ([tnp.linalg.slogdet], "a"),
    "solve": ([tnp.linalg.solve, tsp.linalg.solve], "ar"),
    "sqrtm": ([tsp.linalg.sqrtm], "a"),
}


def matrix(m, n, letter, seed=0):
    """A random matrix, far from singular if it is square."""
    drawn = np.random.default_rng([m, n, seed])
    x = drawn.standard_normal((m, n))
    if letter in "FD":
        x = x + 1j * drawn.standard_normal((m, n))
    return (x / n**0.5 + 2 * np.eye(m, n)).astype(letter)


def made(name, *operands):
    """The counterpart for operands like these."""
    with X64.override(True):
        return getattr(in_lapack, name)([ArrayType(x.shape, x.dtype) for x in operands])


def found(name, *operands):
    """Return the results of the counterpart, without NumPy's warnings."""
    with np.errstate(all="ignore"):
        return made(name, *operands)(*operands)


def operations(function, *operands):
    """Return the results of the operations, applied one by one."""
    with X64.override(True):
        results = function.__wrapped__(*operands)
    return results if isinstance(results, tuple) else (results,)


def check(function, name, *operands):
    """Compare a counterpart with the operations."""
    exact = np.finfo(operands[0].dtype).eps
    for one, other in zip(found(name, *operands), operations(function, *operands), strict=True):
        expected = np.asarray(other)
        assert (one.shape, one.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_allclose(one, expected, rtol=1e3 * exact, atol=1e3 * exact)


@pytest.mark.parametrize("letter", TYPES)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 40])
@pytest.mark.parametrize("name", TABLE)
def test_each_gives_what_the_operations_give(name, n, letter):
    functions, kinds = TABLE[name]
    operands = [matrix(n, n if kind == "a" else 3, letter, seed) for seed, kind in enumerate(kinds)]
    if made(name, *operands) is None:
        assert (name, n) == ("hessenberg", 1) or (
            name.startswith("expm") and (letter in "dD" or n > 16)
        )
        return
    for function in functions:
        check(function, name, *operands)


@pytest.mark.parametrize("letter", TYPES)
@pytest.mark.parametrize(("m", "n"), [(1, 1), (6, 3), (5, 5), (3, 6)])
def test_least_squares(m, n, letter):
    a = matrix(m, n, letter)
    for b in (matrix(m, 2, letter, 1), matrix(m, 1, letter, 1)[:, 0]):
        check(tnp.linalg.lstsq, "lstsq", a, b)
    lower = a[:, :1] * np.ones(n, letter)  # of rank 1
    check(tnp.linalg.lstsq, "lstsq", lower, b)


def test_least_squares_that_the_operations_have_to_find():
    a, b = matrix(4, 3, "f"), np.ones(4, "f")
    assert found("lstsq", np.zeros_like(a), b) is None
    assert found("lstsq", np.full_like(a, np.nan), b) is None
    assert made("lstsq", a, b.astype("d")) is None
    assert made("lstsq", a, b[:, None][:, :0]) is None
    assert made("lstsq", np.zeros((0, 3), "f"), b[:0]) is None


@pytest.mark.parametrize("letter", TYPES)
@pytest.mark.parametrize("n", [1, 5, 40])
def test_factors_solve_systems(n, letter):
    a, b = matrix(n, n, letter), matrix(n, 3, letter, 1)
    factors, pivots = found("lu_factor", a)
    (x,) = operations(tsp.linalg.lu_solve, (factors, pivots), b)
    np.testing.assert_allclose(a @ np.asarray(x), b, atol=1e3 * np.finfo(letter).eps)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("letter", TYPES)
def test_determinants_of_few_whole_numbers_are_whole(n, letter):
    a = np.random.default_rng(n).integers(-9, 10, (n, n)).astype(letter)
    (value,) = found("det", a)
    assert value.dtype == letter
    assert value == np.round(np.linalg.det(a.astype("D")))


def test_signs_of_permutations_are_those_of_determinants():
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(7)
        a = np.eye(7, dtype=np.float64)[order] * 2
        (value,) = found("det", a)
        assert value == np.round(np.linalg.det(a))


@pytest.mark.parametrize("letter", TYPES)
def test_determinants_by_one_routine_are_those_of_the_factors(letter, monkeypatch):
    matrices = [matrix(n, n, letter, seed) for n in (4, 7, 40) for seed in range(5)]
    infinite, singular = matrix(4, 4, letter), -np.eye(4, dtype=letter)
    infinite[0, 0], singular[2, 2] = np.inf, 0
    matrices += [infinite, singular, np.zeros((5, 5), letter), np.full((4, 4), np.nan, letter)]
    by_one = [found("det", a)[0] for a in matrices]

    def without_cython(*names):
        return module_or_none(*[name for name in names if "cython" not in name])

    monkeypatch.setattr(in_lapack, "module_or_none", without_cython)
    for a, one in zip(matrices, by_one, strict=True):
        expected = found("det", a)[0]
        np.testing.assert_array_equal(one, expected, strict=True)
        np.testing.assert_array_equal(np.signbit(one.real), np.signbit(expected.real))


@pytest.mark.parametrize("name", ["inv", "solve", "slogdet"])
def test_singular_matrices_are_left_to_the_operations(name):
    operands = [np.zeros((4, 4)), np.ones((4, 1))]
    assert found(name, *operands[: len(TABLE[name][1])]) is None


def test_a_singular_matrix_without_a_root_is_left_to_the_operations():
    assert found("sqrtm", np.eye(3, k=1)) is None


@pytest.mark.parametrize("name", ["eigvalsh", "slogdet", "solve", "inv", "sqrtm"])
@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_what_is_not_finite_is_left_to_the_operations(name, number):
    a = np.full((4, 4), number)
    operands = [a, np.ones((4, 1))]
    assert found(name, *operands[: len(TABLE[name][1])]) is None


@pytest.mark.parametrize("letter", "fF")
@pytest.mark.parametrize("size", [1e-20, 1e-3, 0.3, 3, 10])
def test_exponentials_of_any_norm(size, letter):
    a = size * matrix(4, 4, letter).astype(letter)
    wide = np.result_type(letter, np.float64)
    (expected,) = operations(tsp.linalg.expm, a.astype(wide))
    (one,) = found("expm", a)
    assert one.base is None
    exact = 50 * (1 + size) * np.finfo(letter).eps * abs(np.asarray(expected)).max()
    np.testing.assert_allclose(one, expected, rtol=0, atol=exact)


@pytest.mark.parametrize("number", [np.nan, np.inf, 1e4])
def test_exponentials_that_are_not_finite_are_left_to_the_operations(number):
    a = np.full((3, 3), number, np.float32)
    assert found("expm", a) is None


def test_only_square_matrices_have_exponentials():
    wide = np.ones((2, 3), np.float32)
    assert made("expm", wide) is None


def test_only_the_hermitian_part_counts():
    a = matrix(6, 6, "D")
    expected = np.linalg.eigvalsh((a + a.T.conj()) / 2)
    np.testing.assert_allclose(found("eigvalsh", a)[0], expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", TABLE)
def test_types_that_are_not_served_have_no_counterpart(name):
    operands = [np.ones((3, 3)), np.ones((3, 1))][: len(TABLE[name][1])]
    assert made(name, *operands) is None or name != "hessenberg" or operands[0].shape[0] > 1
    for changed in (
        [x.astype(np.int32) for x in operands],
        [x.astype(np.float16) for x in operands],
        [np.stack([x, x]) for x in operands],
        [x[:0] for x in operands],
    ):
        assert made(name, *changed) is None


@pytest.mark.parametrize("name", TABLE)
def test_which_serve_any_size(name):
    kinds = TABLE[name][1]
    large = [np.broadcast_to(np.float32(1), (200, 200 if kind == "a" else 150)) for kind in kinds]
    serves = made(name, *large) is not None
    assert serves == (name in {"eigvalsh", "lu_factor", "sqrtm"})


def test_operands_of_two_types_have_no_counterpart():
    assert made("solve", np.ones((3, 3)), np.ones((3, 1), np.float32)) is None
    assert made("solve", np.ones((3, 3)), np.ones(3)) is None


def test_without_the_libraries_there_are_no_counterparts(monkeypatch):
    monkeypatch.setattr(in_lapack, "module_or_none", lambda *names: None)
    for name, (_, kinds) in TABLE.items():
        assert made(name, *[np.ones((5, 5)) for _ in kinds]) is None


def test_the_functions_have_them():
    for name, (functions, _) in TABLE.items():
        for function in functions:
            assert host_functions[function.__wrapped__] is getattr(in_lapack, name)
