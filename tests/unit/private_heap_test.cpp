// The memory allocator for guarded runs.
#include "support/os/private_heap.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <thread>
#include <vector>

namespace heddle {
namespace {

using os::PrivateHeap;

/// A heap for one test.
class PrivateHeaps : public testing::Test {
protected:
  PrivateHeaps() {
    PrivateHeap::enable();
    heap_ = PrivateHeap::acquire();
  }
  ~PrivateHeaps() override { heap_->release(); }

  PrivateHeap *heap_;
};

bool isAligned(const void *block, size_t alignment) {
  return reinterpret_cast<uintptr_t>(block) % alignment == 0;
}

TEST_F(PrivateHeaps, BlocksHaveTheRequestedSizeAndAlignment) {
  for (size_t bytes : {1, 16, 17, 128, 129, 1000, 32768, 32769, 100000, 40000000})
    for (size_t alignment : {16, 64, 128, 4096, 65536}) {
      auto *block = static_cast<char *>(heap_->allocate(bytes, alignment));
      ASSERT_NE(block, nullptr);
      EXPECT_TRUE(isAligned(block, alignment)) << bytes << " at " << alignment;
      EXPECT_GE(PrivateHeap::sizeOf(block), bytes);
      EXPECT_TRUE(PrivateHeap::owns(block));
      std::memset(block, 1, bytes);
      PrivateHeap::free(block, heap_);
    }
}

TEST_F(PrivateHeaps, TheHeapDoesNotOwnOtherMemory) {
  int onTheStack = 0;
  std::vector<int> onTheHeap(100);
  EXPECT_FALSE(PrivateHeap::owns(&onTheStack));
  EXPECT_FALSE(PrivateHeap::owns(onTheHeap.data()));
  EXPECT_FALSE(PrivateHeap::owns(nullptr));
}

TEST_F(PrivateHeaps, TheHeapDoesNotOwnMemoryNextToALargeBlock) {
  constexpr size_t page = 4096;
  for (size_t alignment : {16, 4096}) {
    auto *block = static_cast<char *>(heap_->allocate(100000, alignment));
    uintptr_t end = reinterpret_cast<uintptr_t>(block) + PrivateHeap::sizeOf(block);
    auto *behind = reinterpret_cast<char *>((end + page - 1) & ~(page - 1));
    void *others = mmap(behind, page, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (others != behind)
      continue; // the address is in use
    for (size_t offset : {0, 16, 128})
      EXPECT_FALSE(PrivateHeap::owns(behind + offset)) << alignment << " and " << offset;
    munmap(others, page);
    PrivateHeap::free(block, heap_);
  }
}

TEST_F(PrivateHeaps, AFreedBlockIsReused) {
  for (size_t bytes : {48, 100000}) {
    void *block = heap_->allocate(bytes, 16);
    PrivateHeap::free(block, heap_);
    EXPECT_EQ(heap_->allocate(bytes, 16), block);
  }
}

TEST_F(PrivateHeaps, BlocksFreedByOtherThreadsAreReused) {
  std::vector<void *> blocks;
  for (int i = 0; i < 10000; ++i)
    blocks.push_back(heap_->allocate(1000, 16));
  std::thread([&] {
    for (void *block : blocks)
      PrivateHeap::free(block, nullptr);
  }).join();
  heap_->release();
  heap_ = PrivateHeap::acquire();
  void *block = heap_->allocate(1000, 16);
  EXPECT_NE(std::find(blocks.begin(), blocks.end(), block), blocks.end());
}

TEST_F(PrivateHeaps, BlocksDoNotOverlap) {
  std::mt19937 random(1);
  struct Block {
    unsigned char *start;
    size_t bytes;
    unsigned char value;
  };
  std::vector<Block> blocks;
  for (int i = 0; i < 100000; ++i) {
    if (!blocks.empty() && random() % 2) {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      Block b = blocks.back();
      blocks.pop_back();
      ASSERT_TRUE(b.start[0] == b.value && b.start[b.bytes - 1] == b.value);
      PrivateHeap::free(b.start, heap_);
    }
    size_t bytes = 1 + random() % (random() % 50 ? 500 : 200000);
    Block b{static_cast<unsigned char *>(heap_->allocate(bytes, 16)), bytes, uint8_t(random())};
    b.start[0] = b.start[bytes - 1] = b.value;
    blocks.push_back(b);
  }
  for (const Block &b : blocks)
    PrivateHeap::free(b.start, heap_);
}

TEST_F(PrivateHeaps, EmptyChunksReturnToTheSystem) {
  std::vector<void *> blocks;
  for (int i = 0; i < 200000; ++i)
    blocks.push_back(heap_->allocate(1000, 16));
  void *kept = blocks.front();
  std::memset(kept, 7, 1000);
  for (size_t i = 1; i < blocks.size(); ++i)
    PrivateHeap::free(blocks[i], heap_);
  heap_->release();
  EXPECT_FALSE(PrivateHeap::owns(blocks[100000]));
  EXPECT_TRUE(PrivateHeap::owns(kept));
  EXPECT_EQ(static_cast<char *>(kept)[999], 7);
  heap_ = PrivateHeap::acquire();
  EXPECT_NE(heap_->allocate(1000, 16), nullptr);
}

TEST_F(PrivateHeaps, TooLargeRequestsFail) {
  EXPECT_EQ(heap_->allocate(size_t(1) << 62, 16), nullptr);
  EXPECT_EQ(heap_->allocate(SIZE_MAX - 64, 16), nullptr);
}

} // namespace
} // namespace heddle
