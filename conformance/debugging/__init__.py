"""What the settings for debugging show: across all packages, as users meet them."""
