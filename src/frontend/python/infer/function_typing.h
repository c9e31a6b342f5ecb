// One function while its values get their types.
#pragma once

#include "frontend/python/infer/decisions.h"
#include "frontend/python/infer/function_instances.h"
#include "frontend/python/rows/hints.h"

#include <map>

namespace heddle::python {

/// For messages: the type, or what is known of a value that exists while compiling only.
std::string describeType(const Value &v);
/// For messages: "'x'", or "this expression" for what has no name.
std::string variableName(const std::string &name);

/// Gives `v` its type. Whether that changed something.
inline bool setType(Value &v, Type type) {
  bool changed = v.type != type;
  v.type = type;
  return changed;
}
inline bool setConstant(Value &v, Constant constant) {
  v.constant = std::move(constant);
  return setType(v, v.constant->valueType());
}

/// What the visits of a function's values share: the function, all functions of its kernel, and what waits.
class FunctionTyping {
public:
  FunctionTyping(FunctionInstances &instances, TypedFunction &f)
      : instances(instances), function(f), source(*f.source) {}

  /// Types one value by its operands' types. Whether something changed; nothing does while an operand has no type.
  bool visit(Value &v);

  const TargetRules &rules() const { return *function.rules; }

  [[noreturn]] void error(const Value &v, std::string message, std::string underlined = "",
                          std::string hint = "", std::vector<std::string> notes = {}) const;
  /// An error under operand `i` of `v`.
  [[noreturn]] void errorAt(const Value &v, size_t i, std::string message,
                            std::string underlined = "", std::string hint = "") const;

  /// What a free name is bound to, looked up once; empty when to nothing.
  const std::optional<Constant> &global(const std::string &name);
  /// The function of the library `name`; on the host also what is written in Python of it. Nothing for other names.
  std::optional<Constant> libraryFunction(const std::string &name) const;
  /// Puts a value before `at` in its block.
  Value *insertBefore(Value &at, Opcode opcode, Span span, std::vector<Value *> operands);
  /// Puts a constant before `at`, or the call of a function, and types it.
  Value *insertConstant(Value &at, Span span, Constant constant);
  Value *insertCall(Value &at, Span span, Constant function, std::vector<Value *> arguments);
  /// Replaces an operand that may be None by the value that it is otherwise.
  void unwrapOperand(Value &v, size_t operand);
  /// `type` as the next type of the merge `at`, which had `at.type`: after many changes it only rises, so that every
  /// search for types ends.
  Type widened(const Value &at, Type before, Type type);

  FunctionInstances &instances;
  TypedFunction &function;
  const FunctionSource &source;
  Decisions decisions;
  /// A loop turned out to need a copy of its body for each round: `function.unrolled` says so, and the graph has to be
  /// built anew.
  bool growsForEver = false; ///< a value's type does; nothing that settles later helps
  bool outdated = false;

private:
  bool visitByKind(Value &v);

  std::map<const Value *, unsigned> changes_; ///< of merges
};

} // namespace heddle::python
