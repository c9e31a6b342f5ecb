// The typed SSA form of a Python function: a graph of basic blocks. build_ssa builds it from the syntax tree, infer
// types every value, and emit lowers it to SIMT IR.
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
  Call,       ///< operand 0 (others); `names` are the keywords of the last operands
  Tuple,      ///< a tuple of the operands
  List,       ///< a new list of the operands
  Dict,       ///< a new, empty dict
  Set,        ///< a new, empty set
  Unpack,     ///< element `index` of operand 0, which has `count` (0 for a closure's captures)
  Starred,    ///< operand 0, a tuple that expands into arguments of the call
  Closure,    ///< the function `function` with the captured operands
  Choose,     ///< operand 0, a function, as a value of a Choice type
  Unwrap,     ///< the value of operand 0, an optional known not to be None
  Slice,      ///< lower, upper, step (constants None where absent)
  /// The trip count of a loop over operand 0, int64; `name` is its key in TypedFunction::unrolled.
  IterCount,
  IterValue, ///< the item of a loop over operand 0 in iteration operand 1
  Advance,   ///< operand 0 + 1, for a loop counter
  More,      ///< operand 0 < operand 1, for a loop counter and its trip count
  /// Runs `function` for iterations [0, operand 0) on the other operands; the result is the tuple of reduced values.
  Parallel,
  /// A constant bool: true if a reachable statement in the iterations of operand 0, a Parallel, assigns the variable
  /// `name`.
  Assigns,
  Caught, ///< the current exception in an except or finally clause
  /// True if operand 0, a Caught, is an instance of a class in operand 1; `names` lists the classes.
  Catches,
  Raise,   ///< raises `constant`/`name`, or operand 0 again if it is a Caught
  Protect, ///< jumps to successor 0; exceptions raised in that block go to successor 1
  Jump,    ///< to successor 0
  Branch,  ///< on operand 0 (a bool) to successor 0 or 1
  Return,  ///< operand 0
  Yield,   ///< passes operand 0 to the caller and continues on resumption; the result is None
};

struct Value {
  Opcode opcode;
  uint8_t op = 0;
  unsigned index = 0;
  unsigned count = 0;
  /// A Phi at a loop head: some of its operands are unknown at the first visit.
  bool opensLoop = false;
  /// A Binary of an augmented assignment, which changes an array operand in place.
  bool inPlace = false;
  bool shared = false; ///< a List or Dict of numba.typed
  Span span;
  Block *block = nullptr;
  Type type;
  std::optional<Constant> constant; ///< the value, if it is known at compile time
  std::string name;                 ///< name of the variable, attribute or free name
  std::vector<std::string> names;
  std::vector<Value *> operands;
  /// The locations of the operands' uses; a missing one is that of the operand's definition.
  std::vector<Span> operandSpans;
  // Decisions of infer about a call:
  const LibraryRow *library = nullptr;
  TypedFunction *callee = nullptr;
  const FunctionSource *boundTo = nullptr; ///< non-null if the operands are in its parameter order
  /// The function of a Closure or a Parallel; for an Undefined, the loop body that assigned the variable.
  FunctionSource *function = nullptr;
  std::vector<TypedFunction *> combines; ///< for each reduction of a Parallel

  /// The location of operand `i`: the use of a variable, not its assignment.
  Span spanOf(size_t i) const {
    return i < operandSpans.size() ? operandSpans[i] : operands[i]->span;
  }
};

struct Block {
  unsigned number = 0;
  std::vector<Value *> values; ///< phis first, a terminator last
  std::vector<Block *> predecessors;
  std::vector<Block *> successors;
  bool reachable = false; ///< according to the constant conditions that infer has found
  /// The block whose Protect determines the handler; null if exceptions go to the caller.
  Block *protection = nullptr;
};

/// An assignment to a variable.
struct VariableAssignment {
  std::string name;
  Span span;
  Value *value = nullptr; ///< null if the variable becomes undefined or is not read
  Block *block = nullptr;
  Value *after = nullptr; ///< the block's last value before the assignment; null at its start
};

/// In TypedFunction::unrolled: never unroll the loop, even if other copies of it are unrolled.
constexpr size_t neverUnrolled = size_t(-1);

/// A function typed for one list of argument types.
struct TypedFunction {
  FunctionSource *source = nullptr;
  const TargetRules *rules = nullptr; ///< the rules of the compilation target
  std::vector<Type> parameters;
  Type declaredResult; ///< from a signature; unknown if there is none
  Type result;         ///< unknown while a recursive call is being inferred
  /// The parts of the result that exist at compile time only.
  std::optional<Constant> resultConstant;
  std::string symbol;    ///< its name in the SIMT module
  bool complete = false; ///< inference has finished
  /// True if threads share the function's parallel loops and its array expressions.
  bool sharesWork = false;
  /// True if a caller catches exceptions: the function then also returns a flag that is set if it raised.
  bool guarded = false;
  /// True if a call creates a generator. Exceptions are returned to the function that resumes the generator.
  bool isGenerator = false;
  std::vector<std::unique_ptr<Block>> blocks; ///< the entry first
  std::vector<std::unique_ptr<Value>> values;
  std::vector<Value *> parameterValues;
  std::vector<VariableAssignment> assignments; ///< in source order
  std::shared_ptr<Globals> globals; ///< a nested function shares those of its outer function
  std::string globalsKey; ///< key in FunctionSource::compiledWith; empty if the globals are shared
  /// Unroll counts. A key names a loop in all copies of the loops around it, or in one copy, which takes precedence. A
  /// loop without an entry is not unrolled.
  std::map<std::string, size_t> unrolled;

  /// True if the function also returns a flag that is set if it raised.
  bool returnsRaised() const { return guarded && !isGenerator; }

  Value *makeValue(Opcode opcode, Span span) {
    values.push_back(std::make_unique<Value>());
    values.back()->opcode = opcode;
    values.back()->span = span;
    return values.back().get();
  }
};

/// Throws a CompileError located at `span` in `source`.
[[noreturn]] void fail(const FunctionSource &source, Span span, ErrorKind kind, std::string message,
                       std::string underlined = "", std::string hint = "",
                       std::vector<std::string> notes = {});

/// Returns the candidate with the smallest edit distance to `wrong`, for "did you mean"; empty if none is close.
std::string findClosestName(const std::string &wrong, const std::vector<std::string> &candidates);

} // namespace heddle::python
