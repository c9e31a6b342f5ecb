"""C functions that compiled code calls: those of ctypes, cffi and Cython.

functions_of_c    declares a ctypes or cffi function
cython_functions  the addresses of functions in Cython modules
c_types           ctypes and their types here; cffi_types: those of cffi
c_arrays          NumPy arrays at C pointers: ``carray`` and ``farray``
"""
