"""Compiled functions in other processes: pickled by their names, or, where cloudpickle does it, by their code.

    pickle         the module and the name: the other process imports it; for a function of another function, its code
                   and what it names
    cloudpickle    the same; the code also for a function of ``__main__`` or a notebook

joblib, Dask and loky use cloudpickle. It pickles functions either way by itself, so a compiled function is pickled as a
Python function, which only its name tells from ``py_func``: that name leads back to the object in question.
"""

import importlib
import operator
import os
import sys
import types
import uuid

from heddle.compiler.kept_texts import keep_text
from heddle.compiler.pickled_code import PickledCode, put_itself
from heddle.compiler.source import lines_of

_attribute = "_as_pickled"
# What one object became here, by its identity: tasks of a pool bring it each time, and it is compiled once. The oldest
# go first.
_restored = {}
_most_restored = 128


class ItsOwnCopy:
    """What ``copy`` gives as it is, as it does with functions of Python."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def reduced(dispatcher, make, *state):
    """What ``__reduce__`` of a compiled function returns. ``make(function, *state)`` makes it anew."""
    function = dispatcher.py_func
    is_global = _named(function.__module__, function.__qualname__) is dispatcher
    takes_code = _pickler_takes_code()
    if is_global and not takes_code:
        return _imported, (function.__module__, function.__qualname__)
    has_file = os.path.exists(function.__code__.co_filename)
    text = None if has_file else "".join(lines_of(function))
    identity = vars(dispatcher).setdefault("_identity", uuid.uuid4().hex)
    as_function = alias(dispatcher) if takes_code else PickledCode(alias(dispatcher), dispatcher)
    return _restore, (as_function, identity, text, make, state)


def alias(dispatcher):
    """The function under a name by which an attribute of the compiled function is found: a copy of ``py_func``."""
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


def _restore(function, identity, text, make, state):
    name = function.__qualname__.removesuffix(f".{_attribute}")
    found = _named(function.__module__, name)
    if getattr(found, _attribute, None) is function:
        return found
    if identity not in _restored:
        if text:
            keep_text(function.__code__.co_filename, text)
        function.__qualname__ = name
        if len(_restored) == _most_restored:
            del _restored[next(iter(_restored))]
        _restored[identity] = make(function, *state)
        put_itself(function, _restored[identity])
    return _restored[identity]


def _imported(module, name):
    return operator.attrgetter(name)(importlib.import_module(module))  # late: a pickle names it


def _named(module, name):
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _pickler_takes_code():
    """Whether the one who asks is a pickler that pickles functions by their code: __reduce__ is not told."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if module.rpartition(".")[2] in ("cloudpickle", "dill", "_dill"):
            return True
        frame = frame.f_back
    return False
