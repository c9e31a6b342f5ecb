"""Heddle in IPython and Jupyter.

extension      ``%load_ext heddle``: the substitutes for numba and CuPy, kernel output, the magics
compile_magic  ``%%heddle compile``: the code of a cell's kernels
"""
