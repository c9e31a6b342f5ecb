// The functions that a kernel reaches, each typed for the arguments that it is called with.
#pragma once

#include "frontend/python/ssa/ir.h"
#include "frontend/python/syntax/syntax.h"

#include <map>
#include <memory>

namespace heddle::python {

/// What a function is compiled for: its parameters' types, and the values of those that exist while compiling only
/// (functions, types and strings passed to a device function).
struct Argument {
  Type type;
  std::optional<Constant> constant;
};

/// All functions that one kernel reaches, each for the types that it is called with.
class FunctionInstances {
public:
  explicit FunctionInstances(const TargetRules &rules) : rules_(rules) {}

  /// Of what its functions are compiled for.
  const TargetRules &rules() const { return rules_; }

  /// The function for these arguments, typed; made at the first call. A function that is being inferred (a recursion)
  /// is returned as far as it is known, with an unknown result. `guarded`: exceptions are caught where it is called. Throws
  /// CompileError (Typing, Unsupported).
  TypedFunction &instance(FunctionSource &source, const std::vector<Argument> &arguments,
                          bool guarded = false);

  /// Whether some function of that source is being inferred.
  bool isInferring(const FunctionSource &source) const;

  /// In the order of their first use: the kernel first.
  const std::vector<std::unique_ptr<TypedFunction>> &functions() const { return functions_; }

  /// constantParameters(source), looked for once.
  const std::vector<bool> &constantParametersOf(const FunctionSource &source);

  /// The implementation of an Overload or Method for these arguments in code of that target, which is the same in all
  /// calls, looked for once; null when none applies.
  FunctionSource *implementation(const Constant &overload,
                                 const std::vector<CallArgument> &arguments, Target target);

private:
  void infer(TypedFunction &f, const std::vector<Argument> &arguments);
  /// What the function's globals are: as they were when it was first compiled for these types.
  void findGlobals(TypedFunction &f, const std::vector<Argument> &arguments);
  /// What a signature with these parameters declares; unknown where there is none.
  static Type declaredResultOf(const FunctionSource &source,
                               const std::vector<Argument> &arguments);

  /// A function that is being inferred, and the lowest place in `inProgress_` of a function that it calls.
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
  std::vector<TypedFunction *>
      circular_; ///< inferred, but not for good: part of a circle of calls in progress
};

} // namespace heddle::python
