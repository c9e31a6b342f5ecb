"""Functions and types that programs add to compiled code: numba's extension API.

overloads   overload and similar: implementations of functions, methods and attributes in Python
models      StructModel and similar, register_model, make_attribute_wrapper
naming      typeof_impl and as_numba_type: the types of objects and classes
lowering    lower_builtin and similar: code built with llvmlite, selected by types
typing      type_callable and templates: the types of calls and attributes
attributes  attributes of values, found through templates
operators   operators of values: user implementations of functions in the module operator
boxing      box and unbox: code that converts between Python objects and values
python_api  CPython functions for that code

heddle.extending exports their names.
"""
