// What type inference decides only when the types have settled.
#pragma once

#include "frontend/python/ssa/ir.h"

#include <set>

namespace heddle::python {

/// Two kinds of things would turn out differently by a type that is not yet the last: a question about a type
/// (isinstance, hasattr), and a merge of integers of different signs, which makes a float, as which everything computed
/// from it would stay. They wait; when nothing else changes, one decision is taken, and the types settle again.
class Decisions {
public:
  /// Forgets what waited: what still has to wait says so again.
  void beginRound();
  /// `unify(a, b)`, or `a` when the merge `at` has to wait.
  Type merge(Type a, Type b, const Value &at);
  bool waits(const Value &merge) const { return merges_.count(&merge); }
  /// Whether the question of that call may be answered now; else it waits.
  bool mayAnswer(const Value &question);
  /// Takes the first decision that waits. False when none does.
  bool decide();

private:
  /// Whether the value was computed with the result of a merge that waits.
  bool dependsOnMerge(const Value &v) const;

  std::set<const Value *> merges_;  ///< that wait
  const Value *question_ = nullptr; ///< the first that waits
  const Value *answered_ = nullptr; ///< the last that may be answered
  bool mixIntegers_ = false;        ///< no merge has to wait any more
};

} // namespace heddle::python
