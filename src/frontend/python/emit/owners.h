// Reference counting for the memory of arrays and other objects in host functions.
//
// An array is a view (pointer, extents, strides) in every function. In a host function, each array in a value also has
// an owner, which counts the references to memory that host functions have allocated. The owner is null for memory that
// the caller or the code keeps alive. Stack slots of the function hold the references:
//
//     x = np.zeros(n)        slot of this call := owner(x) with one reference; releases the slot's previous owner
//     v = x[1:]              no reference: shares the owner of x, which lives longer
//     phi of x and y         slot of the phi: one more reference to the selected owner; releases the previous owner
//     return v               one more reference to owner(v); releases all slots
//
// A value may be used until its definition runs again. Therefore a slot holds its reference until the last use of the
// value if that is known (last_uses.h), otherwise until the function ends. Slots of values used in only one block are
// then reused. Exceptions bypass the slots: the call frees all memory that it has allocated (host/memory.h).
#pragma once

#include "frontend/python/emit/last_uses.h"
#include "frontend/python/rows/row.h"

#include "llvm/IR/IRBuilder.h"

#include <map>
#include <vector>

namespace heddle::python {

class Emitter;
class ModuleEmitter;

/// The number of owners that a value of this type has in host functions: one for each array, record, container, string,
/// generator and exception in it.
size_t countHostOwners(Type type);
/// countHostOwners() for host functions, 0 for kernels.
size_t countOwners(Type type, const TargetRules &rules);

/// The functions `void (ptr owner)` that add or drop a reference, emitted on first use. They ignore null.
llvm::Function *getOrEmitRetainFunction(ModuleEmitter &module);
llvm::Function *getOrEmitReleaseFunction(ModuleEmitter &module);

/// True if items of a loop refer to memory that a list or a generator owns.
bool iteratesItemsWithOwners(Type iterable);

using OwnerList = llvm::SmallVector<llvm::Value *, 2>;

/// Allocates an owner with one reference, followed by `bytes` bytes.
llvm::Value *allocateMemory(Emitter &e, llvm::Value *bytes, bool zeroed);

class Owners {
public:
  explicit Owners(Emitter &e) : e_(e) {}
  void setLastUses(LastUses last) { last_ = std::move(last); }

  /// The owners of the memory that `v` refers to. The first call may emit code that selects them, so it must dominate
  /// the others.
  OwnerList ownersOf(Value &v);
  /// Sets the owners of the memory that `v` refers to, without adding references. By default, these are the owners of
  /// its operands.
  void borrow(const Value &v, OwnerList owners) { known_[&v] = std::move(owners); }
  /// Like borrow(), but takes over one reference to each owner. Slots of `v` then hold these references.
  void takeOverReferences(const Value &v, OwnerList owners);
  /// Like borrow(), for an item that its container may drop. Unless canBorrowArray(), adds references, which slots of
  /// `v` hold.
  void retainUnlessBorrowed(const Value &v, OwnerList owners);
  /// At a block head: adds references to the owners of its phis, which were borrowed before. Slots hold them.
  void retainOwnersOfPhis(llvm::ArrayRef<Value *> phis);
  /// Adds references to `v`, which is or contains list items, because the lists may drop the items.
  void retainItem(Value &v);
  /// Adds or drops one reference per owner.
  void retain(llvm::ArrayRef<llvm::Value *> owners);
  void release(llvm::ArrayRef<llvm::Value *> owners);
  /// Call before emitting `v`. Temporaries that are then made live as long as `v`.
  void beginValue(const Value &v) { started_ = &v; }
  /// Releases the values that are dead after `v`, which has been emitted, or at the head of a block.
  void releaseValuesDeadAfter(const Value &v);
  void releaseValuesDeadAtHead(const Block &block);
  /// Releases all slots before each return. Call after the whole function is emitted.
  void releaseSlotsAtReturns();

  /// All slots. A generator keeps their references between two values.
  const std::vector<llvm::AllocaInst *> &slots() const { return slots_; }

  /// The owners of the result of converting `v` to `to`.
  OwnerList convertedOwners(Value &v, Type to);

private:
  OwnerList computeOwners(Value &v);
  OwnerList elementOwners(Value &tuple, size_t i);
  OwnerList itemOwners(Type iterable, llvm::ArrayRef<llvm::Value *> parts,
                       llvm::ArrayRef<llvm::Value *> owners, llvm::Value *iteration);
  using SlotKey = std::pair<const Value *, size_t>;
  llvm::AllocaInst *getOrCreateSlot(const Value &v, size_t i);
  void releaseSlots(llvm::AllocaInst *slot);
  void releaseSlots(llvm::ArrayRef<const Value *> values);

  Emitter &e_;
  std::map<const Value *, OwnerList> known_;
  std::map<SlotKey, llvm::AllocaInst *> slotOf_;
  std::vector<llvm::AllocaInst *> slots_;
  LastUses last_;
  const Value *started_ = nullptr;
  std::map<const Value *, std::vector<SlotKey>> ending_; ///< by last use
  std::vector<llvm::AllocaInst *> free_;                 ///< unused slots
};

/// A new array of type `v.type` in C order, bound to `v`. Ends the call if an extent is negative or memory runs out.
Parts allocateArray(Emitter &e, const Value &v, llvm::ArrayRef<llvm::Value *> extents, bool zeroed);

} // namespace heddle::python
