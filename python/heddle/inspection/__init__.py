"""What became of a kernel, for people: ``kernel.inspect()`` and ``heddle inspect``.

code_lines   each line of PTX and SIMT IR with the line of the program that it is of
report       registers, memory, occupancy, plan and remarks of a kernel, as text
html_page    the source of kernels beside PTX, SIMT IR and remarks
"""
