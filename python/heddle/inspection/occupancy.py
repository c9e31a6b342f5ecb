"""How many blocks of a kernel a multiprocessor of a GPU runs at once, and what allows no more."""

from dataclasses import dataclass

_block_sizes = (64, 128, 256, 512, 1024)
_warp = 32
# Of compute capability 7.5 and later: a warp's registers come in pieces of 256, from the quarter of the multiprocessor
# that runs the warp; shared memory comes in pieces of 128 bytes (256 for 7.5).
_register_piece = 256
_quarters = 4
_shared_piece = 128


@dataclass(frozen=True)
class Needs:
    """Of a kernel: registers of a thread (None: not known), bytes of shared memory, threads of a block at most."""

    registers: int | None
    shared_bytes: int
    most_threads: int


def blocks_at_once(needs, limits, size):
    """The blocks of so many threads that a multiprocessor runs at once, and the resource that allows no more."""
    warps = -(-size // _warp)
    allowed = {
        "the number of threads": limits.threads // (warps * _warp),
        "the number of blocks": limits.blocks,
    }
    if needs.shared_bytes:
        taken = _whole_pieces(needs.shared_bytes + limits.reserved_bytes, _shared_piece)
        allowed["shared memory"] = limits.shared_bytes // taken
    if needs.registers:
        of_warp = _whole_pieces(needs.registers * _warp, _register_piece)
        allowed["registers"] = limits.registers // _quarters // of_warp * _quarters // warps
    resource = min(allowed, key=allowed.get)
    return allowed[resource], resource


def occupancy(needs, limits, counted=None):
    """Lines that say for several sizes of blocks which part of a multiprocessor's threads runs at once.

    counted: a function that tells the blocks of a size, for GPUs whose driver can be asked.
    """
    lines = [f"of the {limits.threads} threads of a multiprocessor"]
    for size in _block_sizes:
        if size > needs.most_threads:
            break
        blocks, resource = blocks_at_once(needs, limits, size)
        if counted:
            blocks = counted(size)
        part = 100 * blocks * size // limits.threads
        reason = (
            f"; {resource} allow{'' if resource == 'registers' else 's'} no more"
            if part < 100
            else ""
        )
        lines.append(f"{part:3d} % in blocks of {size} ({blocks} at once{reason})")
    return lines


def _whole_pieces(amount, piece):
    return -(-amount // piece) * piece
