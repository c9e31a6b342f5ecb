#include "fake_state.h"

#include <cctype>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace fake {

thread_local int captureModeOfThread = 0;

namespace {

long numberFrom(const char *variable, long otherwise) {
  const char *text = std::getenv(variable);
  return text && *text ? std::strtol(text, nullptr, 0) : otherwise;
}

thread_local bool inHostFunction = false;

bool losesContext(int code) { return code == 214 || code == 700 || (code >= 714 && code <= 719); }

/// True for driver functions that report the failure of an earlier launch.
bool reportsLaunches(const std::string &function) {
  return function.ends_with("Synchronize") || function.ends_with("Query") ||
         function.starts_with("cuMemcpy");
}

/// The name at position `at` of `text`.
std::string nameAt(const std::string &text, size_t at) {
  size_t end = at;
  while (end < text.size() && (std::isalnum((unsigned char)text[end]) || text[end] == '_' ||
                               text[end] == '$' || text[end] == '.'))
    ++end;
  return text.substr(at, end - at);
}

unsigned bytesOfType(const std::string &declaration) {
  for (const char *type : {".u64", ".s64", ".b64", ".f64"})
    if (declaration.find(type) != std::string::npos)
      return 8;
  for (const char *type : {".u32", ".s32", ".b32", ".f32"})
    if (declaration.find(type) != std::string::npos)
      return 4;
  for (const char *type : {".u16", ".s16", ".b16"})
    if (declaration.find(type) != std::string::npos)
      return 2;
  return 1;
}

/// The extent of an array declaration "name[16]"; 1 for a scalar, 0 for "name[]".
size_t extentOf(const std::string &declaration) {
  size_t open = declaration.find('[');
  return open == std::string::npos ? 1 : std::strtoul(declaration.c_str() + open + 1, nullptr, 10);
}

/// The name in ".visible .global .align 8 .b8 name[16]" and the like: the last word before '[', '=' or the end.
std::string declaredName(const std::string &declaration) {
  size_t end = declaration.find_first_of("[=");
  std::string text = declaration.substr(0, end);
  while (!text.empty() && std::isspace((unsigned char)text.back()))
    text.pop_back();
  return text.substr(text.find_last_of(" \t\n") + 1);
}

void readKernel(const std::string &ptx, size_t at, unsigned sharedBytes, Module &module) {
  auto kernel = std::make_unique<Kernel>();
  kernel->name = nameAt(ptx, at);
  kernel->sharedBytes = sharedBytes;
  size_t open = ptx.find('(', at), close = ptx.find(')', at), body = ptx.find('{', at);
  if (open < body) {
    std::string parameters = ptx.substr(open + 1, close - open - 1);
    for (size_t p = parameters.find(".param"); p != std::string::npos;) {
      size_t next = parameters.find(".param", p + 1);
      std::string one = parameters.substr(p, next - p);
      kernel->parameterBytes.push_back(bytesOfType(one) * std::max<size_t>(1, extentOf(one)));
      p = next;
    }
  }
  size_t bound = ptx.find(".maxntid", at);
  if (bound < body) {
    unsigned product = 1;
    const char *text = ptx.c_str() + bound + std::strlen(".maxntid");
    for (char *end; std::isspace((unsigned char)*text) || *text == ','; text = end) {
      unsigned long n = std::strtoul(text + 1, &end, 10);
      if (end == text + 1)
        break;
      product *= unsigned(n);
    }
    kernel->maxThreads = product;
  }
  std::string name = kernel->name;
  module.kernels[name] = std::move(kernel);
}

} // namespace

bool readPtx(const std::string &ptx, Module &module) {
  if (ptx.find(".version") == std::string::npos || ptx.find(".target") == std::string::npos)
    return false;
  module.ptx = ptx;
  unsigned sharedBytes = 0;
  for (size_t at = 0; (at = ptx.find(".shared .align", at)) != std::string::npos; ++at) {
    std::string declaration = ptx.substr(at, ptx.find(';', at) - at);
    sharedBytes += bytesOfType(declaration) * extentOf(declaration);
  }
  for (const char *space : {".global .align", ".const .align"})
    for (size_t at = 0; (at = ptx.find(space, at)) != std::string::npos; ++at) {
      std::string declaration = ptx.substr(at, ptx.find(';', at) - at);
      module.globals[declaredName(declaration)].resize(bytesOfType(declaration) *
                                                       extentOf(declaration));
    }
  for (size_t at = 0; (at = ptx.find(".entry ", at)) != std::string::npos; ++at)
    readKernel(ptx, at + std::strlen(".entry "), sharedBytes, module);
  return true;
}

