"""Calls of Python functions from compiled code.

Compiled code writes numbers, and addresses of arrays, to an array of slots and makes two callbacks: the first runs the
function and returns the sizes of its results; the second copies the results to memory that the compiled code has
allocated.
"""

import ctypes
import functools
import itertools

import numpy as np

from heddle import _heddle
from heddle.compiler.library_registry import compiled, define_function_from_text
from heddle.compiler.rewriting.composite_slots import make_slot_value
from heddle.compiler.rewriting.value_slots import make_no_lines

# Results of functions, by the address of their slots, because Python has no storage for threads that share a loop.
_given = {}
_raised = []
_numbers = itertools.count()


class ObjectBlockError(Exception):
    """Marks an exception that leaves a block; ``pop_pending_exception`` returns it."""

    @staticmethod
    def pop_pending_exception():
        return _raised.pop() if _raised else RuntimeError("a block of objmode failed")


class CallOfPython:
    """Lets compiled code call a Python function with the given result types."""

    def __init__(self, function, *results):
        def call_and_make_tuple(*values):
            value = function(*values)
            return (value,) if results else ()

        block = ObjectBlock(call_and_make_tuple, list(results))
        _heddle.overloads[function] = self
        self._choose = block.choose_implementation

    def choose_implementation(self, arguments, named, target):
        call = self._choose(arguments, named, target)
        return call and compiled(_make_function_of_first_result(call))


@functools.cache
def _make_function_of_first_result(call):
    def return_first_result(*values):
        results = call(*values)
        return results[0] if len(results) > 0 else None

    return return_first_result


class ObjectBlock:
    """Lets compiled code call a block. Its implementations depend on the types of the inputs."""

    __heddle_instead_in_kernels__ = (
        "the block needs Python, which kernels do not have: run it on the host, before or after "
        "the launch"
    )

    def __init__(self, block, results, keeps_arguments=True):
        """keeps_arguments: the block may keep references to its arguments."""
        self._block, self._results, self._keeps = block, results, keeps_arguments
        self.__name__ = "objmode"
        _heddle.overloads[self] = self

    def __call__(self, *values):
        return self._block(*values)

    def choose_implementation(self, arguments, named, target):
        if target == "cuda":
            return None
        inputs = [make_slot_value(kind, f"x{i}", self._keeps) for i, kind in enumerate(arguments)]
        results = [make_slot_value(kind, f"y{i}") for i, kind in enumerate(self._results)]
        return compiled(_make_block_caller(self._block, inputs, results))


def _make_block_caller(block, inputs, results):
    """Makes the function that compiled code calls with the inputs; it returns the results."""
    places = list(itertools.accumulate((v.slots for v in [*inputs, *results]), initial=0))
    at_inputs, at_results, count = places[: len(inputs)], places[len(inputs) : -1], places[-1]

    def view_slots(address):
        if not count:
            return np.empty(0, np.int64)
        return np.frombuffer((ctypes.c_int64 * count).from_address(address), np.int64)

    def run_block(address):
        try:
            slots = view_slots(address)
            values = block(
                *(
                    v.read_argument_from_slots(slots, at)
                    for v, at in zip(inputs, at_inputs, strict=True)
                )
            )
            for value, v, at in zip(values, results, at_results, strict=True):
                v.store_result_or_size(value, slots, at)
            _given[address] = values
        except BaseException as error:
            _raised.append(error)
            return 1
        return 0

    def copy_results_to_memory(address):
        try:
            slots, values = view_slots(address), _given.pop(address)
            for value, v, at in zip(values, results, at_results, strict=True):
                v.copy_result_to_memory(value, slots, at)
        except BaseException as error:
            _raised.append(error)
            return 1
        return 0

    made = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)
    names = {
        "np": np,
        "run": made(run_block),
        "copy_results_to_memory": made(copy_results_to_memory),
        "ObjectBlockError": ObjectBlockError,
    }
    lines = [f"slots = np.zeros({max(count, 1)}, np.int64)", "floats = slots.view(np.float64)"]
    for value, at in zip(inputs, at_inputs, strict=True):
        lines += value.make_store_lines(at)
        names.update(value.list_globals_of_generated_code())
    lines += ["if run(slots.ctypes) != 0:", "    raise ObjectBlockError()"]
    for value, at in zip(results, at_results, strict=True):
        lines += value.make_result_setup_lines(at)
        names.update(value.list_globals_of_generated_code())
    lines += ["if copy_results_to_memory(slots.ctypes) != 0:", "    raise ObjectBlockError()"]
    for value, at in zip(results, at_results, strict=True):
        lines += getattr(value, "make_completion_lines", make_no_lines)(at)
    parameters = "".join(f"x{i}, " for i in range(len(inputs)))
    lines += [f"return ({''.join(f'{v.name}, ' for v in results)})"]
    text = f"def applied({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    return define_function_from_text(text, names, number=next(_numbers))
