// How infer works on one function. Internal to type inference: infer*.cpp.
#pragma once

#include "frontend/python/infer/program.h"
#include "frontend/python/rows/hints.h"
#include "frontend/python/rows/members.h"

#include <exception>
#include <set>

namespace heddle::python {

/// For messages: the type, or what is known of a value that exists while compiling only.
std::string describeType(const Value &v);
/// For messages: "'x'", or "this expression" for what has no name.
std::string variableName(const std::string &name);

/// Gives the values of one function their types. One visit function for each kind of value: it returns whether
/// something changed.
class Inference {
public:
  Inference(Program &program, TypedFunction &f) : program_(program), f_(f), source_(*f.source) {}
  /// Nothing of `f` changes in a last round. False when a loop turns out to need a copy of its body for each round:
  /// `f.unrolled` then names it, and `f` must be built anew.
  bool run();
  /// Fails when a value that is used has no type: what only a recursion without an end leaves. Fails when an operation
  /// is named and then not used, which is a call without its parentheses.
  void checkComplete();

private:
  void checkCalled();
  /// A loop that is the only one to assign a variable, from its own value, gives it no type.
  void checkAssigned();
  /// `unify`; but a float that only integers of different signs make waits until nothing else changes: one of them may
  /// become another, and what was computed with the float would stay. `at` is what the merge gives its type.
  Type merge(Type a, Type b, const Value &at);
  /// Whether the value was computed with the result of a merge that waits.
  bool dependsOnPostponed(const Value &v) const;

  [[noreturn]] void error(const Value &v, std::string message, std::string underlined = "",
                          std::string hint = "", std::vector<std::string> notes = {}) {
    fail(source_, v.span, ErrorKind::Typing, std::move(message), std::move(underlined),
         hint.empty() ? hintFor(source_, v) : std::move(hint), std::move(notes));
  }

  /// Makes `order_`: a block comes after all that lead to it but for loops, so that a merge sees the type of every path
  /// before a use of it does, and the blocks of a loop stand together, before what follows the loop.
  void orderBlocks();
  /// Visits the blocks at these places of `order_`, those of a loop until nothing changes: what follows the loop sees a
  /// variable's last type, not one on the way to it.
  void visitBlocks(size_t begin, size_t end);
  void visitBlock(Block &block);
  /// visit(), but an error waits while some question about a type has no answer: what is visited then may have a type
  /// that is not its last. An answer's own does not: it would be given for ever.
  bool visitWithDoubt(Value &v);
  /// Whether a call that asksForType() has no answer yet.
  bool hasOpenQuestion();
  /// Whether it calls isinstance or hasattr: the answer follows from a type, which must be the one that the argument has
  /// in the end.
  bool asksForType(const Value &call);
  /// What a free name is bound to; empty when to nothing.
  const std::optional<Constant> &global(const std::string &name);

  /// An error under operand `i` of `v`.
  [[noreturn]] void errorAt(const Value &v, size_t i, std::string message,
                            std::string underlined = "", std::string hint = "") {
    fail(source_, v.spanOf(i), ErrorKind::Typing, std::move(message), std::move(underlined),
         hint.empty() ? hintFor(source_, v) : std::move(hint));
  }

  /// What an earlier round took to be reachable may not be: a variable that was an int32 is an int64 once all that a
  /// loop assigns is known, and isinstance(x, int) has another answer.
  bool markReachable();
  /// The same from one block on: blocks are visited in an order in which most are reached by then, so that a long
  /// function needs no more rounds than a short one.
  bool reachSuccessors(Block &block);
  /// A branch whose condition has no type yet is not followed: it may turn out to be constant.
  bool branchKnown(const Block &block);
  bool set(Value &v, Type type) {
    bool changed = v.type != type;
    v.type = type;
    return changed;
  }
  bool setConstant(Value &v, Constant constant) {
    v.constant = std::move(constant);
    return set(v, v.constant->valueType());
  }

  bool visit(Value &v);
  /// Puts a value before `at` in its block.
  Value *insertBefore(Value &at, Opcode opcode, Span span, std::vector<Value *> operands);
  /// Replaces an operand that may be None by the value that it is otherwise.
  void unwrapOperand(Value &v, size_t operand);
  void unwrapOptionals(Value &v);

