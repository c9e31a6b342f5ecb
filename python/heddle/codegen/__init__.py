"""Code that programs generate with llvmlite's builder: ``numba.extending.intrinsic``.

This code sees numba's value layouts (``layouts``), a ``TargetContext`` and the functions of ``cgutils``. Heddle's LLVM
parses the module's text; llvmlite's LLVM is not used.
"""
