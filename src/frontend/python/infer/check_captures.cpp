#include "frontend/python/infer/check_captures.h"

#include "frontend/python/infer/live_edges.h"
#include "frontend/python/syntax/syntax.h"

#include <algorithm>
#include <map>
#include <set>

namespace heddle::python {
namespace {

bool holdsClosureOf(Type type, const FunctionSource *function) {
  if (!type)
    return false;
  if (type->function == function)
    return true;
  if (type->element && holdsClosureOf(type->element, function))
    return true;
  return std::any_of(type->elements.begin(), type->elements.end(),
                     [&](Type element) { return holdsClosureOf(element, function); });
}

/// A position in a block, before its value number `next`.
struct BlockPlace {
  const Block *block;
  size_t next;
};

/// A value that holds a closure.
struct Holder {
  const Value *value;
  bool merged; ///< through a phi: it may be older than the newest value of the closure's definition
};

class CaptureCheck {
public:
  explicit CaptureCheck(const TypedFunction &f) : f_(f) {
    for (const auto &block : f.blocks)
      if (block->reachable)
        for (const Value *v : block->values)
          for (const Value *operand : v->operands)
            users_[operand].push_back(v);
  }

  void run() const {
    for (const auto &block : f_.blocks)
      for (const Value *v : block->values)
        if (block->reachable && v->opcode == Opcode::Closure)
          checkClosure(*v);
  }

private:
  void checkClosure(const Value &closure) const {
    std::set<std::string> captured;
    for (const Parameter &p : closure.function->parameters)
      if (p.kind == ParameterKind::Captured && p.capturedDefault.empty() && p.name[0] != '.')
        captured.insert(p.name);
    std::vector<Holder> holders = findValuesThatHoldClosure(closure);
    for (const VariableAssignment &assignment : f_.assignments)
      if (captured.count(assignment.name) && assignment.block->reachable)
        for (const Holder &holder : holders)
          checkCalls(closure, holder, assignment);
  }

  /// The closure, and every value that holds it.
  std::vector<Holder> findValuesThatHoldClosure(const Value &closure) const {
    std::vector<Holder> found{{&closure, false}};
    std::set<const Value *> seen{&closure};
    for (size_t i = 0; i < found.size(); ++i)
      for (const Value *user : findUsers(found[i].value))
        if (holdsClosureOf(user->type, closure.function) && seen.insert(user).second)
          found.push_back({user, found[i].merged || user->opcode == Opcode::Phi});
    return found;
  }

  void checkCalls(const Value &closure, const Holder &holder,
                  const VariableAssignment &assignment) const {
    BlockPlace definition = positionOf(closure), assigned = positionAfterAssignment(assignment);
    BlockPlace after{definition.block, definition.next + 1};
    for (const Value *user : findUsers(holder.value)) {
      if (user->opcode != Opcode::Call)
        continue;
      const Value *barrier = holder.merged ? nullptr : &closure;
      if (hasPathAvoiding(after, assigned, barrier) &&
          hasPathAvoiding(assigned, positionOf(*user), barrier))
        fail(*f_.source, assignment.span, ErrorKind::Unsupported,
             "'" + assignment.name +
                 "' is assigned after the definition of a function that uses it",
             "",
             "assign it before the function is defined, or pass it to the function as an argument",
             {"the function is defined in line " + std::to_string(closure.span.line) +
              " and called in line " + std::to_string(user->span.line)});
    }
  }

  const std::vector<const Value *> &findUsers(const Value *v) const {
    static const std::vector<const Value *> none;
    auto found = users_.find(v);
    return found == users_.end() ? none : found->second;
  }

  static BlockPlace positionOf(const Value &v) {
    auto &values = v.block->values;
    return {v.block, size_t(std::find(values.begin(), values.end(), &v) - values.begin())};
  }
  static BlockPlace positionAfterAssignment(const VariableAssignment &assignment) {
    if (!assignment.after)
      return {assignment.block, 0};
    BlockPlace before = positionOf(*assignment.after);
    return {before.block, before.next + 1};
  }

  /// True if there is a path between the places that avoids `barrier`.
  static bool hasPathAvoiding(BlockPlace from, BlockPlace to, const Value *barrier) {
    auto blocked = [&](const Block &block, size_t begin, size_t end) {
      return std::find(block.values.begin() + begin, block.values.begin() + end, barrier) !=
             block.values.begin() + end;
    };
    std::vector<BlockPlace> work{from};
    std::set<const Block *> seen; // entered from their start
    while (!work.empty()) {
      auto [block, begin] = work.back();
      work.pop_back();
      if (block == to.block && begin <= to.next)
        if (!blocked(*block, begin, to.next))
          return true;
      if (blocked(*block, begin, block->values.size()))
        continue;
      for (const Block *s : block->successors)
        if (s->reachable && isLiveEdge(*block, *s) && seen.insert(s).second)
          work.push_back({s, 0});
    }
    return false;
  }

  const TypedFunction &f_;
  std::map<const Value *, std::vector<const Value *>> users_;
};

} // namespace

void checkCaptures(const TypedFunction &f) {
  auto isClosure = [](const auto &v) { return v->opcode == Opcode::Closure; };
  if (std::any_of(f.values.begin(), f.values.end(), isClosure))
    CaptureCheck(f).run();
}

} // namespace heddle::python
