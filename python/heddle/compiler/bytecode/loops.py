"""Converts loops of a graph to ``for`` and ``while`` statements, innermost first, until none is left."""

import ast

from heddle.compiler.bytecode.graph import (
    Branch,
    Each,
    Goto,
    Node,
    list_reachable_nodes,
    skip_empty_nodes,
)
from heddle.compiler.bytecode.values import UnusualFlow, make_name, negate_condition


def merge_duplicated_tests(entry):
    """Joins equal tests with equal targets.

    Python duplicates the test of a ``while`` loop, before the loop and at its end; with a ``continue`` that would make
    two loops. It also copies a short end of the function to each place that leads there.
    """

    def make_end_key(node):
        return node if node.end else tuple(ast.dump(one) for one in node.statements)

    skip_empty_nodes(entry)
    for node in list_reachable_nodes(entry):
        if isinstance(node.end, Branch) and node.statements:
            node.end = Goto(Node(node.line, node.offset, [], node.end))
    twins = True
    while twins:
        known, twins = {}, {}
        nodes = list_reachable_nodes(entry)
        for node in nodes:
            if isinstance(node.end, Branch) and not node.statements:
                key = (
                    ast.dump(node.end.test),
                    make_end_key(node.end.yes),
                    make_end_key(node.end.no),
                )
                twin = known.setdefault(key, node)
                if twin is not node:
                    twins[node] = twin
        for node in nodes:
            for successor in node.successors:
                if successor in twins:
                    node.redirect_edges(successor, twins[successor])


def replace_loops_by_statements(entry, reduction, new_name):
    """Replaces each loop reachable from ``entry`` by a statement."""
    reduction.join_sequences_and_conditions(entry)
    while (found := _find_innermost_loop(entry)) is not None:
        _Loop(entry, *found).replace_by_statement(reduction, new_name)
        reduction.join_sequences_and_conditions(entry)


def _find_innermost_loop(entry):
    """The head and the nodes of a loop without inner loops; None if there are no loops."""
    loops = {
        head: _collect_loop_nodes(head, latches) for head, latches in _find_latches(entry).items()
    }
    for node in list_reachable_nodes(entry):
        if isinstance(node.end, Each):  # a loop even if its body never jumps back to the head
            loops.setdefault(node, {node}).add(node.end.body)
    for head, nodes in loops.items():
        if loops.keys().isdisjoint(nodes - {head}):
            return head, nodes
    if loops:
        raise UnusualFlow
    return None


def _find_latches(entry):
    """Maps each loop head to the nodes in the loop that jump back to it."""
    latches, path, done = {}, set(), set()
    waiting = [entry]
    while waiting:
        node = waiting[-1]
        if node in done or node in path:
            waiting.pop()
            path.discard(node)
            done.add(node)
            continue
        path.add(node)
        for successor in node.successors:
            if successor in path:
                latches.setdefault(successor, []).append(node)
            elif successor not in done:
                waiting.append(successor)
    return latches


def _collect_loop_nodes(head, latches):
    """The nodes on a path from a loop's head back to it."""
    predecessors = {}
    for node in list_reachable_nodes(head):
        for successor in node.successors:
            predecessors.setdefault(successor, []).append(node)
    inside, waiting = {head}, list(latches)
    while waiting:
        node = waiting.pop()
        if node not in inside:
            inside.add(node)
            waiting.extend(predecessors[node])
    return inside


class _Loop:
    """A loop with its head and body, the nodes that become the loop's statements."""

    def __init__(self, entry, head, inside):
        self.head = head
        self.after = head.end.after if isinstance(head.end, Each) else None
        self._end = max(node.offset for node in (*inside, *head.successors))
        if self.after is None:
            self.first = Node(head.line, head.offset, head.statements, head.end)
            head.statements, head.end = [], None
        else:
            self.first = head.end.body
        self.body = (inside - {head}) | {self.first}
        self._add_exit_nodes_to_body(entry)

    def _add_exit_nodes_to_body(self, entry):
        """Adds the nodes that leave the loop to its body, such as statements before a ``break``."""
        predecessors = {}
        for node in [*list_reachable_nodes(entry), *list_reachable_nodes(self.first)]:
            for successor in node.successors:
                predecessors.setdefault(successor, set()).add(node)
        grows = True
        while grows:
            found = [
                node
                for node in self._list_exit_targets()
                if node.offset < self._end and predecessors[node] <= self.body
            ]
            self.body.update(found)
            grows = bool(found)
        for node in self.body - {self.first}:
            if not predecessors[node] <= self.body:
                raise UnusualFlow

    def _list_exit_targets(self):
        """The targets of the body other than the loop's head and its normal end."""
        targets = {target: None for node in self.body for target in node.successors}
        return [
            target
            for target in sorted(targets, key=lambda node: node.offset)
            if target not in self.body and target is not self.head and target is not self.after
        ]

    def replace_by_statement(self, reduction, new_name):
        """Turns the head into a node with the loop's statement.

        If the body has several exits, it stores the exit's number in a variable before its ``break``.
        """
        targets = self._list_exit_targets()
        ways_on = [*targets, self.after] if self.after else targets
        which = make_name(new_name()) if len(ways_on) > 1 else None
        for node in self.body:
            for target in node.successors:
                if target not in self.body:
                    node.redirect_edges(target, self._make_exit_node(node, target, targets, which))
        reduction.join_into_one_node(self.first)
        if self.first.end is not None:
            raise UnusualFlow
        head = self.head
        if which is not None and self.after is not None:
            head.add_assignment(which, ast.Constant(0))
        head.add_statement(self._make_loop_statement(new_name))
        head.end = Goto(ways_on[-1]) if ways_on else None
        for number, target in reversed(list(enumerate(ways_on[:-1], 1))):
            test = ast.Compare(which, [ast.Eq()], [ast.Constant(number)])
            rest = Node(head.line, head.offset, [], head.end)
            head.end = Branch(test, target, rest)

    def _make_exit_node(self, node, target, targets, which):
        way = Node(node.line, node.offset)
        if target is self.head:
            way.add_statement(ast.Continue())
            return way
        if which is not None and target is not self.after:
            way.add_assignment(which, ast.Constant(targets.index(target) + 1))
        way.add_statement(ast.Break())
        return way

    def _make_loop_statement(self, new_name):
        statements = self.first.statements
        if isinstance(statements[-1], ast.Continue):
            statements = statements[:-1]
        if self.after is not None:
            each = self.head.end
            target = each.item.target or make_name(new_name())
            return ast.For(target, each.iterated, statements or [ast.Pass()], [])
        match statements[:1]:
            case [ast.If(test=test, body=[ast.Break()], orelse=[])]:
                return ast.While(negate_condition(test), statements[1:] or [ast.Pass()], [])
        return ast.While(ast.Constant(True), statements or [ast.Pass()], [])
