// Builds SSA from a function's syntax tree. Each .cpp file is named after the syntax that it converts.
#pragma once

#include "frontend/python/ssa/blocks.h"
#include "frontend/python/syntax/syntax.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::python {

/// The state of buildSsa: the position in the tree and the variables at that point.
class SsaBuilder : private SsaBlocks {
public:
  explicit SsaBuilder(TypedFunction &f) : SsaBlocks(f), source_(*f.source) {}

  void build();

private:
  struct Loop {
    Block *onContinue;
    Block *onBreak;
    size_t protections; ///< number of protections around the loop
  };
  /// A try statement whose body encloses the current position.
  struct Protection {
    Block *handler;
    const Node *finally; ///< the clause to run when a jump leaves the body; null for none
    size_t loops;        ///< number of loops around the statement
  };

  // build_ssa.cpp
  void buildStatements(const std::vector<NodePtr> &list);
  void buildStatement(const Node &node);
  /// Builds the statements of a branch or of a loop's body.
  void buildNestedStatements(const std::vector<NodePtr> &list);
  [[noreturn]] void failUnsupported(const Node &node, const std::string &what,
                                    std::string hint = "");

  // expressions.cpp
  /// Appends a value. `nodes` are the syntax nodes of its operands, in order, which give their locations.
  Value *appendWithNodeSpans(Opcode opcode, const Node &node, std::vector<Value *> operands,
                             std::initializer_list<const Node *> nodes);
  Value *appendWithChildSpans(Opcode opcode, const Node &node, std::vector<Value *> operands);
  std::string makeTemporaryName();
  Value *buildExpression(const Node &node);
  /// Builds the values of expressions, including Starred ones (`*t`). With `takesLists`, list literals become tuples.
  std::vector<Value *> buildElements(const std::vector<NodePtr> &nodes, bool takesLists = false);
  void requireContainerSupport(const Node &node, const std::string &noun);
  /// Builds an empty dict and the stores of its entries.
  Value *buildDict(const Node &node);
  /// Builds an empty set and the insertions of its items.
  Value *buildSet(const Node &node);
  Value *buildComprehension(const Node &node);
  /// Builds the right operand of `in`. A list literal becomes a tuple.
  Value *buildExpressionListAsTuple(const Node &node);
  Value *buildCompare(uint8_t op, Value *left, const Node &right, Span span);
  Value *buildChainedCompare(const Node &node);
  Value *buildShortCircuit(const Node &node);
  Value *buildConditional(const Node &node);
  /// The value of a name that is not a local variable, or of an attribute of a module.
  std::optional<Constant> lookupConstant(const Node &node);
  /// True if list literals as arguments of `function` become tuples, such as shapes passed to library functions.
  /// Functions of the program and list methods receive lists.
  bool takesListLiteralsAsTuples(const Node &function);
  Value *buildCall(const Node &node);
  Value *buildTruth(Value *v, Span span);

  // variables.cpp
  Value *buildName(const Node &node);
  /// Builds the function that `node` defines, with the current values of its captures.
  Value *buildClosure(const Node &node);
  /// The current values of the variables that `function` captures.
  std::vector<Value *> capturedValues(const FunctionSource &function, Span span);
  /// The current value of the variable.
  Value *readVariableRefreshingClosure(const std::string &name, Span span);
  /// True if an earlier statement at `place` runs before the current one on every path.
  bool isOnEveryPath(const std::vector<unsigned> &place) const;
  /// Rebuilds the closure `definition` with the current values of its captures, because Python looks them up at the
  /// call. Default parameter values remain those of the definition.
  Value *rebuildClosureWithCurrentCaptures(const Value &definition, Span span);
  /// Records `v` if it is a function and the only value that the variable is assigned. A read in a loop may give an
  /// incomplete phi, which does not show the function.
  void recordFunctionDefinition(const std::string &name, Value *v);
  /// Records an assignment of `value` to the variable at `span`; null if the variable becomes undefined.
  void recordAssignment(const std::string &name, Span span, Value *value = nullptr);
  Value *buildSelfClosure();

  // assignments.cpp
  /// Assigns the value `v`, located at `from`, to a target.
  void assign(const Node &target, Value *v, Span from);
  /// Assigns `object.x = v`, which is `object['x'] = v` for records.
  void storeField(const Node &target, Value *object, Value *v, Span from);
  void buildAugmentedAssignment(const Node &node);
  void deleteTarget(const Node &target);

