// The typed intermediate form of a Python function: a graph of basic blocks in static single assignment. build_ssa makes
// it from the syntax tree, infer gives every value its type, emit writes it as SIMT IR.
#pragma once

#include "frontend/python/ssa/target_rules.h"
#include "frontend/python/types/constant.h"
#include "frontend/python/types/promotion.h"
#include "support/diagnostic.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::python {

struct Block;
struct FunctionSource;
struct TypedFunction;
struct LibraryRow;

enum class Opcode : uint8_t {
  Parameter,  ///< `index`
  Constant,   ///< `constant`
  Global,     ///< the free name `name`; becomes its `constant`
  Undefined,  ///< the variable `name` before it is assigned
  Phi,        ///< one operand per predecessor of its block, in order
  Unary,      ///< `op`
  Binary,     ///< `op`
  Compare,    ///< `op`
  Truth,      ///< operand as a bool
  Attribute,  ///< operand . `name`
  Index,      ///< operand 0 [operand 1]
  StoreIndex, ///< operand 0 [operand 1] = operand 2
  Call,       ///< operand 0 (others); the last ones named by `names`
  Tuple,      ///< of the operands
  List,       ///< a new list of the operands
  Dict,       ///< a new dict, empty
  Set,        ///< a new set, empty
  Unpack,     ///< element `index` of operand 0, which has `count`; 0: of what a closure captured
  Starred,    ///< operand 0, a tuple, as the arguments of the call that uses this
  Closure,    ///< the function `function` with the captured operands
  Choose,     ///< operand 0, a function, as one of those that a variable may be
  Unwrap,     ///< the value of operand 0, an optional that is not None
  Slice,      ///< lower, upper, step (constants None where absent)
  IterCount, ///< how often a loop over operand 0 runs, int64; `name` is the loop's key, see TypedFunction::unrolled
  IterValue, ///< the value that a loop over operand 0 has in round operand 1
  Advance,   ///< operand 0 + 1, of a loop counter
  More,      ///< operand 0 < operand 1, of a loop counter and its count
  Parallel, ///< runs the rounds 0 to operand 0 of a loop by `function`, on the other operands; a tuple of what the first
            ///< of these are reduced to
  Assigns, ///< whether the rounds of operand 0, a Parallel, assign the variable `name` where they may come to: a constant
  Caught,  ///< in an except or finally clause: what was raised
  Catches, ///< whether operand 0, which was caught, is of a class in operand 1: one of `names`
  Raise,   ///< exception in `constant`/`name`, or operand 0 where that was caught; ends the kernel
  Protect, ///< to successor 0; what is raised there, until its end, goes to successor 1
  Jump,    ///< to successor 0
  Branch,  ///< on operand 0 (a bool) to successor 0 or 1
  Return,  ///< operand 0
  Yield, ///< gives operand 0 to who resumed the generator, and goes on when it is resumed again; None
};

struct Value {
  Opcode opcode;
  uint8_t op = 0;
  unsigned index = 0;
  unsigned count = 0;
  bool opensLoop =
      false; ///< a Phi at the head of a loop: what it merges is not all known when it is visited first
  bool inPlace = false; ///< a Binary of an augmented assignment: an array on its left is changed
  bool shared = false;  ///< of a List or a Dict: it is one of numba.typed
  Span span;
  Block *block = nullptr;
  Type type;
  std::optional<Constant> constant; ///< what it is, when that is known while compiling
  std::string name;                 ///< of the variable, attribute or free name
  std::vector<std::string> names;
  std::vector<Value *> operands;
  std::vector<Span>
      operandSpans; ///< where each operand is written; empty where that is where it was made
  // What infer decided about a call:
  const LibraryRow *library = nullptr;
  TypedFunction *callee = nullptr;
  const FunctionSource *boundTo = nullptr; ///< the operands are in the order of its parameters
  FunctionSource *function =
      nullptr; ///< of a Closure or a Parallel; of an Undefined, the rounds that assigned the variable
  std::vector<TypedFunction *> combines; ///< of a Parallel, by reduction

  /// Where operand `i` is written: a variable's use, not its assignment.
  Span spanOf(size_t i) const {
    return i < operandSpans.size() ? operandSpans[i] : operands[i]->span;
  }
};

struct Block {
  unsigned number = 0;
  std::vector<Value *> values; ///< phis first, a terminator last
  std::vector<Block *> predecessors;
  std::vector<Block *> successors;
  bool reachable = false; ///< by what infer knows of constant conditions
  Block *protection =
      nullptr; ///< ends with the Protect that says where exceptions go; null: to the caller
};

/// A place where a variable is assigned.
struct VariableAssignment {
  std::string name;
  Span span;
  Value *value = nullptr; ///< null where the variable loses its value, and where nobody reads it
  Block *block = nullptr;
  Value *after = nullptr; ///< the last value of the block before it; null at the block's start
};

/// In TypedFunction::unrolled: the loop runs, whatever is known of other copies of it.
constexpr size_t neverUnrolled = size_t(-1);

/// A function for one list of argument types.
struct TypedFunction {
  FunctionSource *source = nullptr;
  const TargetRules *rules = nullptr; ///< of what it is compiled for
  std::vector<Type> parameters;
  Type declaredResult;                    ///< by a signature; unknown where there is none
  Type result;                            ///< unknown while a recursion is being inferred
  std::optional<Constant> resultConstant; ///< what of the result exists while compiling only
  std::string symbol;                     ///< its name in the SIMT module
  bool complete = false;                  ///< inference has finished
  bool sharesWork =
      false; ///< whether several threads run its parallel loops and compute expressions of whole arrays
  bool guarded =
      false; ///< called where exceptions are caught: it returns, too, whether it has raised one
  bool isGenerator =
      false; ///< a call makes a generator; what it raises, it returns to who resumed it
  std::vector<std::unique_ptr<Block>> blocks; ///< the entry first
  std::vector<std::unique_ptr<Value>> values;
  std::vector<Value *> parameterValues;
  std::vector<VariableAssignment> assignments; ///< in the order of the source
  std::shared_ptr<Globals> globals; ///< of a function written in another one those of that one
  std::string globalsKey; ///< in FunctionSource::compiledWith; empty where they are not its own
  /// How many copies of its body stand for a loop: by the loop, and by the loop and the copies of the loops around it,
  /// which counts first. A loop that is not here runs.
  std::map<std::string, size_t> unrolled;

  /// Whether a call returns whether it has raised.
  bool returnsRaised() const { return guarded && !isGenerator; }

  Value *make(Opcode opcode, Span span) {
    values.push_back(std::make_unique<Value>());
    values.back()->opcode = opcode;
    values.back()->span = span;
    return values.back().get();
  }
};

/// A CompileError at a place in `source`.
[[noreturn]] void fail(const FunctionSource &source, Span span, ErrorKind kind, std::string message,
                       std::string underlined = "", std::string hint = "",
                       std::vector<std::string> notes = {});

/// The name among `candidates` that `wrong` was most likely meant to be; empty when none is near.
std::string nearest(const std::string &wrong, const std::vector<std::string> &candidates);

} // namespace heddle::python
