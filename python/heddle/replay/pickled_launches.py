"""Pickles a launch for another process, which has neither the program's modules nor its memory.

Functions and classes of the program are pickled by value: functions as their code and the globals that it names,
kernels and device functions with the text of their file. Those of the standard library and of installed packages are
pickled by name. Arrays are pickled as views of the memory that the record saves.
"""

import builtins
import collections
import enum
import importlib
import inspect
import io
import marshal
import operator
import os
import pickle
import sys
import types

import numpy as np

from heddle import _heddle
from heddle.compiler.base_dispatcher import BaseDispatcher
from heddle.compiler.dispatcher import Dispatcher, ExtendedDispatcher
from heddle.compiler.linkable_code import NativeSource
from heddle.compiler.pickled_code import list_global_names
from heddle.compiler.source import find_cell_name
from heddle.cuda.device_ndarray import DeviceNDArray
from heddle.cuda.device_record import DeviceRecord
from heddle.cuda.foreign_arrays import as_cuda_array
from heddle.cuda.host_memory import Window
from heddle.cuda.native_devices import find_native_device
from heddle.raw.modules import RawModule
from heddle.replay.memory import Unbounded, find_allocation
from heddle.support.byte_span import byte_span

_own_packages = ("heddle", "numba", "cupy", "cupyx")
_never_arrays = (int, float, str, bytes, tuple, list, dict, type, types.ModuleType)
_never_arrays += (types.FunctionType, BaseDispatcher)
_package_folders = {"site-packages", "dist-packages"}


class Pointer:
    """An address that is passed to a CUDA C++ kernel. memory: the object that the program passed."""

    def __init__(self, address, memory):
        self.address = address
        self.memory = memory


class Structure:
    """A structure that is passed to a CUDA C++ kernel by value. It may contain addresses.

    value: a NumPy scalar or array.
    """

    def __init__(self, value):
        self.value = value


class _PointerInReplay:
    def __init__(self, address, allocation):
        self.ptr = address
        self.mem = allocation


class LaunchPickler(pickle.Pickler):
    """Pickles a kernel and its arguments, and collects what they refer to.

    device: the GPU. memory: a MemoryToSave. texts: the source texts, filled in by ``pickle``, as a dict (file, text) ->
    None.
    """

    def __init__(self, device, memory):
        self._file = io.BytesIO()
        super().__init__(self._file, protocol=pickle.HIGHEST_PROTOCOL)
        self._device = device
        self._memory = memory
        self.texts = {}

    def pickle(self, value):
        """Pickles a value. Raises PicklingError, TypeError, LookupError, and exceptions of the values' classes."""
        self.dump(value)
        return self._file.getvalue()

    def persistent_id(self, value):
        if isinstance(value, Pointer):
            return self._add_memory_and_describe_pointer(value)
        if isinstance(value, Structure):
            self._memory.add_pointer_values(value.value)
            return "structure", value.value
        array = _to_array_or_none(value)
        return None if array is None else self._add_memory_and_describe_array(array)

    def _add_memory_and_describe_pointer(self, pointer):
        address = pointer.address
        allocation = find_allocation(self._device, pointer.memory, address, address)
        if allocation is None:
            raise LookupError(f"its address {address:#x} is in no memory of {self._device.name}")
        self._memory.add_range(*allocation, on_host=False)
        return "pointer", address, allocation

    def _add_memory_and_describe_array(self, array):
        if isinstance(array, np.ndarray):
            kind, owner = "host", array
            address, readonly = array.__array_interface__["data"]
        else:
            kind, owner = "record" if isinstance(array, DeviceRecord) else "device", array.owner
            address, readonly = array.address, array.readonly
        low, high = byte_span(array.shape, array.strides, array.itemsize)
        first, end = address + low, address + high
        on_host = isinstance(owner, np.ndarray)  # also for mapped and managed arrays
        bounds = None
        if first < end and self._memory.uses_pointers:
            bounds = find_allocation(self._device, owner if on_host else array, first, end)
        self._memory.add_range(*(bounds or (first, end)), on_host)
        layout = array.shape, array.strides, array.dtype
        return kind, address if first < end else None, *layout, readonly, bounds

    def reducer_override(self, value):
        if isinstance(value, RawModule) and value.code is None:
            raise pickle.PicklingError("a compiled module has no source, and runs only on GPUs")
        if isinstance(value, NativeSource):
            self.texts[value.name, value.text] = None
        if isinstance(value, BaseDispatcher) and not _is_own_module(value.py_func.__module__):
            return self._reduce_dispatcher(value)
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        if isinstance(value, (types.FunctionType, type)) and not _is_found_by_name(value):
            if value in _heddle.overloads:
                raise pickle.PicklingError(
                    f"a record cannot contain the overloads of {value.__qualname__}()"
                )
            is_class = isinstance(value, type)
            return _reduce_class(value) if is_class else self._reduce_function(value)
        return _reduce_member(value)

    def _reduce_dispatcher(self, dispatcher):
        make, options = dispatcher._get_pickle_factory_and_arguments()
        if isinstance(dispatcher, ExtendedDispatcher):  # the extensions have prepared the arguments
            make, options = Dispatcher, (dispatcher.targetoptions,)
        function = dispatcher.py_func
        self._record_source_text(function.__code__, "".join(dispatcher.source_lines))
        parts, state = self._split_function(function)
        return (
            _make_dispatcher,
            (make, options, parts),
            (state, dispatcher.declared),
            None,
            None,
            _complete_dispatcher,
        )

    def _reduce_function(self, function):
        parts, state = self._split_function(function)
        return _make_function, parts, state, None, None, _complete_function

    def _split_function(self, function):
        """Splits a function into the parts that make it, and a state to set later, which may refer to the function."""
        code = function.__code__
        attributes = _list_attribute_names(code)
        named = {
            name: _select_used_attributes_of_module(function.__globals__[name], attributes)
            for name in sorted(list_global_names(code))
            if name in function.__globals__
        }
        cells = [_read_closure_cell(cell, attributes) for cell in function.__closure__ or ()]
        parts = (
            marshal.dumps(_replace_notebook_file_names(code)),
            function.__module__,
            function.__qualname__,
            function.__defaults__,
            function.__kwdefaults__,
        )
        return parts, (named, cells, dict(vars(function)))

    def _record_source_text(self, code, text):
        if text:
            self.texts[_get_shown_file_name(code.co_filename), text] = None


