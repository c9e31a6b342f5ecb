#include "backend/cpu/vectorize/lanes/strides.h"

#include "backend/cpu/vectorize/can_widen.h"
#include "simt/thresholds.h"

#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"

#include <numeric>

namespace heddle::cpu {

using namespace llvm;

namespace {

bool mayNotReturn(const Instruction &i) {
  const auto *call = dyn_cast<CallInst>(&i);
  return call && !isAnnotationCall(*call) && call->mayHaveSideEffects();
}

int64_t allocSizeOf(Type &type, const DataLayout &layout) {
  return int64_t(layout.getTypeAllocSize(&type).getFixedValue());
}

void copyScopeMetadata(Instruction &to, const Instruction &from) {
  to.copyMetadata(from, {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias});
}

/// A shared memory address: the variable, or dynamic shared memory, and the index from its start.
struct SharedAddress {
  Value *start;
  GEPOperator *index; ///< null: the start itself
};

std::optional<SharedAddress> matchSharedMemoryAddress(Value &base) {
  if (base.getType()->getPointerAddressSpace() != simt::Shared)
    return std::nullopt;
  auto *index = dyn_cast<GEPOperator>(&base);
  Value *start = index && index->getNumIndices() == 1 ? index->getPointerOperand() : &base;
  if (!isa<GlobalVariable>(start) && simt::calledOp(start) != simt::Op::DynamicShared)
    return std::nullopt;
  return SharedAddress{start, start == &base ? nullptr : index};
}

/// 0, 1, 2...
SmallVector<int, 32> identityShuffle(unsigned width) {
  SmallVector<int, 32> lanes(width);
  std::iota(lanes.begin(), lanes.end(), 0);
  return lanes;
}

} // namespace

bool isStridedNotContiguous(LaneShape address, Type &type, const DataLayout &layout) {
  if (layout.getTypeStoreSize(&type) != layout.getTypeAllocSize(&type))
    return false;
  return address.hasRuntimeStride() ||
         (address.isStrided() && address.stride != allocSizeOf(type, layout));
}

LaneStrides::LaneStrides(Function &f, const LaneShapes &shapes, LaneValues &values, unsigned width,
                         AAResults &aliases)
    : layout(f.getDataLayout()), shapes(shapes), values(values), width(width) {
  for (BasicBlock &block : f)
    groupAccessesIntoRows(block, aliases);
}

void LaneStrides::groupAccessesIntoRows(BasicBlock &block, AAResults &aliases) {
  size_t from = rows_.size();
  for (Instruction &i : block) {
    if (mayNotReturn(i)) // the code after it may not run
      for (size_t n = from; n < rows_.size(); ++n)
        rows_[n].isClosed = true;
    Value *pointer = getLoadStorePointerOperand(&i);
    if (!pointer ||
        !isStridedNotContiguous(shapes.shapeOf(*pointer), *getLoadStoreType(&i), layout))
      continue;
    Row access = makeRowOfAccess(i);
    auto known = find_if(drop_begin(rows_, from),
                         [&](Row &row) { return canJoinRow(row, access, aliases); });
    if (known == rows_.end()) {
      rows_.push_back(std::move(access));
      rowOf_[&i] = &rows_.back();
      continue;
    }
    known->first = std::min(known->first, access.first);
    known->last = std::max(known->last, access.last);
    known->alignment = std::min(known->alignment, access.alignment);
    known->members.push_back(access.members.front());
    rowOf_[&i] = &*known;
  }
  for (size_t n = from; n < rows_.size(); ++n)
    chooseAccessStrategy(rows_[n], aliases);
}

LaneStrides::Row LaneStrides::makeRowOfAccess(Instruction &access) const {
  Value *pointer = getLoadStorePointerOperand(&access);
  APInt offset(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  Value *base =
      pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
  int64_t first = offset.getSExtValue();
  if (base->getType() != pointer->getType()) { // in another address space
    base = pointer;
    first = 0;
  }
  Type *type = getLoadStoreType(&access);
  int64_t size = allocSizeOf(*type, layout), stride = shapes.shapeOf(*base).stride;
  bool near =
      stride % size == 0 && std::abs(stride) <= int64_t(thresholds::maxElementsPerLane) * size;
  return {.base = base,
          .type = type,
          .size = size,
          .spacing = near ? stride / size : 0,
          .loads = isa<LoadInst>(access),
          .alignment = std::min(getLoadStoreAlignment(&access), Align(uint64_t(size))),
          .first = first,
          .last = first,
          .members = {{&access, first}}};
}

bool LaneStrides::canJoinRow(Row &row, const Row &one, AAResults &aliases) const {
  if (row.isClosed || row.base != one.base || row.type != one.type || row.loads != one.loads ||
      (one.first - row.first) % row.size)
    return false;
  int64_t elements = (std::max(row.last, one.last) - std::min(row.first, one.first)) / row.size + 1;
  int64_t maxElements =
      row.spacing ? std::abs(row.spacing) : std::min(thresholds::maxElementsPerLane, width);
  bool isRepeated = any_of(row.members, [&](const Member &m) { return m.offset == one.first; });
  Instruction *access = one.members.front().access;
  if (row.loads) // all members load at the first one, so no store may intervene
    for (Instruction *i = row.members.front().access; i != access; i = i->getNextNode())
      if (i->mayWriteToMemory() && isModSet(aliases.getModRefInfo(i, MemoryLocation::get(access))))
        row.isClosed = true;
  row.isClosed |= isRepeated && !row.loads;
  return !row.isClosed && elements <= maxElements;
}

/// The memory accesses that happen at `i` once loads of a row are combined at their first member.
SmallVector<Instruction *, 4> LaneStrides::accessesEmittedAt(Instruction &i) const {
  Row *row = rowOf_.lookup(&i);
  if (!row || !row->loads || row->members.front().access != &i)
    return {&i};
  SmallVector<Instruction *, 4> loads;
  for (const Member &member : row->members)
    loads.push_back(member.access);
  return loads;
}

/// Returns true if all stores of a row can be delayed until the last one: no element is accessed in between.
bool LaneStrides::canDelayStores(const Row &row, AAResults &aliases) const {
  Instruction *last = row.members.back().access;
  SmallVector<Instruction *, 4> waiting;
  for (Instruction *i = row.members.front().access; i != last; i = i->getNextNode()) {
    if (any_of(row.members, [&](const Member &m) { return m.access == i; })) {
      waiting.push_back(i);
      continue;
    }
    if (!i->mayReadOrWriteMemory())
      continue;
    for (Instruction *access : accessesEmittedAt(*i))
      for (Instruction *store : waiting)
        if (isModOrRefSet(aliases.getModRefInfo(access, MemoryLocation::get(store))))
          return false;
  }
  return true;
}

/// Returns true if the bytes from the row's base to its first element belong to the same shared memory variable, at an
/// index of at least 0.
bool LaneStrides::canStartAtBase(const Row &row) const {
  if (row.first <= 0 || row.last >= row.spacing * row.size || row.first % row.size)
    return false;
  std::optional<SharedAddress> address = matchSharedMemoryAddress(*row.base);
  return address && (!address->index || isKnownNonNegative(address->index->getOperand(1), layout));
}

/// Returns true if all elements between the lanes, and those past the last lane's, belong to the same variable. The
/// size of a shared memory variable and the index must be multiples of the lane distance; dynamic shared memory is
/// padded.
bool LaneStrides::canAccessWholeRows(const Row &row) const {
  std::optional<SharedAddress> address =
      row.first == 0 && row.spacing > 0 ? matchSharedMemoryAddress(*row.base) : std::nullopt;
  if (!address)
    return false;
  uint64_t bytes = uint64_t(row.spacing * row.size);
  auto *variable = dyn_cast<GlobalVariable>(address->start);
  if (variable && layout.getTypeAllocSize(variable->getValueType()) % bytes)
    return false;
  if (!address->index)
    return true;
  uint64_t scale = layout.getTypeAllocSize(address->index->getSourceElementType());
  unsigned zeros = computeKnownBits(address->index->getOperand(1), layout).countMinTrailingZeros();
  return isPowerOf2_64(bytes) && unsigned(countr_zero(scale)) + zeros >= Log2_64(bytes);
}

void LaneStrides::chooseAccessStrategy(Row &row, AAResults &aliases) const {
  size_t between = size_t(std::abs(row.spacing));
  if (canStartAtBase(row)) // align the vectors of all rows
    row.first = 0;
  row.hasWholeRows = canAccessWholeRows(row);
  if (row.loads) {
    row.isPerLane = !between || between > thresholds::maxVectorsPerAccess * row.members.size();
    return;
  }
  bool isWhole = row.members.size() == row.elements(),
       hasGaps = !isWhole || between != row.elements();
  row.writesBack = hasGaps && canWriteBackUnchangedElements(row);
  row.isStoredTogether = (isWhole || row.writesBack) && canDelayStores(row, aliases);
  row.isPerLane = !row.isStoredTogether || (hasGaps && !row.writesBack);
}

/// Only for shared memory, which other OS threads do not write.
bool LaneStrides::canWriteBackUnchangedElements(const Row &row) const {
  return row.spacing && row.base->getType()->getPointerAddressSpace() == simt::Shared &&
         size_t(std::abs(row.spacing)) <= thresholds::maxVectorsPerAccess * row.members.size();
}

unsigned LaneStrides::elementIndexOf(const Row &row, const Instruction &access) const {
  auto found = find_if(row.members, [&](const Member &m) { return m.access == &access; });
  return unsigned((found->offset - row.first) / row.size);
}

unsigned LaneStrides::elementsPerLane(const Row &row) const {
  return row.isPerLane ? unsigned(PowerOf2Ceil(row.elements())) : unsigned(std::abs(row.spacing));
}

unsigned LaneStrides::elementPositionInRow(const Row &row, unsigned lane, unsigned element) const {
  bool down = !row.isPerLane && row.spacing < 0;
  return (down ? width - 1 - lane : lane) * elementsPerLane(row) + element;
}

unsigned LaneStrides::startElementOfVector(const Row &row, unsigned vector) const {
  if (row.isPerLane)
    return vector * width;
  return std::min(vector * width, countAccessedElements(row) - width);
}

unsigned LaneStrides::countAccessedElements(const Row &row) const {
  if (row.hasWholeRows)
    return width * elementsPerLane(row);
  return (width - 1) * elementsPerLane(row) + row.elements();
}

unsigned LaneStrides::countVectors(const Row &row) const {
  return unsigned(divideCeil(countAccessedElements(row), width));
}

Value *LaneStrides::emitElementAddress(IRBuilderBase &b, const Row &row, unsigned position) const {
  int64_t toFirst = row.spacing < 0 ? row.spacing * int64_t(width - 1) * row.size : 0;
  return b.CreatePtrAdd(row.base,
                        b.getInt64(uint64_t(row.first + toFirst + int64_t(position) * row.size)));
}

SmallVector<Value *, 32> LaneStrides::emitLaneAddresses(IRBuilderBase &b, const Row &row) {
  Value *stride = emitStride(b, *row.base);
  SmallVector<Value *, 32> lanes{b.CreatePtrAdd(row.base, b.getInt64(uint64_t(row.first)))};
  while (lanes.size() < width)
    lanes.push_back(b.CreatePtrAdd(lanes.back(), stride));
  return lanes;
}

Value *LaneStrides::emitStride(IRBuilderBase &b, Value &v) {
  LaneShape shape = shapes.shapeOf(v);
  Type *type = v.getType()->isPointerTy() ? b.getInt64Ty() : v.getType();
  if (!shape.hasRuntimeStride())
    return ConstantInt::get(type, uint64_t(shape.stride), /*IsSigned=*/true,
                            /*ImplicitTrunc=*/true);
  auto &i = cast<Instruction>(v);
  if (std::optional<simt::Terms> terms = shapes.termsOf(i)) {
    Value *sum = nullptr;
    for (const simt::Term &term : *terms) {
      if (shapes.shapeOf(*term.value).isUniform())
        continue;
      Value *stride = b.CreateSExtOrTrunc(emitStride(b, *term.value), type);
      if (term.variableFactor || term.factor != 1)
        stride =
            b.CreateMul(stride, term.variableFactor ? term.variableFactor
                                                    : ConstantInt::getSigned(type, term.factor));
      sum = sum ? b.CreateAdd(sum, stride) : stride;
    }
    return sum;
  }
  switch (i.getOpcode()) {
  case Instruction::Shl:
    return b.CreateShl(emitStride(b, *i.getOperand(0)), i.getOperand(1));
  case Instruction::ZExt:
  case Instruction::SExt: {
    auto opcode = cast<CastInst>(i).getOpcode();
    Value *next = b.CreateAdd(i.getOperand(0), emitStride(b, *i.getOperand(0)));
    return b.CreateSub(b.CreateCast(opcode, next, type),
                       b.CreateCast(opcode, i.getOperand(0), type));
  }
  default: {
    Value *next = b.CreateExtractElement(values.vector(&v), uint64_t(1));
    if (!v.getType()->isPointerTy())
      return b.CreateSub(next, &v);
    return b.CreateSub(b.CreatePtrToInt(next, type), b.CreatePtrToInt(&v, type));
  }
  }
}

Value *LaneStrides::widenStridedLoad(IRBuilderBase &b, LoadInst &load) {
  Row *row = rowOf_.lookup(&load);
  if (!row)
    return nullptr;
  if (row->vectors.empty())
    row->isPerLane ? loadPerLane(b, *row, load) : loadVectors(b, *row, load);
  return extractElements(b, *row, elementIndexOf(*row, load));
}

void LaneStrides::loadVectors(IRBuilderBase &b, Row &row, const LoadInst &load) const {
  for (unsigned n = 0; n < countVectors(row); ++n) {
    LoadInst *made = b.CreateAlignedLoad(FixedVectorType::get(row.type, width),
                                         emitElementAddress(b, row, startElementOfVector(row, n)),
                                         row.alignment);
    copyScopeMetadata(*made, load);
    row.vectors.push_back(made);
  }
}

void LaneStrides::loadPerLane(IRBuilderBase &b, Row &row, const LoadInst &load) {
  unsigned elements = row.elements(), padded = elementsPerLane(row);
  Type *type = elements == 1 ? row.type : FixedVectorType::get(row.type, elements);
  Value *singleVector = PoisonValue::get(FixedVectorType::get(row.type, width));
  SmallVector<Value *, 32> pieces;
  for (auto [lane, address] : enumerate(emitLaneAddresses(b, row))) {
    LoadInst *made = b.CreateAlignedLoad(type, address, row.alignment);
    copyScopeMetadata(*made, load);
    if (elements == 1) {
      singleVector = b.CreateInsertElement(singleVector, made, lane);
      continue;
    }
    SmallVector<int, 32> from = identityShuffle(padded);
    std::fill(from.begin() + elements, from.end(), PoisonMaskElem);
    pieces.push_back(b.CreateShuffleVector(made, from));
  }
  if (elements == 1)
    pieces.push_back(singleVector);
  for (unsigned length = padded; elements > 1 && length < width; length *= 2) {
    SmallVector<Value *, 32> longer;
    for (size_t n = 0; n < pieces.size(); n += 2)
      longer.push_back(
          b.CreateShuffleVector(pieces[n], pieces[n + 1], identityShuffle(2 * length)));
    pieces = std::move(longer);
  }
  row.vectors.assign(pieces.begin(), pieces.end());
}

Value *LaneStrides::extractElements(IRBuilderBase &b, const Row &row, unsigned element) const {
  Value *picked = nullptr;
  unsigned last = unsigned(row.vectors.size()) - 1;
  for (unsigned n = 0; n <= last; ++n) {
    SmallVector<int, 32> from =
        picked ? identityShuffle(width) : SmallVector<int, 32>(width, PoisonMaskElem);
    bool any = false;
    for (unsigned lane = 0; lane < width; ++lane)
      if (unsigned at = elementPositionInRow(row, lane, element); std::min(at / width, last) == n) {
        from[lane] = int(at - startElementOfVector(row, n) + (picked ? width : 0));
        any = true;
      }
    if (any)
      picked = picked ? b.CreateShuffleVector(picked, row.vectors[n], from)
                      : b.CreateShuffleVector(row.vectors[n], from);
  }
  return picked;
}

bool LaneStrides::widenStridedStore(IRBuilderBase &b, StoreInst &store, Value &lanes) {
  Row *row = rowOf_.lookup(&store);
  if (!row)
    return false;
  if (!row->isStoredTogether) {
    Row alone = makeRowOfAccess(store);
    alone.writesBack = canWriteBackUnchangedElements(alone);
    alone.hasWholeRows = canAccessWholeRows(alone);
    alone.isPerLane = !alone.writesBack;
    alone.vectors = {&lanes};
    alone.isPerLane ? storePerLane(b, alone) : storeVectors(b, alone);
    return true;
  }
  row->vectors.resize(row->elements());
  row->vectors[elementIndexOf(*row, store)] = &lanes;
  if (row->members.back().access == &store)
    row->isPerLane ? storePerLane(b, *row) : storeVectors(b, *row);
  return true;
}

Value *LaneStrides::interleaveElements(IRBuilderBase &b, const Row &row, unsigned start,
                                       Value *between) const {
  Value *made = between;
  for (auto [element, lanes] : enumerate(row.vectors)) {
    if (!lanes)
      continue;
    SmallVector<int, 32> from =
        made ? identityShuffle(width) : SmallVector<int, 32>(width, PoisonMaskElem);
    for (unsigned lane = 0; lane < width; ++lane)
      if (unsigned at = elementPositionInRow(row, lane, unsigned(element));
          at >= start && at < start + width)
        from[at - start] = int(lane + (made ? width : 0));
    made = made ? b.CreateShuffleVector(made, lanes, from) : b.CreateShuffleVector(lanes, from);
  }
  return made;
}

void LaneStrides::storeVectors(IRBuilderBase &b, const Row &row) const {
  Instruction &access = *row.members.back().access;
  Type *type = FixedVectorType::get(row.type, width);
  for (unsigned n = 0; n < countVectors(row); ++n) {
    unsigned start = startElementOfVector(row, n);
    Value *pointer = emitElementAddress(b, row, start), *between = nullptr;
    if (row.writesBack) {
      LoadInst *before = b.CreateAlignedLoad(type, pointer, row.alignment);
      copyScopeMetadata(*before, access);
      between = before;
    }
    Value *vector = interleaveElements(b, row, start, between);
    StoreInst *store = b.CreateAlignedStore(vector, pointer, row.alignment);
    copyScopeMetadata(*store, access);
  }
}

void LaneStrides::storePerLane(IRBuilderBase &b, const Row &row) {
  unsigned elements = row.elements(), padded = elementsPerLane(row);
  SmallVector<Value *, 8> vectors;
  for (unsigned n = 0; elements > 1 && n < padded; ++n)
    vectors.push_back(interleaveElements(b, row, n * width));
  auto keep = [&](StoreInst *made) { copyScopeMetadata(*made, *row.members.back().access); };
  for (auto [lane, address] : enumerate(emitLaneAddresses(b, row))) {
    if (elements == 1) {
      keep(b.CreateAlignedStore(b.CreateExtractElement(row.vectors.front(), lane), address,
                                row.alignment));
      continue;
    }
    // A lane's elements span several vectors if it has more elements than the group has lanes.
    for (unsigned first = 0; first < elements; first += width) {
      unsigned at = unsigned(lane) * padded + first;
      SmallVector<int, 32> from = identityShuffle(std::min(width, elements - first));
      for (int &index : from)
        index += int(at % width);
      Value *piece = b.CreateShuffleVector(vectors[at / width], from);
      Value *pointer = b.CreateConstGEP1_64(row.type, address, first);
      keep(b.CreateAlignedStore(piece, pointer, row.alignment));
    }
  }
}

} // namespace heddle::cpu
