"""Code that programs build themselves, with llvmlite's builder: ``numba.extending.intrinsic``.

What such code sees are numba's values (``layouts``), a ``TargetContext`` and the functions of ``cgutils``. Heddle reads
the module's text with its own LLVM; llvmlite's is not used.
"""
