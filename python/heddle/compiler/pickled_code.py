"""Pickles functions by their code, for picklers that only know functions by name, as numba does for kernels."""

import builtins
import dis
import importlib
import marshal
import types

_global_loads = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


class SelfPlaceholder:
    """Stands for the compiled function among the names in its code."""


class PickledCode:
    """Pickles a function as its code and the values it refers to. Unpickling gives a function."""

    def __init__(self, function, compiled):
        self._function = function
        self._compiled = compiled

    def __reduce__(self):
        function = self._function
        named = {
            name: self._replace_unpicklable_value(function.__globals__[name])
            for name in sorted(list_global_names(function.__code__))
            if name in function.__globals__
        }
        cells = tuple(
            self._replace_unpicklable_value(cell.cell_contents)
            for cell in function.__closure__ or ()
        )
        return _rebuild_function, (
            marshal.dumps(function.__code__),
            {"__name__": function.__module__, **named},
            cells,
            function.__qualname__,
            function.__defaults__,
            function.__kwdefaults__,
        )

    def _replace_unpicklable_value(self, value):
        if value is self._compiled:
            return SelfPlaceholder()
        return _Module(value.__name__) if isinstance(value, types.ModuleType) else value


class _Module:
    def __init__(self, name):
        self._name = name

    def __reduce__(self):
        return importlib.import_module, (self._name,)


def replace_placeholders(function, compiled):
    """Replaces each SelfPlaceholder among a function's globals and closure variables by the compiled function."""
    for name, value in function.__globals__.items():
        if isinstance(value, SelfPlaceholder):
            function.__globals__[name] = compiled
    for cell in function.__closure__ or ():
        if isinstance(cell.cell_contents, SelfPlaceholder):
            cell.cell_contents = compiled


def _rebuild_function(code, named, cells, qualname, defaults, keyword_defaults):
    function = types.FunctionType(
        marshal.loads(code),
        {"__builtins__": builtins, **named},
        None,
        defaults,
        tuple(map(types.CellType, cells)),
    )
    function.__qualname__ = qualname
    function.__kwdefaults__ = keyword_defaults
    return function


def list_global_names(code):
    """The names that a function's code, including nested functions, may look up among globals."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname in _global_loads}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= list_global_names(constant)
    return names
