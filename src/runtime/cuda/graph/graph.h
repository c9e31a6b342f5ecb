// Graphs of GPU work that heddle has captured.
#pragma once

#include "runtime/cuda/driver/context.h"
#include "runtime/device.h"

#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace heddle::cuda {

class CudaDevice;
class CudaStream;

/// The work that streams have recorded since CudaStream::beginCapture().
class Recording {
public:
  explicit Recording(Context &context);
  ~Recording();
  Recording(const Recording &) = delete;
  Recording &operator=(const Recording &) = delete;
  /// `node` is null for work that belongs to another graph.
  void add(RecordedWork work, CUgraphNode node);
  size_t size() const;
  /// Keeps a module loaded as long as the graph exists.
  void keepModule(std::shared_ptr<void> module);
  /// Adds a stream that records, until endAndTakeStreams() returns it.
  void addStream(std::weak_ptr<CudaStream> stream);
  /// Ends the recording. Returns its streams.
  std::vector<std::weak_ptr<CudaStream>> endAndTakeStreams();
  bool hasEnded() const;

private:
  friend class CudaGraph;
  Context &context_;
  mutable std::mutex mutex_;
  std::vector<RecordedWork> work_;
  std::vector<CUgraphNode> nodes_; ///< of each piece of work
  std::set<std::shared_ptr<void>> modules_;
  std::vector<std::weak_ptr<CudaStream>> streams_;
  bool ended_ = false;
};

class CudaGraph final : public Graph {
public:
  /// Takes ownership of the driver's graph and makes it executable. The context must be current.
  CudaGraph(CudaDevice &device, CUgraph graph, std::shared_ptr<Recording> recording);
  ~CudaGraph() override;

  std::vector<RecordedWork> recordedWork() const override;
  void replaceKernel(size_t index, std::shared_ptr<Graph> other) override;
  void launch(Stream &stream) override;

  CudaDevice &device() const { return device_; }
  CUgraphExec executable() const { return executable_; }

private:
  /// The node of the only kernel; throws CompileError (Value).
  CUgraphNode requireKernelNode(size_t index) const;

  CudaDevice &device_;
  CUgraph graph_;
  CUgraphExec executable_ = nullptr;
  std::shared_ptr<Recording> recording_;
  std::vector<std::shared_ptr<Graph>>
      replacements_; ///< for each kernel, the graph with its arguments, or null
};

} // namespace heddle::cuda
