"""Checking kernels for races and invalid accesses: ``heddle.check()``, ``heddle check`` and ``HEDDLE_CHECK=1``.

check             ``heddle.check()`` and the object that collects findings
process           checks a whole process and the processes that it starts
pytest_plugin     ``pytest --heddle-check``
findings          a finding, and its form in JSON
messages, hints   the text of a finding, and how to fix it
lints             the same for lints
text_report       the report in a terminal
html_report       the table in notebooks and the page of ``--html``
sources           source lines and the expressions in them
"""
