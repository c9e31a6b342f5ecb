"""Packages that register types and functions with numba through entry points of the group ``numba_extensions``."""

import importlib.metadata
import os
import warnings


def load_extensions():
    """Calls the entry points ``init`` of installed packages, as numba does before the first compilation.

    A failure is reported only with HEDDLE_WARNINGS=1, because most programs do not use every installed package.
    """
    for point in importlib.metadata.entry_points(group="numba_extensions", name="init"):
        try:
            point.load()()
        except Exception as error:  # any exception, because it is the package's code
            if os.environ.get("HEDDLE_WARNINGS") == "1":
                shown = f"{type(error).__name__}({error})"
                warnings.warn(
                    f"Numba extension module '{point.module}' failed to load due to '{shown}'.",
                    stacklevel=2,
                )
