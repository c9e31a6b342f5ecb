"""What became of a kernel, for people: ``kernel.inspect()`` and ``heddle inspect``.

code_lines   each line of PTX and SIMT IR with the line of the program that it is of
gpus         what multiprocessors run at once, by compute capability
occupancy    how many blocks of a kernel a multiprocessor runs at once
named_gpu    a kernel as it is compiled for GPUs that need not be here
report       plan, registers, memory, occupancy and remarks of a kernel, as text
html_page    the source of kernels beside PTX, SIMT IR and remarks
"""
