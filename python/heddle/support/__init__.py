"""Modules that all others may use.

html_document    pages in HTML
missing_names    the errors for names that Heddle lacks; numba_inside, cupy_instead: the advice in their messages
numba_modules    numba's modules and their counterparts here
public_function  the decorator for functions that users call
tracebacks       removes Heddle's frames from tracebacks
"""
