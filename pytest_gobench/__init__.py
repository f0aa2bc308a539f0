"""The pytest plugin that proves every go-debug-bench task."""
