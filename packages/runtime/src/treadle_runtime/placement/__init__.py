"""Where arrays are and where programs run: devices, shardings, and the placements that follow from them."""
