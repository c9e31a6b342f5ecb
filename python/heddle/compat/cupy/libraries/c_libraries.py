"""What libraries in C have in common: numbers for objects, and codes for what they refuse."""

import itertools


class LibraryError(RuntimeError):
    """What a library refuses; each has a class derived from it, whose ``_name_of`` gives the name of a code."""

    def __init__(self, status, why=None):
        self.status = int(status)
        text = self._name_of(self.status)
        super().__init__(text if why is None else f"{text}: {why}")

    def __reduce__(self):
        return type(self), (self.status,)


class NumberedObjects:
    """Objects by the numbers that programs have for them.

    refuse: makes the error for a number that no object has.
    """

    def __init__(self, refuse):
        self._refuse = refuse
        self._objects = {}
        self._numbers = itertools.count(1)

    def add(self, new):
        """The number of a new object."""
        number = next(self._numbers)
        self._objects[number] = new
        return number

    def __getitem__(self, number):
        if number not in self._objects:
            raise self._refuse()
        return self._objects[number]

    def remove(self, number):
        """Forget an object."""
        self[number]
        del self._objects[number]
