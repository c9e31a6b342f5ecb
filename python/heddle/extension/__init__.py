"""Types and functions of a program's own for compiled code, as numba's low-level extension API teaches them.

models      StructModel and its kin, register_model, make_attribute_wrapper
naming      typeof_impl and as_numba_type: which objects and classes have such a type
lowering    lower_builtin and its kin: code that a program builds with llvmlite, chosen by types
typing      type_callable and the classes of templates: the types of calls and attributes
attributes  attributes of values, found by those templates
operators   operators of values: functions of operator that a program has implemented
boxing      box and unbox: code that turns Python's objects into values and back
python_api  what such code calls of CPython

heddle.extending offers their names.
"""
