"""The adapters to verifiers: rollouts in its runtimes, graded by the grader of this package.

``taskset`` is the v1 API, of 0.3.1 and 0.4.0 alike, and ``classic`` that of 0.3.1 alone.
"""
