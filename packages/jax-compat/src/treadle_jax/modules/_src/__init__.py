"""Private modules of JAX's that libraries cannot do without, each with who needs it."""
