"""``kernel.inspect()``: what a person wants to know of a compiled kernel, as text."""

from heddle.compiler.source import definition_of, lines_of
from heddle.inspection.code_lines import line_of_remark

_block_sizes = (64, 128, 256, 512, 1024)


def report(dispatcher, variant):
    """The text about one variant: its resources, its occupancy, then the source with the remarks below their lines."""
    name = dispatcher.py_func.__name__
    parts = [title_of(dispatcher, variant), *facts(variant), ""]
    first, source = source_of(dispatcher.py_func)
    remarks = [remark.removeprefix(f"{name}: ") for remark in variant.remarks]
    last = first + len(source) - 1
    of_no_line = [
        remark for remark in remarks if not first <= (line_of_remark(remark) or 0) <= last
    ]
    parts += [f"  {remark}" for remark in of_no_line] + [""] * bool(of_no_line)
    for number, line in enumerate(source, first):
        parts.append(f"{number:5d} | {line}")
        parts += [f"      ^ {remark}" for remark in remarks if line_of_remark(remark) == number]
    return "\n".join(parts)


def title_of(dispatcher, variant):
    """The kernel's name and the types of its arguments."""
    return dispatcher.py_func.__name__ + str(variant.signature).rpartition(" -> ")[0]


def facts(variant):
    """Lines about a variant's resources on its device."""
    device = variant.device
    found = [
        f"  device             {device.name}",
        f"  registers          {variant.registers} a thread",
        f"  shared memory      {variant.static_shared_bytes} bytes a block",
        f"  local memory       {variant.local_bytes} bytes a thread",
        f"  constant memory    {variant.const_bytes} bytes",
        f"  threads            at most {variant.max_threads_per_block} a block; "
        f"{variant.suggested_block_size(0)} suggested",
    ]
    return [*found, f"  occupancy          {occupancy(variant)}"]


def occupancy(variant):
    """How many blocks of each size a multiprocessor runs at once, and which part of its threads they are.

    On the CPU a core runs one block.
    """
    if variant.device.uses_host_memory:
        return "a core runs one block at a time"
    most = variant.device.attribute("MAX_THREADS_PER_MULTIPROCESSOR")
    shown = []
    for size in _block_sizes:
        if size <= variant.max_threads_per_block:
            blocks = variant.active_blocks_per_multiprocessor(size, 0)
            shown.append(f"{100 * blocks * size // most} % ({blocks} blocks of {size} threads)")
    return ", ".join(shown)


def source_of(function):
    """The number of a function's first line, and its lines."""
    _, _, first, lines = definition_of(function, lines_of(function))
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return first, lines
