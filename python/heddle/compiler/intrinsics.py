"""The Python objects of device operations: ``cuda.grid``, ``cuda.atomic.add`` and the like.

They carry a name that the compiler finds in its table of intrinsics, and the documentation that stands there. On the
host they can be looked at, passed around and pickled, but not called.
"""

import functools
import inspect
import operator
import re

from heddle import _heddle
from heddle.missing_names import missing_name
from heddle.public_function import public

# The first part of a name in the table -> the module that has the operation.
_module_of = {"cuda": "heddle.cuda", "heddle": "heddle", "jit": "cupyx.jit"}

# What tells the compiler something of a value is the value in Python.
_of_plain_values = dict.fromkeys(["cuda.literally", "cuda.literal_unroll"], lambda value: value)

# Gives an operation's implementation by its name in a kernel that runs as plain Python, else None: heddle.plain's.
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
        where = "" if name.startswith("heddle.") else "\n\nOnly inside a kernel."
        self.__doc__ = f"{name}{signature}\n\n{doc}{where}"

    @public
    def __call__(self, *args, **kwargs):
        return self._as_plain_python()(*args, **kwargs)

    @public
    def __getattr__(self, attribute):
        if attribute in ("x", "y", "z"):
            raise self._outside_a_kernel(f".{attribute}")
        raise AttributeError(
            f"{self.__dict__.get('name', 'a device operation')} has no attribute {attribute!r}",
            name=attribute,
            obj=self,
        )

    def _as_plain_python(self):
        if self.name in _of_plain_values:
            return _of_plain_values[self.name]
        found = plain_operation and plain_operation(self.name)
        if found is None:
            raise self._outside_a_kernel()
        return found

    def _outside_a_kernel(self, component=""):
        return RuntimeError(
            f"{self.name}{component} only works inside a kernel: use it in a function decorated with @cuda.jit and "
            "launch that with kernel[blocks, threads](...)"
        )

    @property
    def __signature__(self):
        """For ``inspect.signature`` and ``help``. Defaults are not known here: optional parameters show None."""
        names = [part.strip() for part in self.parameters.strip("()").split(",") if part.strip()]
        return inspect.Signature([_parameter(name) for name in names])

    # Makes inspect and help() treat the object as a routine, so that they show its own text.
    def __get__(self, instance, owner=None):
        return self

    def __repr__(self):
        return f"<heddle device operation {self.name}>"

    def __reduce__(self):
        return intrinsic, (self.name,)


def _parameter(text):
    name, optional, _ = text.partition("=")
    if name.startswith("*"):
        return inspect.Parameter(name.lstrip("*"), inspect.Parameter.VAR_POSITIONAL)
    default = None if optional else inspect.Parameter.empty
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)


class IntrinsicValue(Intrinsic):
    """A number that only a thread of a kernel has, such as ``cuda.threadIdx.x``. Its use on the host raises."""

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


def _give_operators():
    """Has values compute with what they are in a plain kernel; outside of kernels they raise."""
    names = ["int", "index", "float", "bool", "neg", "lt", "le", "gt", "ge"]
    reflected = ["add", "sub", "mul", "floordiv", "truediv", "mod", "pow"]
    reflected += ["lshift", "rshift", "and", "or", "xor"]

    def compute(function):
        return public(lambda self, *others: function(self._as_plain_python()(), *others))

    builtin = {"int": int, "float": float, "bool": bool}
    for name in names + reflected:
        function = builtin.get(name) or getattr(operator, f"__{name}__")
        setattr(IntrinsicValue, f"__{name}__", compute(function))
        if name in reflected:
            swapped = functools.partial(_swapped, function)
            setattr(IntrinsicValue, f"__r{name}__", compute(swapped))


def _swapped(function, a, b):
    return function(b, a)


_give_operators()


