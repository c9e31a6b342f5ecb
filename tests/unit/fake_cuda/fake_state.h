// The state of the fake driver.
#pragma once

#include "fake_cuda.h"
#include "runtime/cuda/driver/types.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fake {

using namespace heddle::cuda;

enum class Kind { Device, Pool, Host, Managed, Registered };

struct Stream;

struct Allocation {
  size_t bytes;
  Kind kind;
  int device;
};

struct Kernel {
  std::string name;
  std::vector<unsigned> parameterBytes;
  unsigned sharedBytes = 0;
  unsigned maxThreads = 1024;
  unsigned maxDynamicShared = 49152;
};

struct Module {
  std::string ptx;
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  std::map<std::string, std::vector<char>> globals;
};

/// Parses PTX. Returns false if the text is not PTX.
bool readPtx(const std::string &ptx, Module &module);

/// A piece of work in a graph.
struct Node {
  std::function<void()> run;
  CUkernelNodeParams kernel{}; ///< of a kernel; `parameters` points to the pointers below
  std::vector<uint64_t> arguments;
  std::vector<void *> pointers;
  bool cooperative = false;
  CUgraphNode original = nullptr; ///< in an executable graph, the node that was replaced
};

/// Data that lives as long as the graphs that refer to it.
struct UserObject {
  UserObject(void *data, CUhostFn destroy) : data(data), destroy(destroy) {}
  UserObject(const UserObject &) = delete;
  UserObject &operator=(const UserObject &) = delete;
  ~UserObject() { destroy(data); }

  void *data;
  CUhostFn destroy;
};

struct Graph {
  std::vector<std::shared_ptr<Node>> nodes;
  std::vector<std::shared_ptr<UserObject>> held;
};

/// Work that streams record.
struct Capture {
  int mode = 0;
  bool invalid = false;
  Stream *origin = nullptr;
  Graph graph;
  std::vector<Stream *> streams;
  std::vector<Node *> ends; ///< no other work follows them
};

struct Stream {
  std::shared_ptr<Capture> capture;
  std::vector<Node *> last; ///< of the capture
  unsigned flags = 0;
  int device = 0;
  uint64_t submitted = 0; ///< number of host functions
  uint64_t completed = 0;
};

struct Event {
  std::shared_ptr<Capture> capture;
  std::vector<Node *> last;
  unsigned flags = 0;
  /// The recorded positions, by stream; for the legacy default stream, of all streams that it waits for.
  std::vector<std::pair<Stream *, uint64_t>> after;
  double milliseconds = -1;
};

struct Failure {
  int code;
  int skip;
  int times;
};

class State {
public:
  static State &get();

  std::recursive_mutex mutex;
  int devices = 1;
  int version = 13000;
  int capability = 90;
  size_t memory = size_t(4) << 30;
  size_t stackBytes = 1024; ///< per thread
  int jitLevel = 4;
  bool initialized = false;
  int sticky = 0;
  int failureOfNextLaunch = 0;
  int failureOfLaunch = 0; ///< of a launch that no call has reported yet
  bool captures = false;
  std::atomic<bool> hold{false};
  std::string stalled;       ///< the stalled function; guarded by `mutex`
  unsigned stalledCalls = 0; ///< number of waiting calls
  long longestStall = std::numeric_limits<long>::max(); ///< in milliseconds
  std::string printed;                                  ///< kernel output that is not written yet
  std::map<std::string, Failure> failures;
  std::map<std::string, size_t> calls;
  size_t misuse = 0;

  std::map<CUdeviceptr, Allocation> allocations;
  std::map<int, size_t> used;
  std::map<int, uint64_t> releaseThreshold;
  std::vector<std::unique_ptr<Module>> modules;
  std::map<void *, std::unique_ptr<Stream>> streams;
  std::map<void *, std::unique_ptr<Event>> events;
  Stream defaultStreams[3]; ///< by handle; 0 and 1 are the same stream
  std::deque<FakeLaunch> launches;
  std::deque<std::string> launchNames;
  std::deque<std::vector<uint64_t>> launchArguments;

  /// Counts the call. Returns the failure planned for it, or 0.
  int enter(const char *function);
  /// Counts an invalid call.
  int refuse(int code = result::invalidValue) {
    ++misuse;
    return code;
  }
  /// The allocation that contains all of the bytes; null if there is none.
  const Allocation *find(CUdeviceptr address, size_t bytes, CUdeviceptr *base = nullptr);
  Stream *stream(CUstream handle);
  /// The streams that work in `stream` waits for, with positions.
  std::vector<std::pair<Stream *, uint64_t>> positions(Stream &stream);
  /// Called before work is enqueued in a stream. Returns an error if a capture does not allow the work.
  int beforeWork(Stream &stream);
  /// Records the work if the stream captures, else runs it.
  void doWork(Stream &stream, Node node);
  /// Called before a call that may not happen while a stream captures, unless the thread allows it.
  int beforeUnsafeCall();
  /// Called before a call that waits for the whole device, which no capture allows.
  int beforeWaitForDevice();
  void invalidate(Capture &capture);
  /// Graphs, executable graphs and user objects by their handles.
  std::map<void *, std::unique_ptr<Graph>> graphs;
  std::map<void *, std::shared_ptr<UserObject>> userObjects;
  Graph otherGraph; ///< of `captures`
  void submit(Stream &stream, std::function<void()> hostFunction);
  void writePrints();

private:
  State();
  void work();
  std::condition_variable_any wake_;
  std::deque<std::pair<Stream *, std::function<void()>>> hostFunctions_;
};

/// The thread's CUstreamCaptureMode.
extern thread_local int captureModeOfThread;
int beginCapture(CUstream stream, int mode);
int endCapture(CUstream stream, CUgraph *graph);

/// The device of the calling thread's current context; -1 if there is none.
int currentDevice();

} // namespace fake
