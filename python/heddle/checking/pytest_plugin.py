"""``pytest --heddle-check``: a test fails if a kernel that it launches has a finding of severity error."""

import os

import pytest


def pytest_addoption(parser):
    parser.getgroup("heddle").addoption(
        "--heddle-check",
        action="store_true",
        help="check the kernels that tests launch: races and invalid accesses fail the test",
    )


def pytest_configure(config):
    if config.getoption("--heddle-check"):
        os.environ["HEDDLE_DEVICE"] = "cpu"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    return (yield from _check_test_phase(item, "setup"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    return (yield from _check_test_phase(item, "call"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item):
    return (yield from _check_test_phase(item, "teardown"))


def _check_test_phase(item, phase):
    if not item.config.getoption("--heddle-check"):
        return (yield)
    from heddle.checking.check import (
        Check,
        add_findings_to_enclosing_check,
    )  # late: loads the compiler

    check = Check(lints=False)
    check.start()
    has_failed = True
    try:
        result = yield
        has_failed = False
    finally:
        check.stop()
        add_findings_to_enclosing_check(check)
        if check.findings and (has_failed or not check.errors):  # else they are the failure below
            item.add_report_section(phase, "heddle check", str(check))
    if check.errors:
        pytest.fail(str(check), pytrace=False)
    return result
