"""Laws of arrays over several devices: what they are computed to is what whole arrays are computed to."""
