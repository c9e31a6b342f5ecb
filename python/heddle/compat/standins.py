"""The modules that stand in for numba's, and their finder."""

import importlib
import importlib.abc
import importlib.machinery
import sys
import types as _types

from heddle import errors
from heddle.missing_names import describe_missing, missing_name

# numba's module -> the module of heddle that it is.
_same_module = {
    "numba.cuda": "heddle.cuda",
    "numba.cuda.args": "heddle.cuda.args",
    "numba.cuda.bf16": "heddle.cuda.bf16",
    "numba.cuda.cg": "heddle.cuda.cg",
    "numba.cuda.fp16": "heddle.cuda.fp16",
    "numba.cuda.libdevice": "heddle.cuda.libdevice",
    "numba.cuda.random": "heddle.cuda.random",
    "numba.cuda.types": "heddle.types",
    "numba.cuda.runtime": "heddle.cuda.runtime",
    "numba.cuda.core.config": "heddle.config",
    "numba.cuda.core.errors": "heddle.errors",
    "numba.cuda.core.types": "heddle.types",
    "numba.cuda.cudadrv": "heddle.cuda.cudadrv",
    "numba.cuda.cudadrv.devicearray": "heddle.cuda.cudadrv.devicearray",
    "numba.cuda.cudadrv.devices": "heddle.cuda.cudadrv.devices",
    "numba.cuda.cudadrv.driver": "heddle.cuda.cudadrv.driver",
    "numba.cuda.cudadrv.error": "heddle.errors",
    "numba.cuda.cudadrv.runtime": "heddle.cuda.runtime",
    "numba.cuda.dispatcher": "heddle.compiler.dispatcher",
    "numba.cuda.extending": "heddle.extending",
    "numba.core.extending": "heddle.extending",
    "numba.extending": "heddle.extending",
    "numba.cuda.errors": "heddle.errors",
    "numba.core.config": "heddle.config",
    "numba.core.errors": "heddle.errors",
    "numba.core.types": "heddle.types",
    "numba.config": "heddle.config",
    "numba.errors": "heddle.errors",
    "numba.types": "heddle.types",
}

# The last release of numba whose public names these are; programs compare it.
NUMBA_VERSION = (0, 61, 0)


def _numba_names():
    from heddle import _heddle, cuda, types  # late: loads the compiler, for numba's programs
    from heddle.compiler import intrinsics  # late: as above

    names = {name: getattr(types, name) for name in types.type_names}
    names |= {
        name: value
        for name, value in vars(errors).items()
        if isinstance(value, type) and value is not Exception
    }
    names |= intrinsics.members_of_heddle()
    names["typeof"] = types.typeof
    names["literal_unroll"] = cuda.literal_unroll
    names["literally"] = cuda.literally
    names["from_dtype"] = types.from_dtype
    names["__version__"] = "{}.{}.{}+heddle.{}".format(*NUMBA_VERSION, _heddle.__version__)
    names["version_info"] = _types.SimpleNamespace(
        major=NUMBA_VERSION[0],
        minor=NUMBA_VERSION[1],
        patch=NUMBA_VERSION[2],
        short=NUMBA_VERSION[:2],
    )
    return names


def _numpy_support_names():
    from heddle import types  # late: as above

    return {"from_dtype": types.from_dtype, "as_dtype": types.as_dtype}


# Packages of numba's that exist only here -> what makes their names, and the modules that are attributes of them.
_own_modules = {
    "numba": (_numba_names, ("config", "core", "cuda", "errors", "extending", "types")),
    "numba.core": (dict, ("config", "errors", "types")),
    "numba.cuda.core": (dict, ("config", "errors", "types")),
    "numba.np": (dict, ("numpy_support",)),
    "numba.np.numpy_support": (_numpy_support_names, ()),
}


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds and loads every module whose name is numba or begins with ``numba.``; refuses those it does not have."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname != "numba" and not fullname.startswith("numba."):
            return None
        if fullname in _same_module or fullname in _own_modules:
            return importlib.machinery.ModuleSpec(
                fullname,
                self,
                origin="heddle",
                is_package=fullname not in ("numba.np.numpy_support",),
            )
        module, _, name = fullname.rpartition(".")
        message = describe_missing("heddle" + module[len("numba") :], name)
        # Without a name: in ``from numba import x`` the import system would replace a ModuleNotFoundError of that name
        # by one whose message does not mention heddle.
        raise ModuleNotFoundError(
            f"{message}; heddle stands in for numba in this program ({fullname} was imported)"
        )

    def create_module(self, spec):
        return _StandIn(spec.name)

    def exec_module(self, module):
        name = module.__name__
        if name in _same_module:
            found = importlib.import_module(_same_module[name])  # late: a program imports it
            sys.modules[name] = found
            return
        make_names, submodules = _own_modules[name]
        names = make_names()
        vars(module).update(names)
        module._submodules = submodules
        module.__all__ = sorted(public for public in names if not public.startswith("_"))
        module.__file__ = f"<heddle's stand-in for {name}>"

    def forget(self):
        """Removes the modules that were loaded here from sys.modules."""
        for name in list(sys.modules):
            if name in _same_module or name in _own_modules:
                del sys.modules[name]


class _StandIn(_types.ModuleType):
    """A module of numba's that exists only here; modules below it are imported when they are asked for."""

    _submodules = ()

    def __getattr__(self, name):
        if name in self._submodules:
            return importlib.import_module(f"{self.__name__}.{name}")  # late: a program imports it
        raise missing_name("heddle" + self.__name__[len("numba") :], name)

    def __dir__(self):
        return sorted({*vars(self), *self._submodules})

    def __repr__(self):
        return f"<module {self.__name__!r}, which heddle stands in for>"
