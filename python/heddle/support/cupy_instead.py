"""Alternatives to CuPy names that Heddle lacks."""

_no_levels = "pass one array per level"
_no_graphs = "capture with stream.begin_capture() and stream.end_capture()"

# A part of a name -> advice.
_instead = {
    "cupyx.scipy": "on the CPU device it is SciPy, if SciPy is installed and has the module",
    "Mipmapped": _no_levels,
    "graph": _no_graphs,
    "Graph": _no_graphs,
    "streamBeginCapture": _no_graphs,
    "streamEndCapture": _no_graphs,
}


def suggest_for_cupy_name(name):
    """The advice for a name such as ``cupy.cuda.Graph``; None if there is none."""
    if not name.startswith("cupy"):
        return None
    return next((advice for part, advice in _instead.items() if part in name), None)
