"""Arrays on devices: their buffers, what becomes of them, how they come from and go to the host."""
