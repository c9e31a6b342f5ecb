"""The Python side of the compiler: turns functions into launchable code. Users reach it through ``heddle.cuda``.

host_jit       ``njit``: host functions, their calls and inspection (``host_dispatcher``)
dispatcher     ``cuda.jit``: kernels and device functions, their launches and inspection
source         the source text and syntax tree of a function
signatures     parses signatures
intrinsics     the host objects of device operations, such as ``cuda.grid``
linkable_code  CUDA C++ device functions that Python kernels call
compile_ahead  ``cuda.compile`` and its variants: PTX without a launch
disassembly    machine code as text, with NVIDIA's tools
"""
