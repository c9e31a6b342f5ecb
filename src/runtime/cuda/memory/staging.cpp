#include "runtime/cuda/memory/staging.h"

#include "runtime/cuda/graph/capture.h"
#include "runtime/cuda/memory/copy_threads.h"
#include "runtime/cuda/pace.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <thread>

namespace heddle::cuda {

namespace {

/// Up to this size the driver's staging is as fast: it embeds the bytes in the command.
constexpr size_t directBytes = size_t(64) << 10;
constexpr size_t smallChunk = directBytes;
constexpr size_t largeChunk = size_t(512) << 10;
/// The smallest piece that is worth another thread.
constexpr size_t minPieceBytes = size_t(128) << 10;
constexpr size_t chunks = 16;
constexpr unsigned piecesPerHelper = 2;

/// Waits until the copy engine is done with a chunk. Called on the thread that called the runtime.
void waitForCopyEngine(const ChunkPool::Chunk &chunk) {
  waitUntil([&] { return chunk.event.isComplete(); });
}

/// A transfer in pieces, copied by several threads. Piece i uses chunk i mod (number of chunks), after the previous
/// piece in that chunk. Pieces are claimed in order, so a piece that another one waits for is always in progress.
class Transfer {
public:
  Transfer(Context &context, CUstream stream, ChunkPool::Loan &loan, size_t bytes)
      : context_(context), driver_(context.driver()), stream_(stream), loan_(loan), bytes_(bytes),
        passed_(std::make_unique<std::atomic<size_t>[]>(loan.size())) {
    size_t even = (bytes / chunks + 4095) / 4096 * 4096;
    piece_ = std::clamp(even, minPieceBytes, largeChunk);
    pieces_ = (bytes + piece_ - 1) / piece_;
    for (size_t i = 0; i < loan.size(); ++i)
      passed_[i] = 0;
  }

  static size_t countChunksFor(size_t bytes) {
    return std::min(chunks, (bytes + minPieceBytes - 1) / minPieceBytes);
  }

  void upload(CUdeviceptr to, const char *from) {
    forEachPiece([&](size_t i) {
      ChunkPool::Chunk &chunk = chunkOfPiece(i);
      waitForChunkOfPiece(i);
      std::memcpy(chunk.memory, from + pieceOffset(i), pieceSize(i));
      context_.check(
          driver_.cuMemcpyHtoDAsync(to + pieceOffset(i), chunk.memory, pieceSize(i), stream_),
          "cuMemcpyHtoDAsync");
      context_.check(driver_.cuEventRecord(chunk.event.get(), stream_), "cuEventRecord");
      markPieceTransferred(i);
    });
  }

  void download(char *to, CUdeviceptr from) {
    for (size_t i = 0; i < std::min(pieces_, loan_.size()); ++i) {
      waitForCopyEngine(loan_[i]);
      startDownload(i, from);
    }
    // Work before the copy may take long: wait on this thread only.
    waitForCopyEngine(loan_[0]);
    forEachPiece([&](size_t i) {
      ChunkPool::Chunk &chunk = chunkOfPiece(i);
      waitForChunkOfPiece(i);
      std::memcpy(to + pieceOffset(i), chunk.memory, pieceSize(i));
      if (i + loan_.size() < pieces_)
        startDownload(i + loan_.size(), from);
      markPieceTransferred(i);
    });
  }

private:
  size_t pieceOffset(size_t i) const { return i * piece_; }
  size_t pieceSize(size_t i) const { return std::min(piece_, bytes_ - pieceOffset(i)); }
  ChunkPool::Chunk &chunkOfPiece(size_t i) const { return loan_[i % loan_.size()]; }

  void startDownload(size_t i, CUdeviceptr from) {
    ChunkPool::Chunk &chunk = chunkOfPiece(i);
    context_.check(
        driver_.cuMemcpyDtoHAsync(chunk.memory, from + pieceOffset(i), pieceSize(i), stream_),
        "cuMemcpyDtoHAsync");
    context_.check(driver_.cuEventRecord(chunk.event.get(), stream_), "cuEventRecord");
  }

  /// Records that piece i has passed through its chunk.
  void markPieceTransferred(size_t i) {
    passed_[i % loan_.size()].fetch_add(1, std::memory_order_release);
  }
  bool isChunkReadyForPiece(size_t i) const {
    return passed_[i % loan_.size()].load(std::memory_order_acquire) == i / loan_.size();
  }

  /// Waits until it is the piece's turn in its chunk and the copy engine is done with the chunk.
  void waitForChunkOfPiece(size_t i) {
    Pace pace;
    while (!stopped_ && !(isChunkReadyForPiece(i) && chunkOfPiece(i).event.isComplete())) {
      if (std::this_thread::get_id() == caller_)
        pace.pauseOrInterrupt();
      else
        pace.pause();
    }
    if (stopped_)
      throw Stopped();
  }

