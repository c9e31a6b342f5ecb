"""The finder of ``numba`` and everything below it: gives heddle's modules in the place of numba's."""

import importlib
import importlib.machinery
import importlib.util
import os
import sys
import types

from heddle import config
from heddle.compat.numba_modules import MODULES, Package, is_package
from heddle.missing_names import describe_missing


class StandIns:
    """Finds and loads every module whose name is numba or begins with ``numba.``; refuses those it does not have."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname != "numba" and not fullname.startswith("numba."):
            return None
        if fullname in MODULES or is_package(fullname):
            return importlib.machinery.ModuleSpec(fullname, self, origin="heddle", is_package=True)
        if spec := self._of_numbas_tests(fullname):
            return spec
        module, _, name = fullname.rpartition(".")
        message = describe_missing("heddle" + module[len("numba") :], name)
        # Without a name: in ``from numba import x`` the import system would replace a ModuleNotFoundError of that name
        # by one whose message does not mention heddle.
        raise ModuleNotFoundError(
            f"{message}; heddle stands in for numba in this program ({fullname} was imported)"
        )

    def _of_numbas_tests(self, fullname):
        """Tests of numba and numba-cuda, where these are installed: programs like others, which import each other."""
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
        return Package(spec.name) if is_package(spec.name) else types.ModuleType(spec.name)

    def exec_module(self, module):
        if module.__name__ == "numba":
            config.reload_config()
        place = MODULES.get(module.__name__)
        if place is not None:
            found = importlib.import_module(place)  # late: a program imports it
            if not hasattr(found, "__path__"):
                found.__path__ = []  # Python imports a module below it only from a package
            sys.modules[module.__name__] = found
            # A later import of these would hide the package's own name by the module that it is itself.
            for name, same in MODULES.items():
                if same == place and name.rpartition(".")[0] == module.__name__:
                    sys.modules[name] = found

    def forget(self):
        """Removes the modules that were loaded here from sys.modules."""
        for name in list(sys.modules):
            if name == "numba" or name.startswith("numba."):
                del sys.modules[name]
