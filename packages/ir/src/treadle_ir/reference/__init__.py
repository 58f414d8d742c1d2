"""The NumPy reference evaluator: the specification of what each primitive computes.

Strict rather than kind, and plain rather than fast: types are checked by `infer`, results are compared with
it, and the kernels of each family say in NumPy what the operation means. The runtime evaluates small arrays
with the same kernels.
"""

from __future__ import annotations

from treadle_ir.reference import (
    call as call,
    collective as collective,
    compare as compare,
    contract as contract,
    control as control,
    convert as convert,
    creation as creation,
    cumulative as cumulative,
    effectful as effectful,
    elementwise as elementwise,
    indexing as indexing,
    random as random,
    reduce as reduce,
    shape as shape,
    sort as sort,
    window as window,
)
from treadle_ir.reference.bare import bare_kernel as bare_kernel
from treadle_ir.reference.evaluator import ReferenceEvaluator as ReferenceEvaluator
from treadle_ir.reference.random import (
    keys_of_words as keys_of_words,
    words_of_keys as words_of_keys,
)
from treadle_ir.reference.reduce import greatest as greatest, least as least
from treadle_ir.reference.registry import (
    EvalRule as EvalRule,
    eval_rule as eval_rule,
    eval_rules as eval_rules,
)
