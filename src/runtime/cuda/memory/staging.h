// Copies between ordinary host memory and a GPU, by way of page-locked memory.
//
// The GPU's copy engine reads page-locked memory alone. The driver stages other memory on one thread, at a quarter of
// what the link carries; here several threads copy chunks while the copy engine moves others.
#pragma once

#include "runtime/cuda/memory/stream_order.h"

#include <memory>
#include <mutex>
#include <vector>

namespace heddle::cuda {

/// Page-locked chunks of one size that transfers borrow.
class ChunkPool {
public:
  struct Chunk {
    char *memory = nullptr;
    EventHandle event; ///< follows the copy engine's last use of it

    Chunk(Context &context, char *memory) : memory(memory), event(context, false) {}
  };

  ChunkPool(Context &context, size_t chunkBytes, size_t count)
      : context_(context), chunkBytes_(chunkBytes), count_(count) {}

  size_t chunkBytes() const { return chunkBytes_; }
  size_t count() const { return count_; }

  /// What a transfer has borrowed; given back with it. The copy engine may still be at them.
  class Loan {
  public:
    /// At most `most` chunks, at least one: waits while others have them all, and throws Interrupted. The context must
    /// be current.
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
  std::mutex mutex_; ///< guards what follows
  void *memory_ = nullptr;
  std::vector<std::unique_ptr<Chunk>> all_;
  std::vector<Chunk *> idle_;
};

/// The transfers of one device. Every function needs the context to be current, and throws Interrupted when the
/// embedder gives up.
class Staging {
public:
  explicit Staging(Context &context);

  /// Copies `bytes` from `from` to the device in the order of `stream`. `from` may change on return.
  void upload(CUstream stream, CUdeviceptr to, const char *from, size_t bytes);
  /// Copies `bytes` to `to`, which has them on return. After Interrupted it has some of them or none.
  void download(CUstream stream, char *to, CUdeviceptr from, size_t bytes);

private:
  /// Whether the driver knows this host memory (page-locked, managed), so that the copy engine can use it in place.
  bool known(const void *memory) const;

  Context &context_;
  ChunkPool small_;
  ChunkPool large_;
};

} // namespace heddle::cuda