  // branches.cpp
  /// Branches on `node` without a value for it: `and`, `or` and `not` become control flow.
  void buildCondition(const Node &node, Block *yes, Block *no);
  void buildIf(const Node &node);
  void buildMatch(const Node &node);
  /// Builds the test of `v`, located at `from`, against the pattern. If it matches, binds the variables of the pattern
  /// and falls through; otherwise branches to `otherwise`.
  void buildPatternMatch(const Node &pattern, Value *v, Span from, Block *otherwise);

  // loops.cpp
  void buildWhile(const Node &node);
  void buildFor(const Node &node);
  void buildUnrolledLoop(const Node &node, Value *iterable, Value *count);
  /// Builds a Parallel, which runs the iterations of the loop. After it, reductions have new values, and other
  /// variables that the iterations assign are undefined.
  void buildParallelLoop(const Node &node);
  /// Makes the variable `name` undefined after `loop`, a Parallel, if its iterations assign the variable.
  void undefineVariableAfterLoop(const Node &node, Value &loop, const std::string &name);
  /// Builds a loop over the iterations [.first, .last). An iteration-private variable starts each
  /// iteration with its value from before the loop, if it had one.
  void buildChunkLoop(const Node &node);
  /// Builds the item of `iterable` for iteration `k`; `count` is the loop's IterCount.
  Value *buildLoopItem(const Value &count, Span at, Value *iterable, Value *k);
  /// The loop's key in TypedFunction::unrolled: its location, and the current copy of each unrolled loop around it.
  std::string unrolledLoopKey(const Node &loop) const;
  /// The number of copies to unroll the loop into; nothing if it is not unrolled.
  std::optional<size_t> unrollCount(const std::string &key) const;
  /// Builds the loop's `else`, which `break` skips, and continues after the loop.
  void buildLoopElse(const Node &node, Block *otherwise, Block *done);
  void buildLoopBody(const Node &node, Block *onContinue, Block *onBreak);

  // exceptions.cpp
  void buildTry(const Node &node);
  void buildTryExcept(const Node &node);
  /// Builds the clauses: the first one that matches the exception runs. If none matches, the exception is raised again.
  void buildExceptClauses(const Node &node, Block *done);
  /// Builds one clause. Its variable is defined only inside the clause.
  void buildExceptClause(const Node &clause, Value *caught);
  void buildTryFinally(const Node &node);
  /// Builds statements whose exceptions go to `handler`.
  void buildStatementsWithHandler(const std::vector<NodePtr> &list, Block *handler,
                                  const Node *finally, Span span);
  void restoreHandler(Span span);
  /// Builds the `finally` clauses of all but the outermost `kept` protections, then calls `leave`.
  void leaveWithFinallyClauses(size_t kept, Span span, llvm::function_ref<void()> leave);
  void buildRaise(const Node &node);
  void appendReraise(Value *caught, Span span);
  /// Appends a Raise: operand 0 is the exception class, the others its arguments, with names from `pieces`.
  void appendRaise(const Node &node, std::vector<Value *> operands, std::vector<Span> spans,
                   std::vector<std::string> pieces);
  void buildAssert(const Node &node);
  /// Adds an argument of an exception to `operands` and `spans`, and its name to `pieces`. If exceptions can have
  /// run-time values, an f-string becomes several operands: the first is named "text", the others "more". Any other
  /// argument has an empty name.
  void addExceptionArgument(const Node &node, std::vector<Value *> &operands,
                            std::vector<Span> &spans, std::vector<std::string> &pieces);

  const FunctionSource &source_;
  std::map<std::string, std::vector<Span>> locals_; ///< with the locations of their assignments
  /// A function that is the only value of its variable, and its definition's place (see place_).
  struct Definition {
    Value *function;
    std::vector<unsigned> place;
  };
  std::map<std::string, Definition> definitions_;
  /// Numbers of the branches and loop bodies around the current statement.
  std::vector<unsigned> place_;
  unsigned places_ = 0;
  /// Refreshed closures by original closure; null while in progress.
  std::map<Value *, Value *> renewals_;
  std::vector<Loop> loops_;
  std::vector<Protection> protections_;
  std::vector<Value *> caught_; ///< exceptions of the enclosing except clauses
  unsigned temporaries_ = 0;
  /// The number of the current copy of each unrolled loop around the current statement, as text.
  std::string copies_;
};

} // namespace heddle::python
