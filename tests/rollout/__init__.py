"""Tools for tests that drive whole rollouts of verifiers, with no network and no model."""
