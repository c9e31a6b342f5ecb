"""What to use instead of CuPy's names that heddle does not have."""

NO_GRAPHS = (
    "heddle has CUDA graphs on the CPU device only: launch the kernels one by one, or install CuPy"
)
_no_levels = "pass an array for each level"
_no_graphs = "capture with stream.begin_capture() and stream.end_capture()"

# A part of a name -> what to do.
_instead = {
    "cupyx.scipy": "it is SciPy's on the CPU device, where SciPy is installed and has it",
    "Mipmapped": _no_levels,
    "graph": _no_graphs,
    "Graph": _no_graphs,
    "streamBeginCapture": _no_graphs,
    "streamEndCapture": _no_graphs,
}


def instead_of_cupys(name):
    """The advice for a name such as ``cupy.cuda.Graph``; None where there is none."""
    if not name.startswith("cupy"):
        return None
    return next((advice for part, advice in _instead.items() if part in name), None)
