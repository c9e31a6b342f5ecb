"""``kernel.inspect()``: what a person wants to know of a compiled kernel, as text."""

import re

from heddle.compiler.source import find_source_lines, parse_definition
from heddle.inspection.code_lines import line_of_remark
from heddle.inspection.gpus import limits_of_capability, limits_of_device
from heddle.inspection.named_gpu import code_for, remarks_for
from heddle.inspection.occupancy import Needs, occupancy

_place = re.compile(r": line \d+: .*")
_shared_in_ptx = re.compile(r"^\s*\.shared\b.*\[(\d+)\];", re.MULTILINE)


def report(dispatcher, variant, gpu=None):
    """The text about one variant: plan, resources, occupancy, then the source with the remarks below their lines.

    gpu: a compute capability; the text is then about the same kernel on GPUs of it.
    """
    remarks = remarks_of(dispatcher, variant, gpu)
    parts = [title_of(dispatcher, variant), *facts(dispatcher, variant, gpu), ""]
    first, source = source_of(dispatcher.py_func)
    for number, line in enumerate(source, first):
        parts.append(f"{number:5d} | {line}")
        parts += [f"      ^ {remark}" for remark in remarks if line_of_remark(remark) == number]
    return "\n".join(parts)


def title_of(dispatcher, variant):
    """The kernel's name and the types of its arguments."""
    return dispatcher.py_func.__name__ + str(variant.signature).rpartition(" -> ")[0]


def remarks_of(dispatcher, variant, gpu=None):
    """What the compiler decided, without the kernel's name."""
    remarks = variant.remarks if gpu is None else remarks_for(dispatcher, variant, gpu)
    return list(dict.fromkeys(remark.partition(": ")[2] for remark in remarks))


def facts(dispatcher, variant, gpu=None):
    """Lines about how a variant runs and what it needs, on its device or on GPUs of a compute capability."""
    if gpu is not None:
        found = _facts_of_capability(dispatcher, variant, gpu)
    elif variant.device.uses_host_memory:
        found = _facts_of_cpu(variant)
    else:
        found = _facts_of_gpu(variant)
    remarks = remarks_of(dispatcher, variant, gpu)
    found["plan"] = [_place.sub("", remark) for remark in remarks] or found["plan"]
    return [
        f"  {heading if i == 0 else '':<18} {line}"
        for heading, lines in found.items()
        for i, line in enumerate(lines)
    ]


def _facts_of_cpu(variant):
    cores = variant.device.attribute("MULTIPROCESSOR_COUNT")
    return {
        "device": [f"{variant.device.name}, {cores} core" + "s" * (cores != 1)],
        "plan": ["runs one thread at a time"],
        "registers": [f"{variant.registers} a thread, and the core's vector registers"],
        **_memory(variant),
        "occupancy": ["a core runs one block at a time"],
    }


def _facts_of_gpu(variant):
    device = variant.device
    needs = Needs(
        variant.registers,
        variant.static_shared_bytes,
        variant.max_threads_per_block,
    )
    capability = ".".join(map(str, device.compute_capability))
    count = device.attribute("MULTIPROCESSOR_COUNT")
    return {
        "device": [f"{device.name}, compute capability {capability}, {count} multiprocessors"],
        "plan": ["each thread does its own work"],
        "registers": [f"{variant.registers} a thread"],
        **_memory(variant),
        "occupancy": occupancy(
            needs,
            limits_of_device(device),
            lambda size: variant.active_blocks_per_multiprocessor(size, 0),
        ),
    }


def _facts_of_capability(dispatcher, variant, gpu):
    """What can be known without the GPU: its driver, which assembles the kernel, chooses the registers."""
    ptx = code_for(dispatcher, variant, gpu)
    shared = sum(map(int, _shared_in_ptx.findall(ptx)))
    needs = Needs(None, shared, variant.max_threads_per_block)
    return {
        "device": [f"a GPU of compute capability {gpu[0]}.{gpu[1]}"],
        "plan": ["each thread does its own work"],
        "registers": ["chosen by the GPU's driver"],
        "shared memory": [f"{shared} bytes a block"],
        "occupancy": [
            "at most, if registers suffice:",
            *occupancy(needs, limits_of_capability(gpu)),
        ],
    }


def _memory(variant):
    return {
        "shared memory": [f"{variant.static_shared_bytes} bytes a block"],
        "local memory": [f"{variant.local_bytes} bytes a thread"],
        "constant memory": [f"{variant.const_bytes} bytes"],
        "threads": [
            f"at most {variant.max_threads_per_block} a block; "
            f"{variant.suggested_block_size(0)} suggested"
        ],
    }


def source_of(function):
    """The number of a function's first line, and its lines."""
    _, _, first, lines = parse_definition(function, find_source_lines(function))
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return first, lines
