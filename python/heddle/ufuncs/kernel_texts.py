"""Compiles kernel functions that are generated as source text for a ufunc."""

import linecache

from heddle.compiler.intrinsics import find_intrinsic


def define_loop_function(text, names):
    """The function ``loop`` in a source text, with these globals and cuda.grid."""
    file = f"<heddle ufunc {abs(hash(text))}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space = {"grid": find_intrinsic("cuda.grid"), "__name__": __name__, **names}
    exec(compile(text, file, "exec"), space)
    return space["loop"]
