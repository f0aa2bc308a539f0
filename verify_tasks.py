"""Prove every task of this repository, or those named, and print the matrix."""

import sys

from pytest_gobench.__main__ import main

if __name__ == "__main__":
    sys.exit(main())
