"""A function as a graph of statements, and meaning-preserving rules that join two nodes.

    a: Branch(c, b, d)   b: Goto(d)     ->     a: If(c, b's statements); Goto(d)

Every rule looks at a few nodes only. A program with ``if`` but without loops reduces to one node.
"""

import ast
import copy
from dataclasses import dataclass, field

from heddle.compiler.bytecode.values import make_flat_bool_op, make_name, negate_condition


@dataclass
class Goto:
    to: "Node"


@dataclass
class Branch:
    test: ast.expr
    yes: "Node"
    no: "Node"


@dataclass
class Each:
    """The head of a ``for`` loop: goes to ``body`` with the next item of the iterator, or to ``after`` at its end."""

    iterated: ast.expr
    item: object
    body: "Node"
    after: "Node"


@dataclass(eq=False)
class Node:
    """Statements and a successor; the end is None after a statement that leaves, such as ``return``.

    offset: the bytecode position, which follows the program order. begins_loop: creates the iterator of the loop whose
    head follows; a jump to the head continues the loop.
    """

    line: int
    offset: int
    statements: list = field(default_factory=list)
    end: object = None
    begins_loop: bool = False

    @property
    def successors(self):
        match self.end:
            case Goto(to):
                return [to]
            case Branch(_, yes, no):
                return [yes, no]
            case Each(_, _, body, after):
                return [body, after]
        return []

    @property
    def is_empty(self):
        return not self.statements and not self.begins_loop

    def redirect_edges(self, old, new):
        """Redirects edges to ``old`` to ``new``."""
        for attribute, target in vars(self.end).items() if self.end else ():
            if target is old:
                setattr(self.end, attribute, new)

    def add_statement(self, statement):
        statement.lineno = self.line
        self.statements.append(statement)

    def add_assignment(self, variable, value):
        self.add_statement(ast.Assign([variable], value))


def list_reachable_nodes(entry, avoiding=()):
    """The nodes reachable from ``entry``, in an order that starts with it."""
    found, waiting = {}, [entry]
    while waiting:
        node = waiting.pop()
        if node not in found and node not in avoiding:
            found[node] = None
            waiting.extend(reversed(node.successors))
    return list(found)


def skip_empty_nodes(entry):
    """Redirects edges to empty nodes to their successors."""
    nodes = list_reachable_nodes(entry)
    for node in nodes:
        for successor in node.successors:
            last, passed = successor, set()
            while isinstance(last.end, Goto) and last.is_empty and last not in passed:
                passed.add(last)
                last = last.end.to
            if not (isinstance(node.end, Each) and successor is node.end.body):  # it stays a loop's
                node.redirect_edges(successor, last)


def count_predecessors(nodes):
    counts = dict.fromkeys(nodes, 0)
    for node in nodes:
        for successor in node.successors:
            counts[successor] = counts.get(successor, 0) + 1
    return counts


