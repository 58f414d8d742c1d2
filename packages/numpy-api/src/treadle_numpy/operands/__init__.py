"""From users' values to operands: coercion, promotion, broadcasting, axes and shapes."""
