"""Moving arrays: between host and devices, between devices, and to other shardings."""