State &State::get() {
  static auto *state = new State;
  return *state;
}

State::State() {
  devices = int(numberFrom("FAKE_CUDA_DEVICES", devices));
  version = int(numberFrom("FAKE_CUDA_VERSION", version));
  capability = int(numberFrom("FAKE_CUDA_CAPABILITY", capability));
  memory = size_t(numberFrom("FAKE_CUDA_MEMORY", long(memory)));
  longestStall = numberFrom("FAKE_CUDA_STALL_MS", longestStall);
  std::atexit([] {
    std::lock_guard lock(get().mutex);
    if (get().stalledCalls)
      std::fputs("the driver is taken down while a thread is in it\n", stderr);
  });
  if (const char *text = std::getenv("FAKE_CUDA_FAIL")) {
    std::string plan = text;
    size_t colon = plan.find(':'), at = plan.find('@');
    if (colon != std::string::npos)
      failures[plan.substr(0, colon)] = {
          std::atoi(plan.c_str() + colon + 1),
          at == std::string::npos ? 0 : std::atoi(plan.c_str() + at + 1), -1};
  }
  for (Stream &stream : defaultStreams)
    stream.device = -1;
}

int State::enter(const char *function) {
  std::unique_lock lock(mutex);
  ++calls[function];
  ++stalledCalls;
  for (long waited = 0; stalled == function && waited < longestStall; ++waited) {
    lock.unlock();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    lock.lock();
  }
  --stalledCalls;
  if (inHostFunction)
    return refuse(result::notPermitted);
  if (failureOfLaunch && reportsLaunches(function))
    sticky = failureOfLaunch;
  if (sticky)
    return sticky;
  auto planned = failures.find(function);
  if (planned == failures.end() || planned->second.times == 0)
    return 0;
  if (planned->second.skip > 0) {
    --planned->second.skip;
    return 0;
  }
  if (planned->second.times > 0)
    --planned->second.times;
  if (planned->second.code < 0) // with the lock, as the driver may
    std::raise(-planned->second.code);
  if (losesContext(planned->second.code))
    sticky = planned->second.code;
  return planned->second.code;
}

void State::writePrints() {
  std::lock_guard lock(mutex);
  fputs(std::exchange(printed, {}).c_str(), stdout);
  fflush(stdout);
}

const Allocation *State::find(CUdeviceptr address, size_t bytes, CUdeviceptr *base) {
  std::lock_guard lock(mutex);
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return nullptr;
  auto found = std::prev(after);
  if (address + bytes > found->first + found->second.bytes)
    return nullptr;
  if (base)
    *base = found->first;
  return &found->second;
}

Stream *State::stream(CUstream handle) {
  auto number = reinterpret_cast<uint64_t>(handle);
  if (number <= 2)
    return &defaultStreams[number == 2 ? 2 : 0];
  auto found = streams.find(handle);
  return found == streams.end() ? nullptr : found->second.get();
}

std::vector<std::pair<Stream *, uint64_t>> State::positions(Stream &stream) {
  std::vector<std::pair<Stream *, uint64_t>> all{{&stream, stream.submitted}};
  if (&stream != &defaultStreams[0])
    return all;
  all.emplace_back(&defaultStreams[2], defaultStreams[2].submitted);
  for (const auto &[handle, other] : streams)
    if (!(other->flags & streamNonBlocking))
      all.emplace_back(other.get(), other->submitted);
  return all;
}

void State::invalidate(Capture &capture) { capture.invalid = true; }

int State::beforeWork(Stream &stream) {
  if (stream.capture && stream.capture->invalid)
    return result::streamCaptureInvalidated;
  if (&stream != &defaultStreams[0])
    return 0;
  int code = 0;
  for (const auto &[handle, other] : streams)
    if (other->capture && !(other->flags & streamNonBlocking)) {
      invalidate(*other->capture);
      code = refuse(result::streamCaptureImplicit);
    }
  return code;
}

void State::doWork(Stream &stream, Node node) {
  if (!stream.capture)
    return node.run();
  Capture &capture = *stream.capture;
  auto added = std::make_shared<Node>(std::move(node));
  for (Node *earlier : stream.last)
    std::erase(capture.ends, earlier);
  capture.ends.push_back(added.get());
  stream.last = {added.get()};
  capture.graph.nodes.push_back(std::move(added));
}

int State::beforeUnsafeCall() {
  if (captureModeOfThread == captureRelaxed)
    return 0;
  int code = 0;
  for (const auto &[handle, stream] : streams)
    if (stream->capture && stream->capture->origin == stream.get() &&
        stream->capture->mode != captureRelaxed) {
      invalidate(*stream->capture);
      code = refuse(result::streamCaptureUnsupported);
    }
  return code;
}

