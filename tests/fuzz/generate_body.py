"""The body of a function being written: what is known at the place of the next statement."""

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

    types: the variables' types, by name. uniform: whether all threads of the block that have not returned get here, so
    that a barrier is allowed here.
    """

    def __init__(self, rng, source, helpers):
        self.rng = rng
        self.source = source
        self.helpers = helpers
        self.types = {}
        self.fixed = set()  # variables that statements must not assign: indices, loop counters
        self.arrays = []
        self.functions = {}  # the functions defined inside this one, by name
        self.base_depth = 1  # the depth of statements that every thread executes
        self.themes = set()  # "complex", "half": the values other than real numbers
        self.outputs = []  # (text of one of the thread's own elements, its type)
        self.readable = []  # the same elements under another array's name
        self.rows = []  # (text with a {} for the last index, its extent, type): views of the thread's own elements
        self.records = []  # (text of one of the thread's own records, texts of records of its type)
        self.atomics = []  # functions that write an atomic operation
        self.locals = []
        self.exchanges = []  # shared arrays: (name, type, extent, own index, block size)
        self.uniform = True
        self.is_kernel = False
        self.lanes = None  # the lanes in every nonempty warp; None if they are not the first ones
        self.loop_depth = 0
        self.in_loop = False
        self.names = 0
        self.depth = rng.choice([1, 2, 2, 3])  # of assigned expressions
        self.nesting = 0  # of indices inside indices
        self.budget = 0
        self.returns = None

    def make_name(self, prefix="v"):
        self.names += 1
        return f"{prefix}{self.names}"

    def chance(self, p):
        return self.rng.random() < p
