"""treadle: composable transformations of numerical Python - jit, grad, vmap - compiled by XLA.

    import treadle
    import treadle.numpy as tnp

The one import for users. It installs the runtime's evaluator and NumPy's operators, and re-exports the public
names, which are JAX's. A name's module is imported when the name is first asked for, and jaxlib when something is
first compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle import assembly as _assembly
from treadle._version import __version__ as __version__
from treadle_ir import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle import (
        ad_checkpoint as ad_checkpoint,
        core as core,
        custom_derivatives as custom_derivatives,
        debug as debug,
        dtypes as dtypes,
        errors as errors,
        experimental as experimental,
        extend as extend,
        flatten_util as flatten_util,
        interpreters as interpreters,
        lax as lax,
        nn as nn,
        numpy as numpy,
        random as random,
        scipy as scipy,
        stages as stages,
        tree as tree,
        tree_util as tree_util,
        typing as typing,
    )
    from treadle.abstract import (
        ShapeDtypeStruct as ShapeDtypeStruct,
        eval_shape as eval_shape,
        make_jaxpr as make_jaxpr,
        typeof as typeof,
        xla_computation as xla_computation,
    )
    from treadle.jacobians import (
        hessian as hessian,
        jacfwd as jacfwd,
        jacrev as jacrev,
    )
    from treadle.settings import (
        config as config,
        default_matmul_precision as default_matmul_precision,
        enable_x64 as enable_x64,
        numpy_dtype_promotion as numpy_dtype_promotion,
        numpy_rank_promotion as numpy_rank_promotion,
    )
    from treadle_autodiff import (
        checkpoint as checkpoint,
        checkpoint_policies as checkpoint_policies,
        custom_gradient as custom_gradient,
        custom_jvp as custom_jvp,
        custom_vjp as custom_vjp,
        grad as grad,
        jvp as jvp,
        linear_transpose as linear_transpose,
        linearize as linearize,
        value_and_grad as value_and_grad,
        vjp as vjp,
    )
    from treadle_batching import vmap as vmap
    from treadle_ir import Array as Array, float0 as float0
    from treadle_runtime import (
        Device as Device,
        block_until_ready as block_until_ready,
        default_backend as default_backend,
        default_device as default_device,
        device_count as device_count,
        device_get as device_get,
        device_put as device_put,
        devices as devices,
        effects_barrier as effects_barrier,
        jit as jit,
        local_device_count as local_device_count,
        local_devices as local_devices,
        pmap as pmap,
        pure_callback as pure_callback,
    )

    jacobian = jacrev
    pjit = jit
    remat = checkpoint

_assembly.assemble()

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle.abstract": "ShapeDtypeStruct eval_shape make_jaxpr typeof xla_computation",
            "treadle.jacobians": "hessian jacfwd jacrev jacrev:jacobian",
            "treadle.settings": (
                "config default_matmul_precision enable_x64 numpy_dtype_promotion "
                "numpy_rank_promotion"
            ),
            "treadle_autodiff": (
                "checkpoint checkpoint:remat checkpoint_policies custom_gradient custom_jvp "
                "custom_vjp grad jvp linear_transpose linearize value_and_grad vjp"
            ),
            "treadle_batching": "vmap",
            "treadle_ir": "Array float0",
            "treadle_runtime": (
                "Device block_until_ready default_backend default_device device_count device_get "
                "device_put devices effects_barrier jit jit:pjit local_device_count local_devices "
                "pmap pure_callback"
            ),
        },
        (
            "ad_checkpoint",
            "core",
            "custom_derivatives",
            "debug",
            "dtypes",
            "errors",
            "experimental",
            "extend",
            "flatten_util",
            "interpreters",
            "lax",
            "nn",
            "numpy",
            "random",
            "scipy",
            "stages",
            "tree",
            "tree_util",
            "typing",
        ),
    )