# C's names of the numbers of vector types, in numba's order.
_names_in_c = {
    "int8": ["char"],
    "int16": ["short"],
    "int32": ["int"],
    "int64": ["long", "longlong"],
    "float32": ["float"],
    "float64": ["double"],
}
_names_in_c |= {f"u{name}": [f"u{c}" for c in _names_in_c[name]] for name in list(_names_in_c)[:4]}
_name_of_vector = re.compile(rf"cuda\.({'|'.join(_names_in_c)})x([1-4])")


class VectorClass(Intrinsic):
    """``cuda.float32x4`` and its kin. ``aliases``: the names that the type has in CUDA C++."""

    @property
    def aliases(self):
        number, count = _name_of_vector.fullmatch(self.name).groups()
        return [name + count for name in _names_in_c[number]]


class ParallelRange(Intrinsic):
    """``prange``: outside of compiled functions it is ``range``."""

    def __call__(self, *bounds):
        return range(*bounds)


class OfThreads(Intrinsic):
    """What a jitted function asks about its threads, and a program, too."""

    _outside = {
        "heddle.get_thread_id": _heddle.thread_number,
        "heddle.get_num_threads": _heddle.thread_count,
    }

    def __call__(self):
        return self._outside[self.name]()


class ArrayOfPointer(Intrinsic):
    """``carray`` and ``farray``, which a program calls with pointers of ctypes."""

    @public
    def __call__(self, ptr, shape, dtype=None):
        from heddle.compiler.c_arrays import array_at  # late: few programs need it

        return array_at(ptr, shape, dtype, "F" if self.name == "heddle.farray" else "C")


class Namespace:
    """A group of device operations, such as ``cuda.atomic``."""

    __heddle_namespace__ = True

    def __init__(self, name):
        self.name = name
        self.__name__ = name.rpartition(".")[2]

    @public
    def __getattr__(self, attribute):
        raise missing_name(f"heddle.{self.__dict__.get('name')}", attribute)

    def __repr__(self):
        return f"<heddle device operations {self.name}.*>"

    def __reduce__(self):
        return intrinsic, (self.name,)


class Indices(Namespace):
    """``cuda.threadIdx`` and its kin: in a kernel that runs as plain Python their components are ints."""

    def _component(self, axis):
        name = f"{self.name}.{axis}"
        plain = plain_operation and plain_operation(name)
        return _by_name[name] if plain is None else plain()

    x = property(lambda self: self._component("x"))
    y = property(lambda self: self._component("y"))
    z = property(lambda self: self._component("z"))


def _read_table():
    found = {}
    for row in _heddle.library():
        name, signature = row["name"], row["signature"]
        if name.partition(".")[0] in _module_of:
            kind = Intrinsic if signature else IntrinsicValue
            kind = VectorClass if _name_of_vector.fullmatch(name) else kind
            kind = ParallelRange if name == "heddle.prange" else kind
            kind = OfThreads if name in OfThreads._outside else kind
            kind = ArrayOfPointer if name in ("heddle.carray", "heddle.farray") else kind
            _add(found, name, kind(name, signature, row["doc"]))
    return found


def _add(found, name, member):
    """Puts a member under its name, and under the namespaces that the name goes through."""
    found[name] = member
    parent, _, last = name.rpartition(".")
    if parent in _module_of:
        return
    if parent not in found:
        _add(found, parent, (Indices if last == "x" else Namespace)(parent))
    if isinstance(found[parent], Namespace) and not isinstance(found[parent], Indices):
        setattr(found[parent], last, member)


_by_name = _read_table()


def intrinsic(name):
    """The operation or namespace of a full name such as "cuda.atomic.add". Raises KeyError when there is none."""
    return _by_name[name]


def members_of_cuda():
    """Name and object of each operation and namespace that stands directly in ``heddle.cuda``."""
    return _members_of("cuda.")


def members_of_heddle():
    """Name and object of each operation that stands in ``heddle`` itself: numba's, but for those of ``numba.cuda``."""
    return _members_of("heddle.")


def _members_of(package):
    return {
        name.removeprefix(package): member
        for name, member in _by_name.items()
        if name.startswith(package) and name.count(".") == 1
    }
