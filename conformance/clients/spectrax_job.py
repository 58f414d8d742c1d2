"""spectrax: two streams of a plasma, in Hermite functions and waves."""

from reporting import show
from spectrax import simulation

found = simulation(
    {"t_max": 2.0, "ode_tolerance": 1e-8},
    Nx=9,
    Ny=1,
    Nz=1,
    Nn=10,
    Nm=1,
    Np=1,
    Ns=2,
    timesteps=5,
    dt=0.01,
)
show("fields", found["Fk"])
show("distributions", found["dCk"])
show("energies", {name: value for name, value in found.items() if "energy" in name})
