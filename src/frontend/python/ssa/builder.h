// What turns a function's syntax tree into SSA; its files are named after what they turn.
#pragma once

#include "frontend/python/ssa/blocks.h"
#include "frontend/python/syntax/syntax.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::python {

/// The state of buildSsa: where it is, and what it knows of the variables there.
class SsaBuilder : private SsaBlocks {
public:
  explicit SsaBuilder(TypedFunction &f) : SsaBlocks(f), source_(*f.source) {}

  void build();

private:
  struct Loop {
    Block *onContinue;
    Block *onBreak;
    size_t protections; ///< that the loop is in
  };
  /// The body of a try statement that this place is in.
  struct Protection {
    Block *handler;
    const Node *finally; ///< what runs when a jump leaves the body; null for nothing
    size_t loops;        ///< that the statement is in
  };

  // build_ssa.cpp
  void statements(const std::vector<NodePtr> &list);
  void statement(const Node &node);
  /// The statements of a branch or of a loop's body.
  void nested(const std::vector<NodePtr> &list);
  [[noreturn]] void unsupported(const Node &node, const std::string &what, std::string hint = "");

  // expressions.cpp
  /// The value of `nodes`, in that order.
  Value *appendOf(Opcode opcode, const Node &node, std::vector<Value *> operands,
                  std::initializer_list<const Node *> nodes);
  Value *appendOfKids(Opcode opcode, const Node &node, std::vector<Value *> operands);
  std::string temporary();
  Value *expression(const Node &node);
  /// The values of expressions of which some may be written as `*t`. `takesLists`: lists are tuples there.
  std::vector<Value *> elements(const std::vector<NodePtr> &nodes, bool takesLists = false);
  void needContainers(const Node &node, const std::string &noun);
  /// An empty one, to whose keys values are assigned.
  Value *dict(const Node &node);
  /// An empty one, to which items are added.
  Value *set(const Node &node);
  Value *comprehension(const Node &node);
  /// What stands to the right of `in`: a list written there is a tuple.
  Value *container(const Node &node);
  Value *compare(uint8_t op, Value *left, const Node &right, Span span);
  Value *chainedCompare(const Node &node);
  Value *shortCircuit(const Node &node);
  Value *conditional(const Node &node);
  /// What a name stands for that is no variable of the function, or an attribute of a module.
  std::optional<Constant> globalNamed(const Node &node);
  /// Whether a list that is written as an argument of `function` is a tuple: the shape or the numbers that a function of
  /// the library takes. Functions of the program and lists get lists.
  bool takesTuples(const Node &function);
  Value *call(const Node &node);
  Value *truth(Value *v, Span span);

  // variables.cpp
  Value *nameValue(const Node &node);
  /// The function that `node` defines, with the present values of what it captures.
  Value *closure(const Node &node);
  /// The present values of the variables that `function` captures.
  std::vector<Value *> capturedBy(const FunctionSource &function, Span span);
  /// What the variable is now.
  Value *present(const std::string &name, Span span);
  /// Whether a statement at `place` that came before this one runs before it on every path.
  bool isPassed(const std::vector<unsigned> &place) const;
  /// The same function with the variables' present values, as its name stands for: Python's looks them up when it runs.
  /// The default values of its parameters are those of its definition.
  Value *renewed(const Value &definition, Span span);
  /// Notes that a statement makes `v` the variable's value. In a loop that assigns what a function captures, its name
  /// alone does not tell yet whether it is still the same function.
  void noteDefinition(const std::string &name, Value *v);
  /// The variable is given another value, at this place of the program.
  void noteAssignment(const std::string &name, Span span, Value *value = nullptr);
  Value *closureOfItself();

  // assignments.cpp
  /// `from` is where the value is written.
  void assign(const Node &target, Value *v, Span from);
  /// `object.x = v` is `object['x'] = v` where anything can be assigned to.
  void storeField(const Node &target, Value *object, Value *v, Span from);
  void augmented(const Node &node);
  void deleteTarget(const Node &target);

