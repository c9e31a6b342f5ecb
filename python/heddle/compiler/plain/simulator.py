"""Kernels of programs that request numba's simulator, ``NUMBA_ENABLE_CUDASIM=1``.

The simulator runs kernels as plain Python. Heddle compiles them for the CPU device as usual. A kernel that does not
compile, because it sets a breakpoint or uses Python-only features, runs as plain Python.
"""

import warnings

from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.plain.blocks import current_kernel_thread
from heddle.compiler.plain.kernels import PlainKernel
from heddle.errors import CompileError, NumbaPerformanceWarning
from heddle.support.public_function import public


class SimulatedKernel(Dispatcher):
    """A kernel or device function that runs as plain Python after the first compile error."""

    @public
    def __call__(self, *args, **kwargs):
        if current_kernel_thread() is not None:
            return self.py_func(*args, **kwargs)
        return super().__call__(*args, **kwargs)

    def compile_only_for(self, signatures):
        try:
            super().compile_only_for(signatures)
        except CompileError as error:
            self._fall_back_to_plain_python(error)

    @public
    def __getitem__(self, configuration):
        compiled = super().__getitem__(configuration)
        if "breakpoint" in self.py_func.__code__.co_names:  # compiled, it would not stop
            return PlainKernel(self.py_func, self.targetoptions)[configuration]

        @public
        def launch_compiled_or_plain(*args, **kwargs):
            if "_plain" not in self.__dict__:
                try:
                    return compiled(*args, **kwargs)
                except CompileError as error:  # raised before anything is launched
                    self._fall_back_to_plain_python(error)
            return self._plain[configuration](*args, **kwargs)

        return launch_compiled_or_plain

    # Uses self[grid, block]; the base class's method asks for compiled code.
    forall = PlainKernel.forall

    def _fall_back_to_plain_python(self, error):
        warnings.warn(
            f"{self.py_func.__name__} runs as plain Python, thread by thread: NUMBA_ENABLE_CUDASIM=1 is set, and it "
            f"cannot be compiled: {error}",
            NumbaPerformanceWarning,
            stacklevel=3,
        )
        self._plain = PlainKernel(self.py_func, self.targetoptions)
