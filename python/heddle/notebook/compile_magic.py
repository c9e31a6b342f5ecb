"""``%%heddle compile``: runs a cell and prints the code of the kernels and jitted functions that it defines."""

import shlex

from heddle import _heddle
from heddle.command_line import kernel_code
from heddle.command_line.compile_request import Failed, Request, WrongUse
from heddle.compiler.dispatcher import Dispatcher
from heddle.compiler.host_dispatcher import HostDispatcher

_usage = """\
%%heddle compile [--emit ptx|asm|llvm|simt] [--device cuda|cpu] [--arch sm_90] [--signature TYPES]
Runs the cell and prints the code of each kernel and jitted function that it defines: for the types of its launches,
calls and signatures, or for the given types"""


def make_heddle_magic(shell):
    """Makes the magic for this IPython shell."""

    def run_heddle_magic(line, cell):
        command, _, rest = line.strip().partition(" ")
        if command != "compile" or not {"-h", "--help"}.isdisjoint(rest.split()):
            print(f"usage: {_usage}")
            return
        try:
            request = Request(["cell.py:kernel", *shlex.split(rest)])
            target = kernel_code.Target(request)
            if target.form == "object" or request.output:
                raise WrongUse("a cell shows text: omit -o and --emit object")
        except (WrongUse, Failed, ValueError) as error:
            print(f"{error}\nusage: {_usage}")
            return
        before = _select_kernels(shell.user_ns)
        if shell.run_cell(cell).success:
            _print_code(_list_new_kernels(before, _select_kernels(shell.user_ns)), request, target)

    run_heddle_magic.__doc__ = _usage
    return run_heddle_magic


_compiled = Dispatcher, HostDispatcher


def _select_kernels(names):
    return {name: value for name, value in names.items() if isinstance(value, _compiled)}


def _list_new_kernels(before, after):
    """The kernels that the cell defined, except device functions, which are in the code of their callers."""
    return {
        name: kernel
        for name, kernel in after.items()
        if before.get(name) is not kernel
        and not name.startswith("_")
        and not (isinstance(kernel, Dispatcher) and kernel.targetoptions.get("device"))
    }


def _print_code(kernels, request, target):
    if not kernels:
        print("the cell defines no kernel and no jitted function")
    for name, kernel in kernels.items():
        try:
            for signature in _list_signatures_to_show(kernel, request):
                print(f"{name}{signature}\n{_format_code(kernel, signature, request, target)}")
        except (Failed, WrongUse) as error:
            print(error)


def _list_signatures_to_show(kernel, request):
    if request.signature:
        return [kernel_code.parse_given_signature(request.signature)]
    found = [*kernel.declared, *(variant.signature for variant in kernel.variants())]
    if not found:
        raise WrongUse(
            f"{kernel.py_func.__name__} was not compiled: launch or call it in the cell, or give the types of its "
            "arguments, as in --signature 'void(float32[:], int32)'"
        )
    return list(dict.fromkeys(found))


def _format_code(kernel, signature, request, target):
    if isinstance(kernel, HostDispatcher):
        return kernel_code.compile_host_code_to_text(kernel, signature, request)
    code, _ = kernel_code.call_compiler_or_fail(
        lambda: _heddle.compile_ahead(
            Dispatcher(kernel.py_func, kernel.targetoptions),
            signature,
            kernel.py_func.__name__,
            target.device,
            target.capability,
            target.form,
        )
    )
    return code.decode()
