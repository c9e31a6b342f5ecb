// The state of typing one function.
#pragma once

#include "frontend/python/infer/decisions.h"
#include "frontend/python/infer/function_instances.h"
#include "frontend/python/rows/hints.h"

#include <map>

namespace heddle::python {

/// For messages: the type, or a description of a compile-time value.
std::string describeType(const Value &v);
/// The text for a variable in messages: "'x'", or "this expression" if it has no name.
std::string variableName(const std::string &name);

/// Sets the type of `v`; true if that changes it.
inline bool setType(Value &v, Type type) {
  bool changed = v.type != type;
  v.type = type;
  return changed;
}
inline bool setConstant(Value &v, Constant constant) {
  v.constant = std::move(constant);
  return setType(v, v.constant->valueType());
}

/// State shared by the visits of a function's values: the function, its kernel's functions, and pending decisions.
class FunctionTyping {
public:
  FunctionTyping(FunctionInstances &instances, TypedFunction &f)
      : instances(instances), function(f), source(*f.source) {}

  /// Types one value from its operands' types. Returns true if something changed; an untyped operand prevents changes.
  bool visit(Value &v);

  const TargetRules &rules() const { return *function.rules; }

  [[noreturn]] void error(const Value &v, std::string message, std::string underlined = "",
                          std::string hint = "", std::vector<std::string> notes = {}) const;
  /// Throws an error that underlines operand `i` of `v`.
  [[noreturn]] void errorAt(const Value &v, size_t i, std::string message,
                            std::string underlined = "", std::string hint = "") const;

  /// The value of a free name, cached; empty if it is undefined.
  const std::optional<Constant> &lookupGlobal(const std::string &name);
  /// The library function `name`, which in host functions may be implemented in Python; nothing if there is none.
  std::optional<Constant> findLibraryFunction(const std::string &name) const;
  /// Inserts a value before `at` in its block.
  Value *insertBefore(Value &at, Opcode opcode, Span span, std::vector<Value *> operands);
  /// Insert a constant or a call of a function before `at`, and type it.
  Value *insertConstant(Value &at, Span span, Constant constant);
  Value *insertCall(Value &at, Span span, Constant function, std::vector<Value *> arguments);
  /// Replaces an optional operand by its value. At run time it must not be None.
  void unwrapOperand(Value &v, size_t operand);
  /// The new type of the merge `at`, which had the type `before` and whose operands now unify to `type`. After many
  /// changes it can only widen, so that inference terminates.
  Type widenMerge(const Value &at, Type before, Type type);

  FunctionInstances &instances;
  TypedFunction &function;
  const FunctionSource &source;
  Decisions decisions;
  bool growsForEver = false; ///< a value's type grows forever; later changes do not help
  /// The SSA form must be rebuilt, because a loop must be unrolled: `function.unrolled` has changed.
  bool outdated = false;

private:
  bool visitByOpcode(Value &v);

  std::map<const Value *, unsigned> changes_; ///< per merge
};

} // namespace heddle::python
