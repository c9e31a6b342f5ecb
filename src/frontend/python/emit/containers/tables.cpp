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

/// The address of the slots of the fields.
llvm::Value *tableSlots(Emitter &e, llvm::Value *owner) {
  llvm::Value *place = e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), owner, simt::listElements);
  return e.b.CreateLoad(e.b.getPtrTy(), place);
}

size_t countParts(Emitter &e, Type type) { return partTypes(e.b.getContext(), type).size(); }

} // namespace

Parts emitTable(Emitter &e, Value &v, llvm::Value *places) {
  llvm::IRBuilder<> &b = e.b;
  Type fields = v.type->element;
  llvm::Value *owner = newList(e, fields, 1);
  Parts parts;
  OwnerList owners;
  for (Type field : fields->elements)
    if (field.isList()) {
      owners.push_back(newList(e, field->element, 0, roomOfFields));
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
  llvm::Value *slots = tableSlots(e, owner);
  parts.append(owners.begin(), owners.end());
  for (unsigned i = 0; i < parts.size(); ++i)
    storeSlot(b, slotAt(b, slots, i), parts[i], false);
  e.owners().hold(v, {owner});
  return {owner};
}

llvm::Value *tableSize(Emitter &e, Type table, llvm::Value *owner) {
  llvm::IRBuilder<> &b = e.b;
  Parts fields = loadListItem(e, table, owner, e.int64(0));
  llvm::Value *index = fields[fields.size() - 3], *extent = fields[fields.size() - 2];
  llvm::Value *last = b.CreateInBoundsGEP(b.getInt32Ty(), index, b.CreateSub(extent, e.int64(1)));
  llvm::Value *deleted = b.CreateZExt(b.CreateLoad(b.getInt32Ty(), last), b.getInt64Ty());
  return b.CreateSub(loadListSize(e, fields[0]), deleted);
}

Parts tableField(Emitter &e, const Value &v, Value &table, unsigned number) {
  Type fields = table.type->element;
  llvm::Value *owner = e.parts(table)[0];
  OwnerList owners = loadListItemOwners(e, table.type, owner, e.int64(0));
  Parts parts = loadListItem(e, table.type, owner, e.int64(0));
  size_t first = 0;
  for (unsigned i = 0; i < number; ++i)
    first += countParts(e, fields->elements[i]);
  e.owners().borrow(v, {owners[number]});
  size_t count = countParts(e, fields->elements[number]);
  return Parts(parts.begin() + first, parts.begin() + first + count);
}

void exchangeFields(Emitter &e, Value &a, Value &b, bool onlyLast) {
  llvm::IRBuilder<> &builder = e.b;
  Type fields = a.type->element;
  size_t parts = countParts(e, fields), owners = countMemories(fields);
  size_t last = parts - countParts(e, fields->elements.back());
  llvm::Value *ofA = tableSlots(e, e.parts(a)[0]), *ofB = tableSlots(e, e.parts(b)[0]);
  for (unsigned i = 0; i < parts + owners; ++i) {
    bool isOfLast = (i >= last && i < parts) || i + 1 == parts + owners;
    if (onlyLast && !isOfLast)
      continue;
    llvm::Value *inA = slotAt(builder, ofA, i), *inB = slotAt(builder, ofB, i);
    llvm::Value *own = builder.CreateLoad(builder.getInt64Ty(), inA);
    builder.CreateStore(builder.CreateLoad(builder.getInt64Ty(), inB), inA);
    builder.CreateStore(own, inB);
  }
}

namespace {

/// Mixes the parts of a key into `hash`.
llvm::Value *mixHash(Emitter &e, llvm::Value *hash, Type key, llvm::ArrayRef<llvm::Value *> parts) {
  llvm::IRBuilder<> &b = e.b;
  if (key.isTuple()) {
    for (Type element : key->elements) {
      size_t count = countParts(e, element);
      hash = mixHash(e, hash, element, parts.take_front(count));
      parts = parts.drop_front(count);
    }
    return hash;
  }
  llvm::SmallVector<bool, 8> isSigned = signedParts(key, b.getContext());
  // Knuth's multiplicative hashing (The Art of Computer Programming, 6.4): 2^64 divided by the golden ratio. The upper
  // half is folded into the low bits, which select the slot.
  llvm::Value *factor = b.getInt64(0x9E3779B97F4A7C15);
  Parts ofText;
  if (key == textType()) {
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
    return e.b.CreateIntCast(parts[0], e.b.getInt64Ty(), signedParts(key, e.b.getContext())[0]);
  return mixHash(e, e.int64(0), key, parts);
}

} // namespace heddle::python
