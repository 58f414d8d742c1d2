"""What `import treadle` installs, all in one place.

The packages below know each other through ports: who evaluates, what operators of arrays mean, how a function is
vectorised. Here each port gets its implementation, and the classes that users meet get the names that they know.
"""

from __future__ import annotations

import treadle
import treadle_numpy
from treadle import core, errors, tracebacks
from treadle.interpreters import partial_eval
from treadle_batching import vmap
from treadle_ir import install, install_operators, install_vmap, source
from treadle_numpy.arrays import table
from treadle_runtime import RuntimeEvaluator


def assemble() -> None:
    """Install everything; once, when `treadle` is imported."""
    source.internal(treadle.__path__[0])
    source.internal(treadle_numpy.__path__[0])
    install(RuntimeEvaluator())
    table.install()
    install_operators({"aval": property(core.aval)})
    install_vmap(vmap)
    partial_eval.name_tracers()
    errors.name_classes()
    tracebacks.install()
