// Copies between pageable host memory and a GPU through page-locked buffers.
//
// The GPU's copy engine reads only page-locked memory. The driver stages pageable memory on one thread, at a quarter of
// the link's bandwidth. Here several threads copy chunks while the copy engine transfers others.
#pragma once

#include "runtime/cuda/memory/stream_order.h"

#include <memory>
#include <mutex>
#include <vector>

namespace heddle::cuda {

/// Page-locked chunks of equal size that transfers borrow.
class ChunkPool {
public:
  struct Chunk {
    char *memory = nullptr;
    EventHandle event; ///< recorded after the copy engine's last use of the chunk

    Chunk(Context &context, char *memory) : memory(memory), event(context, false) {}
  };

  ChunkPool(Context &context, size_t chunkBytes, size_t count)
      : context_(context), chunkBytes_(chunkBytes), count_(count) {}

  size_t chunkBytes() const { return chunkBytes_; }
  size_t count() const { return count_; }

  /// The chunks of one transfer, returned on destruction. The copy engine may still use them then.
  class Loan {
  public:
    /// Borrows between one and `most` chunks. Waits while all are in use; throws Interrupted. The context must be
    /// current.
    Loan(ChunkPool &pool, size_t most);
    ~Loan();
    Loan(const Loan &) = delete;
    Loan &operator=(const Loan &) = delete;
    size_t size() const { return chunks_.size(); }
    Chunk &operator[](size_t i) const { return *chunks_[i]; }

  private:
    ChunkPool &pool_;
    std::vector<Chunk *> chunks_;
  };

private:
  void makeChunks();

  Context &context_;
  const size_t chunkBytes_;
  const size_t count_;
  std::mutex mutex_; ///< guards the members below
  void *memory_ = nullptr;
  std::vector<std::unique_ptr<Chunk>> all_;
  std::vector<Chunk *> idle_;
};

/// The transfers of one device. All functions need the context to be current, and throw Interrupted if the interrupt
/// check asks for it.
class Staging {
public:
  explicit Staging(Context &context);

  /// Copies `bytes` to the device in stream order. The source may be changed once this returns.
  void upload(CUstream stream, CUdeviceptr to, const char *from, size_t bytes);
  /// Copies `bytes` to host memory and waits. After Interrupted the destination may be partly written.
  void download(CUstream stream, char *to, CUdeviceptr from, size_t bytes);

private:
  /// True if the driver knows this host memory (page-locked, managed), so that the copy engine can access it directly.
  bool isAccessibleByCopyEngine(const void *memory) const;

  Context &context_;
  ChunkPool small_;
  ChunkPool large_;
};

} // namespace heddle::cuda
