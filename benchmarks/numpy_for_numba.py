"""Gives NumPy 2.5 back, while numba is imported, the names that released versions of numba still ask for.

Only peers need this: heddle does not. As `sitecustomize.py` on PYTHONPATH it serves every process.
"""

import sys


class _BeforeNumba:
    """Looks at imports, finds nothing itself."""

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "numba_cuda"):
            restore()


def restore():
    import numpy as np

    replacements = {"row_stack": "vstack", "in1d": "isin", "trapz": "trapezoid"}
    for old, new in replacements.items():
        if not hasattr(np, old) and hasattr(np, new):
            setattr(np, old, getattr(np, new))


sys.meta_path.insert(0, _BeforeNumba())
