#include "runtime/cuda/graph/capture.h"

#include "runtime/cuda/host_work.h"

#include <utility>

namespace heddle::cuda {

namespace {

/// The state of a stream's capture.
struct CaptureState {
  int status = 0; ///< CU_STREAM_CAPTURE_STATUS_NONE
  CUgraph graph = nullptr;
  const CUgraphNode *last = nullptr;
  size_t lastCount = 0;
};

CaptureState queryCaptureState(Context &context, CUstream stream) {
  CaptureState state;
  uint64_t id = 0;
  context.check(context.driver().cuStreamGetCaptureInfo(stream, &state.status, &id, &state.graph,
                                                        &state.last, &state.lastCount),
                "cuStreamGetCaptureInfo");
  return state;
}

/// The driver calls this on a thread of its own, where driver calls are not allowed.
void releaseHeldByGraph(void *data) {
  runOnHelperThread([held = static_cast<std::shared_ptr<void> *>(data)] { delete held; });
}

} // namespace

bool isCapturing(Context &context, CUstream stream) {
  Context::Use use(context);
  return isCapturingInCurrentContext(context, stream);
}

bool isCapturingInCurrentContext(Context &context, CUstream stream) {
  int status = 0; // CU_STREAM_CAPTURE_STATUS_NONE
  CUresult code = context.driver().cuStreamIsCapturing(stream, &status);
  if (code == result::streamCaptureImplicit) // the default stream, while another one captures
    return true;
  context.check(code, "cuStreamIsCapturing");
  return status != 0;
}

void keepAliveWithGraph(Context &context, CUstream stream, std::shared_ptr<void> held) {
  Context::Use use(context);
  const Driver &driver = context.driver();
  CUgraph graph = queryCaptureState(context, stream).graph;
  auto data = std::make_unique<std::shared_ptr<void>>(std::move(held));
  CUuserObject object = nullptr;
  context.check(
      driver.cuUserObjectCreate(&object, data.get(), releaseHeldByGraph, 1, userObjectNoSync),
      "cuUserObjectCreate");
  data.release();
  CUresult code = driver.cuGraphRetainUserObject(graph, object, 1, graphUserObjectMove);
  if (code != result::success)
    driver.cuUserObjectRelease(object, 1);
  context.check(code, "cuGraphRetainUserObject");
}

CUgraphNode findLastNode(Context &context, CUstream stream) {
  Context::Use use(context);
  CaptureState state = queryCaptureState(context, stream);
  return state.lastCount == 1 ? *state.last : nullptr;
}

} // namespace heddle::cuda
