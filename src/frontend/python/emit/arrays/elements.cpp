#include "frontend/python/emit/arrays/elements.h"

#include "frontend/python/emit/arrays/arrays.h"

namespace heddle::python {
namespace {

const llvm::Align slotAlignment{8};

} // namespace

Variable::Variable(Emitter &e, const Parts &initial) : b_(e.b) {
  for (llvm::Value *part : initial) {
    slots_.push_back(e.makeStackSlot(part->getType(), 1, slotAlignment));
    types_.push_back(part->getType());
  }
  set(initial);
}

Parts Variable::get() const {
  Parts out;
  for (size_t i = 0; i < slots_.size(); ++i)
    out.push_back(b_.CreateAlignedLoad(types_[i], slots_[i], slotAlignment));
  return out;
}

void Variable::set(const Parts &v) {
  for (size_t i = 0; i < slots_.size(); ++i)
    b_.CreateAlignedStore(v[i], slots_[i], slotAlignment);
}

void Variable::assignIf(llvm::Value *condition, const Parts &v) {
  Parts old = get();
  for (size_t i = 0; i < old.size(); ++i)
    old[i] = b_.CreateSelect(condition, v[i], old[i]);
  set(old);
}

llvm::Value *ElementsOf::size() {
  llvm::Value *total = e_.int64(1);
  for (unsigned axis = 0; axis < type_->ndim; ++axis)
    total = e_.b.CreateMul(total, extent(axis));
  return total;
}

void ElementsOf::forEachElementFromAxis(unsigned axis, llvm::Value *pointer, llvm::Value *number,
                                        Visit visit) {
  if (axis == type_->ndim)
    return visit(load(pointer), number);
  e_.emitLoop(extent(axis), [&](llvm::Value *i) {
    llvm::Value *next = e_.b.CreateAdd(e_.b.CreateMul(number, extent(axis)), i);
    forEachElementFromAxis(axis + 1, advanceAlongAxis(pointer, i, axis), next, visit);
  });
}

llvm::Value *ElementsOf::advanceAlongAxis(llvm::Value *pointer, llvm::Value *i, unsigned axis) {
  bool dense = type_->layout == Layout::C && axis + 1 == type_->ndim;
  llvm::Value *stride = dense ? e_.int64(type_->element->bytes()) : parts_[1 + type_->ndim + axis];
  return e_.b.CreatePtrAdd(pointer, e_.b.CreateNSWMul(i, stride));
}

llvm::Value *ElementsOf::addressOfElementNumber(llvm::Value *number) {
  if (type_->ndim == 1)
    return advanceAlongAxis(parts_[0], number, 0);
  Parts indices = computeIndices(e_, number, llvm::ArrayRef(parts_).slice(1, type_->ndim));
  llvm::Value *pointer = parts_[0];
  for (unsigned axis = 0; axis < type_->ndim; ++axis)
    pointer = advanceAlongAxis(pointer, indices[axis], axis);
  return pointer;
}

Parts ElementsOf::load(llvm::Value *pointer) {
  return loadElement(e_, pointer, type_->element, llvm::Align(type_->elementAlignment()));
}

Parts computeIndices(Emitter &e, llvm::Value *number, llvm::ArrayRef<llvm::Value *> extents) {
  llvm::IRBuilder<> &b = e.b;
  Parts indices(extents.size());
  for (size_t axis = extents.size(); axis-- > 0;) {
    if (axis == 0) {
      indices[0] = number;
      break;
    }
    llvm::Value *extent = b.CreateBinaryIntrinsic(llvm::Intrinsic::umax, extents[axis], e.int64(1));
    indices[axis] = b.CreateURem(number, extent);
    number = b.CreateUDiv(number, extent);
  }
  return indices;
}

} // namespace heddle::python
