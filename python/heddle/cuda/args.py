"""numba.cuda.args: hints that let a launch skip copies of host arrays.

>>> kernel[4, 256](cuda.In(x), cuda.Out(y))
"""

from heddle.compiler.argument_hints import ArgHint, In, InOut, Out, wrap_arg

__all__ = ["ArgHint", "In", "InOut", "Out", "wrap_arg"]
