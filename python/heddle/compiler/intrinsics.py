"""The Python objects of device operations: ``cuda.grid``, ``cuda.atomic.add`` and so on.

Each has a name, by which the compiler finds it in its table of intrinsics, and documentation from that table. On the
host they can be inspected, passed around and pickled, but not called.
"""

import functools
import inspect
import operator
import re

from heddle import _heddle
from heddle.compiler.operation_examples import make_operation_example
from heddle.support.missing_names import make_missing_name_error
from heddle.support.public_function import public

# The first part of a name in the table -> the module of the operation.
_module_of = {"cuda": "heddle.cuda", "heddle": "heddle", "jit": "cupyx.jit"}

# Operations that only inform the compiler return their argument in plain Python.
_plain_values = dict.fromkeys(["cuda.literally", "cuda.literal_unroll"], lambda value: value)

# Set by heddle.compiler.plain: maps an operation's name to its implementation in plain Python, or None outside a plain
# kernel.
plain_operation = None


class Intrinsic:
    """A device operation. Calling it outside a kernel raises RuntimeError."""

    __heddle_intrinsic__ = True

    def __init__(self, name, signature="", doc=""):
        self.name = name
        self.parameters = signature
        self.__name__ = name.rpartition(".")[2]
        self.__qualname__ = name.partition(".")[2]
        self.__module__ = _module_of.get(name.partition(".")[0], "heddle")
        where = "" if name.startswith("heddle.") else "\n\nOnly in kernels."
        self.__doc__ = (
            f"{name}{signature}\n\n{doc}{where}\n\n>>> {make_operation_example(name, signature)}"
        )

    @public
    def __call__(self, *args, **kwargs):
        return self._require_plain_function()(*args, **kwargs)

    @public
    def __getattr__(self, attribute):
        if attribute in ("x", "y", "z"):
            raise self._make_outside_kernel_error(f".{attribute}")
        raise AttributeError(
            f"{self.__dict__.get('name', 'a device operation')} has no attribute {attribute!r}",
            name=attribute,
            obj=self,
        )

    def _require_plain_function(self):
        if self.name in _plain_values:
            return _plain_values[self.name]
        found = plain_operation and plain_operation(self.name)
        if found is None:
            raise self._make_outside_kernel_error()
        return found

    def _make_outside_kernel_error(self, component=""):
        return RuntimeError(
            f"{self.name}{component} only works inside a kernel: use it in a function decorated with @cuda.jit and "
            "launch that with kernel[blocks, threads](...)"
        )

    @property
    def __signature__(self):
        """For ``inspect.signature`` and ``help``. Optional parameters show None, because defaults are not in the
        table."""
        names = [part.strip() for part in self.parameters.strip("()").split(",") if part.strip()]
        return inspect.Signature([_parse_parameter(name) for name in names])

    # Makes inspect and help() treat the object as a routine, so that they show its docstring.
    def __get__(self, instance, owner=None):
        return self

    def __repr__(self):
        return f"<heddle device operation {self.name}>"

    def __reduce__(self):
        return find_intrinsic, (self.name,)


def _parse_parameter(text):
    name, optional, _ = text.partition("=")
    if name.startswith("*"):
        return inspect.Parameter(name.lstrip("*"), inspect.Parameter.VAR_POSITIONAL)
    default = None if optional else inspect.Parameter.empty
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


class IntrinsicValue(Intrinsic):
    """A value that only exists in a kernel thread, such as ``cuda.threadIdx.x``. Using it on the host raises."""

    __hash__ = object.__hash__

    @public
    def __eq__(self, other):
        plain = plain_operation and plain_operation(self.name)
        return self is other if plain is None else plain() == other

    def __str__(self):
        plain = plain_operation and plain_operation(self.name)
        return repr(self) if plain is None else str(plain())

    def __format__(self, form):
        return format(str(self) if not form else int(self), form)

    @property
    def __signature__(self):
        raise AttributeError("__signature__")


def _define_operators_of_values():
    """Defines the operators of IntrinsicValue. They compute in a plain kernel and raise elsewhere."""
    names = ["int", "index", "float", "bool", "neg", "lt", "le", "gt", "ge"]
    reflected = ["add", "sub", "mul", "floordiv", "truediv", "mod", "pow"]
    reflected += ["lshift", "rshift", "and", "or", "xor"]

    def make_operator_method(function):
        return public(lambda self, *others: function(self._require_plain_function()(), *others))

    builtin = {"int": int, "float": float, "bool": bool}
    for name in names + reflected:
        function = builtin.get(name) or getattr(operator, f"__{name}__")
        setattr(IntrinsicValue, f"__{name}__", make_operator_method(function))
        if name in reflected:
            swapped = functools.partial(_call_with_swapped_arguments, function)
            setattr(IntrinsicValue, f"__r{name}__", make_operator_method(swapped))


def _call_with_swapped_arguments(function, a, b):
    return function(b, a)


_define_operators_of_values()


