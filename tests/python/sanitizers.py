"""Marks for tests that cannot run under a sanitizer's runtime, which scripts/test_environment.sh preloads."""

import os

import pytest


def not_under_the_thread_sanitizer(reason):
    return pytest.mark.skipif("rt.tsan" in os.environ.get("LD_PRELOAD", ""), reason=reason)
