"""The table of numba's modules and their Heddle counterparts, for imports and attributes."""

import importlib
import sys
import types

from heddle.support.missing_names import make_missing_name_error

_here = "heddle.compat.numba"

# numba module -> Heddle module. A package that is not listed, but contains listed modules, has only modules.
MODULES = {
    "numba": _here,
    "numba.config": "heddle.config",
    "numba.errors": "heddle.errors",
    "numba.extending": "heddle.extending",
    "numba.experimental": "heddle.experimental",
    "numba.experimental.jitclass": "heddle.experimental",
    "numba.experimental.jitclass.decorators": "heddle.experimental",
    "numba.experimental.structref": "heddle.experimental.structref",
    "numba.typed": "heddle.typed",
    "numba.typed.dictobject": f"{_here}.typed_objects",
    "numba.typed.listobject": f"{_here}.typed_objects",
    "numba.typed.typeddict": "heddle.typed",
    "numba.typed.typedlist": "heddle.typed",
    "numba.types": "heddle.types",
    "numba.core.boxing": f"{_here}.boxing_functions",
    "numba.core.cgutils": "heddle.codegen.cgutils",
    "numba.core.datamodel": f"{_here}.data_models",
    "numba.core.datamodel.models": "heddle.extension.models",
    "numba.core.decorators": "heddle",
    "numba.core.imputils": f"{_here}.code_registries",
    "numba.core.pythonapi": "heddle.extension.boxing",
    "numba.core.typing.arraydecl": f"{_here}.array_code",
    "numba.core.typing.asnumbatype": "heddle.extension.naming",
    "numba.core.typing.templates": "heddle.extension.typing",
    "numba.core.config": "heddle.config",
    "numba.core.dispatcher": f"{_here}.host_dispatchers",
    "numba.core.errors": "heddle.errors",
    "numba.core.extending": "heddle.extending",
    "numba.core.registry": f"{_here}.host_dispatchers",
    "numba.core.sigutils": f"{_here}.sigutils",
    "numba.core.types": "heddle.types",
    "numba.core.types.abstract": "heddle.types",
    "numba.core.types.containers": "heddle.types",
    "numba.core.types.functions": "heddle.types",
    "numba.core.types.iterators": "heddle.types",
    "numba.core.types.misc": "heddle.types",
    "numba.core.types.npytypes": "heddle.types",
    "numba.core.types.scalars": "heddle.types",
    "numba.core.typing": f"{_here}.typing",
    "numba.core.typing.cffi_utils": f"{_here}.cffi_utils",
    "numba.core.typing.typeof": f"{_here}.typing",
    "numba.cpython.unsafe.tuple": f"{_here}.unsafe_tuples",
    "numba.misc.special": f"{_here}.special",
    "numba.np.arrayobj": f"{_here}.array_code",
    "numba.np.extensions": f"{_here}.np_extensions",
    "numba.np.linalg": f"{_here}.linalg",
    "numba.np.numpy_support": f"{_here}.numpy_support",
    "numba.np.unsafe.ndarray": f"{_here}.unsafe_tuples",
    "numba.np.ufunc": f"{_here}.ufuncs",
    "numba.np.ufunc.decorators": f"{_here}.ufuncs",
    "numba.np.ufunc.dufunc": f"{_here}.ufuncs",
    "numba.np.ufunc.gufunc": f"{_here}.ufuncs",
    "numba.np.ufunc.parallel": f"{_here}.ufuncs",
    "numba.parfors.parfor": f"{_here}.parallel_support",
    "numba.stencils.stencil": "heddle",
    "numba.testing": f"{_here}.testing",
    "numba.tests.support": f"{_here}.test_support",
    "numba.core.utils": f"{_here}.utils",
    "numba.cuda.utils": f"{_here}.utils",
    "numba.typing": f"{_here}.typing",
    "numba.typing.typeof": f"{_here}.typing",
    "numba.cuda": "heddle.cuda",
    "numba.cuda._internal.cuda_bf16": f"{_here}.bf16",
    "numba.cuda.api": "heddle.cuda",
    "numba.cuda.api_util": f"{_here}.api_util",
    "numba.cuda.args": "heddle.cuda.args",
    "numba.cuda.bf16": "heddle.cuda.bf16",
    "numba.cuda.cache_hints": "heddle.cuda",
    "numba.cuda.cg": "heddle.cuda.cg",
    "numba.cuda.cgutils": "heddle.codegen.cgutils",
    "numba.cuda.compiler": f"{_here}.compiler",
    "numba.cuda.config": "heddle.config",
    "numba.cuda.core.config": "heddle.config",
    "numba.cuda.core.imputils": f"{_here}.code_registries",
    "numba.cuda.core.errors": "heddle.errors",
    "numba.cuda.core.sigutils": f"{_here}.sigutils",
    "numba.cuda.core.types": "heddle.types",
    "numba.cuda.cudadecl": f"{_here}.code_registries",
    "numba.cuda.cudadrv": "heddle.cuda.cudadrv",
    "numba.cuda.cudadrv.devicearray": "heddle.cuda.cudadrv.devicearray",
    "numba.cuda.cudadrv.devices": "heddle.cuda.cudadrv.devices",
    "numba.cuda.cudadrv.driver": "heddle.cuda.cudadrv.driver",
    "numba.cuda.cudadrv.drvapi": "heddle.cuda.cudadrv.drvapi",
    "numba.cuda.cudadrv.dummyarray": "heddle.cuda.cudadrv.dummyarray",
    "numba.cuda.cudadrv.enums": "heddle.cuda.cudadrv.enums",
    "numba.cuda.cudadrv.error": "heddle.errors",
    "numba.cuda.cudadrv.libs": "heddle.cuda.cudadrv.libs",
    "numba.cuda.cudadrv.linkable_code": "heddle.cuda.cudadrv.linkable_code",
    "numba.cuda.cudadrv.mappings": "heddle.cuda.cudadrv.mappings",
    "numba.cuda.cudadrv.nvrtc": "heddle.cuda.cudadrv.nvrtc",
    "numba.cuda.cudadrv.nvvm": "heddle.cuda.cudadrv.nvvm",
    "numba.cuda.cudadrv.runtime": "heddle.cuda.runtime",
    "numba.cuda.cudaimpl": f"{_here}.code_registries",
    "numba.cuda.datamodel": f"{_here}.data_models",
    "numba.cuda.decorators": "heddle.cuda",
    "numba.cuda.descriptor": f"{_here}.descriptor",
    "numba.cuda.device_init": "heddle.cuda",
    "numba.cuda.dispatcher": f"{_here}.dispatcher",
    "numba.cuda.errors": "heddle.errors",
    "numba.cuda.extending": "heddle.extending",
    "numba.cuda.fp16": "heddle.cuda.fp16",
    "numba.cuda.intrinsics": "heddle.cuda",
    "numba.cuda.kernels.reduction": "heddle.cuda.algorithms.reduction",
    "numba.cuda.kernels.transpose": f"{_here}.transpose",
    "numba.cuda.launchconfig": f"{_here}.launchconfig",
    "numba.cuda.libdevice": "heddle.cuda.libdevice",
    "numba.cuda.misc.special": f"{_here}.special",
    "numba.cuda.models": "heddle.extension.models",
    "numba.cuda.np.numpy_support": f"{_here}.numpy_support",
    "numba.cuda.nvvm": "heddle.cuda.cudadrv.nvvm",
    "numba.cuda.random": "heddle.cuda.random",
    "numba.cuda.reduction": "heddle.cuda.algorithms.reduction",
    "numba.cuda.runtime": "heddle.cuda.runtime",
    "numba.cuda.simulator": f"{_here}.simulator",
    "numba.cuda.simulator.api": "heddle.cuda",
    "numba.cuda.simulator.cudadrv.devicearray": f"{_here}.simulator",
    "numba.cuda.simulator.cudadrv.devices": "heddle.cuda.cudadrv.devices",
    "numba.cuda.simulator.cudadrv.driver": "heddle.cuda.cudadrv.driver",
    "numba.cuda.simulator.cudadrv.drvapi": "heddle.cuda.cudadrv.drvapi",
    "numba.cuda.simulator.cudadrv.error": "heddle.errors",
    "numba.cuda.simulator.cudadrv.libs": "heddle.cuda.cudadrv.libs",
    "numba.cuda.simulator.cudadrv.nvvm": "heddle.cuda.cudadrv.nvvm",
    "numba.cuda.simulator.cudadrv.runtime": "heddle.cuda.runtime",
    "numba.cuda.simulator.kernel": f"{_here}.simulator",
    "numba.cuda.simulator.kernelapi": f"{_here}.simulator",
    "numba.cuda.simulator.reduction": "heddle.cuda.algorithms.reduction",
    "numba.cuda.stubs": "heddle.cuda",
    "numba.cuda.testing": f"{_here}.kernel_testing",
    "numba.cuda.tests.support": f"{_here}.test_support",
    "numba.cuda.types": "heddle.types",
    "numba.cuda.typing": f"{_here}.typing",
    "numba.cuda.typing.templates": "heddle.extension.typing",
    "numba.cuda.typing.typeof": f"{_here}.typing",
    "numba.cuda.vector_types": f"{_here}.vector_types",
}


