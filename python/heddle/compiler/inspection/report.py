"""``kernel.inspect()``: a report on a compiled kernel, as text."""

import re

from heddle.compiler.inspection.code_lines import find_remark_line
from heddle.compiler.inspection.gpus import get_capability_limits, read_device_limits
from heddle.compiler.inspection.named_gpu import (
    compile_ptx_or_describe_error,
    compile_remarks_or_describe_error,
)
from heddle.compiler.inspection.occupancy import Needs, format_occupancy
from heddle.compiler.source import find_source_lines, parse_and_rewrite_definition

_place = re.compile(r": line \d+: .*")
_shared_in_ptx = re.compile(r"^\s*\.shared\b.*\[(\d+)\];", re.MULTILINE)


def format_report(dispatcher, variant, gpu=None):
    """The report on one variant: plan, resources, occupancy, then the source with remarks below their lines.

    gpu: a compute capability to report on instead of the variant's device.
    """
    remarks = get_remarks(dispatcher, variant, gpu)
    parts = [
        format_title(dispatcher, variant),
        *list_plan_and_resource_lines(dispatcher, variant, gpu),
        "",
    ]
    first, source = get_first_line_and_source(dispatcher.py_func)
    for number, line in enumerate(source, first):
        parts.append(f"{number:5d} | {line}")
        parts += [f"      ^ {remark}" for remark in remarks if find_remark_line(remark) == number]
    return "\n".join(parts)


def format_title(dispatcher, variant):
    """The kernel's name and argument types."""
    return dispatcher.py_func.__name__ + str(variant.signature).rpartition(" -> ")[0]


def get_remarks(dispatcher, variant, gpu=None):
    """The optimization remarks, without the kernel's name."""
    remarks = (
        variant.remarks
        if gpu is None
        else compile_remarks_or_describe_error(dispatcher, variant, gpu)
    )
    return list(dict.fromkeys(remark.partition(": ")[2] for remark in remarks))


def list_plan_and_resource_lines(dispatcher, variant, gpu=None):
    """Lines about the plan and resources of a variant, on its device or on GPUs of a compute capability."""
    if gpu is not None:
        found = _list_capability_facts(dispatcher, variant, gpu)
    elif variant.device.uses_host_memory:
        found = _list_cpu_facts(variant)
    else:
        found = _list_gpu_facts(variant)
    remarks = get_remarks(dispatcher, variant, gpu)
    found["plan"] = [_place.sub("", remark) for remark in remarks] or found["plan"]
    return [
        f"  {heading if i == 0 else '':<18} {line}"
        for heading, lines in found.items()
        for i, line in enumerate(lines)
    ]


def _list_cpu_facts(variant):
    cores = variant.device.attribute("MULTIPROCESSOR_COUNT")
    return {
        "device": [f"{variant.device.name}, {cores} core" + "s" * (cores != 1)],
        "plan": ["runs one thread at a time"],
        "registers": [f"those of the core: {variant.registers}, and its vector registers"],
        **_list_memory_facts(variant),
        "occupancy": ["a core runs one block at a time"],
    }


def _list_gpu_facts(variant):
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
        "plan": ["threads are not merged"],
        "registers": [f"{variant.registers} per thread"],
        **_list_memory_facts(variant),
        "occupancy": format_occupancy(
            needs,
            read_device_limits(device),
            lambda size: variant.active_blocks_per_multiprocessor(size, 0),
        ),
    }


def _list_capability_facts(dispatcher, variant, gpu):
    """The facts that are known without the GPU. Its driver, which assembles the kernel, assigns registers."""
    ptx = compile_ptx_or_describe_error(dispatcher, variant, gpu)
    shared = sum(map(int, _shared_in_ptx.findall(ptx)))
    needs = Needs(None, shared, variant.max_threads_per_block)
    return {
        "device": [f"a GPU of compute capability {gpu[0]}.{gpu[1]}"],
        "plan": ["threads are not merged"],
        "registers": ["chosen by the GPU's driver"],
        "shared memory": [f"{shared} bytes per block"],
        "occupancy": [
            "at most, if registers suffice:",
            *format_occupancy(needs, get_capability_limits(gpu)),
        ],
    }


def _list_memory_facts(variant):
    return {
        "shared memory": [f"{variant.static_shared_bytes} bytes per block"],
        "local memory": [f"{variant.local_bytes} bytes per thread"],
        "constant memory": [f"{variant.const_bytes} bytes"],
        "threads": [
            f"at most {variant.max_threads_per_block} per block; "
            f"{variant.suggested_block_size(0)} suggested"
        ],
    }


def get_first_line_and_source(function):
    """The number of a function's first line, and its lines."""
    _, _, first, lines = parse_and_rewrite_definition(function, find_source_lines(function))
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return first, lines
