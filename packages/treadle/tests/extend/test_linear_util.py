from __future__ import annotations

import gc
import weakref
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

import treadle
from treadle.api_util import argnums_partial, debug_info, flatten_fun, flatten_fun_nokwargs
from treadle.errors import ArgumentError
from treadle.extend import linear_util as lu
from treadle.extend.source_info_util import register_exclusion
from treadle_ir.errors import source


def test_a_transformation_by_a_generator() -> None:
    @lu.transformation
    def shifted(by: int, *args: Any) -> Generator[Any, Any, None]:
        results = yield [x + by for x in args], {}
        yield [x * 2 for x in results]

    fun = shifted(lu.wrap_init(lambda x, y: [x, y]), 10)
    assert fun.call_wrapped(1, 2) == [22, 24]


def test_a_generator_is_left_where_the_function_raises() -> None:
    left = []

    @lu.transformation
    def entering(*args: Any) -> Generator[Any, Any, None]:
        try:
            yield (yield args, {})
        finally:
            left.append(True)

    with pytest.raises(ZeroDivisionError) as caught:
        entering(lu.wrap_init(lambda x: x / 0)).call_wrapped(1)
    assert left == [True]
    assert caught.value.__traceback__ is not None  # it holds the frames, and so the generator


def test_a_transformation_that_says_more() -> None:
    @lu.transformation_with_aux
    def counted(*args: Any) -> Generator[Any, Any, None]:
        results = yield args, {}
        yield results, len(args)

    fun, count = counted(lu.wrap_init(lambda x, y: x + y))
    with pytest.raises(lu.StoreException, match="not run yet"):
        count()
    assert fun.call_wrapped(1, 2) == 3
    assert count() == 2
    other, unused = counted(lu.wrap_init(max))
    assert lu.merge_linear_aux(unused, count) == (False, 2)
    assert lu.merge_linear_aux(count, unused) == (True, 2)
    assert other.__name__ == "max"


def test_a_transformation_by_a_function() -> None:
    fun = lu.transformation2(lambda f, by, *xs: f(*xs) + by, lu.wrap_init(lambda x: x), 5)
    assert fun.call_wrapped(1) == 6
    assert lu.wrap_init(lambda x, by: x + by, {"by": 3}).call_wrapped(1) == 4
    with pytest.raises(ArgumentError, match="wrap_init"):
        lu.wrap_init(3)  # type: ignore[arg-type]


def test_functions_of_trees_as_functions_of_leaves() -> None:
    structure = treadle.tree.structure(((1, (2, 3)), {"scale": 4}))
    flat, out_tree = flatten_fun(
        lu.wrap_init(lambda x, y, scale: (x, {"s": scale * sum(y)})), structure
    )
    assert flat.call_wrapped(1, 2, 3, 4) == [1, 20]
    assert out_tree() == treadle.tree.structure((0, {"s": 0}))
    plain, out_tree = flatten_fun_nokwargs(lu.wrap_init(max), treadle.tree.structure((1, 2)))
    assert plain.call_wrapped(3, 4) == [4]
    assert out_tree() == treadle.tree.structure(0)


def test_some_of_the_arguments() -> None:
    fun, dynamic = argnums_partial(lu.wrap_init(lambda x, y, z: (x, y, z)), (0, -1), (1, 2, 3))
    assert dynamic == (1, 3)
    assert fun.call_wrapped(7, 8) == (7, 2, 8)


def test_names_for_messages() -> None:
    def scaled(x: float, factor: float) -> float:
        return x * factor

    found = debug_info("jit", scaled, (1.0, 2.0), {})
    assert found.arg_names == ("x", "factor")
    assert found.func_src_info.startswith("scaled at ")
    with pytest.raises(ArgumentError, match="register_exclusion"):
        register_exclusion(3)  # type: ignore[arg-type]


@lu.transformation_with_aux2
def _said(f: Any, store: Any, by: int, *args: Any) -> Any:
    store.store(("said", by))
    return f(*args) + by


def test_a_cache_of_wrapped_functions() -> None:
    runs: list[Any] = []

    @lu.cache
    def call(fun: lu.WrappedFun, x: int) -> Any:
        runs.append(x)
        return fun.call_wrapped(x)

    def f(x: int) -> int:
        return 10 * x

    def asked(by: int, x: int) -> tuple[Any, Any]:
        fun, said = _said(lu.wrap_init(f), by)
        return call(fun, x), said()

    assert [asked(5, 1), asked(5, 1)] == [(15, ("said", 5))] * 2
    assert runs == [1]
    assert asked(6, 1) == (16, ("said", 6))
    assert asked(5, 2) == (25, ("said", 5))
    assert runs == [1, 1, 2]
    with treadle.enable_x64(True):
        asked(5, 1)
    assert len(runs) == 4
    for number, forget in enumerate(
        (call.cache_clear, lambda: call.evict_function(f), treadle.clear_caches), start=5
    ):
        forget()
        assert asked(5, 1) == (15, ("said", 5))
        assert len(runs) == number
    with pytest.raises(ArgumentError, match="cache"):
        lu.cache(3)  # type: ignore[arg-type]


def test_a_cache_lets_functions_go() -> None:
    call = lu.cache(lambda fun, x: fun.call_wrapped(x))

    def made() -> weakref.ref[Any]:
        def f(x: int) -> int:
            return x

        assert call(lu.wrap_init(f), 3) == 3
        return weakref.ref(f)

    gone = made()
    gc.collect()
    assert gone() is None


def test_files_and_folders_are_left_out_of_tracebacks(tmp_path: Path) -> None:
    folder = tmp_path / "library"
    register_exclusion(str(folder))
    register_exclusion(str(tmp_path / "tools.py"))
    assert source.is_internal(str(folder / "layers" / "dense.py"))
    assert source.is_internal(str(tmp_path / "tools.py"))
    assert not source.is_internal(str(tmp_path / "library.py"))
    assert not source.is_internal(str(tmp_path / "train.py"))
    known = len(source._INTERNAL)
    register_exclusion(str(tmp_path / "tools.py"))  # a module that is loaded again
    assert len(source._INTERNAL) == known


def test_arguments_that_stay_fixed_have_a_hash_unless_told() -> None:
    f = lu.wrap_init(lambda x, y: x)
    with pytest.raises(ArgumentError, match="argument 1 stays fixed and has no hash"):
        argnums_partial(f, 0, (1, [2]))
    fixed, given = argnums_partial(f, 0, (1, [2]), require_static_args_hashable=False)
    assert (fixed.call_wrapped(7), given) == (7, (1,))
