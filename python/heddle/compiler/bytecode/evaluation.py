"""The evaluation stack of a block: pending expressions, and the statements so far."""

import ast

from heddle.compiler.bytecode.values import (
    NULL,
    CannotRebuild,
    Item,
    Iterator,
    Part,
    are_equal_expressions,
    contains_call,
    is_stable,
    make_name,
    mentions_name,
)


class Temporaries:
    """Names for values that the program left on the stack.

    Duplicated code, such as the test of a ``while`` loop, gets the same names in both places.
    """

    def __init__(self, taken):
        self._prefix = "_"
        while any(one.startswith(self._prefix) for one in taken):
            self._prefix += "_"
        self._numbers = {}

    def make_temporary_name_at(self, place):
        number = self._numbers.setdefault(place, len(self._numbers) + 1)
        return f"{self._prefix}{number}"

    def is_temporary(self, identifier):
        return identifier.startswith(self._prefix)


class Evaluation:
    """Evaluates one block.

    nested: makes the definition of a nested function from its code.
    """

    def __init__(self, code, temporaries, nested, place):
        self.code = code
        self.nested = nested
        self.stack = []
        self.statements = []
        self.place = place  # of the current instruction
        self.keywords = ()  # of the next call, in Python versions that set them before the call
        self._temporaries = temporaries
        self._variables = {*code.co_varnames, *code.co_cellvars}

    def push(self, *values):
        self.stack.extend(values)

    def pop(self):
        """Pops the top of the stack as an expression."""
        value = self.stack.pop()
        if isinstance(value, Item):
            value.target = self._make_temporary(len(self.stack))
            return value.target
        if isinstance(value, ast.FunctionDef):
            value.name = self._make_temporary(len(self.stack)).id
            self.spill_affected_and_emit(value)
            return make_name(value.name)
        if not isinstance(value, ast.expr):
            raise CannotRebuild("a value that is used in an unusual way")
        return value

    def pop_many(self, count):
        values = [self.pop() for _ in range(count)]
        return values[::-1]

    def drop_or_emit(self):
        """Discards the top of the stack: a loop's iterator, or an expression statement."""
        if isinstance(self.stack[-1], Part):  # of ``_, _ = pair``
            self.pop_and_assign(self._make_temporary(len(self.stack)))
            return
        value = self.stack.pop()
        if isinstance(value, ast.expr) and not self._is_stable(value):
            self.spill_affected_and_emit(ast.Expr(value))

    def push_copy_of_entry(self, depth):
        """Pushes the entry at this depth again."""
        index = len(self.stack) - depth
        entry = self.stack[index]
        if isinstance(entry, (Item, ast.FunctionDef)):
            raise CannotRebuild("a value that is used in an unusual way")
        if isinstance(entry, ast.expr) and not self._is_stable(entry):
            self._spill_unstable_entries(index + 1)
        self.push(self.stack[index])

    def merge_stacks(self, ways):
        """Merges the stacks of several predecessors. Entries that differ become a temporary variable.

        ways: pairs of a predecessor's statements and its stack.
        """
        depths = {len(stack) for _, stack in ways}
        if len(depths) > 1:
            raise CannotRebuild("an unusual stack")
        for depth in range(depths.pop()):
            entries = [stack[depth] for _, stack in ways]
            one = entries[0]
            is_computed = isinstance(one, ast.expr) and not self._is_stable(one)
            if all(_is_same_entry(one, other) for other in entries) and not is_computed:
                self.push(one)
                continue
            if not all(isinstance(entry, ast.expr) for entry in entries):
                raise CannotRebuild("an unusual stack")
            self.push(self._make_temporary(depth, "join"))
            for (statements, _), value in zip(ways, entries, strict=True):
                _append_statement(statements, ast.Assign([self.stack[-1]], value), self.place)

    def swap_with_top(self, depth):
        moved = self.stack[-depth:]
        waiting = [entry for entry in moved if isinstance(entry, ast.expr)]
        unstable = [entry for entry in waiting if not self._is_stable(entry)]
        if len(unstable) > 1 and any(map(contains_call, unstable)):
            self._spill_unstable_entries(
                len(self.stack)
            )  # afterwards, the stack no longer has their order
        self.stack[-depth], self.stack[-1] = self.stack[-1], self.stack[-depth]

    def pop_and_assign(self, target):
        """Pops the top of the stack and assigns it to a target."""
        value = self.stack.pop()
        if isinstance(value, Item):
            value.target = target
        elif isinstance(value, Part):
            value.unpacking.targets[value.index] = target
            whole = value.unpacking.make_unpacking_target()
            if whole is not None:
                self.stack.append(value.unpacking.value)
                self.pop_and_assign(whole)
        elif isinstance(value, ast.FunctionDef) and isinstance(target, ast.Name):
            value.name = target.id
            self.spill_affected_and_emit(value, {target.id})
        elif isinstance(value, ast.expr):
            self._emit_assignment(target, value)
        else:
            raise CannotRebuild("a value that is used in an unusual way")

    def _emit_assignment(self, target, value):
        names = _list_assigned_names(target)
        is_silent = bool(names) and not contains_call(value)
        self.spill_affected_and_emit(ast.Assign([target], value), names, is_silent)

    def spill_affected_and_emit(self, statement, assigned=frozenset(), is_silent=False):
        """Adds a statement. Pending expressions were computed before it: computes those that it may change.

        assigned: variables that the statement changes. is_silent: it has no other effects.
        """
        is_silent = is_silent and assigned.isdisjoint(
            self.code.co_cellvars
        )  # nested functions may read these
        for index, entry in enumerate(self.stack):
            if isinstance(entry, ast.expr) and (
                mentions_name(entry, assigned) or not (is_silent or self._is_stable(entry))
            ):
                self._spill_stack_entry(index)
        self._append_located_statement(statement)

    def spill_and_finish_block(self, has_choice=True):
        """Ends the block. Before a branch, computes pending expressions, because both sides need them."""
        if has_choice:
            self._spill_unstable_entries(len(self.stack))
        for entry in self.stack:
            if isinstance(entry, (Part, ast.FunctionDef)):
                raise CannotRebuild("a value that is used in an unusual way")

    def _spill_unstable_entries(self, count):
        for index in range(count):
            entry = self.stack[index]
            if isinstance(entry, ast.expr) and not self._is_stable(entry):
                self._spill_stack_entry(index)

    def _spill_stack_entry(self, index):
        entry = self.stack[index]
        if isinstance(entry, (ast.List, ast.Set)):  # may still grow
            items = [
                self._assign_temporary(item, index, place) for place, item in enumerate(entry.elts)
            ]
            self.stack[index] = type(entry)(items)
        else:
            self.stack[index] = self._assign_temporary(entry, index)

    def _assign_temporary(self, value, *depth):
        """Assigns the value to a temporary variable and returns the variable."""
        if isinstance(value, ast.Starred):
            return ast.Starred(self._assign_temporary(value.value, *depth))
        temporary = self._make_temporary(*depth)
        self._append_located_statement(ast.Assign([temporary], value))
        return temporary

    def _append_located_statement(self, statement):
        _append_statement(self.statements, statement, self.place)

    def _make_temporary(self, depth, *further):
        place = (*self.place, depth, *further)
        while True:
            found = self._temporaries.make_temporary_name_at(place)
            waiting = (entry for entry in self.stack if isinstance(entry, ast.expr))
            if not any(mentions_name(entry, {found}) for entry in waiting):
                return make_name(found)
            place += (depth,)

    def _is_stable(self, expression):
        return is_stable(expression, self._variables)


def _append_statement(statements, statement, place):
    statement.lineno = place[0]
    statements.append(statement)


def _is_same_entry(one, other):
    if isinstance(one, Iterator):
        # Each edge into a loop creates an iterator.
        return isinstance(other, Iterator) and are_equal_expressions(one.iterated, other.iterated)
    if one is NULL or not isinstance(one, ast.expr):
        return one is other
    return isinstance(other, ast.expr) and are_equal_expressions(one, other)


def _list_assigned_names(target):
    """The variables that an assignment to ``target`` changes."""
    if isinstance(target, ast.Name):
        return {target.id}
    if isinstance(target, ast.Starred):
        return _list_assigned_names(target.value)
    if isinstance(target, ast.Tuple):
        return set().union(*map(_list_assigned_names, target.elts))
    return set()
