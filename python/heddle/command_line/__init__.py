"""What the command ``heddle`` (``heddle.cli``) does. Each command loads its own file only.

run_program       ``heddle run``
run_notebook      ``heddle run`` of a notebook
compile_command   ``heddle compile``: its help, its steps
compile_request   which code a command line of ``heddle compile`` asks for
kernel_code       the compilation itself
inspect_command   ``heddle inspect``
information       ``heddle info``, ``heddle cache``, ``heddle --version``
"""
