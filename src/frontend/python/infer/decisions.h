// Decisions that type inference postpones until types have settled.
#pragma once

#include "frontend/python/ssa/ir.h"

#include <set>

namespace heddle::python {

/// Postpones two kinds of results that a later type could change: answers to questions about a type (isinstance,
/// hasattr), and merges of signed and unsigned integers. Such a merge gives a float, and all values computed from it
/// stay floats. When nothing else changes, one decision is made, and the types settle again.
class Decisions {
public:
  /// Begins a pass over the function. Forgets all waiting decisions: those that still have to wait register again.
  void beginPass();
  /// Returns `unify(a, b)`, or `a` if the merge `at` has to wait.
  Type mergeTypesOrPostponeFloat(Type a, Type b, const Value &at);
  bool isWaiting(const Value &merge) const { return merges_.count(&merge); }
  /// True if the question may be answered now; otherwise it waits.
  bool mayDecideOrPostpone(const Value &question);
  /// Makes the first waiting decision; false if there is none.
  bool makeNextDecision();

private:
  /// True if the value depends on the result of a waiting merge.
  bool dependsOnMerge(const Value &v) const;

  std::set<const Value *> merges_;  ///< waiting merges
  const Value *question_ = nullptr; ///< first waiting question
  const Value *answered_ = nullptr; ///< last question that may be answered
  bool mixIntegers_ = false;        ///< merges no longer wait
};

} // namespace heddle::python
