"""numba.testing: loads and runs the tests of a folder, for suites modeled on numba's."""

import os
import sys
import traceback
import unittest
from pathlib import Path

from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = ["load_testsuite", "run_tests"]


def load_testsuite(loader, dir):
    """A suite of the files ``test_*.py`` and packages in a folder, as a package's ``load_tests`` returns.

    loader: a unittest.TestLoader. Module names are relative to its top folder, or to the current folder.
    """
    suite = unittest.TestSuite()
    top = loader._top_level_dir or os.getcwd()
    try:
        for path in sorted(Path(dir).iterdir()):
            if path.is_file() and path.match("test_*.py"):
                module = path.with_suffix("").relative_to(top)
                suite.addTests(loader.loadTestsFromName(".".join(module.parts)))
            elif (path / "__init__.py").is_file():
                suite.addTests(loader.discover(str(path), top_level_dir=top))
    except Exception:  # unittest would continue without these tests
        traceback.print_exc()
        sys.exit(-1)
    return suite


def run_tests(
    argv=None,
    defaultTest=None,
    topleveldir=None,
    xmloutput=None,
    verbosity=1,
    nomultiproc=False,
):
    """Runs tests as ``python -m unittest`` does with these arguments. Returns unittest's result.

    xmloutput: the folder for reports of the package xmlrunner. topleveldir, nomultiproc: ignored.
    """
    runner = None
    if xmloutput is not None:
        import xmlrunner  # late: for reports only

        runner = xmlrunner.XMLTestRunner(output=xmloutput)
    program = unittest.TestProgram(
        module=None,
        defaultTest=defaultTest,
        argv=argv,
        testRunner=runner,
        exit=False,
        verbosity=verbosity,
    )
    return program.result


def __getattr__(name):
    raise _missing_name("heddle.testing", name)
