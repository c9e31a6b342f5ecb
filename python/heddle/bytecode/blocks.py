"""A code object's instructions as a graph of statements."""

import ast
import dis
import sys

from heddle.bytecode import calls, literals, operators, variables
from heddle.bytecode.evaluation import Evaluation
from heddle.bytecode.graph import Branch, Each, Goto, Node
from heddle.bytecode.values import CannotRebuild, UnusualFlow

_operations = variables.operation | operators.operation | literals.operation | calls.operation
_jumps = {"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE"}
_branches = {"IF_TRUE", "IF_FALSE", "IF_NONE", "IF_NOT_NONE"}
_ends = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS"}

# How the instructions that kernels do not have begin -> what a program has there.
_refused = {
    "YIELD": "a yield",
    "RETURN_GENERATOR": "a generator",
    "IMPORT": "an import",
    "LOAD_FAST_AND_CLEAR": "a comprehension",
    "MAP_ADD": "a comprehension",
    "BEFORE_WITH": "a with statement",
    "LOAD_SPECIAL": "a with statement",
    "MATCH": "a match statement",
    "GET_LEN": "a match statement",
    "LOAD_BUILD_CLASS": "a class",
}
# Those that bring a handler of exceptions with them: Python 3.12 and later have comprehensions in the function itself.
_with_handlers = {"LOAD_FAST_AND_CLEAR", "BEFORE_WITH", "LOAD_SPECIAL"}


def graph_of(code, temporaries, nested):
    """The node that a function begins with.

    nested: makes the definition of a function in it from its code.
    """
    instructions = list(dis.get_instructions(code))
    if code.co_exceptiontable:
        caught = (_refused[one.opname] for one in instructions if one.opname in _with_handlers)
        raise CannotRebuild(next(caught, "a try statement"))
    blocks = _blocks(instructions)
    return _Builder(code, blocks, temporaries, nested).entry()


def _condition(opname):
    """``IF_TRUE`` of POP_JUMP_FORWARD_IF_TRUE; None of what is no conditional jump."""
    _, _, condition = opname.partition("POP_JUMP_")
    return next((one for one in _branches if condition.endswith(one)), None)


def _keeps_value(opname):
    return opname in ("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP")


def _blocks(instructions):
    """Runs of instructions that are entered at the first only: a dict by its offset."""
    starts = {instructions[0].offset}
    for instruction, following in zip(instructions, [*instructions[1:], None], strict=True):
        jumps = instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs
        if jumps:
            starts.add(instruction.argval)
        if following is not None and (jumps or instruction.opname in _ends):
            starts.add(following.offset)
    blocks = {}
    for instruction in instructions:
        if instruction.offset in starts:
            block = blocks[instruction.offset] = []
        block.append(instruction)
    return blocks


class _Builder:
    """Reads block after block, each with the stack that those before it leave."""

    def __init__(self, code, blocks, temporaries, nested):
        self._code = code
        self._nested = nested
        self._blocks = blocks
        self._temporaries = temporaries
        self._nodes = {start: Node(_line(block[0]), start) for start, block in blocks.items()}
        self._stacks = {start: [] for start in blocks}  # what leads there: (node, stack)

    def entry(self):
        starts = list(self._blocks)
        first = starts[0]
        self._stacks[first].append((self._nodes[first], []))
        for start, following in zip(starts, [*starts[1:], None], strict=True):
            if self._stacks[start]:  # else nothing leads there
                self._read(start, following)
        return self._nodes[first]

    def _read(self, start, following):
        block = self._blocks[start]
        evaluation = Evaluation(self._code, self._temporaries, self._nested, _place(block[0]))
        ways = [(node.statements, stack) for node, stack in self._stacks[start]]
        if len(ways) == 1:
            evaluation.push(*ways[0][1])
        else:
            evaluation.merge(ways)
        node = self._nodes[start]
        node.statements = evaluation.statements
        node.begins_loop = any(one.opname == "GET_ITER" for one in block)
        *simple, last = block
        for instruction in simple:
            _perform(instruction, evaluation)
        self._end(node, last, evaluation, following)

    def _end(self, node, last, evaluation, following):
        """Performs a block's last instruction and leads on to others."""
        condition = _condition(last.opname)
        if last.opname in _ends:
            _perform(last, evaluation)
        elif last.opname in _jumps:
            evaluation.end(has_choice=False)
            node.end = Goto(self._lead(node, last.argval, evaluation.stack))
        elif condition or _keeps_value(last.opname):
            self._branch(node, last, condition, evaluation, following)
        elif last.opname == "FOR_ITER":
            self._each(node, last, evaluation, following)
        else:
            _perform(last, evaluation)
            evaluation.end(has_choice=False)
            node.end = Goto(self._lead(node, following, evaluation.stack))

    def _branch(self, node, last, condition, evaluation, following):
        evaluation.place = _place(last)
        keeps = condition is None
        if keeps:
            evaluation.copy(1)
            condition = last.opname.removeprefix("JUMP_").removesuffix("_OR_POP")
        test = evaluation.pop()
        if "NONE" in condition:
            test = ast.Compare(test, [ast.Is()], [ast.Constant(None)])
        evaluation.end()
        stays = evaluation.stack[:-1] if keeps else evaluation.stack
        jumps = self._lead(node, last.argval, evaluation.stack)
        falls = self._lead(node, following, stays)
        node.line = evaluation.place[0]
        is_negative = condition in ("IF_FALSE", "IF_NOT_NONE")
        node.end = Branch(test, falls, jumps) if is_negative else Branch(test, jumps, falls)

    def _each(self, node, last, evaluation, following):
        evaluation.end()
        iterator = evaluation.stack[-1]
        _perform(last, evaluation)
        body = self._lead(node, following, evaluation.stack)
        leaves_iterator = sys.version_info >= (3, 12)
        left = evaluation.stack[:-1] if leaves_iterator else evaluation.stack[:-2]
        after = self._lead(node, last.argval, left)
        node.end = Each(iterator.iterated, evaluation.stack[-1], body, after)

    def _lead(self, node, start, stack):
        """Says that ``node`` leads to the block at ``start``. Returns that block's node."""
        if start is None or start not in self._nodes:
            raise UnusualFlow
        if start > node.offset:
            self._stacks[start].append((node, list(stack)))
        return self._nodes[start]


def _perform(instruction, evaluation):
    evaluation.place = _place(instruction)
    perform = _operations.get(instruction.opname)
    if perform is None:
        for beginning, what in _refused.items():
            if instruction.opname.startswith(beginning):
                raise CannotRebuild(what)
        raise CannotRebuild(f"the operation {instruction.opname}")
    perform(evaluation, instruction)


def _place(instruction):
    """Where the program says it: the same for the two copies of a loop's test."""
    positions = instruction.positions
    return (positions.lineno or 0, positions.col_offset, positions.end_col_offset)


def _line(instruction):
    return instruction.positions.lineno or 0
