"""Marks for tests of what a sanitizer's runtime cannot do; scripts/test_environment.sh preloads it."""

import os

import pytest


def not_under_the_thread_sanitizer(reason):
    return pytest.mark.skipif("rt.tsan" in os.environ.get("LD_PRELOAD", ""), reason=reason)
