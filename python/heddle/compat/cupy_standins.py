"""The import finder for ``cupy`` and ``cupyx`` if CuPy is not installed or the device is the CPU."""

import importlib
import importlib.machinery
import importlib.util
import operator
import sys
import types

from heddle.support.cupy_instead import suggest_for_cupy_name

# CuPy module -> Heddle's module, or an object in it after a colon.
_same_module = {
    "cupy": "heddle.compat.cupy",
    "cupy._core": "heddle.compat.cupy.core_names",
    "cupy._core._accelerator": "heddle.compat.cupy.libraries.accelerators",
    "cupy._core._kernel": "heddle.compat.cupy.core_names",
    "cupy._core._reduction": "heddle.compat.cupy.core_names",
    "cupy._core._scalar": "heddle.compat.cupy.core_internals",
    "cupy._core.core": "heddle.compat.cupy.core_names",
    "cupy._core.internal": "heddle.compat.cupy.core_internals",
    "cupy._core.raw": "heddle.compat.cupy.core_names",
    "cupy._util": "heddle.compat.cupy.compiled.memo",
    "cupy.core": "heddle.compat.cupy.core_names",  # the names before CuPy 9
    "cupy.core._kernel": "heddle.compat.cupy.core_names",
    "cupy.core._reduction": "heddle.compat.cupy.core_names",
    "cupy.core._scalar": "heddle.compat.cupy.core_internals",
    "cupy.core.core": "heddle.compat.cupy.core_names",
    "cupy.core.internal": "heddle.compat.cupy.core_internals",
    "cupy.core.raw": "heddle.compat.cupy.core_names",
    "cupy.util": "heddle.compat.cupy.compiled.memo",
    "cupy.cuda": "heddle.compat.cupy.cuda",
    "cupy.cuda.compiler": "heddle.compat.cupy.compiler",
    "cupy.cuda.curand": "heddle.compat.cupy.libraries.curand",
    "cupy.cuda.device": "heddle.compat.cupy.devices",
    "cupy.cuda.driver": "heddle.compat.cupy.driver",
    "cupy.cuda.function": "heddle.compat.cupy.compiled.functions",
    "cupy.cuda.graph": "heddle.compat.cupy.graphs",
    "cupy.cuda.memory": "heddle.compat.cupy.memory",
    "cupy.cuda.memory_hook": "heddle.compat.cupy.memory_hooks",
    "cupy.cuda.memory_hooks": "heddle.compat.cupy.memory_hooks",
    "cupy.cuda.pinned_memory": "heddle.compat.cupy.pinned_memory",
    "cupy.cuda.nvrtc": "heddle.compat.cupy.libraries.nvrtc",
    "cupy.cuda.nvtx": "heddle.compat.cupy.nvtx",
    "cupy.cuda.profiler": "heddle.compat.cupy.profiler",
    "cupy.cuda.texture": "heddle.compat.cupy.texture",
    "cupy.cuda.runtime": "heddle.compat.cupy.runtime",
    "cupy.cuda.stream": "heddle.compat.cupy.streams",
    "cupy.exceptions": "heddle.compat.cupy.exceptions",
    "cupy.fft": "heddle.compat.cupy:fft",
    "cupy.lib": "heddle.compat.cupy:lib",
    "cupy.lib.stride_tricks": "heddle.compat.cupy:lib.stride_tricks",
    "cupy.linalg": "heddle.compat.cupy:linalg",
    "cupy.polynomial": "heddle.compat.cupy:polynomial",
    "cupy.polynomial.polynomial": "heddle.compat.cupy:polynomial.polynomial",
    "cupy.random": "heddle.compat.cupy:random",
    "cupy.testing": "heddle.compat.cupy.testing",
    "cupy.typing": "heddle.compat.cupy.typing",
    "cupy_backends": "heddle.compat.cupy.backends",
    "cupy_backends.cuda": "heddle.compat.cupy.backends",
    "cupy_backends.cuda.api": "heddle.compat.cupy.backends",
    "cupy_backends.cuda.api.driver": "heddle.compat.cupy.driver",
    "cupy_backends.cuda.api.runtime": "heddle.compat.cupy.runtime",
    "cupy_backends.cuda.libs": "heddle.compat.cupy.libraries",
    "cupy_backends.cuda.libs.curand": "heddle.compat.cupy.libraries.curand",
    "cupy_backends.cuda.libs.nvrtc": "heddle.compat.cupy.libraries.nvrtc",
    "cupyx": "heddle.compat.cupyx",
    "cupyx.jit": "heddle.compat.cupyx.jit",
    "cupyx.profiler": "heddle.compat.cupyx.profiler",
    "cupyx.time": "heddle.compat.cupyx.time",
}


def _provides_scipy_module(name):
    """True if Heddle provides this module of cupyx.scipy: on the CPU device, if SciPy is installed."""
    if name != "cupyx.scipy" and not name.startswith("cupyx.scipy."):
        return False
    from heddle.cuda.native_devices import current_native  # late: for programs that import CuPy

    if not current_native().uses_host_memory:
        return False
    try:
        return importlib.util.find_spec(name.removeprefix("cupyx.")) is not None
    except ModuleNotFoundError:
        return False


def _import_standin(name):
    """Imports the module, or returns the object that stands for it."""
    if name.startswith("cupyx.scipy"):
        from heddle.compat.cupyx import scipy_functions  # late: a program imports it

        return scipy_functions.import_wrapped_scipy_module(name)
    place, _, attribute = _same_module[name].partition(":")
    found = importlib.import_module(place)  # late: a program imports it
    return operator.attrgetter(attribute)(found) if attribute else found


class CupyStandIns:
    """Finds and loads CuPy's modules. Rejects those that Heddle lacks.

    On a GPU, an installed CuPy is found by later finders in ``sys.meta_path``.
    """

    def __init__(self):
        self._loaded = set()

    def find_spec(self, fullname, path=None, target=None):
        package = fullname.partition(".")[0]
        if package not in ("cupy", "cupy_backends", "cupyx") or not self._provides_package(package):
            return None
        if fullname in _same_module or _provides_scipy_module(fullname):
            return importlib.machinery.ModuleSpec(fullname, self, origin="heddle", is_package=True)
        advice = suggest_for_cupy_name(fullname) or "heddle replaces CuPy in this program"
        raise ModuleNotFoundError(f"heddle has no {fullname!r}; {advice}", name=fullname)

    def _provides_package(self, package):
        """True if Heddle provides the package. The first import of one of its modules decides."""
        loaded = sys.modules.get(package)
        if loaded is not None:
            return loaded.__spec__.name.startswith("heddle.compat.")
        from heddle.cuda.devices import current_device  # late: for programs that import CuPy

        on_the_cpu = current_device().type == "cpu"
        return on_the_cpu or importlib.machinery.PathFinder.find_spec("cupy") is None

    def create_module(self, spec):
        return types.ModuleType(spec.name)

    def exec_module(self, module):
        found = _import_standin(module.__name__)
        if not hasattr(found, "__path__"):
            found.__path__ = []  # Python imports submodules only from packages
        if module.__name__ == "cupy":
            found.__name__ = "cupy"  # programs print and compare it
        sys.modules[module.__name__] = found
        self._loaded.add(module.__name__)

    def unload_modules(self):
        """Removes the modules that this finder loaded from sys.modules."""
        for name in self._loaded:
            module = sys.modules.pop(name, None)
            if name == "cupy" and module is not None:
                module.__name__ = module.__spec__.name
        self._loaded.clear()
