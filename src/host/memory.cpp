#include "host/memory.h"

#include "backend/cpu/abi/block_context.h"
#include "host/large_blocks.h"
#include "host/parallel_loops.h"
#include "simt/ir/host_memory.h"

#include "llvm/ADT/ArrayRef.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

namespace heddle::host {

namespace {

std::atomic<int64_t> liveOfEndedThreads{0};

/// The number of live arrays, per thread: one atomic counter would cost as much as an allocation.
class LiveCount {
public:
  LiveCount() {
    std::lock_guard lock(mutex);
    next_ = first;
    first = this;
  }
  ~LiveCount() {
    std::lock_guard lock(mutex);
    LiveCount **place = &first;
    while (*place != this)
      place = &(*place)->next_;
    *place = next_;
    liveOfEndedThreads += count_;
  }
  void add(int64_t n) {
    count_.store(count_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  static int64_t sumOverThreads() {
    std::lock_guard lock(mutex);
    int64_t sum = liveOfEndedThreads;
    for (LiveCount *one = first; one; one = one->next_)
      sum += one->count_;
    return sum;
  }

private:
  static inline std::mutex mutex;
  static inline LiveCount *first = nullptr;
  std::atomic<int64_t> count_{0}; ///< written only by its thread
  LiveCount *next_;
};
thread_local LiveCount live;

void (*releaseObject)(void *object) = nullptr;

static_assert(sizeof(Owner) <= simt::ownerBytes && offsetof(Owner, references) == 0);
static_assert(offsetof(Owner, elements) == simt::listElements &&
              offsetof(Owner, size) == simt::listSize && offsetof(Owner, bytes) == simt::listBytes);

/// Padding after arrays. numba also pads arrays, and some programs write a few elements past the end unchecked.
constexpr uint64_t arrayPadding = 64;

/// The initial location of a list's elements.
char *initialElements(Owner &list) { return reinterpret_cast<char *>(&list + 1); }

/// The owners of element `i` of a list.
llvm::ArrayRef<Owner *> ownersOf(const Owner &list, int64_t i) {
  auto *slots = reinterpret_cast<Owner **>(list.elements) + (i + 1) * list.slots;
  return {slots - list.owners, size_t(list.owners)};
}

Owner *initializeOwner(void *allocation) {
  auto address = reinterpret_cast<uintptr_t>(allocation);
  address = (address + simt::ownerBytes - 1) / simt::ownerBytes * simt::ownerBytes;
  return new (reinterpret_cast<void *>(address)) Owner{1, nullptr, nullptr, allocation};
}

} // namespace

static_assert(offsetof(GeneratorFrame, release) == 8 * simt::ReleaseSlot &&
              offsetof(GeneratorFrame, yielded) == 8 * simt::YieldedSlot);

GeneratorFrame &frameOfGenerator(Owner &generator) {
  return *reinterpret_cast<GeneratorFrame *>(reinterpret_cast<char *>(&generator) +
                                             simt::ownerBytes);
}

int64_t liveObjectCount() { return LiveCount::sumOverThreads(); }

void setObjectReleaser(void (*release)(void *object)) { releaseObject = release; }

void Owner::retain() { __atomic_add_fetch(&references, 1, __ATOMIC_ACQ_REL); }

bool Owner::releaseReference() {
  // With a single reference no other thread can change the count, so no locked instruction is needed.
  return __atomic_load_n(&references, __ATOMIC_ACQUIRE) == 1 ||
         __atomic_sub_fetch(&references, 1, __ATOMIC_ACQ_REL) == 0;
}

void Owner::release() {
  if (releaseReference())
    CallMemory::freeWithHeldOwners(this);
}

void Owner::retainElement(int64_t i) {
  for (Owner *held : ownersOf(*this, i))
    if (held)
      held->retain();
}

bool Owner::grow(uint64_t needed) {
  uint64_t more = std::max(needed, std::max<uint64_t>(64, uint64_t(bytes) + uint64_t(bytes) / 2));
  bool isBehind = elements == initialElements(*this);
  auto *moved = static_cast<char *>(std::realloc(isBehind ? nullptr : elements, more));
  if (!moved)
    return false;
  if (isBehind)
    std::memcpy(moved, elements, size_t(bytes));
  elements = moved;
  bytes = int64_t(more);
  return true;
}

Owner *CallMemory::allocateList(uint64_t bytes, int32_t slots, int32_t owners) {
  void *allocation = std::malloc(sizeof(Owner) + bytes);
  if (!allocation)
    return nullptr;
  auto *list = new (allocation) Owner{1, nullptr, nullptr, allocation};
  list->elements = initialElements(*list);
  list->bytes = int64_t(bytes);
  list->slots = slots;
  list->owners = owners;
  return addToListOfOwners(list);
}

Owner *CallMemory::allocate(uint64_t bytes, bool zeroed) {
  uint64_t all = bytes + 2 * simt::ownerBytes + arrayPadding;
  MemoryBlock block = all < bytes ? MemoryBlock{} : allocateBlock(all, zeroed);
  if (!block.memory)
    return nullptr;
  Owner *owner = initializeOwner(block.memory);
  owner->bytes = int64_t(block.bytes);
  return addToListOfOwners(owner);
}

Owner *CallMemory::addToListOfOwners(Owner *owner) {
  owner->next = &made_;
  owner->previous = made_.previous;
  owner->previous->next = made_.previous = owner;
  live.add(1);
  return owner;
}

Owner *CallMemory::makeOwnerOfPythonObject(void *object) {
  Owner *owner = allocate(0, false);
  if (!owner)
    return nullptr;
  owner->references = 0;
  owner->elements = static_cast<char *>(object);
  owner->slots = Owner::isObject;
  return owner;
}

Owner *CallMemory::allocateGenerator(uint64_t bytes) {
  Owner *owner = allocate(bytes, /*zeroed=*/true);
  if (owner)
    owner->slots = Owner::isGenerator;
  return owner;
}

void CallMemory::freeWithHeldOwners(Owner *last) {
  // Iterative, because a chain of owners may exceed the stack: pending owners are linked through their count fields.
  last->references = 0;
  while (Owner *owner = last) {
    last = reinterpret_cast<Owner *>(owner->references);
    if (owner->slots == Owner::isGenerator) {
      cpu::BlockContext none{}; // release functions do not use the context
      frameOfGenerator(*owner).release(&none, owner);
    }
    for (int64_t i = 0; owner->owners && i < owner->size; ++i)
      for (Owner *held : ownersOf(*owner, i))
        if (held && held->releaseReference()) {
          held->references = reinterpret_cast<int64_t>(last);
          last = held;
        }
    freeOwner(owner);
  }
}

void CallMemory::freeOwner(Owner *owner) {
  if (owner->next) {
    // Threads of a loop may free memory that the enclosing call allocated.
    static std::mutex mutex;
    std::unique_lock lock(mutex, std::defer_lock);
    if (isInParallelLoop())
      lock.lock();
    owner->previous->next = owner->next;
    owner->next->previous = owner->previous;
  }
  if (owner->slots == Owner::isObject)
    releaseObject(owner->elements);
  else if (owner->elements != initialElements(*owner))
    std::free(owner->elements);
  bool isArray = !owner->elements && !owner->slots;
  freeBlock({owner->allocation, isArray ? uint64_t(owner->bytes) : 0});
  live.add(-1);
}

void CallMemory::freeAll() {
  while (made_.next != &made_)
    freeOwner(made_.next);
}

void CallMemory::takeOver(CallMemory &other) {
  if (other.made_.next == &other.made_)
    return;
  Owner *first = other.made_.next, *last = other.made_.previous;
  first->previous = made_.previous;
  first->previous->next = first;
  last->next = &made_;
  made_.previous = last;
  other.made_.next = other.made_.previous = &other.made_;
}

void CallMemory::leaveMemoryToProgram() {
  for (Owner *owner = made_.next; owner != &made_;) {
    Owner *next = owner->next;
    owner->next = owner->previous = nullptr;
    owner = next;
  }
}

} // namespace heddle::host
