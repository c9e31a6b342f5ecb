#include "frontend/python/infer/inference.h"

#include "frontend/python/infer/live_edges.h"
#include "frontend/python/infer/visits.h"

#include <algorithm>
#include <set>

namespace heddle::python {
namespace {

/// True if a value has no type because it depends on a container whose type is unknown. The branch may determine that
/// type: `if key not in d: d[key] = []`.
bool waitsForContainer(const Value &v, std::set<const Value *> &seen) {
  if (v.type || !seen.insert(&v).second)
    return false;
  if (v.opcode == Opcode::List || v.opcode == Opcode::Dict || v.opcode == Opcode::Set)
    return true;
  return llvm::any_of(v.operands,
                      [&](const Value *operand) { return waitsForContainer(*operand, seen); });
}

} // namespace

bool Inference::run() {
  do {
    do {
      typing_.decisions.beginPass();
      failed_ = false;
      changes_ = markReachable();
      visitUntilTypesStable(0, order_.size());
      if (typing_.outdated)
        return false;
    } while (changes_);
  } while (typing_.decisions.makeNextDecision());
  if (failed_) {
    raises_ = true;
    visitUntilTypesStable(0, order_.size());
  }
  return true;
}

void Inference::visitUntilTypesStable(size_t begin, size_t end) {
  for (size_t i = begin; i < end; i = std::max(i + 1, order_.loopEnd(i)))
    if (order_.loopEnd(i))
      visitLoopUntilTypesStable(i);
    else
      visitBlock(order_[i]);
}

void Inference::visitLoopUntilTypesStable(size_t head) {
  bool failedBefore = failed_;
  ++loopDepth_;
  unsigned before;
  do {
    before = changes_;
    failed_ = failedBefore;
    visitBlock(order_[head]);
    visitUntilTypesStable(head + 1, order_.loopEnd(head));
  } while (changes_ != before);
  --loopDepth_;
  if (failed_ && !loopDepth_) // visit once more with the settled types
    for (size_t i = head; i < order_.loopEnd(head); ++i)
      visitBlock(order_[i]);
}

void Inference::visitBlock(Block &block) {
  if (!block.reachable || typing_.outdated)
    return;
  for (size_t i = 0; i < block.values.size() && !typing_.outdated; ++i) {
    Value *v = block.values[i];
    changes_ += visitOrPostponeError(*v);
    if (!v->type) // a failed visit may have inserted values before it
      i = std::find(block.values.begin() + i, block.values.end(), v) - block.values.begin();
  }
  changes_ += markSuccessorsReachable(block);
}

bool Inference::visitOrPostponeError(Value &v) {
  try {
    return typing_.visit(v);
  } catch (const CompileError &) {
    if (!mayStillSucceed(v))
      throw;
    failed_ = true;
    v.constant.reset();
    return setType(v, Type());
  }
}

bool Inference::mayStillSucceed(const Value &v) {
  if (raises_ || typing_.growsForEver)
    return false;
  if (loopDepth_ || hasListThatMayWiden())
    return true;
  bool isQuestion = v.opcode == Opcode::Call && isCallThatTestsType(typing_, v);
  return !isQuestion && hasUntypedTypeTest();
}

bool Inference::hasAnyValue(llvm::function_ref<bool(const Value &)> test) const {
  return llvm::any_of(typing_.function.blocks, [&](const std::unique_ptr<Block> &block) {
    return llvm::any_of(block->values, [&](const Value *v) { return test(*v); });
  });
}

bool Inference::hasUntypedTypeTest() {
  return hasAnyValue([&](const Value &v) {
    return v.opcode == Opcode::Call && !v.type && isCallThatTestsType(typing_, v);
  });
}

bool Inference::hasListThatMayWiden() const {
  return hasAnyValue(
      [](const Value &v) { return v.opcode == Opcode::List && !v.shared && v.type; });
}

bool Inference::markReachable() {
  bool changed = false;
  std::vector<Block *> work{typing_.function.blocks[0].get()};
  std::set<Block *> seen{work[0]};
  while (!work.empty()) {
    Block *block = work.back();
    work.pop_back();
    for (Block *s : block->successors)
      if (isLiveEdge(*block, *s) && mayFollowBranch(*block) && seen.insert(s).second)
        work.push_back(s);
  }
  for (auto &block : typing_.function.blocks) {
    bool reachable = seen.count(block.get());
    changed |= reachable != block->reachable;
    block->reachable = reachable;
  }
  return changed;
}

bool Inference::markSuccessorsReachable(Block &block) {
  bool changed = false;
  for (Block *s : block.successors)
    if (!s->reachable && isLiveEdge(block, *s) && mayFollowBranch(block))
      changed = s->reachable = true;
  return changed;
}

bool Inference::mayFollowBranch(const Block &block) {
  const Value &end = *block.values.back();
  if (end.opcode != Opcode::Branch || end.operands[0]->type)
    return true;
  std::set<const Value *> seen;
  return waitsForContainer(*end.operands[0], seen);
}

} // namespace heddle::python
