"""treescope: arrays and trees of them, rendered."""

import jax
import jax.numpy as jnp
import treescope
from reporting import show

x = jnp.arange(6.0).reshape(2, 3)
shown = treescope.render_to_text({"a": x, "b": jax.ShapeDtypeStruct((2,), jnp.int32)})
show(
    "array", [part in shown for part in ("jax.Array", "float32(2, 3)", "ShapeDtypeStruct", "int32")]
)
show("as HTML", ["float32" in treescope.render_to_html(x)])
