"""Faults that were put in by hand, by a review that looked for what no test finds. Each must be found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from conformance.mutants.cover import Step, tests_of
from conformance.mutants.site import ROOT, Site


@dataclass(frozen=True, slots=True)
class Fault:
    """A text of a source file that occurs once, and what stands there instead."""

    about: str
    file: str  # below `packages`
    old: str
    new: str
    tests: tuple[Step, ...] = ()  # besides those that names lead to

    def site(self) -> Site:
        """Find the current position of the text."""
        path = f"packages/{self.file}"
        text = (ROOT / path).read_text()
        if text.count(self.old) != 1:
            raise ValueError(f"{path} has {text.count(self.old)} times {self.old!r}, not once")
        start = text.index(self.old)
        end = start + len(self.old)
        first = text.count("\n", 0, start) + 1
        lines = (first, first + self.old.count("\n"))
        return Site("named", path, start, end, self.old, self.new, lines)


FAULTS: Final = (
    Fault(
        "order of launches not compared",
        "runtime/src/treadle_runtime/client/steps.py",
        "if here == there:",
        "if True:",
        (("conformance/distributed",),),
    ),
    Fault(
        "wrong factor of erf_inv",
        "autodiff/src/treadle_autodiff/rules/elementwise.py",
        "e.ErfInv: lambda x, y: _scaled(math.sqrt(math.pi) / 2,",
        "e.ErfInv: lambda x, y: _scaled(math.sqrt(math.pi),",
        (("packages/autodiff/tests", "conformance/test_jvp.py", "-k", "erf or autodiff"),),
    ),
    Fault(
        "cbrt power",
        "autodiff/src/treadle_autodiff/rules/elementwise.py",
        "lambda x, y: _scaled(1 / 3, ops.integer_power(y, exponent=-2))",
        "lambda x, y: _scaled(1 / 3, ops.integer_power(y, exponent=-3))",
        (("conformance/test_jvp.py", "-k", "cbrt"),),
    ),
    Fault(
        "power: mixed second derivative at y=0 (the comment warns)",
        "autodiff/src/treadle_autodiff/rules/elementwise.py",
        'ops.compare(x, number(0, x), direction="eq"), ops.compare(y, number(0, y), direction="eq")',
        'ops.compare(y, number(0, y), direction="eq"), ops.compare(y, number(0, y), direction="eq")',
        (("conformance/test_jvp.py", "conformance/derivatives/test_derivatives.py", "-k", "pow"),),
    ),
    Fault(
        "tie gives 1, not half",
        "autodiff/src/treadle_autodiff/rules/elementwise.py",
        "number(0.5, x), number(0, x))\n    if",
        "number(1, x), number(0, x))\n    if",
        (
            (
                "conformance/faq/test_grd.py",
                "conformance/test_transpose.py",
                "-k",
                "grd or maximum or minimum",
            ),
        ),
    ),
    Fault(
        "atan2: underflow guard gone",
        "autodiff/src/treadle_autodiff/rules/elementwise.py",
        'small = ops.compare(greater, number(1 / end, greater), direction="lt")',
        'small = ops.compare(greater, number(end, greater), direction="gt")',
        (
            (
                "conformance/test_jvp.py",
                "conformance/derivatives/test_derivatives.py",
                "-k",
                "atan2 or arctan2",
            ),
        ),
    ),
    Fault(
        "transpose of broadcast forgets size-1 spread",
        "autodiff/src/treadle_autodiff/rules/shape.py",
        "if axis in spread or axis not in primitive.dimensions",
        "if axis not in primitive.dimensions",
        (("conformance/test_transpose.py", "-k", "broadcast"),),
    ),
    Fault(
        "derivative of sort orders -0.0 otherwise",
        "autodiff/src/treadle_autodiff/rules/sort.py",
        "_, order = bind(primitive, _total_order(primals[0]), positions)",
        "_, order = bind(primitive, primals[0], positions)",
        (("conformance/test_jvp.py", "conformance/derivatives/test_derivatives.py", "-k", "sort"),),
    ),
    Fault(
        "NaN divisor flipped",
        "autodiff/src/treadle_autodiff/rules/reduce.py",
        'number = ops.compare(y, y, direction="eq")',
        'number = ops.compare(y, y, direction="ne")',
        (("conformance/test_jvp.py", "-k", "reduce_max or reduce_min"),),
    ),
    Fault(
        "count of ties in bf16 (saturates at 256)",
        "autodiff/src/treadle_autodiff/rules/reduce.py",
        "wide = np.dtype(np.float32) if type.dtype.itemsize < 4 else type.dtype",
        "wide = type.dtype",
        (
            (
                "packages/autodiff/tests",
                "conformance/test_small_types.py",
                "conformance/test_jvp.py",
                "-k",
                "autodiff or small_types or reduce_max",
            ),
        ),
    ),
    Fault(
        "promises unique indices where batch shares the operand",
        "batching/src/treadle_batching/rules/indexing.py",
        "unique_indices=primitive.unique_indices and operand_dim is not None,",
        "unique_indices=primitive.unique_indices,",
        (
            (
                "packages/batching/tests",
                "conformance/test_batching.py",
                "conformance/test_lowering.py",
                "-k",
                "batching/tests or gather",
            ),
        ),
    ),
    Fault(
        "scatter keeps indices_are_sorted under a batch",
        "batching/src/treadle_batching/rules/indexing.py",
        "scatter_indices_batching_dims=(0, *past(primitive.scatter_indices_batching_dims, 0)),"
        "\n        indices_are_sorted=False,",
        "scatter_indices_batching_dims=(0, *past(primitive.scatter_indices_batching_dims, 0)),",
        (
            (
                "packages/batching/tests",
                "conformance/test_batching.py",
                "conformance/test_compositions.py",
                "-k",
                "batching/tests or scatter",
            ),
        ),
    ),
    Fault(
        "gather keeps indices_are_sorted under a batch",
        "batching/src/treadle_batching/rules/indexing.py",
        "offset_dims=past(offsets, result),\n        slice_sizes=sizes,\n        indices_are_sorted=False,",
        "offset_dims=past(offsets, result),\n        slice_sizes=sizes,",
        (
            (
                "packages/batching/tests",
                "conformance/test_batching.py",
                "conformance/test_compositions.py",
                "-k",
                "batching/tests or gather",
            ),
        ),
    ),
    Fault(
        "top_k along the batch",
        "batching/src/treadle_batching/rules/sort.py",
        "if dim == type_of(x).ndim - 1:",
        "if dim == type_of(x).ndim:",
        (("conformance/test_batching.py", "-k", "top_k"),),
    ),
    Fault(
        "axis past the batch off by one",
        "batching/src/treadle_batching/rules/shape.py",
        "return axis + (dim <= axis)",
        "return axis + (dim < axis)",
        (("conformance/test_batching.py", "-k", "reverse or sort"),),
    ),
    Fault(
        "batched dynamic_slice fills instead of clipping",
        "batching/src/treadle_batching/rules/indexing.py",
        'mode="clip",\n    )\n    indices = _vectors([starts[i] for i in moving]',
        'mode="fill",\n    )\n    indices = _vectors([starts[i] for i in moving]',
        (
            (
                "packages/batching/tests",
                "conformance/test_batching.py",
                "-k",
                "batching/tests or dynamic_slice",
            ),
        ),
    ),
    Fault(
        "u32+i8 -> i32",
        "ir/src/treadle_ir/core/promotion.py",
        '"u32": ("u64", "i64"),',
        '"u32": ("u64", "i32"),',
        (("conformance/test_types.py",),),
    ),
    Fault(
        "bf16+f16 -> f16",
        "ir/src/treadle_ir/core/promotion.py",
        '"bf16": ("f32",),\n    "f16": ("f32",),',
        '"bf16": ("f16",),\n    "f16": ("f32",),',
        (("conformance/test_types.py",),),
    ),
    Fault(
        "weak + strong of one type stays weak",
        "ir/src/treadle_ir/core/promotion.py",
        "if other.dtype is not dtype or other.weak is not weak:",
        "if other.dtype is not dtype:",
        (
            (
                "packages/numpy-api/tests/test_weak_results.py",
                "packages/numpy-api/tests/operands",
                "conformance/faq/test_num.py",
                "conformance/faq/test_cmp.py",
            ),
        ),
    ),
    Fault(
        "x64 ignored in canonical_dtype",
        "ir/src/treadle_ir/core/promotion.py",
        "return dtype if narrow is None or x64_enabled() else narrow",
        "return dtype if narrow is None else narrow",
        (("conformance/test_types.py",),),
    ),
    Fault(
        "ambiguous contraction not refused",
        "ir/src/treadle_ir/sharding/families/contracted.py",
        "if one and two and one == two:",
        "if one and two and False:",
        (("conformance/sharding/test_sharding.py", "-k", "explicit"),),
    ),
    Fault(
        "sort along a divided axis not refused",
        "ir/src/treadle_ir/sharding/families/same.py",
        "if dims[axis]:\n        raise refuse(",
        "if False:\n        raise refuse(",
        (("conformance/sharding/test_sharding.py", "-k", "explicit"),),
    ),
    Fault(
        "conv: layout on axis 0 whatever out_spec",
        "ir/src/treadle_ir/sharding/families/contracted.py",
        "dims[primitive.out_spec[0]] = x.dims[batch]",
        "dims[0] = x.dims[batch]",
    ),
    Fault(
        "disk key without compile options",
        "compiler/src/treadle_compiler/persistent.py",
        "for part in (platform, options.fingerprint(placement=False), text):",
        "for part in (platform, text):",
        (("conformance/faults/test_disk_cache.py", "conformance/kept"),),
    ),
    Fault(
        "disk key without platform",
        "compiler/src/treadle_compiler/persistent.py",
        "for part in (platform, options.fingerprint(placement=False), text):",
        "for part in (options.fingerprint(placement=False), text):",
        (("conformance/faults/test_disk_cache.py", "conformance/kept"),),
    ),
    Fault(
        "fingerprint without effort",
        "compiler/src/treadle_compiler/options.py",
        "fields += [self.barriers, self.effort, self.rewrites]",
        "fields += [self.barriers, self.rewrites]",
        (
            (
                "packages/compiler/tests/test_options.py",
                "packages/compiler/tests/test_persistent.py",
                "packages/compiler/tests/test_compile.py",
                "conformance/faults/test_disk_cache.py",
            ),
        ),
    ),
    Fault(
        "cache reads files that others may write (code execution)",
        "compiler/src/treadle_compiler/persistent.py",
        "            if not _private(status, stat.S_IFREG):\n                return None\n            header",
        "            header",
        (("conformance/faults/test_disk_cache.py",),),
    ),
    Fault(
        "lower half of 64-bit keys unsigned",
        "compiler/src/treadle_compiler/lowering/sort.py",
        '[upper, emit.binary(context, "subtract", lower, emit.like(context, x, 1 << 31))]',
        "[upper, lower]",
        (("conformance/test_lowering.py", "-k", "sort"),),
    ),
    Fault(
        "-0.0 and 0.0 not equal in stable multi-operand sort",
        "compiler/src/treadle_compiler/lowering/sort.py",
        "_flipped(context, _plain_bits(context, x, zeros_equal=True))",
        "_flipped(context, _plain_bits(context, x, zeros_equal=False))",
        (("conformance/test_lowering.py", "-k", "sort"),),
    ),
    Fault(
        "last strip past the end",
        "compiler/src/treadle_compiler/lowering/reduce.py",
        "first = min(start, size - length)",
        "first = start",
        (("conformance/test_lowering.py", "conformance/test_folding.py", "-k", "reduce or fold"),),
    ),
    Fault(
        "dot precision ignored",
        "compiler/src/treadle_compiler/lowering/contract.py",
        '"precision_config": _precision(primitive.precision),\n    }\n\n    def operation',
        '"precision_config": _precision("default"),\n    }\n\n    def operation',
        (
            (
                "packages/compiler/tests/lowering/test_contract.py",
                "packages/numpy-api/tests/lax/test_precision.py",
                "conformance/test_lowering.py",
                "-k",
                "contract or precision or dot",
            ),
        ),
    ),
    Fault(
        "psum ignores axis_index_groups",
        "compiler/src/treadle_compiler/lowering/collective.py",
        "attributes = _between(scope, primitive.axis_names, primitive.groups)",
        "attributes = _between(scope, primitive.axis_names, None)",
        (("packages/treadle/tests/test_groups_of_collectives.py",),),
    ),
    Fault(
        "donation ignored",
        "runtime/src/treadle_runtime/jitting/donation.py",
        "fitting = free.get(parameters[index].strong())",
        "fitting = None",
        (("conformance/faq/test_don.py",),),
    ),
    Fault(
        "donate_argnames ignored",
        "runtime/src/treadle_runtime/jitting/donation.py",
        "given += [keywords[name] for name in split.donate_argnames if name in keywords]",
        "pass",
        (("conformance/faq/test_don.py",),),
    ),
    Fault(
        "donated array stays readable",
        "runtime/src/treadle_runtime/jitting/compiled_call.py",
        "        for array in given:\n            give_away(array, gone)\n        return results",
        "        return results",
        (("packages/runtime/tests/jitting", "conformance/faq/test_don.py"),),
    ),
    Fault(
        "f(x donated, x) not refused",
        "runtime/src/treadle_runtime/jitting/compiled_call.py",
        "if sum(x is array for x in arrays) > 1:",
        "if False:",
        (("packages/runtime/tests/jitting", "conformance/faq/test_don.py"),),
    ),
    Fault(
        "donated but unused parameter dropped",
        "runtime/src/treadle_runtime/jitting/compiling.py",
        "if options.keep_unused or parameter in used or index in pairs",
        "if options.keep_unused or parameter in used",
        (("conformance/faq/test_don.py",),),
    ),
    Fault(
        "version check of the protocol gone",
        "runtime/src/treadle_runtime/distributed/coordinator.py",
        'if message.get("protocol") != PROTOCOL or not isinstance(process, int):',
        "if not isinstance(process, int):",
        (("packages/runtime/tests/distributed", "conformance/distributed"),),
    ),
    Fault(
        "barrier: begins with the first member",
        "runtime/src/treadle_runtime/distributed/coordinator.py",
        "            if len(self._members) == expected:\n",
        "            if len(self._members) >= 1 and not self._started:\n",
        (("conformance/distributed",),),
    ),
    Fault(
        "a killed peer is not reported",
        "runtime/src/treadle_runtime/distributed/coordinator.py",
        "            self._report_lost(\n"
        '                member, f"{member} disconnected unexpectedly: it was killed, or crashed"\n'
        "            )\n",
        "            pass\n",
        (("conformance/distributed/test_faults.py",),),
    ),
    Fault(
        "lock of interned shardings removed",
        "runtime/src/treadle_runtime/placement/sharding.py",
        "        with cls._lock:\n            found = cls._interned.get((device, kind))",
        "        if True:\n            found = cls._interned.get((device, kind))",
        (("packages/runtime/tests/placement", "conformance/test_threads.py"),),
    ),
    Fault(
        "lock of launches removed",
        "runtime/src/treadle_runtime/client/steps.py",
        "            with self._lock:\n                self._last.append(number)",
        "            if True:\n                self._last.append(number)",
        (("packages/runtime/tests/distributed", "conformance/distributed/test_together.py"),),
    ),
    Fault(
        "second thread does not wait (spins)",
        "runtime/src/treadle_runtime/jitting/once.py",
        "                with maker[1]:\n                    pass",
        "                pass",
        (("packages/runtime/tests/jitting", "conformance/test_threads.py"),),
    ),
    Fault(
        "GatherScatterMode.from_any(None)",
        "numpy-api/src/treadle_numpy/indexing/modes.py",
        '            None: "FILL_OR_DROP",\n',
        '            None: "CLIP",\n',
        (
            (
                "packages/numpy-api/tests/lax",
                "packages/numpy-api/tests/indexing",
                "packages/numpy-api/tests/arrays",
            ),
        ),
    ),
    Fault(
        "ds range off by one",
        "numpy-api/src/treadle_numpy/indexing/slices.py",
        "if first < 0 or end > x.shape[axis]:",
        "if first < 0 or end > x.shape[axis] + 1:",
    ),
    Fault(
        "seed loses its high word",
        "numpy-api/src/treadle_numpy/random/keys.py",
        "high = (seed >> 32) & 0xFFFFFFFF if x64_enabled() else 0",
        "high = 0",
        (
            (
                "packages/numpy-api/tests/random/test_random.py",
                "-k",
                "seed",
            ),
        ),
    ),
    Fault(
        "seed offset ignored",
        "numpy-api/src/treadle_numpy/random/keys.py",
        "    seed += SEED_OFFSET()\n",
        "",
        (
            (
                "packages/numpy-api/tests/random/test_random.py",
                "-k",
                "seed",
            ),
        ),
    ),
    Fault(
        "logmeanexp of nothing",
        "numpy-api/src/treadle_numpy/nn/normalisation.py",
        "return subtract(total, math.log(count) if count else -np.inf)",
        "return subtract(total, math.log(count) if count else 0.0)",
        (("conformance/derivatives/test_derivatives.py", "-k", "logmeanexp"),),
    ),
    Fault(
        "log_softmax where",
        "numpy-api/src/treadle_numpy/nn/normalisation.py",
        "where_(where, result, literal(-np.inf, result))",
        "where_(where, result, literal(0.0, result))",
        (("conformance/derivatives/test_derivatives.py", "-k", "log_softmax"),),
    ),
    Fault(
        "exported call accepts another dtype",
        "treadle/src/treadle/export/exported.py",
        "if array.dtype != aval.dtype:",
        "if False:",
        (("conformance/export",),),
    ),
    Fault(
        "exported for another platform not refused",
        "treadle/src/treadle/export/exported.py",
        "            if platform not in self.platforms:\n                raise PlacementError(",
        "            if False:\n                raise PlacementError(",
        (("conformance/export",),),
    ),
    Fault(
        "vjp of exported: integer cotangents",
        "treadle/src/treadle/export/exported.py",
        "                    ct if dtypes.is_inexact(aval.dtype) else None",
        "                    ct",
        (("packages/treadle/tests/export", "conformance/export/test_pool.py"),),
    ),
    Fault(
        "checksum not compared",
        "treadle/src/treadle/export/container.py",
        "if _DIGEST(rest).digest() != blob[len(_MAGIC) : len(_MAGIC) + 32]:",
        "if False:",
        (("conformance/export/test_damaged.py",),),
    ),
    Fault(
        "symbolic sizes not checked",
        "treadle/src/treadle/export/exported.py",
        "if self.body.is_symbolic:\n            self._check_sizes",
        "if False:\n            self._check_sizes",
        (("packages/treadle/tests/export", "conformance/export/test_symbolic.py"),),
    ),
    Fault(
        "trailing bytes accepted",
        "treadle/src/treadle/export/container.py",
        "    if start != len(blob):\n        raise damaged(f",
        "    if False:\n        raise damaged(f",
        (("packages/treadle/tests/export", "conformance/export/test_damaged.py"),),
    ),
    Fault(
        "64-bit positions only where both ask for them",
        "compiler/src/treadle_compiler/lowering/indexing.py",
        "wanted = _I64 if dtype.itemsize == 8 or max(sizes",
        "wanted = _I64 if dtype.itemsize == 8 and max(sizes",
    ),
    Fault(
        "polynomial decay adds",
        "jax-compat/src/treadle_jax/modules/example_libraries/optimizers.py",
        "(step_size - final_step_size)",
        "(step_size + final_step_size)",
    ),
    Fault(
        "users of a module",
        "jax-compat/src/treadle_jax/wanted.py",
        "USERS.get(name) or MODULES.get(name)",
        "USERS.get(name) and MODULES.get(name)",
    ),
    Fault(
        "a submodule that exists",
        "jax-compat/src/treadle_jax/view.py",
        'importlib.util.find_spec(f"{self.__name__}.{name}") is not None',
        'importlib.util.find_spec(f"{self.__name__}.{name}") is None',
        (("packages/jax-compat/tests/test_views_as_modules.py",),),
    ),
    Fault(
        "raw keys batched at their last axis",
        "batching/src/treadle_batching/rules/random.py",
        "if not is_key(type.dtype) and dim == type.ndim - 1:",
        "if not is_key(type.dtype) and dim != type.ndim - 1:",
    ),
    Fault(
        "the mean of narrow floats is wide",
        "numpy-api/src/treadle_numpy/numpy/statistics/means.py",
        "return average if working == result else",
        "return average if working != result else",
    ),
)


def tests(fault: Fault) -> list[Step]:
    """The runs of pytest that may find it, those that are known first."""
    return [*fault.tests, *tests_of(fault.site())]
