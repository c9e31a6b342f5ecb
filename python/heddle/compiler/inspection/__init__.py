"""Reports on compiled kernels: ``kernel.inspect()`` and ``heddle inspect``.

code_lines   maps lines of PTX and SIMT IR to source lines
gpus         resource limits of multiprocessors, by compute capability
occupancy    how many blocks of a kernel a multiprocessor runs concurrently
named_gpu    compiles a kernel for GPUs that need not be present
report       plan, registers, memory, occupancy and remarks of a kernel, as text
"""
