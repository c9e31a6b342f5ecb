// The memory of arrays that functions of the host make.
#pragma once

#include <cstdint>

namespace heddle::cpu {
struct BlockContext;
}

namespace heddle::host {

/// What stands in front of an array's memory and counts the references to it. Compiled code reads and writes `references`,
/// the rest is the runtime's.
struct Owner {
  int64_t references;
  Owner *next; ///< of what the same call has made; null for what has been returned
  Owner *previous;
  void *allocation;
  // Of a list:
  char *elements = nullptr; ///< in slots of 8 bytes; behind the owner until the list grows
  int64_t size = 0;
  int64_t bytes = 0; ///< that there is room for; of an array, what the allocation has
  int32_t slots = 0; ///< of an element, of which the last `owners` hold references
  int32_t owners = 0;

  /// In the place of `slots` where `elements` is an object of the program's, which keeps the memory.
  static constexpr int32_t isObject = -1;
  /// The same in front of a generator.
  static constexpr int32_t isGenerator = -2;

  /// One more reference. Threads may count at once.
  void retain();
  /// One more reference to the owners of element `i`.
  void retainElement(int64_t i);

  /// Lets a reference go that the program holds.
  void release();
  /// The same without freeing it; whether that was the last one.
  bool releaseOne();
  /// Makes room in a list for elements of `needed` bytes, and more; whether there was memory.
  bool grow(uint64_t needed);
};

/// What lies behind the owner of a generator.
struct GeneratorFrame {
  uint8_t (*resume)(cpu::BlockContext *context, Owner *generator); ///< a simt::GeneratorStep
  void (*release)(cpu::BlockContext *context, Owner *generator);
  int64_t place;
  uint64_t yielded[]; ///< the parts of the last value, then their owners
};
GeneratorFrame &frameOf(Owner &generator);

/// What one call has made and not freed.
class CallMemory {
public:
  CallMemory() : made_{0, &made_, &made_, nullptr} {}
  CallMemory(const CallMemory &) = delete;

  /// Null when there is no memory.
  Owner *allocate(uint64_t bytes, bool zeroed);
  /// The owner of a list, with room for elements of so many bytes. Null when there is no memory.
  Owner *allocateList(uint64_t bytes, int32_t slots, int32_t owners);
  /// An owner, without references, of memory that an object of the program's keeps, to which it takes over a reference.
  /// Null when there is no memory.
  Owner *keepObject(void *object);
  /// The owner of a generator (simt/ir/host_memory.h). Null when there is no memory.
  Owner *allocateGenerator(uint64_t bytes);
  /// The last reference is gone.
  static void free(Owner *owner);
  /// After an exception: nobody has references. What lists refer to goes by itself.
  void freeAll();
  /// Has what another call has made as its own.
  void takeOver(CallMemory &other);
  /// After a return: what is left is returned, and the program's.
  void giveAway();

private:
  Owner *made(Owner *owner);
  static void forget(Owner *owner);

  Owner made_; ///< the head of a ring
};

/// What lets a reference to an object of the program's go.
void setReleaseObject(void (*release)(void *object));

/// How many arrays there are that functions have made, returned ones included.
int64_t liveArrays();

} // namespace heddle::host