class Reduction:
    """Joins nodes until no rule applies.

    new_name: makes a variable name.
    """

    def __init__(self, new_name):
        self._new_name = new_name
        self._counts = {}  # node -> number of incoming edges
        self._gone = set()

    def join_sequences_and_conditions(self, entry):
        """Joins sequences of nodes, and the parts of conditions."""
        self._apply_rules_until_unchanged(
            entry, [self._join_sequence, self._join_conditions, self._join_conditional_tests]
        )

    def join_into_one_node(self, entry):
        """Also joins ``if`` statements. Without loops, a single node remains."""
        rules = [
            self._join_sequence,
            self._join_conditions,
            self._join_conditional_tests,
            self._join_if_statement,
        ]
        self._apply_rules_until_unchanged(entry, rules)
        rules += [self._join_long_conditions, self._join_long_conditional_tests]
        self._apply_rules_until_unchanged(entry, rules)
        while _duplicate_exit_nodes(entry):
            self._apply_rules_until_unchanged(entry, rules)

    def _apply_rules_until_unchanged(self, entry, rules):
        changed = True
        while changed:
            changed = False
            nodes = list_reachable_nodes(entry)
            self._counts = count_predecessors(nodes)
            self._counts[entry] += 1
            self._gone.clear()
            for node in reversed(nodes):  # inner nodes first, so that one pass joins most
                while node not in self._gone and any(rule(node) for rule in rules):
                    changed = True

    def _is_only_predecessor(self, other, node):
        """True if ``node`` is the only predecessor of ``other``."""
        return self._counts[other] == 1 and other is not node

    def _join_sequence(self, node):
        match node.end:
            case Goto(to) if self._is_only_predecessor(to, node):
                node.statements += to.statements
                node.end = to.end
                self._gone.add(to)
                return True
            case Branch(test, yes, no) if yes is no:
                self._counts[yes] -= 1
                node.add_statement(ast.Expr(test))
                node.end = Goto(yes)
                return True
        return False

    def _join_conditions(self, node):
        """``a and b``, ``a or b``: a second test on one side, which shares the target of the other side."""
        inner = self._find_nested_test(node)
        if inner is None or inner.statements:
            return False
        is_and = node.end.yes is inner
        shared = node.end.no if is_and else node.end.yes
        test, other = _find_branch_condition(shared, inner.end)
        if is_and:
            node.end = Branch(
                make_flat_bool_op(ast.And, node.end.test, negate_condition(test)), other, shared
            )
        else:
            node.end = Branch(make_flat_bool_op(ast.Or, node.end.test, test), shared, other)
        self._counts[shared] -= 1
        self._gone.add(inner)
        return True

    def _join_long_conditions(self, node):
        """As ``_join_conditions``, with statements before the second test: a variable holds the result."""
        inner = self._find_nested_test(node)
        if inner is None:
            return False
        is_and = node.end.yes is inner
        shared = node.end.no if is_and else node.end.yes
        test, other = _find_branch_condition(shared, inner.end)
        result = make_name(self._new_name())
        inner.add_assignment(result, _make_bool_expression(test))
        decided = Node(node.line, node.offset)
        decided.add_assignment(result, ast.Constant(True))
        sides = (inner, decided) if is_and else (decided, inner)
        node.add_statement(ast.If(node.end.test, *(side.statements for side in sides)))
        node.end = Branch(result, shared, other)
        self._counts[shared] -= 1
        self._gone.add(inner)
        return True

    def _find_nested_test(self, node):
        if not isinstance(node.end, Branch):
            return None
        for inner, shared in ((node.end.yes, node.end.no), (node.end.no, node.end.yes)):
            if (
                isinstance(inner.end, Branch)
                and self._is_only_predecessor(inner, node)
                and shared in inner.successors
            ):
                return inner
        return None

    def _join_conditional_tests(self, node):
        """``if b if a else c``: tests on both sides with the same targets."""
        if (
            not self._has_tests_on_both_sides(node)
            or node.end.yes.statements
            or node.end.no.statements
        ):
            return False
        one, two = node.end.yes, node.end.no
        yes, no = one.end.yes, one.end.no
        node.end.test = ast.IfExp(
            node.end.test, one.end.test, _find_branch_condition(yes, two.end)[0]
        )
        self._replace_branch_targets(node, yes, no)
        return True

    def _join_long_conditional_tests(self, node):
        """As ``_join_conditional_tests``, with statements before the tests: a variable holds the result."""
        if not self._has_tests_on_both_sides(node):
            return False
        one, two = node.end.yes, node.end.no
        yes, no = one.end.yes, one.end.no
        result = make_name(self._new_name())
        one.add_assignment(result, _make_bool_expression(one.end.test))
        two.add_assignment(result, _make_bool_expression(_find_branch_condition(yes, two.end)[0]))
        node.add_statement(ast.If(node.end.test, one.statements, two.statements))
        node.end.test = result
        self._replace_branch_targets(node, yes, no)
        return True

    def _has_tests_on_both_sides(self, node):
        if not isinstance(node.end, Branch):
            return False
        one, two = node.end.yes, node.end.no
        return (
            isinstance(one.end, Branch)
            and isinstance(two.end, Branch)
            and self._is_only_predecessor(one, node)
            and self._is_only_predecessor(two, node)
            and one.end.yes is not one.end.no
            and set(one.successors) == set(two.successors)
        )

    def _replace_branch_targets(self, node, yes, no):
        self._gone |= {node.end.yes, node.end.no}
        self._counts[yes] -= 1
        self._counts[no] -= 1
        node.end.yes, node.end.no = yes, no

    def _join_if_statement(self, node):
        """``if``: turns one or both sides into statements."""
        match node.end:
            case Branch(test, Node(end=Goto(end)) as yes, Node(end=Goto(other_end)) as no) if (
                end is other_end
                and self._is_only_predecessor(yes, node)
                and self._is_only_predecessor(no, node)
            ):
                node.add_statement(ast.If(test, yes.statements or [ast.Pass()], no.statements))
                self._counts[end] -= 1
                self._gone |= {yes, no}
                node.end = Goto(end)
                return True
            case Branch(test, yes, no):
                sides = [(test, yes, no), (negate_condition(test), no, yes)]
                sides.sort(key=lambda side: side[1].offset)  # in program order
                return any(self._join_if_side(node, *side) for side in sides)
        return False

    def _join_if_side(self, node, test, side, other):
        leads_on = isinstance(side.end, Goto) and side.end.to is other
        if not self._is_only_predecessor(side, node) or not (leads_on or side.end is None):
            return False
        node.add_statement(ast.If(test, side.statements, []) if side.statements else ast.Expr(test))
        if leads_on:
            self._counts[other] -= 1
        self._gone.add(side)
        node.end = Goto(other)
        return True


def _find_branch_condition(node, branch):
    """The condition under which a branch goes to ``node``, and its other target."""
    if branch.yes is node:
        return branch.test, branch.no
    return negate_condition(branch.test), branch.yes


def _make_bool_expression(test):
    return ast.IfExp(test, ast.Constant(True), ast.Constant(False))


def _duplicate_exit_nodes(entry):
    """Copies a node that leaves the function for each of its predecessors, which makes the code longer."""
    nodes = list_reachable_nodes(entry)
    counts = count_predecessors(nodes)
    changed = False
    for node in nodes:
        for successor in node.successors:
            if successor.end is None and counts[successor] > 1:
                counts[successor] -= 1
                node.redirect_edges(successor, copy.deepcopy(successor))
                changed = True
    return changed
