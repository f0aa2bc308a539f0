"""Enables pytester, which the plugin's own tests use, and nothing else."""

pytest_plugins = ["pytester"]
