#include "frontend/python/emit/last_uses.h"

#include "frontend/python/emit/owners.h"
#include "frontend/python/infer/function_instances.h"
#include "frontend/python/rows/over_arrays.h"

#include "llvm/ADT/STLExtras.h"

namespace heddle::python {
namespace {

/// The memory of a value with more users, or that is live in more blocks, is kept until the function ends.
constexpr size_t mostFollowed = 200;

/// True if `v` has references to all of its memory.
bool ownsItsMemory(const Value &v) {
  bool isCompiled = v.callee && !v.callee->isGenerator && !v.callee->source->declaration;
  return v.opcode == Opcode::Phi || (v.opcode == Opcode::Call && isCompiled) ||
         isArrayExpression(v);
}

/// True if `v` exposes raw addresses. References to its operands' memory then cannot be tracked.
bool exposesAddresses(const Value &v) {
  return (v.opcode == Opcode::Attribute && v.name == "ctypes") ||
         (v.callee && v.callee->source->declaration);
}

bool isNumber(const Value &v) {
  return v.type && v.opcode != Opcode::IterCount && (v.type.isScalar() || v.type.isComplex());
}

class LastUseFinder {
public:
  LastUseFinder(const TypedFunction &f, const std::set<const Value *> &fused)
      : f_(f), fused_(fused) {
    for (auto &block : f.blocks) {
      for (size_t i = 0; i < block->values.size(); ++i) {
        const Value *v = block->values[i];
        places_[v] = i;
        for (const Value *operand : v->operands)
          users_[operand].push_back(v);
      }
      if (block->protection)
        protected_[block->protection].push_back(block.get());
    }
  }

  LastUses find() {
    for (auto &block : f_.blocks) {
      for (const Value *v : llvm::reverse(block->values)) // users come later
        if (v->opcode != Opcode::Phi)
          findInBlock(*v);
      if (block->reachable)
        for (const Value *v : block->values)
          if (v->type && v->opcode != Opcode::Parameter && !found_.inBlock.count(v) &&
              countHostOwners(v->type))
            findAcrossBlocks(*v);
    }
    return std::move(found_);
  }

private:
  /// True if users of `user` may access the memory of its operands.
  bool mayReferToOperandMemory(const Value &user) const {
    return fused_.count(&user) || !(isNumber(user) || ownsItsMemory(user));
  }

  void findInBlock(const Value &v) {
    const Value *last = &v;
    for (const Value *user : users_[&v]) {
      bool isHere = user->block == v.block && user->opcode != Opcode::Phi &&
                    user != v.block->values.back() && !exposesAddresses(*user);
      if (isHere && mayReferToOperandMemory(*user)) {
        auto known = found_.inBlock.find(user);
        isHere = known != found_.inBlock.end();
        user = isHere ? known->second : user;
      }
      if (!isHere)
        return;
      if (places_.at(user) > places_.at(last))
        last = user;
    }
    found_.inBlock[&v] = last;
  }

  /// The values that use the memory of `v`; nothing if they are unknown or too many.
  std::vector<const Value *> findUsersOfMemory(const Value &v) {
    std::vector<const Value *> all;
    std::set<const Value *> seen{&v};
    std::vector<const Value *> left{&v};
    while (!left.empty()) {
      const Value *next = left.back();
      left.pop_back();
      for (const Value *user : users_[next]) {
        if (!seen.insert(user).second)
          continue;
        if (exposesAddresses(*user) || seen.size() > mostFollowed)
          return {};
        all.push_back(user);
        if (mayReferToOperandMemory(*user))
          left.push_back(user);
      }
    }
    return all;
  }

  /// The predecessors of a block, including blocks that raise to it.
  std::vector<const Block *> findPredecessors(const Block &block) const {
    std::vector<const Block *> out(block.predecessors.begin(), block.predecessors.end());
    for (const Block *from : block.predecessors)
      if (auto raising = protected_.find(from);
          raising != protected_.end() && from->successors[1] == &block)
        out.insert(out.end(), raising->second.begin(), raising->second.end());
    return out;
  }

  std::vector<const Block *> findSuccessors(const Block &block) const {
    std::vector<const Block *> out(block.successors.begin(), block.successors.end());
    if (block.protection)
      out.push_back(block.protection->successors[1]);
    return out;
  }

  void findAcrossBlocks(const Value &v) {
    std::vector<const Value *> users = findUsersOfMemory(v);
    std::set<const Block *> needed; // live-in blocks
    std::vector<const Block *> left;
    auto need = [&](const Block *block) {
      if (block != v.block && needed.insert(block).second)
        left.push_back(block);
    };
    std::map<const Block *, const Value *> last{{v.block, &v}};
    for (const Value *user : users) {
      if (user->opcode == Opcode::Phi && user->block == v.block)
        return; // used in the next iteration
      need(user->block);
      const Value *&known = last[user->block];
      bool isLater = user->opcode != Opcode::Phi &&
                     (!known || known->opcode == Opcode::Phi || places_[user] > places_[known]);
      if (!known || isLater)
        known = user;
    }
    for (; !left.empty() && needed.size() <= mostFollowed;) {
      const Block *block = left.back();
      left.pop_back();
      for (const Block *from : findPredecessors(*block))
        need(from);
    }
    if (users.empty() || !left.empty())
      return;
    needed.insert(v.block);
    for (const Block *block : needed)
      recordDeadAfter(v, *block, needed, last[block]);
  }

  /// Records that `v` is dead in `block` after its last use `last`.
  void recordDeadAfter(const Value &v, const Block &block, const std::set<const Block *> &needed,
                       const Value *last) {
    std::vector<const Block *> next = findSuccessors(block);
    auto needs = [&](const Block *to) { return to != v.block && needed.count(to); };
    if (llvm::any_of(next, needs)) {
      for (const Block *to : next)
        if (!needs(to) && to != v.block)
          found_.atHead[to].push_back(&v);
    } else if (last && last->opcode == Opcode::Phi && last != &v) {
      found_.atHead[&block].push_back(&v);
    } else if (last && last != block.values.back()) {
      found_.after[last].push_back(&v);
    }
  }

  const TypedFunction &f_;
  const std::set<const Value *> &fused_;
  std::map<const Value *, std::vector<const Value *>> users_;
  std::map<const Value *, size_t> places_;
  std::map<const Block *, std::vector<const Block *>> protected_; ///< by the block with the Protect
  LastUses found_;
};

} // namespace

LastUses findLastUses(const TypedFunction &f, const std::set<const Value *> &fused) {
  return LastUseFinder(f, fused).find();
}

} // namespace heddle::python
