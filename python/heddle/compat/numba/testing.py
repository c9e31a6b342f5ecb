"""numba.testing: the tests of a folder, for suites written after numba's own."""

import os
import sys
import traceback
import unittest
from pathlib import Path

from heddle.missing_names import missing_name as _missing_name

__all__ = ["load_testsuite", "run_tests"]


def load_testsuite(loader, dir):
    """A suite of the files ``test_*.py`` of a folder and of the packages in it, as a package's ``load_tests`` returns.

    loader: a unittest.TestLoader; modules have their names from its top folder, or from the current one.
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
    except Exception:  # unittest would go on without these tests
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
    """Runs tests as ``python -m unittest`` does with these arguments; returns unittest's result.

    xmloutput: the folder for reports of the package xmlrunner. topleveldir, nomultiproc: taken and not needed.
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
