"""Packages that register types and functions with numba: their entry points of the group ``numba_extensions``."""

import importlib.metadata
import os
import warnings


def load_all():
    """Call the entry points ``init`` of installed packages, as numba does before it first compiles.

    One that fails is told of with HEDDLE_WARNINGS=1: most programs do not use every package that is installed.
    """
    for point in importlib.metadata.entry_points(group="numba_extensions", name="init"):
        try:
            point.load()()
        except Exception as error:  # of any class: it is the package's code
            if os.environ.get("HEDDLE_WARNINGS") == "1":
                shown = f"{type(error).__name__}({error})"
                warnings.warn(
                    f"Numba extension module '{point.module}' failed to load due to '{shown}'.",
                    stacklevel=2,
                )
