// Values in 8-byte slots, one per part, as in calls and lists.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

inline constexpr unsigned slotBytes = 8;

/// The address of slot `number` in the array `slots`.
llvm::Value *slotAt(llvm::IRBuilder<> &b, llvm::Value *slots, unsigned number);
/// For each part of a value: true if it is a signed integer, which is stored sign-extended.
llvm::SmallVector<bool, 8> signednessOfParts(Type type, llvm::LLVMContext &context);
void storeSlot(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Value *part, bool isSigned);
/// Loads one part. With `isExtent`, it is known not to be negative.
llvm::Value *loadSlot(llvm::IRBuilder<> &b, llvm::Value *address, llvm::Type *type,
                      bool isExtent = false);

/// A value that a list, an instance, a table or a generator holds: its parts and the owners of its memory, in slots.
class StoredValue {
public:
  /// `slots` are the parts, followed by the owners.
  StoredValue(llvm::IRBuilder<> &b, Type type, llvm::Value *slots);

  Type type() const { return type_; }
  /// Element `number` of a tuple, with its share of the tuple's owners.
  StoredValue element(size_t number) const;
  Parts parts() const;
  /// The owners, without new references to them.
  OwnerList owners() const;
  /// Stores a value with its owners. Adds and drops no references.
  void store(llvm::ArrayRef<llvm::Value *> parts, llvm::ArrayRef<llvm::Value *> owners) const;
  /// Sets all slots to zero. Not for elements of a tuple.
  void clear() const;

private:
  llvm::IRBuilder<> &b_;
  Type type_;
  llvm::Value *slots_;
  unsigned firstPart_, firstOwner_;
};

} // namespace heddle::python
