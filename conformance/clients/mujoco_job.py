"""mujoco.mjx: bodies in contact, stepped under jit and vmap, with derivatives."""

import jax
import jax.numpy as jnp
import mujoco
from mujoco import mjx
from reporting import show

XML = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body pos="0 0 .15"><freejoint/><geom type="sphere" size=".1" mass="1"/></body>
    <body pos="1 0 1"><joint name="hinge" type="hinge" axis="0 1 0" damping=".1"/>
      <geom type="capsule" size=".05" fromto="0 0 0 .3 0 0" mass="1"/></body>
  </worldbody>
  <actuator><motor joint="hinge"/></actuator>
</mujoco>
"""
model = mjx.put_model(mujoco.MjModel.from_xml_string(XML))
data = mjx.make_data(model)
step = jax.jit(mjx.step)
states = []
for _ in range(10):
    data = step(model, data.replace(ctrl=jnp.array([0.5])))
    states.append([data.qpos, data.qvel])
show("states", states)


def after(control):
    def one(data, _):
        return mjx.step(model, data.replace(ctrl=control[None])), None

    return jax.lax.scan(one, mjx.make_data(model), None, 5)[0].qpos[-1]


show("batched", jax.jit(jax.vmap(after))(jnp.linspace(-1, 1, 3)))
show("derivative", jax.jit(jax.jacfwd(after))(0.3))
