#include "simt_interpreter/memory.h"

#include "simt/ir/ops.h"

#include "llvm/IR/DerivedTypes.h"

#include <algorithm>
#include <cstring>

namespace heddle::interpreter {

using namespace llvm;

namespace {

constexpr uint64_t spacing = uint64_t(1) << 20;
/// Offset of a region's first allocation, so that negative indices stay in the region.
constexpr uint64_t firstOffset = uint64_t(1) << 31;

const char *nameOfSpace(unsigned space) {
  const char *names[] = {"generic", "global", "generic", "shared", "constant", "local"};
  return space < 6 ? names[space] : "unknown";
}

/// Visits the elements of an aggregate with their types and offsets.
template <class Visit>
void forEachElement(const Type *type, const DataLayout &layout, Visit visit) {
  if (auto *structure = dyn_cast<StructType>(type)) {
    const StructLayout *offsets = layout.getStructLayout(const_cast<StructType *>(structure));
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      visit(structure->getElementType(i), offsets->getElementOffset(i).getFixedValue());
    return;
  }
  auto *array = cast<ArrayType>(type);
  uint64_t stride = layout.getTypeAllocSize(array->getElementType());
  for (uint64_t i = 0; i < array->getNumElements(); ++i)
    visit(array->getElementType(), i * stride);
}

} // namespace

size_t countScalars(const Type *type) {
  if (auto *structure = dyn_cast<StructType>(type)) {
    size_t count = 0;
    for (Type *element : structure->elements())
      count += countScalars(element);
    return count;
  }
  if (auto *array = dyn_cast<ArrayType>(type))
    return array->getNumElements() * countScalars(array->getElementType());
  return 1;
}

uint32_t Memory::addRegion(unsigned space, uint64_t owner) {
  regions_.push_back({space, owner, {}});
  return uint32_t(regions_.size() - 1);
}

uint64_t Memory::allocate(uint32_t region, uint64_t bytes) {
  std::vector<Allocation> &allocations = regions_[region].allocations;
  uint64_t offset = firstOffset;
  if (!allocations.empty()) {
    const Allocation &last = allocations.back();
    offset = (last.offset + last.bytes.size() + 2 * spacing - 1) / spacing * spacing;
  }
  if (offset + bytes + spacing > UINT32_MAX)
    throw Failure{FailureKind::Unsupported, "more memory than the interpreter has addresses for"};
  Allocation made{offset, std::vector<uint8_t>(bytes)};
  for (uint8_t &byte : made.bytes)
    byte = uint8_t(random_());
  allocations.push_back(std::move(made));
  return uint64_t(region) << 32 | offset;
}

void Memory::freeNewestUntil(uint32_t region, size_t count) {
  regions_[region].allocations.resize(count);
}

Memory::Allocation *Memory::findAllocation(uint64_t address) {
  uint64_t region = address >> 32, offset = address & UINT32_MAX;
  if (region >= regions_.size())
    return nullptr;
  std::vector<Allocation> &allocations = regions_[region].allocations;
  auto after = std::upper_bound(allocations.begin(), allocations.end(), offset,
                                [](uint64_t at, const Allocation &a) { return at < a.offset; });
  return after == allocations.begin() ? nullptr : &*std::prev(after);
}

std::vector<uint8_t> &Memory::allocationBytesAt(uint64_t address) {
  return findAllocation(address)->bytes;
}

uint8_t *Memory::checkedBytes(uint64_t address, uint64_t bytes, const Access &access, bool writes) {
  const char *action = writes ? "write" : "read";
  Allocation *allocation = findAllocation(address);
  uint64_t at = allocation ? (address & UINT32_MAX) - allocation->offset : 0;
  if (!allocation || at > allocation->bytes.size() || bytes > allocation->bytes.size() - at) {
    std::string where = "an address outside of every allocation";
    if (allocation)
      where = "byte " + std::to_string(at) + " of " + std::to_string(allocation->bytes.size());
    throw Failure{FailureKind::Bounds,
                  std::string(action) + " of " + std::to_string(bytes) + " bytes at " + where};
  }
  checkSpace(regions_[address >> 32], access, writes);
  if (address % access.alignment)
    throw Failure{FailureKind::Misaligned, std::string(action) + " at byte " + std::to_string(at) +
                                               ", not a multiple of " +
                                               std::to_string(access.alignment)};
  return allocation->bytes.data() + at;
}

void Memory::checkSpace(const Region &region, const Access &access, bool writes) const {
  if (access.pointerSpace != simt::Generic && access.pointerSpace != region.space)
    throw Failure{FailureKind::Space, std::string("a pointer to ") +
                                          nameOfSpace(access.pointerSpace) + " memory reaches " +
                                          nameOfSpace(region.space) + " memory"};
  bool foreign = (region.space == simt::Shared && region.owner != access.block) ||
                 (region.space == simt::Local && region.owner != access.thread);
  if (foreign)
    throw Failure{FailureKind::Space, std::string("an access to the ") + nameOfSpace(region.space) +
                                          " memory of another " +
                                          (region.space == simt::Shared ? "block" : "thread")};
  if (writes && region.space == simt::Constant)
    throw Failure{FailureKind::ReadOnly, "a write to constant memory"};
}

Datum Memory::load(Type *type, uint64_t address, const Access &access) {
  Datum value;
  readScalars(type, this->checkedBytes(address, layout_.getTypeStoreSize(type), access, false),
              value);
  return value;
}

void Memory::store(const Type *type, const Datum &value, uint64_t address, const Access &access) {
  ArrayRef<APInt> scalars = value;
  uint64_t bytes = layout_.getTypeStoreSize(const_cast<Type *>(type));
  writeScalars(type, scalars, this->checkedBytes(address, bytes, access, true));
}

void Memory::initialize(const Type *type, const Datum &value, uint64_t address) {
  ArrayRef<APInt> scalars = value;
  writeScalars(type, scalars, allocationBytesAt(address).data());
}

void Memory::readScalars(Type *type, const uint8_t *from, Datum &into) const {
  if (type->isAggregateType())
    return forEachElement(type, layout_, [&](Type *element, uint64_t offset) {
      readScalars(element, from + offset, into);
    });
  uint64_t words[2] = {0, 0};
  std::memcpy(words, from, layout_.getTypeStoreSize(type));
  into.push_back(APInt(unsigned(layout_.getTypeSizeInBits(type)), words));
}

void Memory::writeScalars(const Type *type, ArrayRef<APInt> &scalars, uint8_t *to) const {
  if (type->isAggregateType())
    return forEachElement(type, layout_, [&](Type *element, uint64_t offset) {
      writeScalars(element, scalars, to + offset);
    });
  APInt wide = scalars.front().zext(128);
  std::memcpy(to, wide.getRawData(), layout_.getTypeStoreSize(const_cast<Type *>(type)));
  scalars = scalars.drop_front();
}

} // namespace heddle::interpreter
