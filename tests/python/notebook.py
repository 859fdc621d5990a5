#!/usr/bin/env python3
"""Executes a notebook, and says which cell fails: notebook.py FILE.ipynb"""
import sys

import nbclient
import nbformat

notebook = nbformat.read(sys.argv[1], as_version=4)
try:
    nbclient.NotebookClient(notebook, timeout=300).execute()
except nbclient.exceptions.CellExecutionError as error:
    sys.exit(f"{sys.argv[1]}: {error}")
