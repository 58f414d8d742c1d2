"""Functions of neural networks."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle.nn import initializers as initializers
    from treadle_numpy.nn import (
        celu as celu,
        dot_product_attention as dot_product_attention,
        elu as elu,
        gelu as gelu,
        get_scaled_dot_general_config as get_scaled_dot_general_config,
        glu as glu,
        hard_sigmoid as hard_sigmoid,
        hard_silu as hard_silu,
        hard_swish as hard_swish,
        hard_tanh as hard_tanh,
        identity as identity,
        leaky_relu as leaky_relu,
        log1mexp as log1mexp,
        log_sigmoid as log_sigmoid,
        log_softmax as log_softmax,
        logmeanexp as logmeanexp,
        logsumexp as logsumexp,
        mish as mish,
        one_hot as one_hot,
        relu as relu,
        relu6 as relu6,
        scaled_dot_general as scaled_dot_general,
        scaled_matmul as scaled_matmul,
        selu as selu,
        sigmoid as sigmoid,
        silu as silu,
        soft_sign as soft_sign,
        softmax as softmax,
        softplus as softplus,
        sparse_plus as sparse_plus,
        sparse_sigmoid as sparse_sigmoid,
        squareplus as squareplus,
        standardize as standardize,
        swish as swish,
        tanh as tanh,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.mirror(
        __name__, "treadle_numpy.nn", ("initializers",)
    )
