"""C functions that compiled code calls: those of ctypes, cffi and Cython.

functions_of_c    declares a ctypes or cffi function
cython_functions  the addresses of functions in Cython modules
c_types           types of compiled functions for ctypes types; cffi_types: for cffi types
c_arrays          NumPy arrays at C pointers: ``carray`` and ``farray``
"""
