"""Go debugging tasks for RL training and agent evaluation.

Importing this package costs milliseconds: it loads neither pydantic nor verifiers nor pytest. The parts:
``task`` (load and validate), ``grading`` (grade a submission), ``checks`` (prove a task).
"""

__version__ = "0.1.0"
