#include "frontend/python/emit/arrays/array_expressions.h"

#include "frontend/python/rows/effects.h"
#include "frontend/python/rows/over_arrays.h"

#include <algorithm>
#include <map>

namespace heddle::python {
namespace {

bool changesMemoryBetween(const Value &first, const Value &last) {
  const std::vector<Value *> &values = first.block->values;
  auto begin = std::find(values.begin(), values.end(), &first);
  auto end = std::find(begin, values.end(), &last);
  return std::any_of(begin, end, [](const Value *v) { return effectsOf(*v).changeMemory(); });
}

/// True if `user` can compute the elements of `operand` when it reads them.
bool canFuseIntoUser(const Value &user, const Value &operand) {
  return isArrayExpression(user) ||
         (isReduction(user) && user.library->readsOnce && user.operands[1] == &operand);
}

/// True for names of methods such as `a.sum`, which do not read the array.
bool isBoundMethod(const Value &v) { return v.opcode == Opcode::Attribute && v.constant; }

} // namespace

bool isReduction(const Value &v) {
  return v.opcode == Opcode::Call && v.library && v.library->meaning == Meaning::Reduction &&
         v.operands.size() > 1 && v.operands[1]->type.isArray();
}

std::set<const Value *> findFusedExpressions(const TypedFunction &f) {
  std::map<const Value *, std::vector<const Value *>> users;
  for (auto &block : f.blocks)
    for (const Value *v : block->values)
      for (const Value *operand : v->operands)
        if (!isBoundMethod(*v))
          users[operand].push_back(v);
  std::set<const Value *> fused;
  for (auto &block : f.blocks)
    for (const Value *v : block->values) {
      if (!block->reachable || !isArrayExpression(*v) || users[v].size() != 1)
        continue;
      const Value &user = *users[v][0];
      if (user.block == v->block && canFuseIntoUser(user, *v) && !changesMemoryBetween(*v, user))
        fused.insert(v);
    }
  return fused;
}

bool runsArrayExpressionsOnThreadPool(const TypedFunction &f) {
  return f.sharesWork && f.rules->sharesLoops;
}

} // namespace heddle::python
