#include "runtime/cpu/stream.h"

#include "runtime/cpu/check/checked_launch.h"
#include "runtime/cpu/event.h"
#include "runtime/cpu/queue/scheduler.h"
#include "runtime/cpu/trace/trace_request.h"
#include "simt/check/checking.h"
#include "simt/trace/tracing.h"
#include "support/diagnostic.h"

#include <iterator>
#include <mutex>

namespace heddle::cpu {

namespace {

RecordedWork describeRecordedCommand(const Command &command) {
  switch (command.kind) {
  case CommandKind::Kernel:
    return {
        .kind = RecordedWork::Kind::Kernel, .name = command.kernel->name(), .shape = command.shape};
  case CommandKind::Copy:
    return {.kind = RecordedWork::Kind::Copy,
            .to = command.to,
            .from = command.from,
            .bytes = command.bytes};
  case CommandKind::Fill:
    return {.kind = RecordedWork::Kind::Fill,
            .to = command.to,
            .bytes = command.bytes,
            .value = command.value};
  default: // a capture keeps no records and waits
    return {.kind = RecordedWork::Kind::Callback};
  }
}

class CpuGraph final : public Graph {
public:
  explicit CpuGraph(Commands commands) : commands_(std::move(commands)) {}

  std::vector<RecordedWork> recordedWork() const override {
    std::lock_guard lock(mutex_);
    std::vector<RecordedWork> work;
    for (const Command &command : commands_)
      work.push_back(describeRecordedCommand(command));
    return work;
  }

  void replaceKernel(size_t index, std::shared_ptr<Graph> other) override {
    auto *source = dynamic_cast<CpuGraph *>(other.get());
    if (!source || source->commands_.size() != 1 ||
        source->commands_.front().kind != CommandKind::Kernel)
      throw CompileError(ErrorKind::Value, "a kernel is replaced by one kernel of the same device");
    std::lock_guard lock(mutex_);
    if (index >= commands_.size() ||
        std::next(commands_.begin(), index)->kind != CommandKind::Kernel)
      throw CompileError(ErrorKind::Value, "only kernels of a graph have arguments");
    Command &command = *std::next(commands_.begin(), index);
    GraphNode node = std::move(command.node);
    command = source->commands_.front();
    command.node = std::move(node);
  }

