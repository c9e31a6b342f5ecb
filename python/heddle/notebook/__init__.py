"""Heddle in IPython and Jupyter.

extension      ``%load_ext heddle``: the stand-ins, what kernels print, the magics
compile_magic  ``%%heddle compile``: the code of a cell's kernels
"""
