"""Traces of kernels: ``heddle trace``.

process        traces a launch of this process, or of one that it starts
trace          a traced block: the steps that its warps execute, and their requests
measures       sectors and bank conflicts of a request
schedule       when each warp executes its steps, and how long it waits at barriers
summary        the table that the command prints
html_page      the page that animates a trace; page_style, page_script: its parts
"""
