"""Syntax that is rewritten before a function is compiled. ``heddle.compiler.source`` loads these modules.

object_blocks      ``with objmode(...)``; names_read_first: the inputs of a block
object_calls       calls of Python functions from compiled code; value_slots, composite_slots: their values
stencil            ``stencil``; stencils_inside: stencils in host functions
parallel_threads   the threads that run ``prange`` loops
chunk_size_blocks  ``with parallel_chunksize(n)``
"""
