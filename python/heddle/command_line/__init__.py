"""The subcommands of ``heddle`` (see ``heddle.cli``). Each loads only its own file.

run_program       ``heddle run``
run_notebook      ``heddle run`` for notebooks
check_command     ``heddle check``; replay_command: the same for a recorded launch
trace_command     ``heddle trace``
compile_command   ``heddle compile``: help text and control flow
compile_request   parses the command line of ``heddle compile``
kernel_code       compiles for ``heddle compile``
inspect_command   ``heddle inspect``; html_page: its page of source, PTX and SIMT IR
information       ``heddle info`` and ``heddle cache``
doctor            ``heddle doctor``; missing_gpu: why there is no GPU
source_files      reads the files on the command line
usage             the help texts and usage errors
"""
