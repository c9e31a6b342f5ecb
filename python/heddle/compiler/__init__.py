"""The Python side of the compiler: turns functions into launchable code. README.md lists its files.

Users reach it through ``heddle`` and ``heddle.cuda``.
"""
