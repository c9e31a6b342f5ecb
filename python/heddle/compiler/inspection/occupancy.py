"""Computes how many blocks of a kernel a GPU multiprocessor runs concurrently, and the limiting resource."""

from dataclasses import dataclass

_block_sizes = (64, 128, 256, 512, 1024)
_warp = 32
# For compute capability 7.5 and later: registers are allocated per warp in units of 256, from the register file of the
# multiprocessor's quarter that runs the warp. Shared memory is allocated in units of 128 bytes (256 on 7.5).
_register_piece = 256
_quarters = 4
_shared_piece = 128


@dataclass(frozen=True)
class Needs:
    """A kernel's needs: registers per thread (None: unknown), bytes of shared memory, maximum threads per block."""

    registers: int | None
    shared_bytes: int
    most_threads: int


def count_concurrent_blocks_and_limit(needs, limits, size):
    """The number of concurrent blocks of this size on a multiprocessor, and the limiting resource."""
    warps = -(-size // _warp)
    allowed = {
        "threads": limits.threads // (warps * _warp),
        "the number of blocks": limits.blocks,
    }
    if needs.shared_bytes:
        taken = _round_up(needs.shared_bytes + limits.reserved_bytes, _shared_piece)
        allowed["shared memory"] = limits.shared_bytes // taken
    if needs.registers:
        of_warp = _round_up(needs.registers * _warp, _register_piece)
        allowed["registers"] = limits.registers // _quarters // of_warp * _quarters // warps
    resource = min(allowed, key=allowed.get)
    return allowed[resource], resource


def format_occupancy(needs, limits, counted=None):
    """Lines that give the occupancy for several block sizes.

    counted: a function from block size to concurrent blocks, for GPUs whose driver can be queried.
    """
    lines = [f"of {limits.threads} threads per multiprocessor:"]
    for size in _block_sizes:
        if size > needs.most_threads:
            break
        blocks, resource = count_concurrent_blocks_and_limit(needs, limits, size)
        if counted:
            blocks = counted(size)
        part = 100 * blocks * size // limits.threads
        reason = f", limited by {resource}" if part < 100 else ""
        lines.append(f"{part:3d} % in blocks of {size} ({blocks} blocks{reason})")
    return lines


def _round_up(amount, piece):
    return -(-amount // piece) * piece
