"""Code that the modules for C libraries share: integer handles for objects, and exceptions with status codes."""

import itertools


class LibraryError(RuntimeError):
    """An error of a library. Each library has a subclass, whose ``_name_status`` gives the name of a status code."""

    def __init__(self, status, why=None):
        self.status = int(status)
        text = self._name_status(self.status)
        super().__init__(text if why is None else f"{text}: {why}")

    def __reduce__(self):
        return type(self), (self.status,)


class NumberedObjects:
    """Objects that programs know by integer handles.

    refuse: a function that creates the exception for an unknown handle.
    """

    def __init__(self, refuse):
        self._refuse = refuse
        self._objects = {}
        self._numbers = itertools.count(1)

    def add(self, new):
        """Store a new object and return its handle."""
        number = next(self._numbers)
        self._objects[number] = new
        return number

    def __getitem__(self, number):
        if number not in self._objects:
            raise self._refuse()
        return self._objects[number]

    def remove(self, number):
        """Delete an object. Raises the exception of ``refuse`` for an unknown handle."""
        self[number]
        del self._objects[number]
