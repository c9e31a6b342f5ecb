"""What to use instead of CuPy's names that heddle does not have."""

NO_GRAPHS = "heddle has no CUDA graphs: launch the kernels one by one"
_no_textures = "pass the array to the kernel, and interpolate there"
_no_graphs = "launch the kernels one by one"

# A part of a name -> what to do.
_instead = {
    "texture": _no_textures,
    "Texture": _no_textures,
    "Surface": _no_textures,
    "CUDAarray": _no_textures,
    "ResourceDescriptor": _no_textures,
    "ChannelFormatDescriptor": _no_textures,
    "graph": _no_graphs,
    "Graph": _no_graphs,
    "streamBeginCapture": _no_graphs,
    "streamEndCapture": _no_graphs,
}


def instead_of_cupys(name):
    """The advice for a name such as ``cupy.cuda.texture``; None where there is none."""
    if not name.startswith("cupy"):
        return None
    return next((advice for part, advice in _instead.items() if part in name), None)
