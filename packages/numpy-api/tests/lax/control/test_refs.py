"""References in loops and branches: eagerly, staged, differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import grad, jacfwd, jacrev
from treadle_ir import ArgumentError, ArrayType, interpret, stage
from treadle_ir.errors import EscapedTracerError
from treadle_ir.refs import Ref, new_ref, ref_addupdate, ref_set
from treadle_numpy import lax

F32 = ArrayType((), np.dtype("f4"))
written: Any = (
    ref_set  # for lambdas: it returns nothing, which mypy does not accept as an expression
)
X = np.arange(3, dtype=np.float32)


def product_by_ref(x: Any) -> Any:
    ref = new_ref(x)
    ref[...] = ref[...] * x
    ref[...] *= x
    return ref[...]


def sum_of_squares(x: Any) -> Any:
    total = new_ref(np.float32(0))

    def body(count: Any, element: Any) -> Any:
        total[...] += element * element
        return count + 1, total[...]

    count, sums = lax.scan(body, 0, x)
    return total[...], sums, count


class TestInside:
    def test_made_inside(self, staged: Any) -> None:
        assert staged(product_by_ref, np.float32(2)) == 8.0
        for derivative in (grad, jacfwd, jacrev):
            assert derivative(product_by_ref)(3.0) == 27.0
            assert staged(derivative(product_by_ref), np.float32(3)) == 27.0
        assert grad(grad(product_by_ref))(3.0) == 18.0

    def test_scan_carries_what_its_body_uses(self, staged: Any) -> None:
        total, sums, count = sum_of_squares(X)
        assert (total, count) == (5.0, 3)
        np.testing.assert_array_equal(sums, [0, 1, 5])
        np.testing.assert_array_equal(grad(lambda x: sum_of_squares(x)[0])(X), 2 * X)
        assert staged(lambda x: sum_of_squares(x)[0], X) == 5.0

    def test_an_eager_ref_is_written_by_a_loop(self) -> None:
        ref, other = new_ref(np.float32(1)), new_ref(X)

        def body(i: Any, _: None) -> None:
            ref[...] *= 2
            other[i] = ref[...]

        lax.fori_loop(0, 3, body, None)
        assert ref[...] == 8.0
        np.testing.assert_array_equal(other[...], [2, 4, 8])
        lax.map(lambda x: ref_addupdate(ref, None, x), X)
        assert ref[...] == 11.0

    def test_while_reads_in_its_condition(self, staged: Any) -> None:
        def loop(limit: Any) -> Any:
            ref = new_ref(np.float32(1))
            lax.while_loop(
                lambda n: ref[...] < limit,
                lambda n: (written(ref, None, ref[...] * 2), n + 1)[1],
                0,
            )
            return ref[...]

        assert loop(np.float32(50)) == 64.0
        assert staged(loop, np.float32(50)) == 64.0

        def writing(n: Any) -> Any:
            outer[...] = outer[...] + 1
            return n < 3

        outer = new_ref(0)
        with pytest.raises(ArgumentError, match="cond_fun writes to a reference"):
            lax.while_loop(writing, lambda n: n + 1, 0)

    def test_branches(self, staged: Any) -> None:
        def chosen(p: Any, x: Any) -> Any:
            ref = new_ref(x)
            out = lax.cond(p, lambda: (written(ref, None, ref[...] * x), 1)[1], lambda: 2)
            return ref[...] + out

        assert [chosen(True, 3.0), chosen(False, 3.0)] == [10.0, 5.0]
        assert grad(chosen, 1)(True, 3.0) == 6.0
        assert staged(chosen, np.bool_(True), np.float32(3)) == 10.0

        ref = new_ref(np.float32(0))
        branches = [
            lambda: ref_set(ref, None, 10.0),
            lambda: ref_set(ref, None, 20.0),
            lambda: None,
        ]
        lax.switch(1, branches)
        assert ref[...] == 20.0
        lax.switch(2, branches)
        assert ref[...] == 20.0

    def test_operands_of_branches(self, staged: Any) -> None:
        def chosen(p: Any, x: Any) -> Any:
            ref = new_ref(x)

            def times(given: Any, y: Any) -> Any:
                given["r"][...] *= y
                return y

            out = lax.cond(p, times, lambda given, y: -y, {"r": ref, "n": 1}, x)
            return ref[...] + out

        assert [chosen(True, 3.0), chosen(False, 3.0)] == [12.0, 0.0]
        assert grad(chosen, 1)(True, 3.0) == 7.0
        assert staged(chosen, np.bool_(True), np.float32(3)) == 12.0
        ref = new_ref(np.float32(1))
        lax.switch(2, [lambda r: None, lambda r: ref_set(r, None, 2.0)] * 2, ref)
        assert ref[...] == 1.0
        lax.switch(3, [lambda r: None, lambda r: ref_set(r, None, 2.0)] * 2, ref)
        assert ref[...] == 2.0
        with pytest.raises(ArgumentError, match=r"operand 1.* is 'x'"):
            lax.cond(True, lambda r, x: None, lambda r, x: None, ref, "x")

    def test_nested_loops(self, staged: Any) -> None:
        def table(x: Any) -> Any:
            total = new_ref(np.float32(0))

            def outer(i: Any, carry: Any) -> Any:
                def inner(j: Any, carry: Any) -> Any:
                    total[...] += x * (i * 10 + j)
                    return carry + 1

                return lax.fori_loop(0, 2, inner, carry)

            return total[...] + 0 * lax.fori_loop(0, 3, outer, 0), total[...]

        expected = sum(10 * i + j for i in range(3) for j in range(2))
        assert table(np.float32(2))[1] == 2 * expected
        assert grad(lambda x: table(x)[1])(2.0) == expected
        assert staged(lambda x: table(x)[1], np.float32(2)) == 2 * expected

    @pytest.mark.parametrize("depth", [1, 2, 3, 4])
    def test_a_body_is_staged_twice_whatever_uses_refs_around_it(self, depth: int) -> None:
        runs: list[int] = []
        refs = [new_ref(np.float32(i)) for i in range(20)]

        def loop(body: Any) -> Any:
            return lambda carry, _: lax.scan(body, carry, None, length=2)

        def body(carry: Any, _: Any) -> Any:
            runs.append(0)
            for ref in refs:
                ref[...] += carry
            return carry + np.float32(1), None

        step = body
        for _ in range(depth):
            step = loop(step)
        step(np.float32(0), None)
        assert len(runs) == 2
        total = sum(range(2**depth))
        np.testing.assert_array_equal([ref[...] for ref in refs], np.arange(20) + total)

    def test_an_error_is_raised_as_it_is_and_all_is_as_before(self) -> None:
        ref = new_ref(X)

        def body(carry: Any, _: Any) -> Any:
            ref[...] = ref[...] * 2
            raise KeyError(ref.shape)

        with pytest.raises(KeyError, match=r"\(3,\)"):
            lax.scan(body, 0, None, length=2)
        np.testing.assert_array_equal(ref[...], X)

    def test_a_body_without_refs_is_staged_once(self) -> None:
        runs: Any = []  # else mypy does not accept appending as an expression
        lax.scan(lambda c, x: (c, runs.append(0)), 0, X)
        assert len(runs) == 1


class TestRefused:
    def test_an_outer_ref_in_what_is_staged(self) -> None:
        ref = new_ref(np.float32(1))
        for use in (lambda x: ref[...] * x, lambda x: (written(ref, None, 2.0), x)[1]):
            with pytest.raises(ArgumentError, match="is used in a function that is staged"):
                stage(lambda x, use=use: [use(x)], F32)

    def test_a_tracer_in_an_outer_ref(self) -> None:
        ref = new_ref(1.0)
        assert grad(lambda x: x * ref[...])(3.0) == 1.0
        with pytest.raises(
            EscapedTracerError, match="made outside of a transformation was written inside"
        ):
            grad(lambda x: (written(ref, None, x), x)[1])(3.0)
        assert ref[...] == 1.0
        # What does not depend on the argument may be written.
        assert grad(lambda x: (written(ref, None, 2.0), x)[1])(3.0) == 1.0
        assert ref[...] == 2.0

    def test_a_ref_that_left(self) -> None:
        left: list[Ref] = []

        def function(x: Any) -> Any:
            left.append(new_ref(x))
            return [x]

        program = stage(function, F32).program
        found: Any = interpret(program, np.float32(1))
        assert found == [1.0]
        with pytest.raises(
            EscapedTracerError, match="outside of the transformation that it was made in"
        ):
            left[0][...]
        grad(lambda x: function(x)[0])(1.0)
        with pytest.raises(
            EscapedTracerError, match="outside of the transformation that it was made in"
        ):
            left[1][...]

    def test_a_failing_body_leaves_the_ref_as_it_was(self) -> None:
        ref = new_ref(np.float32(1))

        def body(i: Any, c: Any) -> Any:
            ref[...] = 5.0
            raise KeyError("mine")

        with pytest.raises(KeyError, match="mine"):
            lax.fori_loop(0, 3, body, 0)
        assert ref[...] == 1.0
