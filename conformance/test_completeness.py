"""No primitive is missing a rule that is not declared absent, and none is untried."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any, Final

import pytest

import treadle_ir.primitives
from conformance.cases import is_differentiable, is_finite
from conformance.variants import kind_of_shape, variants
from treadle_autodiff import jvp_rules, linearize_rules
from treadle_batching import batch_rules
from treadle_compiler import lowering_rules
from treadle_ir import FunctionCall, Primitive, RuleTable, eval_rules
from treadle_ir.core import is_family
from treadle_ir.primitives.call import CustomVjpLinear
from treadle_ir.primitives.collective import Collective
from treadle_ir.primitives.foreign import NativeCall
from treadle_ir.primitives.shard_map import ShardMap
from treadle_ir.testing.examples import all_examples

pytestmark = pytest.mark.programs


def _primitives() -> Iterator[type[Primitive]]:
    # Not by `__subclasses__`: a dataclass with slots leaves a second, unused class behind.
    package = treadle_ir.primitives
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(info.name)
        for member in vars(module).values():
            if not isinstance(member, type) or member.__module__ != module.__name__:
                continue
            if issubclass(member, Primitive) and not is_family(member):
                yield member


PRIMITIVES = sorted(_primitives(), key=lambda cls: cls.name)
# Operations whose bodies are still Python: they are run or staged, never evaluated or lowered as they are.
RECORDED = [cls for cls in PRIMITIVES if not issubclass(cls, FunctionCall)]


# What cannot be tried alone, and where it is tried instead.
WITHOUT_EXAMPLE: dict[type[Primitive], str] = {
    Collective: "needs a mapped axis: packages/batching/tests/test_vmap.py",
    ShardMap: "needs devices: conformance/sharding/maps.py",
    NativeCall: "needs XLA's buffers: packages/treadle/tests/test_ffi.py, and experimental/test_buffer_callback.py",
    CustomVjpLinear: "stands in tapes only, to be transposed: packages/autodiff/tests/test_custom.py",
}


def _check(table: RuleTable[Any], cls: type[Primitive]) -> None:
    assert table.status(cls) != "missing", str(table.missing(cls))


@pytest.mark.parametrize("cls", RECORDED, ids=lambda cls: cls.name)
def test_has_a_kernel(cls: type[Primitive]) -> None:
    _check(eval_rules, cls)


@pytest.mark.parametrize("cls", PRIMITIVES, ids=lambda cls: cls.name)
def test_has_a_derivative(cls: type[Primitive]) -> None:
    """A jvp rule or one's absence explained; a linearize rule will do for what is differentiated in reverse only."""
    if linearize_rules.status(cls) in ("rule", "family"):
        return
    _check(jvp_rules, cls)


@pytest.mark.parametrize("cls", PRIMITIVES, ids=lambda cls: cls.name)
def test_has_a_batch_rule(cls: type[Primitive]) -> None:
    _check(batch_rules, cls)


@pytest.mark.xla
@pytest.mark.parametrize("cls", RECORDED, ids=lambda cls: cls.name)
def test_has_a_lowering(cls: type[Primitive]) -> None:
    _check(lowering_rules, cls)


@pytest.mark.parametrize("cls", RECORDED, ids=lambda cls: cls.name)
def test_has_an_example(cls: type[Primitive]) -> None:
    if any(issubclass(cls, untried) for untried in WITHOUT_EXAMPLE):
        return
    assert cls in {type(example.primitive) for example in all_examples()}, (
        f"{cls.name} has no example: list some in treadle_ir/testing/examples/{cls.__module__.rpartition('.')[2]}.py"
    )


@pytest.mark.parametrize("cls", WITHOUT_EXAMPLE, ids=lambda cls: cls.__name__)
def test_what_has_no_example_cannot_be_evaluated(cls: type[Primitive]) -> None:
    assert eval_rules.why_absent(cls) is not None


@pytest.mark.parametrize("cls", RECORDED, ids=lambda cls: cls.name)
def test_a_reverse_derivative_is_tried_where_all_is_finite(cls: type[Primitive]) -> None:
    """The transpose law skips examples with NaN or infinity, so each primitive needs one without."""
    own = [each for each in all_examples() if type(each.primitive) is cls]
    law = [each for each in own if each.reversible and is_differentiable(each)]
    assert not law or any(is_finite(each) for each in law)


# What has an axis in any case: operands, results, or what it counts along.
NEVER_RANK_0: Final = {
    "argmax",
    "argmin",
    "cholesky",
    "concatenate",
    "convolution",
    "cumulative_add",
    "cumulative_logsumexp",
    "cumulative_maximum",
    "cumulative_minimum",
    "cumulative_multiply",
    "eig",
    "eigh",
    "hessenberg",
    "householder_multiply",
    "householder_product",
    "fft",
    "iota",
    "lu",
    "lu_pivots_to_permutation",
    "qr",
    "qr_reflections",
    "random_bits",
    "random_fold_in",
    "random_split",
    "random_unwrap",
    "random_wrap",
    "schur",
    "sort",
    "svd",
    "top_k",
    "triangular_solve",
    "tridiagonal",
    "tridiagonal_solve",
}
# It takes nothing, and gives a number.
ALWAYS_RANK_0: Final = {"dimension_size"}
# Python functions that declare what they take.
DECLARED: Final = {"debug_callback", "io_callback", "pure_callback"}


@pytest.mark.parametrize("cls", RECORDED, ids=lambda cls: cls.name)
def test_is_tried_without_elements_and_at_rank_0(cls: type[Primitive]) -> None:
    """In every element type of floats and integers that it takes: see `variants`."""
    if any(issubclass(cls, untried) for untried in WITHOUT_EXAMPLE):
        return
    wanted = {"ordinary", "rank 0", "empty"} - ({"rank 0"} if cls.name in NEVER_RANK_0 else set())
    if cls.name in ALWAYS_RANK_0:
        wanted = {"rank 0"}
    tried: dict[str, set[str]] = {}
    for (own, name), members in variants().items():
        if own is cls:
            tried[name] = {
                kind_of_shape(each.types, each.primitive.infer(*each.types)) for each in members
            }
    if cls.name in DECLARED:
        assert tried
        return
    if cls.programs is not Primitive.programs:  # what is in a program decides which types it takes
        tried = {"any type": set().union(*tried.values())}
    missing = {name: wanted - kinds for name, kinds in tried.items() if wanted - kinds}
    assert not missing, f"{cls.name}: {missing}"


def test_names_are_unique() -> None:
    names = [cls.name for cls in PRIMITIVES]
    assert sorted(set(names)) == sorted(names)


def test_examples_have_distinct_names() -> None:
    ids = [example.id for example in all_examples()]
    assert sorted(set(ids)) == sorted(ids)
