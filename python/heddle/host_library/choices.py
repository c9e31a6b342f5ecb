"""Calls of a function that is chosen at run time from several."""

from heddle.compiler.library_registry import implements


@implements("choice.call")
def _choose_call_implementation(chosen, *arguments):
    return _call_chosen_function


def _call_chosen_function(chosen, *arguments):
    if chosen._is_first():
        return chosen._first()(*arguments)
    return chosen._others()(*arguments)