  bool visitPhi(Value &phi);
  /// Merges of compile-time objects keep the object when every path has the same.
  bool mergeConstant(Value &phi, const Value &operand);
  [[noreturn]] void mergeError(const Value &phi, Type type, const Value &second);
  bool visitGlobal(Value &v);
  /// `v` is the constant that its name or attribute stands for.
  bool resolved(Value &v, Constant constant, const std::string &name);
  std::string suggestion(const std::string &name);
  bool visitUnary(Value &v);
  bool visitBinary(Value &v);
  bool visitCompare(Value &v);
  bool visitTruth(Value &v);
  bool visitAttribute(Value &v);
  bool visitIndex(Value &v);
  bool visitTupleIndex(Value &v, Value &object, Value &index);
  /// A constant index or slice of a constant string.
  bool visitStringIndex(Value &v, const std::string &text, Value &index);
  std::pair<size_t, size_t> constantSlice(Value &index, size_t size);
  bool visitStore(Value &v);
  /// Fails unless the value of `store` can be assigned to the elements of the view `target`.
  void checkViewStore(const Value &store, Type target);
  /// An augmented assignment to an array changes its elements.
  bool visitInPlace(Value &v);
  /// The field that the index of `v` selects.
  const Field &fieldOf(const Value &v, Type record);
  /// What `pointer[i]` is.
  Type elementOfPointer(const Value &v);
  /// The type of what a StoreIndex assigns to.
  Type assignedType(const Value &v, Type object);
  /// What is known of `member` for a named tuple or a member of an enumeration that is a constant.
  Member memberOfConstant(const Constant &object, const std::string &name, Member member) const;
  /// A named tuple of the arguments. The call's operands are put in the order of the fields.
  bool visitTupleClass(Value &v, const Constant &tupleClass);
  /// Members of enumerations: each is there once, so that `is` is `==`.
  bool visitEnumCompare(Value &v);
  bool visitIterCount(Value &v);
  bool visitIterValue(Value &v);
  bool visitClosure(Value &v);
  bool visitUnwrap(Value &v);
  bool visitCall(Value &v);
  /// Puts the elements of tuples written as `*t` in their places.
  void expandStarred(Value &v);
  bool visitOverload(Value &v, const Constant &function);
  bool visitMethod(Value &v);
  bool visitGetattr(Value &v);
  bool visitLibraryCall(Value &v, const Constant &constant);
  /// Makes the object of `object.method(...)` the first argument, once.
  void passReceiver(Value &call, const LibraryEntry &entry);
  bool visitCast(Value &v, Type to);
  /// np.datetime64(x, unit) and np.timedelta64(x, unit); `to` is either without a unit.
  bool visitTimeCast(Value &v, Type to);
  bool visitDeviceCall(Value &v, FunctionSource &callee);
  /// Puts the call's operands in the order of the callee's parameters: keywords in their places, defaults filled in.
  void bindOperands(Value &v, const FunctionSource &callee);
  /// Binds the operands at the first visit. What the callee is compiled for.
  std::vector<Argument> bindArguments(Value &v, FunctionSource &callee);
  bool visitTuple(Value &v);
  bool visitUnpack(Value &v);
  bool visitRaise(Value &v);
  std::string messageOf(const Value &raise);
  /// What the other return statements return by what is known now; unknown when there is no other. Not what the function
  /// was thought to return before: a value that was a uint64 at first and is an int64 now makes it no float64.
  Type otherReturns(const Value &v) const;
  bool visitReturn(Value &v);

  std::vector<Block *> order_;
  std::vector<size_t>
      loopEnds_; ///< by place: where the loop that begins there ends; 0: none begins there
  /// After so many rounds a variable keeps what it was thought to be, so that the search ends.
  static constexpr unsigned mostRounds = 64;
  Program &program_;
  TypedFunction &f_;
  const FunctionSource &source_;
  std::map<std::string, std::optional<Constant>> globals_; ///< the free names that were met
  unsigned changes_ = 0;                                   ///< in this round
  bool rebuild_ = false;
  bool keepTypes_ = false;
  bool mixIntegers_ = false;
  std::set<const Value *> postponed_; ///< whose merges wait in this round
  const Value *question_ = nullptr;   ///< the first about a type that waits in this round
  std::exception_ptr doubted_;        ///< the first error of this round that waits
  bool answer_ =
      false; ///< nothing else changed in the last round: the first that waits is answered
};

} // namespace heddle::python
