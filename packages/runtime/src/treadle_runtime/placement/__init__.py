"""Where arrays are and where programs run: devices, shardings, and what is decided from them."""
