"""numba.cuda.args: hints that let a launch skip copies of host arrays.

>>> from heddle.cuda import args
>>> args.In is cuda.In
True
"""

from heddle.compiler.argument_hints import ArgHint, In, InOut, Out, wrap_arg

__all__ = ["ArgHint", "In", "InOut", "Out", "wrap_arg"]
