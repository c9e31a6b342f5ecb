// Captures of streams, by heddle or by another library that captures a stream in which heddle works.
#pragma once

#include "runtime/cuda/driver/context.h"

#include <memory>

namespace heddle::cuda {

/// Lets the calling thread allocate, load code and query events while some stream captures. Otherwise such a call fails
/// and invalidates the capture.
class AllowedInCapture {
public:
  explicit AllowedInCapture(const Driver &driver) : driver_(driver) { exchange(); }
  ~AllowedInCapture() { exchange(); }
  AllowedInCapture(const AllowedInCapture &) = delete;
  AllowedInCapture &operator=(const AllowedInCapture &) = delete;

private:
  void exchange() { driver_.cuThreadExchangeStreamCaptureMode(&mode_); }

  const Driver &driver_;
  int mode_ = captureRelaxed;
};

/// True if the stream records its work for a graph.
bool isCapturing(Context &context, CUstream stream);
/// Like isCapturing(), but requires the context to be current.
bool isCapturingInCurrentContext(Context &context, CUstream stream);

/// Keeps `held` alive until the graph that the stream records, and all copies that run, are gone.
void keepAliveWithGraph(Context &context, CUstream stream, std::shared_ptr<void> held);

/// The last node that the capturing stream has recorded; null if there is none, or if there are several.
CUgraphNode findLastNode(Context &context, CUstream stream);

} // namespace heddle::cuda
