"""Launches by number of tasks: ``kernel.forall(n)(*args)``."""

from heddle import _heddle
from heddle.support.public_function import public


class ForAll:
    """A kernel with a number of tasks. Calling it chooses the grid and launches."""

    def __init__(self, dispatcher, ntasks, tpb, stream, sharedmem):
        self.dispatcher = dispatcher
        self.ntasks = ntasks
        self.thread_per_block = tpb
        self.stream = stream
        self.sharedmem = sharedmem

    @public
    def __call__(self, *args, **kwargs):
        if self.ntasks == 0:
            return
        block = self.thread_per_block
        if not block:
            variant = self.dispatcher.variant_for(*args, **kwargs)
            block = variant.suggested_block_size(self.sharedmem)
        grid = -(-self.ntasks // block)
        # Call the base class: a kernel with extensions has already prepared the arguments.
        configuration = grid, block, self.stream, self.sharedmem
        _heddle.DispatcherBase.__getitem__(self.dispatcher, configuration)(*args, **kwargs)
