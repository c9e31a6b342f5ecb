#include "runtime/cuda/graph/graph.h"

#include "runtime/cuda/device.h"
#include "runtime/cuda/graph/capture.h"
#include "runtime/cuda/host_work.h"
#include "runtime/cuda/stream.h"
#include "support/diagnostic.h"

#include <utility>

namespace heddle::cuda {

Recording::Recording(Context &context) : context_(context) { context.captures().begin(); }

Recording::~Recording() { endAndTakeStreams(); }

void Recording::add(RecordedWork work, CUgraphNode node) {
  std::lock_guard lock(mutex_);
  work_.push_back(std::move(work));
  nodes_.push_back(node);
}

size_t Recording::size() const {
  std::lock_guard lock(mutex_);
  return work_.size();
}

void Recording::keepModule(std::shared_ptr<void> module) {
  std::lock_guard lock(mutex_);
  modules_.insert(std::move(module));
}

void Recording::addStream(std::weak_ptr<CudaStream> stream) {
  std::lock_guard lock(mutex_);
  streams_.push_back(std::move(stream));
}

bool Recording::hasEnded() const {
  std::lock_guard lock(mutex_);
  return ended_;
}

std::vector<std::weak_ptr<CudaStream>> Recording::endAndTakeStreams() {
  std::unique_lock lock(mutex_);
  std::vector<std::weak_ptr<CudaStream>> streams = std::exchange(streams_, {});
  if (std::exchange(ended_, true))
    return streams;
  lock.unlock();
  context_.captures().end();
  freeHeldUpMemory(context_);
  return streams;
}

CudaGraph::CudaGraph(CudaDevice &device, CUgraph graph, std::shared_ptr<Recording> recording)
    : device_(device), graph_(graph), recording_(std::move(recording)),
      replacements_(recording_->size()) {
  const Driver &driver = device.context().driver();
  AllowedInCapture allowed(driver); // of another stream
  CUresult code = driver.cuGraphInstantiateWithFlags(&executable_, graph, 0);
  if (code != result::success)
    driver.cuGraphDestroy(graph);
  device.context().check(code, "cuGraphInstantiateWithFlags");
}

CudaGraph::~CudaGraph() {
  // The driver frees a graph that runs when it has completed.
  freeSoon(device_.context(),
           [&context = device_.context(), graph = graph_, executable = executable_] {
             AllowedInCapture allowed(context.driver());
             context.driver().cuGraphExecDestroy(executable);
             context.driver().cuGraphDestroy(graph);
           });
}

std::vector<RecordedWork> CudaGraph::recordedWork() const {
  std::lock_guard lock(recording_->mutex_);
  return recording_->work_;
}

CUgraphNode CudaGraph::requireKernelNode(size_t index) const {
  std::lock_guard lock(recording_->mutex_);
  if (index >= recording_->work_.size() ||
      recording_->work_[index].kind != RecordedWork::Kind::Kernel)
    throw CompileError(ErrorKind::Value, "only kernels of a graph have arguments");
  if (!recording_->nodes_[index])
    throw CompileError(ErrorKind::Value, "the kernel belongs to another graph that this one "
                                         "launches, or several streams end in it: it cannot be "
                                         "updated here");
  return recording_->nodes_[index];
}

void CudaGraph::replaceKernel(size_t index, std::shared_ptr<Graph> other) {
  auto *source = dynamic_cast<CudaGraph *>(other.get());
  if (!source || &source->device_ != &device_ || source->recording_->size() != 1)
    throw CompileError(ErrorKind::Value, "a kernel is replaced by one kernel of the same device");
  CUgraphNode node = requireKernelNode(index), from = source->requireKernelNode(0);
  Context &context = device_.context();
  Context::Use use(context);
  CUkernelNodeParams parameters{};
  context.check(context.driver().cuGraphKernelNodeGetParams(from, &parameters),
                "cuGraphKernelNodeGetParams");
  context.check(context.driver().cuGraphExecKernelNodeSetParams(executable_, node, &parameters),
                "cuGraphExecKernelNodeSetParams");
  RecordedWork replaced = source->recordedWork()[0];
  std::lock_guard lock(recording_->mutex_);
  recording_->work_[index] = std::move(replaced);
  replacements_[index] = std::move(other);
}

void CudaGraph::launch(Stream &stream) {
  if (&stream.device() != &device_)
    throw CompileError(ErrorKind::Type,
                       "a graph of " + device_.context().label() + " runs on a stream of this GPU");
  static_cast<CudaStream &>(stream).launchGraph(*this);
}

} // namespace heddle::cuda
