"""Loops of a graph as ``for`` and ``while`` statements: the innermost first, until the graph has none."""

import ast

from heddle.bytecode.graph import Branch, Each, Goto, Node, reachable, skip_empty_nodes
from heddle.bytecode.values import UnusualFlow, name, negation


def merge_equal_tests(entry):
    """Joins tests that are the same and lead to the same nodes.

    Python has the test of a ``while`` loop twice, before the loop and at its end. That makes two loops where there is a
    ``continue``. It also copies a short end of the function to each place that leads there.
    """

    def same_end(node):
        return node if node.end else tuple(ast.dump(one) for one in node.statements)

    skip_empty_nodes(entry)
    for node in reachable(entry):
        if isinstance(node.end, Branch) and node.statements:
            node.end = Goto(Node(node.line, node.offset, [], node.end))
    twins = True
    while twins:
        known, twins = {}, {}
        nodes = reachable(entry)
        for node in nodes:
            if isinstance(node.end, Branch) and not node.statements:
                key = (ast.dump(node.end.test), same_end(node.end.yes), same_end(node.end.no))
                twin = known.setdefault(key, node)
                if twin is not node:
                    twins[node] = twin
        for node in nodes:
            for successor in node.successors:
                if successor in twins:
                    node.redirect(successor, twins[successor])


def make_loops(entry, reduction, new_name):
    """Replaces each loop that ``entry`` leads to by a statement."""
    reduction.join_tests(entry)
    while (found := _innermost(entry)) is not None:
        _Loop(entry, *found).replace(reduction, new_name)
        reduction.join_tests(entry)


def _innermost(entry):
    """The head of a loop that has no other in it, and the loop's nodes; None when there are no loops."""
    loops = {head: _nodes_of(head, latches) for head, latches in _latches(entry).items()}
    for node in reachable(entry):
        if isinstance(node.end, Each):  # a loop also if its body never comes back
            loops.setdefault(node, {node}).add(node.end.body)
    for head, nodes in loops.items():
        if loops.keys().isdisjoint(nodes - {head}):
            return head, nodes
    if loops:
        raise UnusualFlow
    return None


def _latches(entry):
    """The nodes that lead back to the head of a loop that they are in, by that head."""
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


def _nodes_of(head, latches):
    """The nodes on a way from a loop's head back to it."""
    predecessors = {}
    for node in reachable(head):
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
    """A loop, its head and its body: the nodes that become the loop's statements."""

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
        self._add_ways_out(entry)

    def _add_ways_out(self, entry):
        """What stands in the loop and leads out of it, such as statements before a ``break``, belongs to the body."""
        predecessors = {}
        for node in [*reachable(entry), *reachable(self.first)]:
            for successor in node.successors:
                predecessors.setdefault(successor, set()).add(node)
        grows = True
        while grows:
            found = [
                node
                for node in self._left_to()
                if node.offset < self._end and predecessors[node] <= self.body
            ]
            self.body.update(found)
            grows = bool(found)
        for node in self.body - {self.first}:
            if not predecessors[node] <= self.body:
                raise UnusualFlow

    def _left_to(self):
        """Where the body leads, other than to the loop's head and its normal end."""
        targets = {target: None for node in self.body for target in node.successors}
        return [
            target
            for target in sorted(targets, key=lambda node: node.offset)
            if target not in self.body and target is not self.head and target is not self.after
        ]

    def replace(self, reduction, new_name):
        """Makes the head a node with the statement of the loop.

        Where the body leads to several nodes, it says in a variable to which before its ``break``.
        """
        targets = self._left_to()
        ways_on = [*targets, self.after] if self.after else targets
        which = name(new_name()) if len(ways_on) > 1 else None
        for node in self.body:
            for target in node.successors:
                if target not in self.body:
                    node.redirect(target, self._way_out(node, target, targets, which))
        reduction.join_all(self.first)
        if self.first.end is not None:
            raise UnusualFlow
        head = self.head
        if which is not None and self.after is not None:
            head.assign(which, ast.Constant(0))
        head.add(self._statement(new_name))
        head.end = Goto(ways_on[-1]) if ways_on else None
        for number, target in reversed(list(enumerate(ways_on[:-1], 1))):
            test = ast.Compare(which, [ast.Eq()], [ast.Constant(number)])
            rest = Node(head.line, head.offset, [], head.end)
            head.end = Branch(test, target, rest)

    def _way_out(self, node, target, targets, which):
        way = Node(node.line, node.offset)
        if target is self.head:
            way.add(ast.Continue())
            return way
        if which is not None and target is not self.after:
            way.assign(which, ast.Constant(targets.index(target) + 1))
        way.add(ast.Break())
        return way

    def _statement(self, new_name):
        statements = self.first.statements
        if isinstance(statements[-1], ast.Continue):
            statements = statements[:-1]
        if self.after is not None:
            each = self.head.end
            target = each.item.target or name(new_name())
            return ast.For(target, each.iterated, statements or [ast.Pass()], [])
        match statements[:1]:
            case [ast.If(test=test, body=[ast.Break()], orelse=[])]:
                return ast.While(negation(test), statements[1:] or [ast.Pass()], [])
        return ast.While(ast.Constant(True), statements or [ast.Pass()], [])
