"""Functions of neural networks."""

# Written by scripts/names.py from the `__all__` of modules: change nothing from here on by hand.
from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_numpy import namespaces

if TYPE_CHECKING:
    from treadle_numpy.nn import initializers as initializers
    from treadle_numpy.nn.activations import (
        celu as celu,
        elu as elu,
        gelu as gelu,
        glu as glu,
        hard_sigmoid as hard_sigmoid,
        hard_silu as hard_silu,
        hard_swish as hard_swish,
        hard_tanh as hard_tanh,
        identity as identity,
        leaky_relu as leaky_relu,
        log1mexp as log1mexp,
        log_sigmoid as log_sigmoid,
        mish as mish,
        relu as relu,
        relu6 as relu6,
        selu as selu,
        sigmoid as sigmoid,
        silu as silu,
        soft_sign as soft_sign,
        softplus as softplus,
        sparse_plus as sparse_plus,
        sparse_sigmoid as sparse_sigmoid,
        squareplus as squareplus,
        swish as swish,
        tanh as tanh,
    )
    from treadle_numpy.nn.attention import dot_product_attention as dot_product_attention
    from treadle_numpy.nn.encoding import one_hot as one_hot
    from treadle_numpy.nn.normalisation import (
        log_softmax as log_softmax,
        logmeanexp as logmeanexp,
        logsumexp as logsumexp,
        softmax as softmax,
        standardize as standardize,
    )
    from treadle_numpy.nn.scaled import (
        get_scaled_dot_general_config as get_scaled_dot_general_config,
        scaled_dot_general as scaled_dot_general,
        scaled_matmul as scaled_matmul,
    )
else:
    __getattr__, __dir__, __all__ = namespaces.lazy(
        __name__,
        {
            "activations": (
                "celu elu gelu glu hard_sigmoid hard_silu hard_swish hard_tanh identity leaky_relu "
                "log1mexp log_sigmoid mish relu relu6 selu sigmoid silu soft_sign softplus "
                "sparse_plus sparse_sigmoid squareplus swish tanh"
            ),
            "attention": "dot_product_attention",
            "encoding": "one_hot",
            "normalisation": "log_softmax logmeanexp logsumexp softmax standardize",
            "scaled": "get_scaled_dot_general_config scaled_dot_general scaled_matmul",
        },
        ("initializers",),
    )