  /// Calls `each(piece)` for every piece, on the calling thread and helpers. Throws the first error.
  template <typename Each> void forEachPiece(Each each) {
    auto body = [&] {
      try {
        Context::Use use(context_);
        for (size_t i; !stopped_ && (i = next_.fetch_add(1)) < pieces_;)
          each(i);
      } catch (const Stopped &) {
      } catch (...) {
        std::lock_guard lock(errorMutex_);
        if (!error_)
          error_ = std::current_exception();
        stopped_ = true;
      }
    };
    if (pieces_ == 1)
      body();
    else
      CopyThreads::instance().run(unsigned(1 + (pieces_ - 1) / piecesPerHelper), body);
    if (error_)
      std::rethrow_exception(error_);
  }

  /// Thrown when another thread has failed.
  struct Stopped {};

  Context &context_;
  const Driver &driver_;
  CUstream stream_;
  ChunkPool::Loan &loan_;
  const size_t bytes_;
  size_t piece_ = 0;
  size_t pieces_ = 0;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::unique_ptr<std::atomic<size_t>[]> passed_;
  std::atomic<size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex errorMutex_;
  std::exception_ptr error_;
};

} // namespace

void ChunkPool::makeChunks() {
  // Kept if creating an event fails; the next transfer continues from here.
  if (!memory_)
    memory_ = context_.allocatePageLocked(chunkBytes_ * count_, hostAllocPortable);
  std::vector<std::unique_ptr<Chunk>> made;
  for (size_t i = 0; i < count_; ++i)
    made.push_back(
        std::make_unique<Chunk>(context_, static_cast<char *>(memory_) + i * chunkBytes_));
  idle_.reserve(count_);
  for (const auto &chunk : made)
    idle_.push_back(chunk.get());
  all_ = std::move(made);
}

ChunkPool::Loan::Loan(ChunkPool &pool, size_t most) : pool_(pool) {
  chunks_.reserve(most);
  waitUntil([&] {
    std::lock_guard lock(pool.mutex_);
    if (pool.all_.empty())
      pool.makeChunks();
    while (!pool.idle_.empty() && chunks_.size() < most) {
      chunks_.push_back(pool.idle_.back());
      pool.idle_.pop_back();
    }
    return !chunks_.empty();
  });
}

ChunkPool::Loan::~Loan() {
  std::lock_guard lock(pool_.mutex_);
  // Never grows past the capacity that makeChunks() reserved. The least recently used chunks are lent next.
  pool_.idle_.insert(pool_.idle_.begin(), chunks_.begin(), chunks_.end());
}

Staging::Staging(Context &context)
    : context_(context), small_(context, smallChunk, 2 * chunks),
      large_(context, largeChunk, chunks) {}

bool Staging::isAccessibleByCopyEngine(const void *memory) const {
  // cuPointerGetAttributes, unlike cuPointerGetAttribute, reports no error for unknown memory.
  unsigned type = 0;
  int which = pointerMemoryType;
  void *value = &type;
  context_.check(
      context_.driver().cuPointerGetAttributes(1, &which, &value, toDevicePointer(memory)),
      "cuPointerGetAttributes");
  return type != 0;
}

void Staging::upload(CUstream stream, CUdeviceptr to, const char *from, size_t bytes) {
  const Driver &driver = context_.driver();
  if (isAccessibleByCopyEngine(from)) {
    // The copy engine reads the memory asynchronously: wait, so that the caller may change it.
    context_.check(driver.cuMemcpyAsync(to, toDevicePointer(from), bytes, stream), "cuMemcpyAsync");
    waitUntil([&] {
      AllowedInCapture allowed(driver);
      CUresult code = driver.cuStreamQuery(stream);
      if (code != result::notReady)
        context_.check(code, "cuStreamQuery");
      return code != result::notReady;
    });
    return;
  }
  if (bytes <= directBytes) {
    context_.check(driver.cuMemcpyHtoDAsync(to, from, bytes, stream), "cuMemcpyHtoDAsync");
    return;
  }
  ChunkPool::Loan loan(large_, Transfer::countChunksFor(bytes));
  Transfer(context_, stream, loan, bytes).upload(to, from);
}

void Staging::download(CUstream stream, char *to, CUdeviceptr from, size_t bytes) {
  if (bytes <= smallChunk) {
    ChunkPool::Loan loan(small_, 1);
    Transfer(context_, stream, loan, bytes).download(to, from);
    return;
  }
  ChunkPool::Loan loan(large_, Transfer::countChunksFor(bytes));
  Transfer(context_, stream, loan, bytes).download(to, from);
}

} // namespace heddle::cuda
