"""Finds the last block of a launch, which combines the partial results of all blocks.

Each block stores its result and takes a ticket. The block with the last ticket sees all results, and resets the ticket
counter to 0 when it is done.
"""

from heddle.compiler.intrinsics import find_intrinsic
from heddle.compiler.jit import jit
from heddle.types import int32

block_count, thread_index = find_intrinsic("cuda.gridDim"), find_intrinsic("cuda.threadIdx")
shared, atomic = find_intrinsic("cuda.shared"), find_intrinsic("cuda.atomic")
threadfence, syncthreads = find_intrinsic("cuda.threadfence"), find_intrinsic("cuda.syncthreads")


@jit(device=True)
def increment_ticket_and_check_last(ticket):
    """Increments ``ticket`` after the thread stored its block's result. Returns True if the block is the last one."""
    threadfence()
    return atomic.add(ticket, 0, 1) == block_count.x - 1


@jit(device=True)
def increment_block_ticket_and_check_last(ticket):
    """True in all threads of the last block. Called by all threads after thread 0 has stored the block's result."""
    is_last = shared.array(1, int32)
    if thread_index.x == 0:
        is_last[0] = increment_ticket_and_check_last(ticket)
    syncthreads()
    if not is_last[0]:
        return False
    threadfence()
    return True
