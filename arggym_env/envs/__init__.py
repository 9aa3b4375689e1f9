"""The tasks, how their instances are made, and the Gymnasium layer over them."""
