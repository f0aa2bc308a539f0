"""The command ``go-debug-bench``: read, check out, grade, write and prove tasks."""