class LaunchUnpickler(pickle.Unpickler):
    """Restores a launch on the CPU device. memory: the RestoredMemory of the record."""

    def __init__(self, data, memory):
        super().__init__(io.BytesIO(data))
        self._memory = memory

    def persistent_load(self, pid):
        if pid[0] == "pointer":
            _, address, allocation = pid
            new_address, _ = self._memory.find_address_and_buffer(address)
            return _PointerInReplay(new_address, self._memory.find_allocation(*allocation))
        if pid[0] == "structure":
            return self._memory.translate_structure(pid[1])
        return self._make_array(*pid)

    def _make_array(self, kind, address, shape, strides, dtype, readonly, bounds):
        new_address, owner = 0, None  # of an array without elements
        if address is not None:
            new_address, buffer = self._memory.find_address_and_buffer(address)
            owner = self._memory.find_allocation(*bounds) if bounds else Unbounded(buffer)
        cpu = find_native_device("cpu")
        typestr = f"|V{dtype.itemsize}"
        array = Window(cpu, new_address, shape, strides, typestr, readonly, owner).as_numpy_array(
            dtype
        )
        if kind == "host":
            return array
        array_class = DeviceRecord if kind == "record" else DeviceNDArray
        return array_class._create_over_memory_of(cpu, array, owner)


def _to_array_or_none(value):
    """The NumPy or device array for a value that kernels take as an array; None for others."""
    if isinstance(value, (DeviceNDArray, np.ndarray)):
        if hasattr(value, "__heddle_device_array__"):  # memory that host and GPU share
            return value.__heddle_device_array__
        is_plain = isinstance(value, DeviceNDArray) or not value.dtype.hasobject
        return value if is_plain else None
    if isinstance(value, _never_arrays):
        return None
    if hasattr(value, "__heddle_device_array__") or hasattr(value, "__cuda_array_interface__"):
        return as_cuda_array(value)
    if hasattr(type(value), "__dlpack__"):
        return as_cuda_array(value) if value.__dlpack_device__()[0] != 1 else np.asarray(value)
    return np.asarray(value) if isinstance(value, memoryview) else None


def _is_own_module(module):
    return str(module).partition(".")[0] in _own_packages


def _is_installed(module):
    """True if a module is not the program's: a module of Python, of Heddle or of an installed package."""
    root = str(module).partition(".")[0]
    if root in _own_packages or (root != "__main__" and root in sys.stdlib_module_names):
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return bool(file) and not _package_folders.isdisjoint(file.split(os.sep))


