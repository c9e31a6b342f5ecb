// The functions reachable from a kernel, each typed for the arguments of its calls.
#pragma once

#include "frontend/python/ssa/ir.h"
#include "frontend/python/syntax/syntax.h"

#include <map>
#include <memory>

namespace heddle::python {

/// An argument that a function is compiled for: its type, and its value if it exists at compile time only (a function,
/// type or string).
struct Argument {
  Type type;
  std::optional<Constant> constant;
};

/// All functions reachable from one kernel, each for the argument types of its calls.
class FunctionInstances {
public:
  explicit FunctionInstances(const TargetRules &rules) : rules_(rules) {}

  /// The rules of the compilation target.
  const TargetRules &rules() const { return rules_; }

  /// Returns the function typed for these arguments, and infers it at the first call. A function that is being inferred
  /// (a recursion) is returned with the types known so far and an unknown result. `guarded`: the call catches
  /// exceptions. Throws CompileError (Typing, Unsupported).
  TypedFunction &getOrInferInstance(FunctionSource &source, const std::vector<Argument> &arguments,
                                    bool guarded = false);

  /// True if a function with that source is being inferred.
  bool isInferring(const FunctionSource &source) const;

  /// The functions in order of first use, the kernel first.
  const std::vector<std::unique_ptr<TypedFunction>> &functions() const { return functions_; }

  /// Cached findConstantParameters(source).
  const std::vector<bool> &constantParametersOf(const FunctionSource &source);

  /// The implementation of an Overload or Method for these arguments and this target; null if none applies. Cached, so
  /// that all calls agree.
  FunctionSource *findImplementation(const Constant &overload,
                                     const std::vector<CallArgument> &arguments, Target target);

private:
  void infer(TypedFunction &f, const std::vector<Argument> &arguments);
  /// Sets the function's globals to those of its first compilation for these argument types.
  void restoreGlobals(TypedFunction &f, const std::vector<Argument> &arguments);
  /// The result type from a signature with these parameters; unknown if there is none.
  static Type declaredResultOf(const FunctionSource &source,
                               const std::vector<Argument> &arguments);

  /// A function that is being inferred. `dependsOn`: the lowest position in `inProgress_` of a function that it calls.
  struct Frame {
    TypedFunction *function;
    size_t dependsOn;
  };
  const TargetRules &rules_;
  std::map<std::string, TypedFunction *> byKey_;
  std::map<const FunctionSource *, std::vector<bool>> constantParameters_;
  std::map<std::string, std::optional<Constant>> implementations_;
  std::vector<std::unique_ptr<TypedFunction>> functions_;
  std::vector<Frame> inProgress_;
  /// Provisional functions: inferred, but in a call cycle that is still in progress.
  std::vector<TypedFunction *> circular_;
};

} // namespace heddle::python
