"""What is measured, one file per group. The same source runs with treadle, jax and, where it can, numpy."""
