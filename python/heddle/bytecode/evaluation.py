"""The stack while a block of bytecode is read: expressions that wait to be used, and the statements so far."""

import ast

from heddle.bytecode.values import (
    NULL,
    CannotRebuild,
    Item,
    Iterator,
    Part,
    calls,
    is_stable,
    mentions,
    name,
    same,
)


class Temporaries:
    """Names for values that the program left on the stack.

    Code that the interpreter has twice, such as the test of a ``while`` loop, gets the same names in both places.
    """

    def __init__(self, taken):
        self._prefix = "_"
        while any(one.startswith(self._prefix) for one in taken):
            self._prefix += "_"
        self._numbers = {}

    def at(self, place):
        number = self._numbers.setdefault(place, len(self._numbers) + 1)
        return f"{self._prefix}{number}"

    def are(self, identifier):
        return identifier.startswith(self._prefix)


class Evaluation:
    """One block.

    nested: makes the definition of a function from its code.
    """

    def __init__(self, code, temporaries, nested, place):
        self.code = code
        self.nested = nested
        self.stack = []
        self.statements = []
        self.place = place  # of the instruction that is read
        self.keywords = ()  # of the next call, in the Pythons that say so before it
        self._temporaries = temporaries
        self._variables = {*code.co_varnames, *code.co_cellvars}

    def push(self, *values):
        self.stack.extend(values)

    def pop(self):
        """The top of the stack as an expression."""
        value = self.stack.pop()
        if isinstance(value, Item):
            value.target = self._temporary(len(self.stack))
            return value.target
        if isinstance(value, ast.FunctionDef):
            value.name = self._temporary(len(self.stack)).id
            self.emit(value)
            return name(value.name)
        if not isinstance(value, ast.expr):
            raise CannotRebuild("a value that is used in an unusual way")
        return value

    def pops(self, count):
        values = [self.pop() for _ in range(count)]
        return values[::-1]

    def drop(self):
        """Takes the top away: a loop's iterator, or an expression that stood alone."""
        if isinstance(self.stack[-1], Part):  # of ``_, _ = pair``
            self.store(self._temporary(len(self.stack)))
            return
        value = self.stack.pop()
        if isinstance(value, ast.expr) and not self._is_stable(value):
            self.emit(ast.Expr(value))

    def copy(self, depth):
        """Puts the entry so far from the top on the top once more."""
        index = len(self.stack) - depth
        entry = self.stack[index]
        if isinstance(entry, (Item, ast.FunctionDef)):
            raise CannotRebuild("a value that is used in an unusual way")
        if isinstance(entry, ast.expr) and not self._is_stable(entry):
            self._settle(index + 1)
        self.push(self.stack[index])

    def merge(self, ways):
        """Begins with the stack of several ways here; where they differ a temporary variable is assigned to.

        ways: pairs of the statements of a block before and the stack that it leaves.
        """
        depths = {len(stack) for _, stack in ways}
        if len(depths) > 1:
            raise CannotRebuild("an unusual stack")
        for depth in range(depths.pop()):
            entries = [stack[depth] for _, stack in ways]
            one = entries[0]
            is_computed = isinstance(one, ast.expr) and not self._is_stable(one)
            if all(_same_entry(one, other) for other in entries) and not is_computed:
                self.push(one)
                continue
            if not all(isinstance(entry, ast.expr) for entry in entries):
                raise CannotRebuild("an unusual stack")
            self.push(self._temporary(depth, "joined"))
            for (statements, _), value in zip(ways, entries, strict=True):
                _add(statements, ast.Assign([self.stack[-1]], value), self.place)

    def swap(self, depth):
        moved = self.stack[-depth:]
        waiting = [entry for entry in moved if isinstance(entry, ast.expr)]
        unstable = [entry for entry in waiting if not self._is_stable(entry)]
        if len(unstable) > 1 and any(map(calls, unstable)):
            self._settle(len(self.stack))  # their order is that of the stack for the last time
        self.stack[-depth], self.stack[-1] = self.stack[-1], self.stack[-depth]

    def store(self, target):
        """Assigns the top of the stack."""
        value = self.stack.pop()
        if isinstance(value, Item):
            value.target = target
        elif isinstance(value, Part):
            value.unpacking.targets[value.index] = target
            whole = value.unpacking.target()
            if whole is not None:
                self.stack.append(value.unpacking.value)
                self.store(whole)
        elif isinstance(value, ast.FunctionDef) and isinstance(target, ast.Name):
            value.name = target.id
            self.emit(value, {target.id})
        elif isinstance(value, ast.expr):
            self._assign(target, value)
        else:
            raise CannotRebuild("a value that is used in an unusual way")

    def _assign(self, target, value):
        names = _assigned(target)
        is_silent = bool(names) and not calls(value)
        self.emit(ast.Assign([target], value), names, is_silent)

    def emit(self, statement, assigned=frozenset(), is_silent=False):
        """Adds a statement. What waits on the stack was computed before it: what it may change is computed first.

        assigned: variables that the statement changes. is_silent: it changes nothing else.
        """
        is_silent = is_silent and assigned.isdisjoint(
            self.code.co_cellvars
        )  # functions may read those
        for index, entry in enumerate(self.stack):
            if isinstance(entry, ast.expr) and (
                mentions(entry, assigned) or not (is_silent or self._is_stable(entry))
            ):
                self._spill(index)
        self._add(statement)

    def end(self, has_choice=True):
        """Ends the block: what waits is computed before a choice is made, since both sides need it."""
        if has_choice:
            self._settle(len(self.stack))
        for entry in self.stack:
            if isinstance(entry, (Part, ast.FunctionDef)):
                raise CannotRebuild("a value that is used in an unusual way")

    def _settle(self, count):
        for index in range(count):
            entry = self.stack[index]
            if isinstance(entry, ast.expr) and not self._is_stable(entry):
                self._spill(index)

    def _spill(self, index):
        entry = self.stack[index]
        if isinstance(entry, (ast.List, ast.Set)):  # may be still growing
            items = [self._computed(item, index, place) for place, item in enumerate(entry.elts)]
            self.stack[index] = type(entry)(items)
        else:
            self.stack[index] = self._computed(entry, index)

    def _computed(self, value, *depth):
        """A variable with the value."""
        if isinstance(value, ast.Starred):
            return ast.Starred(self._computed(value.value, *depth))
        temporary = self._temporary(*depth)
        self._add(ast.Assign([temporary], value))
        return temporary

    def _add(self, statement):
        _add(self.statements, statement, self.place)

    def _temporary(self, depth, *further):
        place = (*self.place, depth, *further)
        while True:
            found = self._temporaries.at(place)
            waiting = (entry for entry in self.stack if isinstance(entry, ast.expr))
            if not any(mentions(entry, {found}) for entry in waiting):
                return name(found)
            place += (depth,)

    def _is_stable(self, expression):
        return is_stable(expression, self._variables)


def _add(statements, statement, place):
    statement.lineno = place[0]
    statements.append(statement)


def _same_entry(one, other):
    if isinstance(one, Iterator):
        # Each way into a loop makes an iterator of its own.
        return isinstance(other, Iterator) and same(one.iterated, other.iterated)
    if one is NULL or not isinstance(one, ast.expr):
        return one is other
    return isinstance(other, ast.expr) and same(one, other)


def _assigned(target):
    """The variables that an assignment to ``target`` changes."""
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, ast.Starred):
        return _assigned(target.value)
    if isinstance(target, ast.Tuple):
        return set().union(*map(_assigned, target.elts))
    return set()
