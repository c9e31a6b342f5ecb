// A driver stream and its ownership.
#pragma once

#include "runtime/cuda/host_work.h"

namespace heddle::cuda {

/// A stream handle. Destroys the stream if it is owned; its pending work still runs.
class StreamHandle {
public:
  /// Wraps a stream that another library owns, or a default stream.
  StreamHandle(Context &context, CUstream stream) : context_(context), stream_(stream) {}
  /// Creates a stream. The context must be current.
  StreamHandle(Context &context, StreamKind kind) : context_(context), owned_(true) {
    unsigned flags = kind == StreamKind::NonBlocking ? streamNonBlocking : 0;
    context.check(context.driver().cuStreamCreate(&stream_, flags), "cuStreamCreate");
  }
  ~StreamHandle() {
    if (owned_)
      freeSoon(context_, [&context = context_, stream = stream_] {
        context.driver().cuStreamDestroy(stream);
      });
  }
  StreamHandle(const StreamHandle &) = delete;
  StreamHandle &operator=(const StreamHandle &) = delete;

  Context &context() const { return context_; }
  CUstream get() const { return stream_; }
  /// False for a default stream, and a stream of another library.
  bool isOwned() const { return owned_; }

private:
  Context &context_;
  CUstream stream_ = nullptr;
  bool owned_ = false;
};

} // namespace heddle::cuda