  // branches.cpp
  /// Branches on `node` without making its value: `and`, `or` and `not` become control flow.
  void condition(const Node &node, Block *yes, Block *no);
  void ifStatement(const Node &node);
  void matchStatement(const Node &node);
  /// Goes on where the value fits the pattern, and to `otherwise` where it does not. Variables of the pattern take the
  /// value, which is written at `from`.
  void matchPattern(const Node &pattern, Value *v, Span from, Block *otherwise);

  // loops.cpp
  void whileLoop(const Node &node);
  void forLoop(const Node &node);
  void unrolledLoop(const Node &node, Value *iterable, Value *count);
  /// A call of the function that runs rounds of the loop; what it reduces has a new value then, what its rounds assign has
  /// none.
  void parallelLoop(const Node &node);
  /// A variable that the rounds of `loop` may assign has no value after it.
  void afterRounds(const Node &node, Value &loop, const std::string &name);
  /// The rounds `.first` to `.last` of a loop. A variable that is a round's own begins each with the value that it had
  /// before the loop, if it had one.
  void roundsOfLoop(const Node &node);
  /// The item of round `k` of the loop that `count` counts.
  Value *item(const Value &count, Span at, Value *iterable, Value *k);
  /// Names the loop, then the copies of the bodies of other loops that it is in.
  std::string keyOf(const Node &loop) const;
  /// How many copies of its body stand for the loop; nothing for one that runs.
  std::optional<size_t> copiesOf(const std::string &key) const;
  /// The loop's `else`, which a break skips, and what follows the loop.
  void afterLoop(const Node &node, Block *otherwise, Block *done);
  void loopBody(const Node &node, Block *onContinue, Block *onBreak);

  // exceptions.cpp
  void tryStatement(const Node &node);
  void tryExcept(const Node &node);
  /// The first clause that the exception belongs to runs; where there is none, it is raised again.
  void exceptClauses(const Node &node, Block *done);
  /// The clause's variable is there in the clause alone.
  void exceptClause(const Node &clause, Value *caught);
  void tryFinally(const Node &node);
  /// Statements that `handler` is entered from where one raises.
  void guarded(const std::vector<NodePtr> &list, Block *handler, const Node *finally, Span span);
  void protectByInnermost(Span span);
  /// Runs what `finally` clauses say on the way out of all but the first `kept` protections, then `leave`.
  void leaveProtections(size_t kept, Span span, llvm::function_ref<void()> leave);
  void raiseStatement(const Node &node);
  void raiseAgain(Value *caught, Span span);
  void raise(const Node &node, std::vector<Value *> operands, std::vector<Span> spans,
             std::vector<std::string> pieces);
  void assertStatement(const Node &node);
  /// An argument of an exception. Where exceptions can have values of run time, an f-string is its pieces: the first is named
  /// "text" among `pieces`, those that continue it "more"; what is an argument by itself has no name.
  void addArgument(const Node &node, std::vector<Value *> &operands, std::vector<Span> &spans,
                   std::vector<std::string> &pieces);

  const FunctionSource &source_;
  std::map<std::string, std::vector<Span>> locals_; ///< and where they are assigned
  /// A function that is the only value its variable ever has, and where it is defined: see place_.
  struct Definition {
    Value *function;
    std::vector<unsigned> place;
  };
  std::map<std::string, Definition> definitions_;
  std::vector<unsigned> place_; ///< the branches and loop bodies around this statement, by number
  unsigned places_ = 0;
  /// Functions, with what their variables are now; null on the way.
  std::map<Value *, Value *> renewals_;
  std::vector<Loop> loops_;
  std::vector<Protection> protections_;
  std::vector<Value *> caught_; ///< by the except clauses that this place is in
  unsigned temporaries_ = 0;
  /// Which copies this place is in, of the bodies of unrolled loops around it.
  std::string copies_;
};

} // namespace heddle::python
