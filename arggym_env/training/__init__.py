"""Training recipes: single-file GRPO scripts over the environments land here; there are none yet."""
