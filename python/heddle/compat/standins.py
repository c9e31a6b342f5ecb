"""The import finder for ``numba`` and its submodules: loads Heddle's modules instead of numba's."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types

from heddle import config
from heddle.support.missing_names import describe_missing_name
from heddle.support.numba_modules import MODULES, Package, is_placeholder_package


class StandIns:
    """Finds and loads ``numba`` and all modules below it. Rejects those that Heddle lacks."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname != "numba" and not fullname.startswith("numba."):
            return None
        if fullname in MODULES or is_placeholder_package(fullname):
            return importlib.machinery.ModuleSpec(fullname, self, origin="heddle", is_package=True)
        if spec := self._find_numba_test_spec(fullname):
            return spec
        module, _, name = fullname.rpartition(".")
        message = describe_missing_name("heddle" + module[len("numba") :], name)
        # Without the argument name, because ``from numba import x`` replaces a ModuleNotFoundError with that name by
        # one that does not mention Heddle.
        raise ModuleNotFoundError(
            f"{message}; heddle replaces numba in this program ({fullname} was imported)"
        )

    def _find_numba_test_spec(self, fullname):
        """Finds tests of an installed numba or numba-cuda, which are ordinary programs that import each other."""
        if fullname.startswith("numba.cuda.tests."):
            package, path = "numba_cuda", fullname.split(".")
        elif fullname.startswith("numba.tests."):
            package, path = "numba", fullname.split(".")[1:]
        else:
            return None
        found = importlib.machinery.PathFinder.find_spec(package)
        places = found.submodule_search_locations if found else []
        for place in places:
            file = os.path.join(place, *path)
            if os.path.isfile(f"{file}.py"):
                return importlib.util.spec_from_file_location(fullname, f"{file}.py")
            if os.path.isdir(file):
                spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
                spec.submodule_search_locations = []
                return spec
        return None

    def create_module(self, spec):
        return (
            Package(spec.name) if is_placeholder_package(spec.name) else types.ModuleType(spec.name)
        )

    def exec_module(self, module):
        if module.__name__ == "numba":
            config.reload_config()
        place = MODULES.get(module.__name__)
        if place is not None:
            found = importlib.import_module(place)  # late: a program imports it
            if not hasattr(found, "__path__"):
                found.__path__ = []  # Python imports submodules only from packages
            sys.modules[module.__name__] = found
            # A later import of one of these modules would replace the package's attribute by the package itself.
            for name, same in MODULES.items():
                if same == place and name.rpartition(".")[0] == module.__name__:
                    sys.modules[name] = found

    def unload_modules(self):
        """Removes numba's modules from sys.modules."""
        for name in list(sys.modules):
            if name == "numba" or name.startswith("numba."):
                del sys.modules[name]
