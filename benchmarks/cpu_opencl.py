"""The kernels of cpu_kernels.cl on pocl, an OpenCL implementation for CPUs, called through pyopencl.

The buffers are the arrays themselves (CL_MEM_USE_HOST_PTR): nothing is copied.
"""

import operator
from itertools import zip_longest
from pathlib import Path

import numpy as np

SOURCE = Path(__file__).with_name("cpu_kernels.cl")
PLATFORM = "Portable Computing Language"
TO_INSTALL = "pip install pyopencl and, on Debian, apt-get install pocl-opencl-icd"

# Values that Python kernels read from their arrays; in OpenCL they are separate parameters.
EXTENTS = {
    "vector_add": lambda a, b, c: (c.size,),
    "naive_matmul": lambda a, b, c: (*c.shape, a.shape[1]),
    "naive_matmul_x_as_row": lambda a, b, c: (*c.shape, a.shape[1]),
    "histogram": lambda x, bins: (x.size,),
    "heat_step": lambda u, v: u.shape,
    "sparse_product": lambda starts, columns, values, x, y: (y.size,),
    "floyd_warshall_step": lambda distances, k: (distances.shape[0],),
    "black_scholes": lambda price, *others: (price.size,),
    "needleman_wunsch_diagonal": lambda scores, *others: (scores.shape[0],),
}


class Missing(Exception):
    """pyopencl or pocl is not installed."""


def to_tuple(extents):
    return extents if isinstance(extents, tuple) else (extents,)


class OpenCL:
    """The kernels, compiled for pocl's device."""

    def __init__(self):
        try:
            import pyopencl  # late: needed only for this comparison

            platforms = pyopencl.get_platforms()
        except ImportError:
            raise Missing("pyopencl is not installed") from None
        except pyopencl.Error:  # no OpenCL implementation is installed
            platforms = []
        devices = [d for p in platforms if p.name == PLATFORM for d in p.get_devices()]
        if not devices:
            raise Missing("pocl is not installed")
        self.cl = pyopencl
        self.context = pyopencl.Context(devices[:1])
        self.queue = pyopencl.CommandQueue(self.context)
        self.program = pyopencl.Program(self.context, SOURCE.read_text()).build()
        self.names = self.program.kernel_names.split(";")
        self.version = devices[0].platform.version

    def make_call(self, name, launch, arguments):
        """A function that launches the kernel and waits for it, like kernel[launch](*arguments); None if unknown."""
        if name not in self.names:
            return None
        extents = EXTENTS.get(name, lambda *_: ())(*arguments)
        values = [self.to_kernel_argument(argument) for argument in (*arguments, *extents)]
        blocks, block = zip(*zip_longest(*map(to_tuple, launch), fillvalue=1), strict=True)
        threads = tuple(map(operator.mul, blocks, block))
        kernel = self.cl.Kernel(self.program, name)
        kernel.set_args(*values)

        def run(buffers=values):  # keeps the buffers alive, which the kernel does not do
            self.cl.enqueue_nd_range_kernel(self.queue, kernel, threads, block)
            self.queue.finish()

        return run

    def to_kernel_argument(self, argument):
        if isinstance(argument, np.ndarray):
            flags = self.cl.mem_flags
            return self.cl.Buffer(
                self.context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=argument
            )
        return np.int32(argument) if isinstance(argument, int) else np.float32(argument)
