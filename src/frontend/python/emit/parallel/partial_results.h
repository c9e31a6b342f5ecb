// Partial results of the chunks of a loop that several threads share.
#pragma once

#include "frontend/python/emit/emitter.h"

namespace heddle::python {

/// Memory for one partial result per chunk. Each chunk stores one. The function then combines them in the order of the
/// chunks, so that the outcome does not depend on which thread finishes first.
///
///     PartialResults results(e, chunks, bytes, span)
///     in chunk k:           store to results.addressOf(chunk emitter, k)    ; needs the values of chunkInput()
///     after all chunks:     results.forEach(combine); results.free()
///
/// The memory is owned by a value of the function, so an exception also frees it.
class PartialResults {
public:
  /// `bytes` is the size of one result.
  PartialResults(Emitter &e, llvm::Value *chunks, llvm::Value *bytes, Span span);

  /// The value that each chunk needs as an input. Bind it in the chunk's emitter before addressOf().
  Value &chunkInput() const { return shared_; }
  /// The address of a chunk's result, in the function or in a chunk.
  llvm::Value *addressOf(Emitter &e, llvm::Value *chunk) const;
  /// Calls `combine` with the address of each result.
  void forEach(llvm::function_ref<void(llvm::Value *address)> combine) const;
  void free();

private:
  Emitter &e_;
  Value &owner_, &shared_;
  llvm::Value *chunks_, *bytes_; ///< in the function
};

} // namespace heddle::python