def is_placeholder_package(name):
    """True if a numba module without a counterpart contains modules with counterparts."""
    return name not in MODULES and any(module.startswith(f"{name}.") for module in MODULES)


def load_submodule(package, name):
    """The loaded module ``name`` of numba's ``package``; None if Heddle has none."""
    full = f"{package}.{name}"
    if full in MODULES:
        return importlib.import_module(MODULES[full])  # late: a program asks for it
    if is_placeholder_package(full):
        return sys.modules.get(full) or Package(full)
    return None


def import_submodule_or_raise(package, name, shown):
    """As ``load_submodule``, but raises the missing-name error of module ``shown`` instead of returning None."""
    found = load_submodule(package, name)
    if found is None:
        raise make_missing_name_error(shown, name, calls=2)
    return found


class Package(types.ModuleType):
    """A numba package that only contains modules, which are imported on first use."""

    def __init__(self, name):
        super().__init__(name, f"The modules of {name} that heddle has.")
        self.__path__ = []

    def __getattr__(self, name):
        return import_submodule_or_raise(
            self.__name__, name, "heddle" + self.__name__[len("numba") :]
        )

    def __dir__(self):
        below = len(self.__name__) + 1
        names = (name for name in MODULES if name.startswith(f"{self.__name__}."))
        return sorted({*vars(self), *(name[below:].partition(".")[0] for name in names)})

    def __repr__(self):
        return f"<module {self.__name__!r}, provided by heddle>"
