// Who keeps the memory of arrays, in functions of the host.
//
// An array is a view (pointer, extents, strides) in every function. In those of the host an owner stands beside each array
// that a value is made of: what counts the references to memory that such a function has made, or null for memory that the
// caller or the code keeps. A reference is held by a slot of the function's stack:
//
//     x = np.zeros(n)        slot of this call := owner(x), which has one reference; what the slot held before is released
//     v = x[1:]              no reference: v's owner is x's, and whoever can use v has passed x
//     phi of x and y         slot of the phi: one more reference to what it is; what the slot held before is released
//     return v               one more reference to owner(v); all slots are released
//
// A value may be used until its definition is executed again, so a slot keeps what its value needs: to its last use where that
// is known (last_uses.h), else to the function's end. The slot of a value that is used in one block only serves other values
// then. An exception passes slots by: the call frees what it has made (host/memory.h).
#pragma once

#include "frontend/python/emit/last_uses.h"
#include "frontend/python/rows/row.h"

#include "llvm/IR/IRBuilder.h"

#include <map>
#include <vector>

namespace heddle::python {

class Emitter;
class ModuleEmitter;

/// How many owners stand beside a value: one for each array, record or list in it.
size_t memoriesIn(Type type);
/// The same where they are passed: none in kernels.
size_t ownersOf(Type type, const TargetRules &rules);

/// `void (ptr owner)` of the module: one more reference, and one less; nothing for null.
llvm::Function *retainFunction(ModuleEmitter &module);
llvm::Function *releaseFunction(ModuleEmitter &module);

/// Whether what a loop over it gives is in memory that a list or a generator keeps.
bool givesItemsOfLists(Type iterable);

using OwnerList = llvm::SmallVector<llvm::Value *, 2>;

/// An owner with one reference, and that many bytes behind it.
llvm::Value *newMemory(Emitter &e, llvm::Value *bytes, bool zeroed);

class Owners {
public:
  explicit Owners(Emitter &e) : e_(e) {}
  void setLastUses(LastUses last) { last_ = std::move(last); }

  OwnerList of(Value &v);
  /// Says whose memory `v` is in. The function keeps it otherwise.
  void borrow(const Value &v, OwnerList owners) { known_[&v] = std::move(owners); }
  /// The same for new references, which slots of `v` take over.
  void hold(const Value &v, OwnerList owners);
  /// The same for an item of a container, which may lose it: `v` gets references of its own, unless it needs none.
  void keep(const Value &v, OwnerList owners);
  /// At the head of a block: the slots of its phis, which have been borrowed, get references of their own.
  void holdPhis(llvm::ArrayRef<Value *> phis);
  /// Says that `v` is, or is made of, items of lists: it gets references of its own, as the lists may lose theirs.
  void holdItem(Value &v);
  /// One more reference to each owner, and one less.
  void retain(llvm::ArrayRef<llvm::Value *> owners);
  void release(llvm::ArrayRef<llvm::Value *> owners);
  /// Says that `v` is emitted from now on: what is made for it, and is no value of a block, is needed as long as `v`.
  void startOf(const Value &v) { started_ = &v; }
  /// Releases what nobody needs behind `v`, which has been emitted, or from the head of a block on.
  void releaseAfter(const Value &v);
  void releaseAtHead(const Block &block);
  /// Releases all slots before each of the function's returns, once everything is emitted.
  void releaseAll();

  /// Those slots: what a generator refers to between two values.
  const std::vector<llvm::AllocaInst *> &slots() const { return slots_; }

  /// The owners of what a value becomes by `convert` to `to`.
  OwnerList converted(Value &v, Type to);

private:
  OwnerList derived(Value &v);
  OwnerList ofElement(Value &tuple, size_t i);
  OwnerList ofItem(Type iterable, llvm::ArrayRef<llvm::Value *> parts,
                   llvm::ArrayRef<llvm::Value *> owners, llvm::Value *round);
  using SlotKey = std::pair<const Value *, size_t>;
  llvm::AllocaInst *slotOf(const Value &v, size_t i);
  void empty(llvm::AllocaInst *slot);
  void empty(llvm::ArrayRef<const Value *> values);

  Emitter &e_;
  std::map<const Value *, OwnerList> known_;
  std::map<SlotKey, llvm::AllocaInst *> slotOf_;
  std::vector<llvm::AllocaInst *> slots_;
  LastUses last_;
  const Value *started_ = nullptr;
  std::map<const Value *, std::vector<SlotKey>> ending_; ///< by the last use
  std::vector<llvm::AllocaInst *> free_;                 ///< they hold nothing
};

/// A new array of type `v.type`, which `v` is, in C order. Ends the call where an extent is negative or there is no memory.
Parts newArray(Emitter &e, const Value &v, llvm::ArrayRef<llvm::Value *> extents, bool zeroed);

} // namespace heddle::python
