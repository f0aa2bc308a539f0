"""Sphinx configuration: ``sphinx-build -W -n --keep-going docs OUT`` writes the pages to OUT, and nothing else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.dont_write_bytecode = True  # a build leaves the checkout as it was
os.environ.setdefault("NO_COLOR", "1")  # the help of the commands is printed into pages

import go_debug_bench  # noqa: E402  (found by the path above)

project = "go-debug-bench"
author = "The go-debug-bench authors"
copyright = f"{author}. MIT licence"  # noqa: A001  (Sphinx names it)
release = go_debug_bench.__version__

extensions = ["myst_parser", "docs.from_code"]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
exclude_patterns = ["_build"]
smartquotes = False  # of "--tasks" they would make a dash

html_theme = "furo"
html_title = "go-debug-bench"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