int State::beforeWaitForDevice() {
  int code = 0;
  for (const auto &[handle, stream] : streams)
    if (stream->capture && stream->device == currentDevice()) {
      invalidate(*stream->capture);
      code = refuse(result::streamCaptureUnsupported);
    }
  return code;
}

void State::submit(Stream &stream, std::function<void()> hostFunction) {
  static bool started = [this] {
    std::thread([this] { work(); }).detach();
    return true;
  }();
  (void)started;
  std::lock_guard lock(mutex);
  ++stream.submitted;
  hostFunctions_.emplace_back(&stream, std::move(hostFunction));
  wake_.notify_one();
}

void State::work() {
  std::unique_lock lock(mutex);
  while (true) {
    wake_.wait(lock, [&] { return !hostFunctions_.empty(); });
    auto [stream, function] = std::move(hostFunctions_.front());
    hostFunctions_.pop_front();
    lock.unlock();
    while (hold)
      std::this_thread::yield();
    inHostFunction = true;
    function();
    inHostFunction = false;
    lock.lock();
    ++stream->completed;
  }
}

} // namespace fake

#define EXPORTED extern "C" __attribute__((visibility("default")))

using fake::State;

EXPORTED size_t fakeCudaLaunchCount() { return State::get().launches.size(); }

EXPORTED const FakeLaunch *fakeCudaLaunchAt(size_t index) {
  State &s = State::get();
  return index < s.launches.size() ? &s.launches[index] : nullptr;
}

EXPORTED void fakeCudaReset() {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  s.launches.clear();
  s.launchNames.clear();
  s.launchArguments.clear();
  s.failures.clear();
  s.calls.clear();
  s.misuse = 0;
  s.stackBytes = 1024;
  s.sticky = 0;
  s.failureOfNextLaunch = s.failureOfLaunch = 0;
  s.captures = false;
  s.hold = false;
}

EXPORTED void fakeCudaFail(const char *function, int code, int skip, int times) {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  s.failures[function] = {code, skip, times};
}

EXPORTED size_t fakeCudaCalls(const char *function) {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  return s.calls[function];
}

EXPORTED int fakeCudaJitLevel() { return State::get().jitLevel; }

EXPORTED size_t fakeCudaMisuse() { return State::get().misuse; }

EXPORTED void fakeCudaHold(bool hold) { State::get().hold = hold; }

EXPORTED void fakeCudaFailLaunch(int code) { State::get().failureOfNextLaunch = code; }

EXPORTED void fakeCudaCapture(bool captures) { State::get().captures = captures; }

EXPORTED int fakeCudaBeginCapture(uint64_t stream, int mode) {
  return fake::beginCapture(reinterpret_cast<heddle::cuda::CUstream>(stream), mode);
}

EXPORTED int fakeCudaEndCapture(uint64_t stream, uint64_t *graph) {
  heddle::cuda::CUgraph made = nullptr;
  int code = fake::endCapture(reinterpret_cast<heddle::cuda::CUstream>(stream), &made);
  *graph = reinterpret_cast<uint64_t>(made);
  return code;
}

EXPORTED void fakeCudaRunGraph(uint64_t graph, uint64_t stream) {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  fake::Stream *where = s.stream(reinterpret_cast<heddle::cuda::CUstream>(stream));
  for (const auto &node : s.graphs.at(reinterpret_cast<void *>(graph))->nodes)
    s.doWork(*where, *node);
}

EXPORTED void fakeCudaDestroyGraph(uint64_t graph) {
  State &s = State::get();
  std::unique_ptr<fake::Graph> gone;
  std::lock_guard lock(s.mutex);
  auto found = s.graphs.find(reinterpret_cast<void *>(graph));
  gone = std::move(found->second);
  s.graphs.erase(found);
}

EXPORTED void fakeCudaStall(const char *function) {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  s.stalled = function ? function : "";
}

EXPORTED void fakeCudaPrint(const char *text) {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  s.printed += text;
}

EXPORTED void *fakeCudaGlobal(const char *name) {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  for (auto module = s.modules.rbegin(); module != s.modules.rend(); ++module)
    if (auto found = (*module)->globals.find(name); found != (*module)->globals.end())
      return found->second.data();
  return nullptr;
}

EXPORTED size_t fakeCudaAllocations() {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  return s.allocations.size();
}

EXPORTED uint64_t fakeCudaMakeStream(unsigned flags) {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  auto stream = std::make_unique<fake::Stream>();
  stream->flags = flags;
  uint64_t handle = reinterpret_cast<uint64_t>(stream.get());
  s.streams[stream.get()] = std::move(stream);
  return handle;
}
