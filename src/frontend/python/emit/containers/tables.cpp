#include "frontend/python/emit/containers/tables.h"

#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/containers/texts.h"
#include "frontend/python/emit/numbers/scalars.h"
#include "frontend/python/emit/slots.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {
namespace {

constexpr int64_t placeBytes = 4;
/// Initial capacity for keys and values in slots: as many small keys as a new table is meant for.
constexpr int64_t roomOfFields = 10;

/// The fields of a dict or a set, a tuple.
StoredValue fieldsOf(Emitter &e, Type table, llvm::Value *owner) {
  return listItem(e, table, owner, e.int64(0));
}

} // namespace

Parts emitEmptyDictOrSet(Emitter &e, Value &v, llvm::Value *places) {
  llvm::IRBuilder<> &b = e.b;
  Type fields = v.type->element;
  llvm::Value *owner = allocateList(e, fields, 1);
  Parts parts;
  OwnerList owners;
  for (Type field : fields->elements)
    if (field.isList()) {
      owners.push_back(allocateList(e, field->element, 0, roomOfFields));
      parts.push_back(owners.back());
    } else {                                                // 0 marks unused slots
      llvm::Value *count = b.CreateAdd(places, e.int64(2)); // and the counts
      llvm::Value *bytes = b.CreateMul(count, e.int64(placeBytes));
      owners.push_back(allocateMemory(e, bytes, /*zeroed=*/true));
      parts.push_back(b.CreateAddrSpaceCast(
          b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), owners.back(), simt::ownerBytes),
          b.getPtrTy(field->space)));
      parts.push_back(count);
      parts.push_back(e.int64(placeBytes));
    }
  fieldsOf(e, v.type, owner).store(parts, owners);
  e.owners().takeOverReferences(v, {owner});
  return {owner};
}

llvm::Value *tableSize(Emitter &e, Type table, llvm::Value *owner) {
  llvm::IRBuilder<> &b = e.b;
  Parts fields = fieldsOf(e, table, owner).parts();
  llvm::Value *index = fields[fields.size() - 3], *extent = fields[fields.size() - 2];
  llvm::Value *last = b.CreateInBoundsGEP(b.getInt32Ty(), index, b.CreateSub(extent, e.int64(1)));
  llvm::Value *deleted = b.CreateZExt(b.CreateLoad(b.getInt32Ty(), last), b.getInt64Ty());
  return b.CreateSub(loadListSize(e, fields[0]), deleted);
}

Parts loadTableField(Emitter &e, const Value &v, Value &table, unsigned number) {
  StoredValue field = fieldsOf(e, table.type, e.parts(table)[0]).element(number);
  e.owners().borrow(v, field.owners());
  return field.parts();
}

void swapTableFields(Emitter &e, Value &a, Value &b, bool onlyLast) {
  size_t count = a.type->element->elements.size();
  StoredValue allOfA = fieldsOf(e, a.type, e.parts(a)[0]);
  StoredValue allOfB = fieldsOf(e, b.type, e.parts(b)[0]);
  for (size_t i = onlyLast ? count - 1 : 0; i < count; ++i) {
    StoredValue inA = allOfA.element(i), inB = allOfB.element(i);
    Parts partsOfA = inA.parts();
    OwnerList ownersOfA = inA.owners();
    inA.store(inB.parts(), inB.owners());
    inB.store(partsOfA, ownersOfA);
  }
}

namespace {

/// Mixes the parts of a key into `hash`.
llvm::Value *mixHash(Emitter &e, llvm::Value *hash, Type key, llvm::ArrayRef<llvm::Value *> parts) {
  llvm::IRBuilder<> &b = e.b;
  if (key.isTuple()) {
    for (Type element : key->elements) {
      size_t count = partTypes(b.getContext(), element).size();
      hash = mixHash(e, hash, element, parts.take_front(count));
      parts = parts.drop_front(count);
    }
    return hash;
  }
  llvm::SmallVector<bool, 8> isSigned = signednessOfParts(key, b.getContext());
  // Knuth's multiplicative hashing (The Art of Computer Programming, 6.4): 2^64 divided by the golden ratio. The upper
  // half is folded into the low bits, which select the slot.
  llvm::Value *factor = b.getInt64(0x9E3779B97F4A7C15);
  Parts ofText;
  if (key == runtimeStringType()) {
    ofText.push_back(computeTextHash(e, parts));
    parts = ofText;
    isSigned = {false};
  }
  for (unsigned i = 0; i < parts.size(); ++i) {
    llvm::Value *bits = parts[i];
    if (bits->getType()->isFloatingPointTy()) {
      bits = b.CreateFPExt(bits, b.getDoubleTy());
      bits = b.CreateFAdd(bits, llvm::ConstantFP::get(b.getDoubleTy(), 0)); // -0.0 equals 0.0
      bits = b.CreateBitCast(bits, b.getInt64Ty());
    } else {
      bits = b.CreateIntCast(bits, b.getInt64Ty(), isSigned[i]);
    }
    hash = b.CreateMul(b.CreateXor(hash, bits), factor);
    hash = b.CreateXor(hash, b.CreateLShr(hash, 32));
  }
  return hash;
}

} // namespace

llvm::Value *computeHash(Emitter &e, Type key, const Parts &parts) {
  // The hash of an integer is the integer: consecutive integers have consecutive slots.
  if (key.isInteger() || key == boolType())
    return e.b.CreateIntCast(parts[0], e.b.getInt64Ty(),
                             signednessOfParts(key, e.b.getContext())[0]);
  return mixHash(e, e.int64(0), key, parts);
}

} // namespace heddle::python
