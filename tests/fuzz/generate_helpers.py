"""Device functions for a generated launch."""

import oracle
from generate_body import Body
from generate_expressions import Array
from generate_functions import Signature, write_body
from generate_statements import Source

# Functions that fill an array, sum over the lanes of a full warp, and sum over the threads of a block.
fill = """@cuda.jit(device=True)
def fill(xs, start, step=1):
    for k in range(xs.size):
        xs[k] = start + k * step
"""
warp_total = """@cuda.jit(device=True)
def warp_total(value):
    for distance in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(0xffffffff, value, distance)
    return value
"""
block_total = """@cuda.jit(device=True)
def block_total(shared, thread, value):
    cuda.syncthreads()
    shared[thread] = value
    cuda.syncthreads()
    total = 0
    for k in range(0, cuda.blockDim.x, 5):
        total += shared[k]
    cuda.syncthreads()
    return total
"""

# Functions that call a function parameter.
apply = "@cuda.jit(device=True)\ndef apply(function, *rest):\n    return function(*rest)\n"


class Helper(Signature):
    """A device function; `source` is its text."""

    def __init__(self, rng, number, earlier):
        source = Source()
        body = Body(rng, source, earlier)
        body.uniform = False
        super().__init__(rng, f"f{number}", body)
        if rng.random() < 0.25:
            self.array = rng.choice(oracle.scalars)
            body.arrays.append(Array("xs", self.array, (1,)))
        write_body(rng, body, self, rng.choice([1, 1, 1, 2]))
        lines = ["@cuda.jit(device=True)", f"def {self.name}({self.text}):", *source.lines]
        self.source = "\n".join(lines) + "\n"


fixed = {"apply(": apply, "fill(": fill, "warp_total(": warp_total, "block_total(": block_total}
