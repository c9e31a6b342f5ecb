#include "frontend/python/emit/owners.h"

#include "frontend/python/emit/arrays/access.h"
#include "frontend/python/emit/borrowed.h"
#include "frontend/python/emit/containers/lists.h"
#include "frontend/python/emit/emitter.h"
#include "frontend/python/emit/generators/frame.h"
#include "frontend/python/rows/members.h"
#include "frontend/python/types/iteration.h"
#include "simt/ir/host_memory.h"
#include "simt/passes/inline_device_functions.h"

namespace heddle::python {

size_t countHostOwners(Type type) {
  if (type.isArray() || type.isRecord() || type.isContainer() || type == runtimeStringType() ||
      type.is(TypeKind::Caught) || type.isGenerator())
    return 1;
  if (type.is(TypeKind::Optional))
    return countHostOwners(type->element);
  size_t n = 0;
  if (type.isComposite())
    for (Type element : type->elements)
      n += countHostOwners(element);
  return n;
}

size_t countOwners(Type type, const TargetRules &rules) {
  return rules.target == Target::Host ? countHostOwners(type) : 0;
}

namespace {

llvm::Value *nullOwner(llvm::IRBuilder<> &b) {
  return llvm::ConstantPointerNull::get(b.getPtrTy());
}

/// Gets or emits, with `body`, a function `void name(ptr owner)` that does nothing for null.
template <class Body>
llvm::Function *getOrEmitOwnerFunction(llvm::Module &module, const char *name, Body body) {
  if (llvm::Function *known = module.getFunction(name))
    return known;
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *pointer = llvm::PointerType::get(context, 0);
  auto *f = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false),
      llvm::GlobalValue::InternalLinkage, name, module);
  f->addFnAttr(llvm::Attribute::NoUnwind);
  // Inlined only after pairs that cancel each other have been removed: host/passes/cancel_counts.h.
  f->addFnAttr(simt::outOfLineAttribute);
  auto block = [&](const char *label) { return llvm::BasicBlock::Create(context, label, f); };
  llvm::BasicBlock *entry = block("entry"), *some = block("some"), *done = block("done");
  llvm::IRBuilder<> b(entry);
  b.CreateCondBr(b.CreateIsNull(f->getArg(0)), done, some);
  b.SetInsertPoint(some);
  body(b, f->getArg(0), done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return f;
}

/// Adds `by` to the reference count, and returns the new count.
llvm::Value *addToReferenceCount(llvm::IRBuilder<> &b, llvm::Value *owner, int64_t by,
                                 bool atomically) {
  llvm::Value *difference = b.getInt64(uint64_t(by));
  if (atomically) {
    llvm::Value *before = b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, owner, difference,
                                            llvm::Align(8), llvm::AtomicOrdering::AcquireRelease);
    return b.CreateAdd(before, difference);
  }
  llvm::Value *count = b.CreateAdd(b.CreateLoad(b.getInt64Ty(), owner), difference);
  b.CreateStore(count, owner);
  return count;
}

} // namespace

llvm::Function *getOrEmitRetainFunction(ModuleEmitter &emitter) {
  return getOrEmitOwnerFunction(
      emitter.module(), simt::retainFunction,
      [&](llvm::IRBuilder<> &b, llvm::Value *owner, llvm::BasicBlock *done) {
        addToReferenceCount(b, owner, 1, emitter.countsAtomically());
        b.CreateBr(done);
      });
}

llvm::Function *getOrEmitReleaseFunction(ModuleEmitter &emitter) {
  llvm::Module &module = emitter.module();
  return getOrEmitOwnerFunction(
      module, simt::releaseFunction,
      [&](llvm::IRBuilder<> &b, llvm::Value *owner, llvm::BasicBlock *done) {
        auto block = [&](const char *name) {
          return llvm::BasicBlock::Create(b.getContext(), name, done->getParent(), done);
        };
        auto *last = block("last");
        if (emitter.countsAtomically()) {
          // Only one thread can access an object with one reference, so no atomic instruction is needed.
          auto *shared = block("shared");
          llvm::LoadInst *count = b.CreateAlignedLoad(b.getInt64Ty(), owner, llvm::Align(8));
          count->setAtomic(llvm::AtomicOrdering::Acquire);
          b.CreateCondBr(b.CreateICmpEQ(count, b.getInt64(1)), last, shared);
          b.SetInsertPoint(shared);
        }
        llvm::Value *left = addToReferenceCount(b, owner, -1, emitter.countsAtomically());
        b.CreateCondBr(b.CreateICmpEQ(left, b.getInt64(0)), last, done);
        b.SetInsertPoint(last);
        auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
        b.CreateCall(module.getOrInsertFunction(simt::freeFunction, type), owner);
        b.CreateBr(done);
      });
}

