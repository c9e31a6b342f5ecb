// Memory that host functions allocate for arrays.
#pragma once

#include <cstdint>

namespace heddle::cpu {
struct BlockContext;
}

namespace heddle::host {

/// The header of an object's memory (an array, list, generator, ...), with a reference count. Compiled code accesses
/// only `references`; the runtime owns the other fields.
struct Owner {
  int64_t references;
  Owner *next; ///< ring of the call's allocations; null after the call has returned
  Owner *previous;
  void *allocation;
  // Of a list:
  char *elements = nullptr; ///< in 8-byte slots; after the header until the list grows
  int64_t size = 0;
  int64_t bytes = 0; ///< capacity of a list; for an array, size of the allocation
  int32_t slots = 0; ///< slots per element; the last `owners` of them hold references
  int32_t owners = 0;

  /// Value of `slots` if `elements` is a Python object that owns the memory.
  static constexpr int32_t isObject = -1;
  /// Value of `slots` in the header of a generator.
  static constexpr int32_t isGenerator = -2;

  /// Adds a reference. Thread-safe.
  void retain();
  /// Adds a reference to each owner of element `i`.
  void retainElement(int64_t i);

  /// Releases a reference that the program holds, and frees the memory if it was the last one.
  void release();
  /// Releases a reference without freeing the memory. Returns true if it was the last one.
  bool releaseReference();
  /// Grows a list to a capacity of at least `needed` bytes. Returns false if memory is exhausted.
  bool grow(uint64_t needed);
};

/// The frame that follows the header of a generator.
struct GeneratorFrame {
  uint8_t (*resume)(cpu::BlockContext *context, Owner *generator); ///< a simt::GeneratorStep
  void (*release)(cpu::BlockContext *context, Owner *generator);
  int64_t place;      ///< the resume point (simt::ResumePointSlot)
  uint64_t yielded[]; ///< the parts of the last value, then their owners
};
GeneratorFrame &frameOfGenerator(Owner &generator);

/// The memory that one call has allocated and not freed.
class CallMemory {
public:
  CallMemory() : made_{0, &made_, &made_, nullptr} {}
  CallMemory(const CallMemory &) = delete;

  /// Returns null if memory is exhausted.
  Owner *allocate(uint64_t bytes, bool zeroed);
  /// Allocates a list with a capacity of `bytes`. Returns null if memory is exhausted.
  Owner *allocateList(uint64_t bytes, int32_t slots, int32_t owners);
  /// Makes an owner for the memory of a Python object, with reference count 0. Takes over a reference to the object.
  /// Returns null if memory is exhausted.
  Owner *makeOwnerOfPythonObject(void *object);
  /// Allocates a generator (simt/ir/host_memory.h). Returns null if memory is exhausted.
  Owner *allocateGenerator(uint64_t bytes);
  /// Frees an owner after its last reference is released.
  static void freeWithHeldOwners(Owner *owner);
  /// Frees all memory after an exception, regardless of reference counts. This includes list elements, which are in the
  /// same ring.
  void freeAll();
  /// Moves the memory of another call to this one.
  void takeOver(CallMemory &other);
  /// Gives the remaining memory to the program, after a normal return.
  void leaveMemoryToProgram();

private:
  Owner *addToListOfOwners(Owner *owner);
  static void freeOwner(Owner *owner);

  Owner made_; ///< head of the ring
};

/// Sets the function that releases a reference to a Python object.
void setObjectReleaser(void (*release)(void *object));

/// The number of live objects that functions have allocated, including returned ones.
int64_t liveObjectCount();

} // namespace heddle::host
