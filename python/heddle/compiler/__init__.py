"""From a function to what a launch runs: the Python side of the compiler. Users reach it through ``heddle.cuda``.

host_jit       ``njit``: functions of the host, their calls, what can be inspected of them (``host_dispatcher``)
dispatcher     ``cuda.jit``: kernels and device functions, their launches, what can be inspected of them
source         the text and the tree of a function, wherever it was defined
signatures     signatures as users write them
intrinsics     what stands on the host for a device operation, ``cuda.grid`` and the like
linkable_code  device functions in CUDA C++ that Python kernels call
compile_ahead  ``cuda.compile`` and its variants: PTX without a launch
disassembly    machine code as text, by NVIDIA's tools
"""
