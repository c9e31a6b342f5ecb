"""A device function that ``compile_device`` compiled, for inspecting its code."""

import re
import types

from heddle import _heddle

default_capability = (7, 5)  # the lowest that current drivers support


class CompiledFunction:
    """A compiled device function. signature: its types. simt_ir, assembly: its code, as for a compiled kernel."""

    def __init__(self, dispatcher, args, return_type):
        self._dispatcher = dispatcher
        self.name = re.sub(r"\W", "_", dispatcher.py_func.__name__, flags=re.ASCII)
        self._wanted = _heddle.Signature(return_type, list(args))
        code, result = self._compile_to_form("asm")
        self.assembly = code.decode()
        self.signature = _heddle.Signature(result, list(args))

    @property
    def fndesc(self):
        """The names in numba's function descriptor."""
        return types.SimpleNamespace(
            mangled_name=self.name, qualname=self._dispatcher.py_func.__qualname__
        )

    @property
    def simt_ir(self):
        return self._compile_to_form("simt")[0].decode()

    def _compile_to_form(self, form):
        function = type(self._dispatcher)(
            self._dispatcher.py_func, {**self._dispatcher.targetoptions, "device": True}
        )
        return _heddle.compile_ahead(
            function, self._wanted, self.name, "cuda", default_capability, form
        )
