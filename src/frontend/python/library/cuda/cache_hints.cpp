// Loads and stores of array elements that tell a GPU's caches what to keep.

#include "frontend/python/emit/arrays.h"
#include "frontend/python/emit/emitter.h"

namespace heddle::python {
namespace {

using simt::Op;

Type arrayOf(CallTyping &t) {
  std::string name(t.row().shown());
  Type array = t.type(0);
  if (!array.isArray())
    t.failAt(0, name + " takes an array, not " + array.name());
  if (!array->element.isScalar())
    t.failAt(0, name + " works on elements that are numbers, not " + array->element.name());
  std::vector<IndexItem> items = indexItems(t.function(), array, *t.argument(1), t.spanOf(1));
  if (indexedType(array, items).isArray())
    t.failAt(1, name + " needs one index for each dimension",
             "the array has " + std::to_string(array->ndim) + " dimensions");
  return array;
}

Type typeLoad(CallTyping &t) { return arrayOf(t)->element; }
Type typeStore(CallTyping &t) {
  if (arrayOf(t)->readOnly)
    t.failAt(0, "cannot write to a read-only array");
  t.needScalar(2);
  return noneType();
}

llvm::Value *addressOf(CallEmission &c) {
  Value &array = *c.argument(0), &index = *c.argument(1);
  std::vector<IndexItem> items = indexItems(c.e.function(), array.type, index, c.call.span);
  llvm::Value *address = elementAddress(c.e, array, items, index, c.call.span);
  if (array.type->space != simt::Constant)
    return address;
  return c.b.CreateAddrSpaceCast(address, c.b.getPtrTy(simt::Generic));
}

/// The operations move bits: an integer of the element's size.
llvm::Type *bitsOf(CallEmission &c, Type element) { return c.b.getIntNTy(element->bits); }

Parts emitLoad(CallEmission &c) {
  Type element = c.call.type;
  llvm::Value *address = addressOf(c);
  llvm::Function *load =
      simt::declare(c.e.module().module(), Op::LoadCached, bitsOf(c, element), address->getType());
  llvm::Value *bits = c.b.CreateCall(load, {address, c.e.int32(c.row.data)});
  if (element.isBool())
    return {c.b.CreateICmpNE(bits, c.b.getInt8(0))};
  return {c.b.CreateBitCast(bits, memoryType(c.b.getContext(), element))};
}

Parts emitStore(CallEmission &c) {
  Type element = c.argument(0)->type->element;
  llvm::Value *v = c.scalar(2, element);
  v = element.isBool() ? c.b.CreateZExt(v, c.b.getInt8Ty())
                       : c.b.CreateBitCast(v, bitsOf(c, element));
  simt::call(c.b, Op::StoreCached, {addressOf(c), v, c.e.int32(c.row.data)});
  return {};
}

#define LOAD(name, which, doc) {"cuda." name, "(ary, idx)", doc, typeLoad, emitLoad, which}
#define STORE(name, which, doc)                                                                    \
  writing({"cuda." name, "(ary, idx, val)", doc, typeStore, emitStore, which}, "ary")

// The numbers are those of the operations simt.load.cached and simt.store.cached.
const LibraryRow table[] = {
    LOAD("ldca", 0, "ary[idx], kept at all levels of the cache."),
    LOAD("ldcg", 1, "ary[idx], kept in the cache of the whole device only."),
    LOAD("ldcs", 2, "ary[idx], likely to be read once."),
    LOAD("ldlu", 3, "ary[idx], not read again."),
    LOAD("ldcv", 4, "ary[idx], fetched from memory again."),
    STORE("stwb", 0, "ary[idx] = val, written back from all levels of the cache."),
    STORE("stcg", 1, "ary[idx] = val, kept in the cache of the whole device only."),
    STORE("stcs", 2, "ary[idx] = val, likely to be accessed once."),
    STORE("stwt", 3, "ary[idx] = val, written through the cache to memory."),
};

} // namespace

llvm::ArrayRef<LibraryRow> cacheHintLibrary() { return table; }

} // namespace heddle::python