# The CUDA C++ names of the element types of vectors, in numba's order.
_cuda_names = {
    "int8": ["char"],
    "int16": ["short"],
    "int32": ["int"],
    "int64": ["long", "longlong"],
    "float32": ["float"],
    "float64": ["double"],
}
_cuda_names |= {f"u{name}": [f"u{c}" for c in _cuda_names[name]] for name in list(_cuda_names)[:4]}
_name_of_vector = re.compile(rf"cuda\.({'|'.join(_cuda_names)})x([1-4])")


class VectorClass(Intrinsic):
    """A vector type such as ``cuda.float32x4``. ``aliases``: its names in CUDA C++."""

    @property
    def aliases(self):
        number, count = _name_of_vector.fullmatch(self.name).groups()
        return [name + count for name in _cuda_names[number]]


class ParallelRange(Intrinsic):
    """``prange``. Outside compiled functions, it is ``range``."""

    def __call__(self, *bounds):
        return range(*bounds)


class ThreadQuery(Intrinsic):
    """A query about the calling thread, available in jitted functions and in Python."""

    _outside = {
        "heddle.get_thread_id": _heddle.thread_number,
        "heddle.get_num_threads": _heddle.thread_count,
    }

    def __call__(self):
        return self._outside[self.name]()


class PointerArrayFunction(Intrinsic):
    """``carray`` and ``farray``, which Python code calls with ctypes pointers."""

    @public
    def __call__(self, ptr, shape, dtype=None):
        from heddle.compiler.c_functions.c_arrays import make_array_at  # late: few programs need it

        return make_array_at(ptr, shape, dtype, "F" if self.name == "heddle.farray" else "C")


class Namespace:
    """A group of device operations, such as ``cuda.atomic``."""

    __heddle_namespace__ = True

    def __init__(self, name):
        self.name = name
        self.__name__ = name.rpartition(".")[2]
        self.__doc__ = (
            f"{_describe_group(name)}\n\nOnly in kernels.\n\n>>> {make_operation_example(name, '')}"
        )

    @public
    def __getattr__(self, attribute):
        raise make_missing_name_error(f"heddle.{self.__dict__.get('name')}", attribute)

    def __repr__(self):
        return f"<heddle device operations {self.name}.*>"

    def __reduce__(self):
        return find_intrinsic, (self.name,)


class Indices(Namespace):
    """``cuda.threadIdx`` and similar. In a plain Python kernel, the components are ints."""

    def _read_component(self, axis):
        name = f"{self.name}.{axis}"
        plain = plain_operation and plain_operation(name)
        return _by_name[name] if plain is None else plain()

    x = property(lambda self: self._read_component("x"))
    y = property(lambda self: self._read_component("y"))
    z = property(lambda self: self._read_component("z"))


_groups = {
    "cuda.threadIdx": "The index of the thread in its block: x, y and z.",
    "cuda.blockIdx": "The index of the block in the grid: x, y and z.",
    "cuda.blockDim": "The number of threads in a block along each axis: x, y and z.",
    "cuda.gridDim": "The number of blocks in the grid along each axis: x, y and z.",
    "cuda.atomic": "Operations on an array element that other threads cannot interrupt. They return the old value.",
    "cuda.shared": "Arrays that the threads of a block share.",
    "cuda.local": "Arrays of one thread.",
    "cuda.const": "Constant arrays, which become part of the kernel.",
    "cuda.pipeline": "Copies from global to shared memory that run in the background. CPUs copy immediately.",
}


def _describe_group(name):
    return _groups.get(name, f"The operations {name}.*.")


def _make_library_members():
    found = {}
    for row in _heddle.library():
        name, signature = row["name"], row["signature"]
        if name.partition(".")[0] in _module_of:
            kind = Intrinsic if signature else IntrinsicValue
            kind = VectorClass if _name_of_vector.fullmatch(name) else kind
            kind = ParallelRange if name == "heddle.prange" else kind
            kind = ThreadQuery if name in ThreadQuery._outside else kind
            kind = PointerArrayFunction if name in ("heddle.carray", "heddle.farray") else kind
            _register_member(found, name, kind(name, signature, row["doc"]))
    return found


def _register_member(found, name, member):
    """Registers a member under its full name and in its namespaces, which are created as needed."""
    found[name] = member
    parent, _, last = name.rpartition(".")
    if parent in _module_of:
        return
    if parent not in found:
        _register_member(found, parent, (Indices if last == "x" else Namespace)(parent))
    if isinstance(found[parent], Namespace) and not isinstance(found[parent], Indices):
        setattr(found[parent], last, member)


_by_name = _make_library_members()


def find_intrinsic(name):
    """The operation or namespace with this full name, such as "cuda.atomic.add". Raises KeyError if there is none."""
    return _by_name[name]


def list_cuda_members():
    """The operations and namespaces directly in ``heddle.cuda``, by name."""
    return _list_members("cuda.")


def list_heddle_members():
    """The operations directly in ``heddle``, by name: numba's, without those of ``numba.cuda``."""
    return _list_members("heddle.")


def _list_members(package):
    return {
        name.removeprefix(package): member
        for name, member in _by_name.items()
        if name.startswith(package) and name.count(".") == 1
    }
