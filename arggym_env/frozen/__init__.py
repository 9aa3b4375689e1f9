"""The frozen suites: loading, freezing, auditing, floors, and the guard that keeps fresh instances out of them."""

from arggym_env.frozen.suite import FrozenSuite, Manifest, load_frozen, load_manifest

__all__ = ["FrozenSuite", "Manifest", "load_frozen", "load_manifest"]
