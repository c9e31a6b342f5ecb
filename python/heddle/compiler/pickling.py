"""Pickles compiled functions by name or, for cloudpickle, by code.

    pickle         module and name, which the other process imports; for a nested function, its code and the values it
                   refers to
    cloudpickle    the same, but the code also for a function of ``__main__`` or a notebook

joblib, Dask and loky use cloudpickle. It handles Python functions by itself, so a compiled function is pickled as a
Python function that differs from ``py_func`` only by name. That name leads back to the compiled function.
"""

import importlib
import operator
import os
import sys
import types
import uuid

from heddle.compiler.kept_texts import keep_source_text
from heddle.compiler.pickled_code import PickledCode, replace_placeholders
from heddle.compiler.source import find_source_lines

_attribute = "_picklable_alias"
# identity -> unpickled function. Each task of a pool sends the function again, but it is compiled once. The oldest
# entries are dropped first.
_restored = {}
_most_restored = 128


class CopiedAsItself:
    """Makes ``copy`` return the object itself, as for Python functions."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def reduce_function(dispatcher, make, *state):
    """The result of ``__reduce__`` for a compiled function. ``make(function, *state)`` recreates it."""
    function = dispatcher.py_func
    is_global = _find_loaded_object(function.__module__, function.__qualname__) is dispatcher
    takes_code = _is_called_by_code_pickler()
    if is_global and not takes_code:
        return _import_name, (function.__module__, function.__qualname__)
    has_file = os.path.exists(function.__code__.co_filename)
    text = None if has_file else "".join(find_source_lines(function))
    identity = vars(dispatcher).setdefault("_identity", uuid.uuid4().hex)
    as_function = (
        make_picklable_alias(dispatcher)
        if takes_code
        else PickledCode(make_picklable_alias(dispatcher), dispatcher)
    )
    return _restore_function, (as_function, identity, text, make, state)


def make_picklable_alias(dispatcher):
    """A copy of ``py_func`` whose qualified name refers to an attribute of the compiled function."""
    function = dispatcher.py_func
    known = vars(dispatcher)
    if _attribute not in known:
        copy = types.FunctionType(
            function.__code__,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__annotations__ = function.__annotations__
        copy.__module__ = function.__module__
        copy.__doc__ = function.__doc__
        copy.__qualname__ = f"{function.__qualname__}.{_attribute}"
        known[_attribute] = copy
    return known[_attribute]


def _restore_function(function, identity, text, make, state):
    name = function.__qualname__.removesuffix(f".{_attribute}")
    found = _find_loaded_object(function.__module__, name)
    if getattr(found, _attribute, None) is function:
        return found
    if identity not in _restored:
        if text:
            keep_source_text(function.__code__.co_filename, text)
        function.__qualname__ = name
        if len(_restored) == _most_restored:
            del _restored[next(iter(_restored))]
        _restored[identity] = make(function, *state)
        replace_placeholders(function, _restored[identity])
    return _restored[identity]


def _import_name(module, name):
    return operator.attrgetter(name)(importlib.import_module(module))  # late: a pickle names it


def _find_loaded_object(module, name):
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _is_called_by_code_pickler():
    """True if the caller is a pickler that pickles functions by code, which __reduce__ cannot know otherwise."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if module.rpartition(".")[2] in ("cloudpickle", "dill", "_dill"):
            return True
        frame = frame.f_back
    return False
