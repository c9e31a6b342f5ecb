"""Passes tuples, optional values, containers and records between compiled code and Python; see value_slots."""

import ctypes

import numpy as np

from heddle import _heddle, types
from heddle.compiler.library_registry import get_element_dtype, is_array, is_number_or_bool
from heddle.compiler.rewriting.value_slots import (
    ArrayValue,
    NumberValue,
    TextValue,
    TimeValue,
    make_no_lines,
)
from heddle.errors import UnsupportedError


class _TupleValue:
    """The elements of a tuple, in consecutive slots."""

    def __init__(self, kind, name, kept):
        self.name = name
        self.elements = [
            make_slot_value(each, f"{name}_{i}", kept) for i, each in enumerate(kind.types)
        ]
        self.slots = sum(element.slots for element in self.elements)

    def _iterate_elements_with_slots(self, at):
        for element in self.elements:
            yield element, at
            at += element.slots

    def make_store_lines(self, at):
        names = "".join(f"{element.name}, " for element in self.elements)
        lines = [f"{names} = {self.name}"] if names else []
        return lines + [
            line
            for element, place in self._iterate_elements_with_slots(at)
            for line in element.make_store_lines(place)
        ]

    def read_argument_from_slots(self, slots, at):
        return tuple(
            element.read_argument_from_slots(slots, place)
            for element, place in self._iterate_elements_with_slots(at)
        )

    def store_result_or_size(self, value, slots, at):
        for (element, place), each in zip(
            self._iterate_elements_with_slots(at), value, strict=True
        ):
            element.store_result_or_size(each, slots, place)

    def make_result_setup_lines(self, at):
        return [
            line
            for element, place in self._iterate_elements_with_slots(at)
            for line in element.make_result_setup_lines(place)
        ]

    def make_completion_lines(self, at):
        lines = [
            line
            for element, place in self._iterate_elements_with_slots(at)
            for line in getattr(element, "make_completion_lines", make_no_lines)(place)
        ]
        return [*lines, f"{self.name} = ({''.join(f'{e.name}, ' for e in self.elements)})"]

    def copy_result_to_memory(self, value, slots, at):
        for (element, place), each in zip(
            self._iterate_elements_with_slots(at), value, strict=True
        ):
            element.copy_result_to_memory(each, slots, place)

    def list_globals_of_generated_code(self):
        return {
            name: value
            for e in self.elements
            for name, value in e.list_globals_of_generated_code().items()
        }


class _OptionalValue:
    """A flag, then the value if there is one."""

    def __init__(self, kind, name, kept):
        self.name, self.value = name, make_slot_value(kind.type, f"{name}_value", kept)
        self.slots = 1 + self.value.slots

    def make_store_lines(self, at):
        name, value = self.name, self.value
        there = [f"{value.name} = {name}", f"slots[{at}] = 1", *value.make_store_lines(at + 1)]
        return [f"if {name} is not None:", *(f"    {line}" for line in there)]

    def read_argument_from_slots(self, slots, at):
        return self.value.read_argument_from_slots(slots, at + 1) if slots[at] else None

    def store_result_or_size(self, value, slots, at):
        slots[at] = value is not None
        if value is not None:
            self.value.store_result_or_size(value, slots, at + 1)

    def make_result_setup_lines(self, at):
        return self.value.make_result_setup_lines(at + 1)

    def make_completion_lines(self, at):
        name, value = self.name, self.value
        lines = getattr(value, "make_completion_lines", make_no_lines)(at + 1)
        return [*lines, f"{name} = None", f"if slots[{at}] != 0:", f"    {name} = {value.name}"]

    def copy_result_to_memory(self, value, slots, at):
        if value is not None:
            self.value.copy_result_to_memory(value, slots, at + 1)

    def list_globals_of_generated_code(self):
        return self.value.list_globals_of_generated_code()


class _ContainerValue:
    """The address of a list, dict or set, which Python may only read."""

    slots = 1

    def __init__(self, kind, name):
        self.kind, self.name = kind, name

    def make_store_lines(self, at):
        return [f"slots[{at}] = {self.name}._address()"]

    def read_argument_from_slots(self, slots, at):
        return _heddle.container_at(self.kind, int(slots[at]))

    def list_globals_of_generated_code(self):
        return {}


class _RecordValue:
    """The address of a copy of a record."""

    slots = 1

    def __init__(self, kind, name):
        self.dtype, self.name = get_element_dtype(kind), name

    def make_store_lines(self, at):
        copy = f"copy_{self.name}"
        return [
            f"{copy} = np.empty(1, type_{self.name})",
            f"{copy}[0] = {self.name}",
            f"slots[{at}] = {copy}.ctypes.data",
        ]

    def read_argument_from_slots(self, slots, at):
        memory = (ctypes.c_char * self.dtype.itemsize).from_address(int(slots[at]))
        return np.ndarray((), np.dtype((np.record, self.dtype)), memory).copy()[()]

    def list_globals_of_generated_code(self):
        return {f"type_{self.name}": self.dtype}


class _NothingValue:
    slots = 0

    def make_store_lines(self, at):
        return []

    def read_argument_from_slots(self, slots, at):
        return None

    def list_globals_of_generated_code(self):
        return {}


def _is_container(kind):
    return getattr(kind, "kind", "") in ("list", "dict", "set")


def _python_object_owns_memory(kind):
    """True if Python's object for a value owns its memory."""
    if isinstance(kind, types.BaseTuple):
        return all(_python_object_owns_memory(each) for each in kind.types)
    if not _is_container(kind):
        return not is_array(kind)
    parts = [kind.dtype] if kind.kind == "list" else kind.types
    return not kind.is_typed and all(_python_object_owns_memory(part) for part in parts)


def make_slot_value(kind, name, kept=True):
    if is_array(kind):
        return ArrayValue(kind, name)
    if is_number_or_bool(kind):
        return NumberValue(kind, name)
    if isinstance(kind, (types.NPDatetime, types.NPTimedelta)) and name.startswith("x"):
        return TimeValue(kind, name)
    if isinstance(kind, types.UnicodeType):
        return TextValue(name)
    if isinstance(kind, types.BaseTuple):
        return _TupleValue(kind, name, kept)
    if isinstance(kind, types.Optional):
        return _OptionalValue(kind, name, kept)
    if (
        _is_container(kind)
        and name.startswith("x")
        and (not kept or _python_object_owns_memory(kind))
    ):
        return _ContainerValue(kind, name)
    if isinstance(kind, types.Record) and name.startswith("x"):
        return _RecordValue(kind, name)
    if kind == types.none and name.startswith("x"):
        return _NothingValue()
    raise UnsupportedError(
        f"a block of objmode takes and returns numbers, strings, arrays and tuples of these; it also takes records, "
        f"and lists, dicts and sets of numbers and strings, but not {kind}"
    )
