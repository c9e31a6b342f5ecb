"""The body of a function under construction: what is known where the next statement goes."""

from generate_arrays import Arrays
from generate_expressions import Expressions
from generate_functions import Functions
from generate_loops import Loops
from generate_numbers import Numbers
from generate_statements import Statements
from generate_threads import Threads
from generate_tuples import Tuples


class Body(Statements, Loops, Functions, Tuples, Arrays, Threads, Numbers, Expressions):
    """Statements and expressions of one function.

    Variables are in `types`, by name; `uniform` tells whether all threads of the block that have not returned are
    here, so that a barrier may stand here.
    """

    def __init__(self, rng, source, helpers):
        self.rng = rng
        self.source = source
        self.helpers = helpers
        self.types = {}
        self.fixed = set()  # variables that no statement may assign: indices, loop counters
        self.arrays = []
        self.functions = {}  # defined in this one, by name
        self.base_depth = 1  # of the statements that every thread comes by
        self.themes = set()  # "complex", "half": what else there is than real numbers
        self.outputs = []  # (text of an element of the thread's own, its type)
        self.readable = []  # such elements by another array's name
        self.rows = []  # (text with a {} for the last index, its extent, type): views of the thread's own
        self.records = []  # (text of a record of the thread's own, texts of records of its type)
        self.atomics = []  # functions that write an atomic operation
        self.locals = []
        self.exchanges = []  # shared arrays: (name, type, extent, own index, size of block)
        self.uniform = True
        self.is_kernel = False
        self.lanes = None  # how many lanes every warp that has any has; None when they are not its first ones
        self.loop_depth = 0
        self.in_loop = False
        self.names = 0
        self.depth = rng.choice([1, 2, 2, 3])  # of an assignment's expression
        self.nesting = 0  # of indices in indices
        self.budget = 0
        self.returns = None

    def name(self, prefix="v"):
        self.names += 1
        return f"{prefix}{self.names}"

    def chance(self, p):
        return self.rng.random() < p
