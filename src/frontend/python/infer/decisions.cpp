#include "frontend/python/infer/decisions.h"

#include <vector>

namespace heddle::python {

void Decisions::beginPass() {
  merges_.clear();
  question_ = nullptr;
}

Type Decisions::mergeTypesOrPostponeFloat(Type a, Type b, const Value &at) {
  Type merged = unify(a, b);
  if (mixIntegers_ || !a || !merged.isFloat() || a.isFloat() || b.isFloat())
    return merged;
  merges_.insert(&at);
  return a;
}

bool Decisions::mayDecideOrPostpone(const Value &question) {
  if (&question == answered_)
    return true;
  question_ = question_ ? question_ : &question;
  return false;
}

bool Decisions::makeNextDecision() {
  if (question_ && !dependsOnMerge(*question_)) {
    answered_ = question_;
    return true;
  }
  if (merges_.empty())
    return false;
  return mixIntegers_ = true;
}

bool Decisions::dependsOnMerge(const Value &v) const {
  std::set<const Value *> seen;
  std::vector<const Value *> rest{&v};
  while (!rest.empty() && !merges_.empty()) {
    const Value *next = rest.back();
    rest.pop_back();
    if (!seen.insert(next).second)
      continue;
    if (merges_.count(next))
      return true;
    rest.insert(rest.end(), next->operands.begin(), next->operands.end());
  }
  return false;
}

} // namespace heddle::python
