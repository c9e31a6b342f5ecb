"""Converts a code object's instructions to a graph of statements."""

import ast
import dis
import sys

from heddle.compiler.bytecode import calls, literals, operators, variables
from heddle.compiler.bytecode.evaluation import Evaluation
from heddle.compiler.bytecode.graph import Branch, Each, Goto, Node
from heddle.compiler.bytecode.values import CannotRebuild, UnusualFlow

_operations = variables.operation | operators.operation | literals.operation | calls.operation
_jumps = {"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE"}
_branches = {"IF_TRUE", "IF_FALSE", "IF_NONE", "IF_NOT_NONE"}
_ends = {"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS"}

# Prefixes of instructions that kernels do not support -> the construct in the source.
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
# Instructions with an exception handler: Python 3.12 and later inline comprehensions into the function.
_with_handlers = {"LOAD_FAST_AND_CLEAR", "BEFORE_WITH", "LOAD_SPECIAL"}


def build_graph(code, temporaries, nested):
    """The graph's entry node.

    nested: makes the definition of a nested function from its code.
    """
    instructions = list(dis.get_instructions(code))
    if code.co_exceptiontable:
        caught = (_refused[one.opname] for one in instructions if one.opname in _with_handlers)
        raise CannotRebuild(next(caught, "a try statement"))
    blocks = _split_into_blocks(instructions)
    return _Builder(code, blocks, temporaries, nested).build_nodes_from_entry()


def _find_jump_condition(opname):
    """The condition of a conditional jump: ``IF_TRUE`` for POP_JUMP_FORWARD_IF_TRUE. None for other instructions."""
    _, _, condition = opname.partition("POP_JUMP_")
    return next((one for one in _branches if condition.endswith(one)), None)


def _is_jump_or_pop(opname):
    return opname in ("JUMP_IF_TRUE_OR_POP", "JUMP_IF_FALSE_OR_POP")


def _split_into_blocks(instructions):
    """The basic blocks: a dict from offset to instructions."""
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
    """Evaluates block after block, each with the stack that its predecessors leave."""

    def __init__(self, code, blocks, temporaries, nested):
        self._code = code
        self._nested = nested
        self._blocks = blocks
        self._temporaries = temporaries
        self._nodes = {
            start: Node(_get_source_line(block[0]), start) for start, block in blocks.items()
        }
        self._stacks = {start: [] for start in blocks}  # the predecessors: (node, stack)

    def build_nodes_from_entry(self):
        starts = list(self._blocks)
        first = starts[0]
        self._stacks[first].append((self._nodes[first], []))
        for start, following in zip(starts, [*starts[1:], None], strict=True):
            if self._stacks[start]:  # else the block is unreachable
                self._evaluate_block(start, following)
        return self._nodes[first]

    def _evaluate_block(self, start, following):
        block = self._blocks[start]
        evaluation = Evaluation(
            self._code, self._temporaries, self._nested, _get_source_position(block[0])
        )
        ways = [(node.statements, stack) for node, stack in self._stacks[start]]
        if len(ways) == 1:
            evaluation.push(*ways[0][1])
        else:
            evaluation.merge_stacks(ways)
        node = self._nodes[start]
        node.statements = evaluation.statements
        node.begins_loop = any(one.opname == "GET_ITER" for one in block)
        *simple, last = block
        for instruction in simple:
            _evaluate_instruction(instruction, evaluation)
        self._evaluate_last_instruction(node, last, evaluation, following)

    def _evaluate_last_instruction(self, node, last, evaluation, following):
        """Evaluates a block's last instruction and adds its edges."""
        condition = _find_jump_condition(last.opname)
        if last.opname in _ends:
            _evaluate_instruction(last, evaluation)
        elif last.opname in _jumps:
            evaluation.spill_and_finish_block(has_choice=False)
            node.end = Goto(self._add_edge(node, last.argval, evaluation.stack))
        elif condition or _is_jump_or_pop(last.opname):
            self._end_with_branch(node, last, condition, evaluation, following)
        elif last.opname == "FOR_ITER":
            self._end_with_loop(node, last, evaluation, following)
        else:
            _evaluate_instruction(last, evaluation)
            evaluation.spill_and_finish_block(has_choice=False)
            node.end = Goto(self._add_edge(node, following, evaluation.stack))

    def _end_with_branch(self, node, last, condition, evaluation, following):
        evaluation.place = _get_source_position(last)
        keeps = condition is None
        if keeps:
            evaluation.push_copy_of_entry(1)
            condition = last.opname.removeprefix("JUMP_").removesuffix("_OR_POP")
        test = evaluation.pop()
        if "NONE" in condition:
            test = ast.Compare(test, [ast.Is()], [ast.Constant(None)])
        evaluation.spill_and_finish_block()
        stays = evaluation.stack[:-1] if keeps else evaluation.stack
        jumps = self._add_edge(node, last.argval, evaluation.stack)
        falls = self._add_edge(node, following, stays)
        node.line = evaluation.place[0]
        is_negative = condition in ("IF_FALSE", "IF_NOT_NONE")
        node.end = Branch(test, falls, jumps) if is_negative else Branch(test, jumps, falls)

    def _end_with_loop(self, node, last, evaluation, following):
        evaluation.spill_and_finish_block()
        iterator = evaluation.stack[-1]
        _evaluate_instruction(last, evaluation)
        body = self._add_edge(node, following, evaluation.stack)
        leaves_iterator = sys.version_info >= (3, 12)
        left = evaluation.stack[:-1] if leaves_iterator else evaluation.stack[:-2]
        after = self._add_edge(node, last.argval, left)
        node.end = Each(iterator.iterated, evaluation.stack[-1], body, after)

    def _add_edge(self, node, start, stack):
        """Adds an edge from ``node`` to the block at ``start``. Returns that block's node."""
        if start is None or start not in self._nodes:
            raise UnusualFlow
        if start > node.offset:
            self._stacks[start].append((node, list(stack)))
        return self._nodes[start]


def _evaluate_instruction(instruction, evaluation):
    evaluation.place = _get_source_position(instruction)
    perform = _operations.get(instruction.opname)
    if perform is None:
        for beginning, what in _refused.items():
            if instruction.opname.startswith(beginning):
                raise CannotRebuild(what)
        raise CannotRebuild(f"the operation {instruction.opname}")
    perform(evaluation, instruction)


def _get_source_position(instruction):
    """The source position: the same for the two copies of a loop's test."""
    positions = instruction.positions
    return (positions.lineno or 0, positions.col_offset, positions.end_col_offset)


def _get_source_line(instruction):
    return instruction.positions.lineno or 0
