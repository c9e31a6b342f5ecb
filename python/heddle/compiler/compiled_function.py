"""A device function that ``compile_device`` compiled for itself, for looking at its code."""

import re
import types

from heddle import _heddle

default_capability = (7, 5)  # the oldest that current drivers still support


class CompiledFunction:
    """signature: its types. simt_ir, assembly: its code, as a compiled kernel has it."""

    def __init__(self, dispatcher, args, return_type):
        self._dispatcher = dispatcher
        self.name = re.sub(r"\W", "_", dispatcher.py_func.__name__, flags=re.ASCII)
        self._wanted = _heddle.Signature(return_type, list(args))
        code, result = self._code("asm")
        self.assembly = code.decode()
        self.signature = _heddle.Signature(result, list(args))

    @property
    def fndesc(self):
        """What numba calls a function's description, as far as it is asked for: names."""
        return types.SimpleNamespace(
            mangled_name=self.name, qualname=self._dispatcher.py_func.__qualname__
        )

    @property
    def simt_ir(self):
        return self._code("simt")[0].decode()

    def _code(self, form):
        function = type(self._dispatcher)(
            self._dispatcher.py_func, {**self._dispatcher.targetoptions, "device": True}
        )
        return _heddle.compile_ahead(
            function, self._wanted, self.name, "cuda", default_capability, form
        )
