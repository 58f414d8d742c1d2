"""phiflow: smoke in a box on the backend jax, with gradients."""

from phi.jax.flow import (
    Box,
    CenteredGrid,
    Solve,
    Sphere,
    StaggeredGrid,
    advect,
    extrapolation,
    fluid,
    instance,
    math,
)
from reporting import show

BOX = Box(x=8, y=8)


def step(velocity, smoke):
    smoke = advect.mac_cormack(smoke, velocity, 1.0)
    velocity = advect.semi_lagrangian(velocity, velocity, 1.0) + (smoke * (0, 0.1) @ velocity)
    velocity, _ = fluid.make_incompressible(velocity, (), Solve("CG", 1e-3, x0=None))
    return velocity, smoke


velocity = StaggeredGrid(0, 0, x=8, y=8, bounds=BOX)
smoke = CenteredGrid(Sphere(x=4, y=2, radius=2), extrapolation.BOUNDARY, x=8, y=8, bounds=BOX)
velocity, smoke = step(velocity, smoke)
velocity, smoke = math.jit_compile(step)(velocity, smoke)
show("smoke", smoke.values.numpy("x,y"))
slope = math.gradient(lambda x: math.l2_loss(math.sin(x)), "x", get_output=False)
show("gradient", slope(math.linspace(0, 1, instance(points=5))).numpy("points"))
