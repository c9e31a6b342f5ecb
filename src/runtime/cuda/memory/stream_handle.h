// A stream of the driver, and whose it is.
#pragma once

#include "runtime/cuda/host_work.h"

namespace heddle::cuda {

/// A stream's handle, destroyed with it when it is ours; work in it still runs.
class StreamHandle {
public:
  /// Another's, or a default stream.
  StreamHandle(Context &context, CUstream stream) : context_(context), stream_(stream) {}
  /// A new one, which waits for the legacy default stream and the reverse, as cuda.stream() does. The context must be
  /// current.
  explicit StreamHandle(Context &context) : context_(context), owned_(true) {
    context.check(context.driver().cuStreamCreate(&stream_, 0), "cuStreamCreate");
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

private:
  Context &context_;
  CUstream stream_ = nullptr;
  bool owned_ = false;
};

} // namespace heddle::cuda