def _is_found_by_name(value):
    """True if another process can import a function or class by its name."""
    if not _is_installed(value.__module__):
        return False
    try:
        return operator.attrgetter(value.__qualname__)(sys.modules[value.__module__]) is value
    except (AttributeError, KeyError):
        return False


class _SelectedAttributes:
    """A module of the program. Only the attributes that a function may use are pickled."""

    def __init__(self, module, names):
        self._module = module
        self._names = names

    def __reduce__(self):
        known = vars(self._module)
        selected = {
            name: _select_used_attributes_of_module(known[name], self._names)
            for name in sorted(self._names)
            if name in known
        }
        return _make_module, (self._module.__name__, selected)


def _list_attribute_names(code):
    """The names that a function's code, including nested functions, may look up in modules."""
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return {*code.co_names}.union(*map(_list_attribute_names, inner))


def _select_used_attributes_of_module(value, names):
    is_programs = isinstance(value, types.ModuleType) and not _is_installed(value.__name__)
    return _SelectedAttributes(value, names) if is_programs else value


def _read_closure_cell(cell, names):
    """The contents of a closure's cell as a tuple; an empty tuple for an empty cell."""
    try:
        return (_select_used_attributes_of_module(cell.cell_contents, names),)
    except ValueError:
        return ()


def _get_shown_file_name(file):
    """The name of a file in the replay: for a notebook cell, its title."""
    return find_cell_name(file) or file


def _replace_notebook_file_names(code):
    """The code with the titles of notebook cells as file names."""
    constants = tuple(
        _replace_notebook_file_names(constant) if isinstance(constant, types.CodeType) else constant
        for constant in code.co_consts
    )
    return code.replace(co_filename=_get_shown_file_name(code.co_filename), co_consts=constants)


def _make_module(name, attributes):
    module = types.ModuleType(name)
    vars(module).update(attributes)
    return module


def _make_function(code, module, qualname, defaults, keyword_defaults):
    code = marshal.loads(code)
    cells = tuple(types.CellType() for _ in code.co_freevars)
    names = {"__builtins__": builtins, "__name__": module}
    function = types.FunctionType(code, names, None, defaults, cells)
    function.__qualname__ = qualname
    function.__kwdefaults__ = keyword_defaults
    return function


def _complete_function(function, state):
    named, cells, attributes = state
    function.__globals__.update(named)
    for cell, contents in zip(function.__closure__ or (), cells, strict=True):
        if contents:
            (cell.cell_contents,) = contents
    vars(function).update(attributes)


def _make_dispatcher(make, options, parts):
    return make(_make_function(*parts), *options)


def _complete_dispatcher(dispatcher, state):
    of_function, declared = state
    _complete_function(dispatcher.py_func, of_function)
    if declared:
        dispatcher.compile_only_for(declared)


def _reduce_class(cls):
    if name := next((name for name, known in vars(types).items() if known is cls), None):
        return getattr, (types, name)  # a class without a name in builtins
    if issubclass(cls, enum.Enum):
        members = [(name, member.value) for name, member in cls.__members__.items()]
        *mixins, base = cls.__bases__
        return _make_enum, (base, cls.__name__, members, cls.__module__, mixins)
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        defaults = tuple(cls._field_defaults.values())
        return _make_named_tuple, (cls.__name__, cls._fields, defaults, cls.__module__)
    left_out = ("__dict__", "__weakref__")
    attributes = {
        name: value
        for name, value in vars(cls).items()
        if name not in left_out and not inspect.ismemberdescriptor(value)
    }
    slots = {"__slots__": attributes.pop("__slots__")} if "__slots__" in attributes else {}
    made = type(cls), cls.__name__, cls.__bases__, {"__module__": cls.__module__, **slots}
    return _make_class, made, attributes, None, None, _set_class_attributes


def _reduce_member(value):
    """The reduced form of class members that pickle does not support."""
    if isinstance(value, (staticmethod, classmethod)):
        return type(value), (value.__func__,)
    if isinstance(value, property):
        return property, (value.fget, value.fset, value.fdel, value.__doc__)
    if isinstance(value, types.MappingProxyType):
        return types.MappingProxyType, (dict(value),)
    return NotImplemented


def _make_enum(base, name, members, module, mixins):
    options = {"type": mixins[0]} if mixins else {}
    return base(name, members, module=module, **options)


def _make_named_tuple(name, fields, defaults, module):
    return collections.namedtuple(name, fields, defaults=defaults, module=module)


def _make_class(metaclass, name, bases, attributes):
    return metaclass(name, bases, attributes)


def _set_class_attributes(cls, attributes):
    for name, value in attributes.items():
        setattr(cls, name, value)