namespace {

llvm::FunctionCallee declareAllocateFunction(llvm::Module &module) {
  llvm::LLVMContext &context = module.getContext();
  auto *type = llvm::FunctionType::get(
      llvm::PointerType::get(context, 0),
      {llvm::Type::getInt64Ty(context), llvm::Type::getInt1Ty(context)}, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction(simt::allocateFunction, type);
  auto *f = llvm::cast<llvm::Function>(callee.getCallee());
  f->addFnAttr(llvm::Attribute::NoUnwind);
  f->addRetAttr(llvm::Attribute::NoAlias);
  f->addRetAttr(llvm::Attribute::NonNull);
  f->addRetAttr(llvm::Attribute::getWithAlignment(context, llvm::Align(simt::ownerBytes)));
  f->addParamAttr(1, llvm::Attribute::ZExt);
  return callee;
}

} // namespace

llvm::Value *allocateMemory(Emitter &e, llvm::Value *bytes, bool zeroed) {
  return e.b.CreateCall(declareAllocateFunction(e.module().module()), {bytes, e.b.getInt1(zeroed)});
}

OwnerList Owners::ownersOf(Value &v) {
  if (!countOwners(v.type, *e_.function().rules))
    return {};
  auto known = known_.find(&v);
  return known != known_.end() ? known->second : known_[&v] = computeOwners(v);
}

bool iteratesItemsWithOwners(Type iterable) {
  if (iterable.isList() || iterable.isGenerator())
    return countHostOwners(iterable->element) > 0;
  return iterable.is(TypeKind::Iterator) &&
         llvm::any_of(iterable->elements, iteratesItemsWithOwners);
}

OwnerList Owners::elementOwners(Value &tuple, size_t i) {
  size_t first = 0;
  for (size_t k = 0; k < i; ++k)
    first += countHostOwners(tuple.type->elements[k]);
  OwnerList all = ownersOf(tuple);
  return OwnerList(llvm::ArrayRef(all).slice(first, countHostOwners(tuple.type->elements[i])));
}

OwnerList Owners::itemOwners(Type iterable, llvm::ArrayRef<llvm::Value *> parts,
                             llvm::ArrayRef<llvm::Value *> owners, llvm::Value *iteration) {
  if (iterable.isList() && countHostOwners(iterable->element))
    return listItem(e_, iterable, parts[0], iteration).owners();
  if (iterable.isGenerator())
    return yieldedValue(e_.b, iterable, parts[0]).owners();
  if (iterable.isTuple()) {
    size_t count = iterable->elements.size();
    Parts all(owners.begin(), owners.end());
    if (auto *constant = llvm::dyn_cast<llvm::ConstantInt>(iteration)) {
      size_t first = 0, i = constant->getZExtValue();
      for (size_t k = 0; k < i; ++k)
        first += countHostOwners(iterable->elements[k]);
      return OwnerList(owners.slice(first, countHostOwners(iterable->elements[i])));
    }
    Parts selected = selectElement(e_, all, count, iteration);
    return OwnerList(selected.begin(), selected.end());
  }
  if (!iterable.isComposite() || iteratesIndices(iterable))
    return countHostOwners(itemType(iterable, std::nullopt)) ? OwnerList(owners) : OwnerList();
  if (iterable->iterator == IteratorKind::Reversed && iterable->elements[0].isTuple()) {
    llvm::Value *last = e_.int64(int64_t(iterable->elements[0]->elements.size()) - 1);
    iteration = e_.b.CreateSub(last, iteration);
  }
  if (iterable->iterator == IteratorKind::Reversed && iterable->elements[0].isList())
    iteration = e_.b.CreateSub(e_.b.CreateSub(loadListSize(e_, parts[0]), e_.int64(1)), iteration);
  OwnerList out;
  size_t first = 0;
  parts = parts.drop_front(iterable->iterator == IteratorKind::Enumerate);
  for (Type element : iterable->elements) {
    size_t count = countHostOwners(element), size = partTypes(e_.b.getContext(), element).size();
    out.append(itemOwners(element, parts.take_front(size), owners.slice(first, count), iteration));
    first += count;
    parts = parts.drop_front(size);
  }
  return out;
}

OwnerList Owners::computeOwners(Value &v) {
  size_t count = countHostOwners(v.type);
  if (v.constant && v.constant->isFullyKnown())
    return OwnerList(count, nullOwner(e_.b));
  OwnerList all;
  bool isCall = v.opcode == Opcode::Call;
  for (size_t i = isCall; i < v.operands.size(); ++i)
    if (v.operands[i]->type)
      all.append(ownersOf(*v.operands[i]));
  Value *from = v.operands.empty() ? nullptr : v.operands[0];
  switch (v.opcode) {
  case Opcode::Index:
    if (from->type.isTuple() && v.type != from->type) {
      int64_t size = from->type->elements.size();
      Value &index = *v.operands[1];
      if (index.type == sliceType()) {
        OwnerList out;
        std::vector<size_t> selected = *positionsSelectedBySlice(index, size);
        for (size_t i : selected)
          out.append(elementOwners(*from, i));
        return out;
      }
      if (index.constant)
        return elementOwners(*from,
                             index.constant->integer + (index.constant->integer < 0 ? size : 0));
      llvm::Value *i = e_.wrapNegativeIndex(e_.scalar(index, int64Type()), e_.int64(size));
      return itemOwners(from->type, e_.parts(*from), ownersOf(*from), i);
    }
    break;
  case Opcode::Attribute:
    if (from->type.isTuple())
      return elementOwners(*from, findAttribute(from->type, v.name, *e_.function().rules).index);
    break;
  case Opcode::Unpack:
    if (from->type.isTuple() || from->type.is(TypeKind::Closure))
      return elementOwners(*from, v.index);
    if (from->type.is(TypeKind::Iterator) || from->type.isList())
      return itemOwners(from->type, e_.parts(*from), ownersOf(*from), e_.int64(v.index));
    break;
  case Opcode::Parallel: // arrays are reduced in place
    all.clear();
    for (size_t i = 0; i < v.type->elements.size(); ++i)
      all.append(ownersOf(*v.operands[i + 1]));
    break;
  case Opcode::IterValue:
    all = itemOwners(from->type, e_.parts(*from), ownersOf(*from), e_.parts(*v.operands[1])[0]);
    break;
  default:
    break;
  }
  if (all.size() == count)
    return all;
  return OwnerList(count, all.empty() ? nullOwner(e_.b) : all.front());
}

OwnerList Owners::convertedOwners(Value &v, Type to) {
  size_t count = countOwners(to, *e_.function().rules);
  OwnerList own = v.type ? ownersOf(v) : OwnerList();
  return own.size() == count ? own : OwnerList(count, nullOwner(e_.b));
}

llvm::AllocaInst *Owners::getOrCreateSlot(const Value &v, size_t i) {
  llvm::AllocaInst *&slot = slotOf_[{&v, i}];
  if (slot)
    return slot;
  auto last = last_.inBlock.find(v.block || !started_ ? &v : started_);
  if (last != last_.inBlock.end() && !free_.empty()) {
    slot = free_.back();
    free_.pop_back();
  } else {
    slot = slots_.emplace_back(e_.makeStackSlot(e_.b.getPtrTy(), 1, llvm::Align(8)));
    if (!e_.function().isGenerator) // a generator's slots start as zeros
      new llvm::StoreInst(nullOwner(e_.b), slot, std::next(slot->getIterator()));
  }
  if (last != last_.inBlock.end())
    ending_[last->second].push_back({&v, i});
  return slot;
}

void Owners::releaseSlots(llvm::AllocaInst *slot) {
  e_.b.CreateCall(getOrEmitReleaseFunction(e_.module()), e_.b.CreateLoad(e_.b.getPtrTy(), slot));
  e_.b.CreateStore(nullOwner(e_.b), slot);
}

void Owners::releaseSlots(llvm::ArrayRef<const Value *> values) {
  for (const Value *v : values)
    for (size_t i = 0; i < countHostOwners(v->type); ++i)
      if (auto known = slotOf_.find({v, i}); known != slotOf_.end())
        releaseSlots(known->second);
}

void Owners::takeOverReferences(const Value &v, OwnerList owners) {
  if (owners.empty())
    return;
  llvm::Function *release = getOrEmitReleaseFunction(e_.module());
  for (size_t i = 0; i < owners.size(); ++i) {
    llvm::AllocaInst *slot = getOrCreateSlot(v, i);
    e_.b.CreateCall(release, e_.b.CreateLoad(e_.b.getPtrTy(), slot));
    e_.b.CreateStore(owners[i], slot);
  }
  borrow(v, std::move(owners));
}

void Owners::retainOwnersOfPhis(llvm::ArrayRef<Value *> phis) {
  // Retain all before the first release, because one phi may take the previous value of another.
  for (Value *phi : phis)
    retain(ownersOf(*phi));
  for (Value *phi : phis)
    takeOverReferences(*phi, ownersOf(*phi));
}

void Owners::retainItem(Value &v) { retainUnlessBorrowed(v, ownersOf(v)); }

void Owners::retainUnlessBorrowed(const Value &v, OwnerList owners) {
  if (canBorrowArray(e_.function(), v))
    return borrow(v, std::move(owners));
  retain(owners);
  takeOverReferences(v, std::move(owners));
}

void Owners::retain(llvm::ArrayRef<llvm::Value *> owners) {
  for (llvm::Value *owner : owners)
    e_.b.CreateCall(getOrEmitRetainFunction(e_.module()), owner);
}

void Owners::release(llvm::ArrayRef<llvm::Value *> owners) {
  for (llvm::Value *owner : owners)
    e_.b.CreateCall(getOrEmitReleaseFunction(e_.module()), owner);
}

void Owners::releaseValuesDeadAfter(const Value &v) {
  started_ = nullptr;
  if (auto ending = ending_.find(&v); ending != ending_.end()) {
    for (const SlotKey &key : ending->second) {
      auto known = slotOf_.find(key);
      releaseSlots(known->second);
      free_.push_back(known->second);
      slotOf_.erase(known);
    }
    ending_.erase(ending);
  }
  if (auto ended = last_.after.find(&v); ended != last_.after.end())
    releaseSlots(ended->second);
}

void Owners::releaseValuesDeadAtHead(const Block &block) {
  if (auto ended = last_.atHead.find(&block); ended != last_.atHead.end())
    releaseSlots(ended->second);
}

void Owners::releaseSlotsAtReturns() {
  if (slots_.empty())
    return;
  llvm::Function *release = getOrEmitReleaseFunction(e_.module());
  for (llvm::BasicBlock &block : e_.llvmFunction()) {
    auto *end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
    if (!end)
      continue;
    llvm::IRBuilder<> b(end);
    for (llvm::AllocaInst *slot : slots_) {
      b.CreateCall(release, b.CreateLoad(b.getPtrTy(), slot));
      if (e_.function().isGenerator)
        b.CreateStore(nullOwner(b), slot);
    }
  }
}

Parts allocateArray(Emitter &e, const Value &v, llvm::ArrayRef<llvm::Value *> extents,
                    bool zeroed) {
  llvm::IRBuilder<> &b = e.b;
  Type element = v.type->element;
  llvm::Value *bytes = e.int64(element->bytes()), *wrong = b.getFalse(), *large = b.getFalse();
  Parts strides(extents.size());
  size_t rank = extents.size();
  bool firstIsFastest = v.type.isArray() && v.type->layout == Layout::F;
  for (size_t i = 0; i < rank; ++i) {
    size_t axis = firstIsFastest ? i : rank - 1 - i;
    strides[axis] = bytes;
    wrong = b.CreateOr(wrong, b.CreateICmpSLT(extents[axis], e.int64(0)));
    llvm::Value *product =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smul_with_overflow, bytes, extents[axis]);
    bytes = b.CreateExtractValue(product, 0);
    large = b.CreateOr(large, b.CreateExtractValue(product, 1));
  }
  e.trapIf(wrong, v.span, "ValueError", "negative dimensions are not allowed");
  e.trapIf(large, v.span, "MemoryError", "an array of this shape is larger than any memory");
  llvm::Value *owner = allocateMemory(e, bytes, zeroed);
  llvm::Value *memory = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), owner, simt::ownerBytes);
  e.owners().takeOverReferences(v, {owner});
  Parts out{b.CreateAddrSpaceCast(memory, b.getPtrTy(v.type->space))};
  out.append(extents.begin(), extents.end());
  out.append(strides.begin(), strides.end());
  return out;
}

} // namespace heddle::python
