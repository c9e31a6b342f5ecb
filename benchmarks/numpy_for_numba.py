"""Restores names that NumPy 2.5 removed, while numba is imported: released versions of numba still need them.

Only the comparison with numba needs this, heddle does not. As `sitecustomize.py` on PYTHONPATH it works in all
processes.
"""

import sys


class _BeforeNumba:
    """An import finder that watches imports and finds nothing itself."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "numba_cuda"):
            restore_numpy_names()


def restore_numpy_names():
    import numpy as np

    replacements = {"row_stack": "vstack", "in1d": "isin", "trapz": "trapezoid"}
    for old, new in replacements.items():
        if not hasattr(np, old) and hasattr(np, new):
            setattr(np, old, getattr(np, new))


sys.meta_path.insert(0, _BeforeNumba())
