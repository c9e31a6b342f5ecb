"""Writes tests/python/names_of_numba.txt: every public name of numba.cuda and of the modules around it.

Run with a Python that has numba and numba-cuda, which Heddle itself never needs, and with pytest and filecheck, which
numba.cuda.testing imports:

    python -m venv ORACLE && ORACLE/bin/pip install numba==0.68.1 numba-cuda==0.30.4 pytest filecheck
    ORACLE/bin/python scripts/list_names_of_numba.py

scripts/make_reference.py compares the list with what Heddle offers.
"""

import importlib
import importlib.metadata
import textwrap
import types
import warnings
from pathlib import Path

LIST = Path(__file__).parents[1] / "tests" / "python" / "names_of_numba.txt"

MODULES = [
    "numba",
    "numba.core.config",
    "numba.core.errors",
    "numba.types",
    "numba.extending",
    "numba.np.numpy_support",
    "numba.cuda",
    "numba.cuda.api",
    "numba.cuda.api_util",
    "numba.cuda.args",
    "numba.cuda.cache_hints",
    "numba.cuda.cg",
    "numba.cuda.compiler",
    "numba.cuda.core.errors",
    "numba.cuda.core.sigutils",
    "numba.cuda.cudadrv",
    "numba.cuda.cudadrv.devicearray",
    "numba.cuda.cudadrv.devices",
    "numba.cuda.cudadrv.driver",
    "numba.cuda.cudadrv.drvapi",
    "numba.cuda.cudadrv.dummyarray",
    "numba.cuda.cudadrv.error",
    "numba.cuda.cudadrv.libs",
    "numba.cuda.cudadrv.linkable_code",
    "numba.cuda.cudadrv.mappings",
    "numba.cuda.cudadrv.nvrtc",
    "numba.cuda.cudadrv.nvvm",
    "numba.cuda.cudadrv.runtime",
    "numba.cuda.decorators",
    "numba.cuda.descriptor",
    "numba.cuda.device_init",
    "numba.cuda.dispatcher",
    "numba.cuda.errors",
    "numba.cuda.extending",
    "numba.cuda.intrinsics",
    "numba.cuda.kernels",
    "numba.cuda.kernels.reduction",
    "numba.cuda.kernels.transpose",
    "numba.cuda.launchconfig",
    "numba.cuda.misc.special",
    "numba.cuda.models",
    "numba.cuda.np.numpy_support",
    "numba.cuda.random",
    "numba.cuda.simulator",
    "numba.cuda.stubs",
    "numba.cuda.testing",
    "numba.cuda.tests.support",
    "numba.cuda.types",
    "numba.cuda.typing",
    "numba.cuda.typing.typeof",
    "numba.cuda.vector_types",
]


# Where values come from that a module only uses itself.
STANDARD = [
    "abc",
    "_abc",
    "collections",
    "contextlib",
    "copy",
    "cuda",
    "ctypes",
    "_ctypes",
    "datetime",
    "enum",
    "filecheck",
    "functools",
    "_functools",
    "importlib",
    "io",
    "_io",
    "itertools",
    "logging",
    "numbers",
    "numpy",
    "operator",
    "os",
    "pathlib",
    "pytest",
    "re",
    "shutil",
    "subprocess",
    "tempfile",
    "textwrap",
    "threading",
    "traceback",
    "types",
    "typing",
    "unittest",
    "warnings",
    "_warnings",
    "weakref",
    "_weakref",
]


def is_public(module, name):
    """Whether a name of a module is numba's own: not one that the module imports from elsewhere for itself."""
    value = getattr(module, name)
    if name.startswith("_") and name != "__version__":
        return False
    if isinstance(value, types.ModuleType):
        is_below = value.__name__ == f"{module.__name__}.{name}"
        is_offered = module.__name__ in ("numba", "numba.cuda") and value.__name__.startswith(
            "numba."
        )
        return is_below or is_offered or name == "unittest"
    home = type(value).__module__
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        home = value.__module__ or "numba"
    return home.partition(".")[0] not in STANDARD


def main():
    warnings.simplefilter("ignore")
    versions = {name: importlib.metadata.version(name) for name in ("numba", "numba-cuda")}
    lines = [
        "# Written by scripts/list_names_of_numba.py: the public names of numba's modules, in",
        "# " + ", ".join(f"{name} {version}" for name, version in versions.items()) + ".",
    ]
    for name in MODULES:
        module = importlib.import_module(name)
        public = sorted(found for found in dir(module) if is_public(module, found))
        lines += [
            f"{name}:",
            *textwrap.wrap(" ".join(public), 110, initial_indent="  ", subsequent_indent="  "),
        ]
    LIST.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