  void launch(Stream &stream) override {
    auto *mine = dynamic_cast<CpuStream *>(&stream);
    if (!mine)
      throw CompileError(ErrorKind::Type, "a graph of the CPU device runs on a stream of the CPU "
                                          "device");
    std::lock_guard lock(mutex_);
    Scheduler::instance().enqueueGraph(mine->state(), commands_, last_);
  }

private:
  mutable std::mutex mutex_; ///< guards the members below
  Commands commands_;
  GraphLaunch last_;
};

Command makeCallbackCommand(std::function<void()> f) {
  Command command;
  command.kind = CommandKind::Callback;
  command.callback = std::make_shared<std::function<void()>>(std::move(f));
  return command;
}

} // namespace

CpuStream::CpuStream(Device &device, StreamKind kind)
    : device_(device), state_(Scheduler::instance().addStream(kind)), closes_(true) {}

CpuStream::CpuStream(Device &device, std::shared_ptr<StreamState> state)
    : device_(device), state_(std::move(state)) {}

CpuStream::~CpuStream() {
  if (closes_)
    Scheduler::instance().closeStream(state_);
}

void CpuStream::launch(Kernel &kernel, const LaunchShape &shape,
                       std::span<const uint64_t> arguments, std::shared_ptr<void> keepAlive) {
  // The embedder keeps modules per device, so the kernel belongs to this device.
  auto &mine = static_cast<CpuKernel &>(kernel);
  // Compile before the scheduler's lock is taken: a fork acquires the compiler's lock first.
  bool mayTrace = simt::isTracing && !isCapturing();
  if (std::shared_ptr<LaunchTrace> trace =
          mayTrace ? listLaunchAndMakeTrace(mine.name(), shape) : nullptr) {
    const KernelEntry &entry = *mine.getOrCompileTracedForm().entry;
    mine.findOrCompileEntry(shape); // for the other blocks
    auto checked = std::make_shared<CheckedLaunch>(takeLaunchNote());
    checked->traceInto(std::move(trace));
    Scheduler::instance().launch(state_, mine, entry, shape, arguments, std::move(keepAlive),
                                 std::move(checked));
    return;
  }
  if (simt::isChecking) {
    const CpuKernel::FilterForm *filter = mine.findOrCompileRaceFilterForm(shape);
    const KernelEntry &entry = filter ? *filter->entry : *mine.getOrCompileFullCheckForm().entry;
    auto checked = std::make_shared<CheckedLaunch>(takeLaunchNote());
    if (auto lints = mine.prepareLintsIfWanted(shape))
      checked->requestLints(std::move(*lints));
    Scheduler::instance().launch(state_, mine, entry, shape, arguments, std::move(keepAlive),
                                 std::move(checked));
    return;
  }
  const KernelEntry &entry = mine.findOrCompileEntry(shape);
  Scheduler::instance().launch(state_, mine, entry, shape, arguments, std::move(keepAlive));
}

void CpuStream::copy(void *to, const void *from, size_t bytes, std::shared_ptr<void> keepAlive) {
  Command command;
  command.kind = CommandKind::Copy;
  command.to = static_cast<char *>(to);
  command.from = static_cast<const char *>(from);
  command.bytes = bytes;
  command.keepAlive = std::move(keepAlive);
  if (simt::isChecking)
    command.note = takeLaunchNote();
  Scheduler::instance().enqueue(state_, std::move(command));
}

void CpuStream::fill(void *to, uint8_t value, size_t bytes, std::shared_ptr<void> keepAlive) {
  Command command;
  command.kind = CommandKind::Fill;
  command.to = static_cast<char *>(to);
  command.value = value;
  command.bytes = bytes;
  command.keepAlive = std::move(keepAlive);
  if (simt::isChecking)
    command.note = takeLaunchNote();
  Scheduler::instance().enqueue(state_, std::move(command));
}

void CpuStream::upload(void *to, const void *from, size_t bytes) {
  copy(to, from, bytes, nullptr);
  if (!isCapturing())
    synchronize();
}

void CpuStream::download(void *to, const void *from, size_t bytes) { upload(to, from, bytes); }

std::shared_ptr<Buffer> CpuStream::allocate(size_t bytes) {
  return device_.allocate(bytes, MemoryKind::Device);
}

void CpuStream::record(std::shared_ptr<Event> event) {
  Command command;
  command.kind = CommandKind::Record;
  command.event = requireCpuEvent(*event).state();
  Scheduler::instance().enqueue(state_, std::move(command));
}

void CpuStream::waitForEvent(std::shared_ptr<Event> event) {
  Command command;
  command.kind = CommandKind::Wait;
  command.event = requireCpuEvent(*event).state();
  Scheduler::instance().enqueue(state_, std::move(command));
}

void CpuStream::addCallback(std::function<void()> f) {
  Command command = makeCallbackCommand(std::move(f));
  command.tellsHost = true;
  Scheduler::instance().enqueue(state_, std::move(command));
}

void CpuStream::callInOrder(std::function<void()> f) {
  Scheduler::instance().enqueue(state_, makeCallbackCommand(std::move(f)));
}

uint64_t CpuStream::nativeHandle() const { return reinterpret_cast<uint64_t>(state_.get()); }

bool CpuStream::isIdle() const { return Scheduler::instance().isIdle(*state_); }

bool CpuStream::done() const { return Scheduler::instance().checkDoneForHost(*state_); }

void CpuStream::synchronize() { Scheduler::instance().synchronize(state_); }

void CpuStream::waitForEarlierWork() { Scheduler::instance().waitForEarlierWork(state_); }

void CpuStream::beginCapture() { Scheduler::instance().beginCapture(state_); }

std::shared_ptr<Graph> CpuStream::endCapture() {
  return std::make_shared<CpuGraph>(Scheduler::instance().endCapture(state_));
}

size_t CpuStream::countRecordedWork() const {
  return Scheduler::instance().countCapturedCommands(*state_);
}

bool CpuStream::isCapturing() const { return Scheduler::instance().isCapturing(*state_); }

} // namespace heddle::cpu
