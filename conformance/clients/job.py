"""What the jobs share: `show` prints one line of JSON for each result."""

import json

import numpy as np


def show(name, tree):
    """Print a result: its leaves as numbers."""
    import jax  # the hook's, or the real one

    leaves = [np.asarray(x) for x in jax.tree_util.tree_leaves(tree)]
    values = [
        (x.astype(int) if x.dtype.kind == "b" else x).tolist() if x.dtype.kind in "biuf" else [x.real.tolist(), x.imag.tolist()]
        for x in (x.astype(np.float64) if x.dtype.kind in "fV" else x for x in leaves)
    ]
    print(json.dumps({"name": name, "values": values}), flush=True)
