// Implements the functions of driver_functions.def on the fake state.
#include "fake_state.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace fake {

namespace {

struct Context {
  int device;
};
Context contexts[16] = {{0}, {1}, {2},  {3},  {4},  {5},  {6},  {7},
                        {8}, {9}, {10}, {11}, {12}, {13}, {14}, {15}};
thread_local CUcontext current = nullptr;

constexpr const char *cubinMagic = "fake cubin\n";

#define ENTER(function)                                                                            \
  State &s = State::get();                                                                         \
  if (int failed = s.enter(#function))                                                             \
    return failed;                                                                                 \
  std::lock_guard lock(s.mutex)
/// `where` is the stream in which work is enqueued.
#define WORK_IN(stream)                                                                            \
  Stream *where = s.stream(stream);                                                                \
  if (!where)                                                                                      \
    return s.refuse(400);                                                                          \
  if (int code = s.beforeWork(*where))                                                             \
  return code
#define NOT_WHILE_CAPTURING                                                                        \
  if (int code = s.beforeUnsafeCall())                                                             \
  return code
#define NOT_WHILE_ANY_CAPTURE                                                                      \
  if (int code = s.beforeWaitForDevice())                                                          \
  return code
#define NEED_CONTEXT                                                                               \
  if (currentDevice() < 0)                                                                         \
  return s.refuse(result::invalidContext)

void *hostPointer(CUdeviceptr address) { return reinterpret_cast<void *>(address); }

int allocate(State &s, CUdeviceptr *address, size_t bytes, Kind kind) {
  int device = currentDevice();
  bool counts = kind != Kind::Host;
  if (!bytes)
    return s.refuse();
  if (counts && (bytes > s.memory || s.used[device] + bytes > s.memory))
    return result::outOfMemory;
  void *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!memory)
    return result::outOfMemory;
  *address = reinterpret_cast<CUdeviceptr>(memory);
  s.allocations[*address] = {bytes, kind, device};
  if (counts)
    s.used[device] += bytes;
  return result::success;
}

int release(State &s, CUdeviceptr address, std::initializer_list<Kind> kinds) {
  auto found = s.allocations.find(address);
  if (found == s.allocations.end() ||
      std::find(kinds.begin(), kinds.end(), found->second.kind) == kinds.end())
    return s.refuse();
  if (found->second.kind != Kind::Host)
    s.used[found->second.device] -= found->second.bytes;
  s.allocations.erase(found);
  // Overwrite the memory, so that a use after free reads another value.
  std::memset(hostPointer(address), 0xdd, 1);
  std::free(hostPointer(address));
  return result::success;
}

/// True if a device may access these bytes: an allocation or a module's variable.
bool onDevice(State &s, CUdeviceptr address, size_t bytes) {
  if (s.find(address, bytes))
    return true;
  for (const auto &module : s.modules)
    for (const auto &[name, memory] : module->globals) {
      auto base = reinterpret_cast<CUdeviceptr>(memory.data());
      if (address >= base && address + bytes <= base + memory.size())
        return true;
    }
  return false;
}

bool ready(const Stream &stream, uint64_t position) {
  return !State::get().hold && stream.completed >= position;
}

} // namespace

int beginCapture(CUstream stream, int mode) {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  Stream *found = s.stream(stream);
  if (!found || found == &s.defaultStreams[0] || found->capture)
    return s.refuse(result::streamCaptureUnsupported);
  found->capture = std::make_shared<Capture>();
  found->capture->mode = mode;
  found->capture->origin = found;
  found->capture->streams = {found};
  found->last.clear();
  return 0;
}

int endCapture(CUstream stream, CUgraph *graph) {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  Stream *found = s.stream(stream);
  if (!found || !found->capture || found->capture->origin != found)
    return s.refuse(result::streamCaptureUnsupported);
  std::shared_ptr<Capture> capture = found->capture;
  bool joined = std::ranges::all_of(capture->ends, [&](Node *end) {
    return std::ranges::find(found->last, end) != found->last.end();
  });
  for (Stream *member : capture->streams) {
    member->capture = nullptr;
    member->last.clear();
  }
  if (capture->invalid)
    return result::streamCaptureInvalidated;
  if (!joined)
    return result::streamCaptureUnjoined;
  auto made = std::make_unique<Graph>(std::move(capture->graph));
  *graph = reinterpret_cast<CUgraph>(made.get());
  s.graphs[made.get()] = std::move(made);
  return 0;
}

namespace {

/// A function that records a launch.
std::function<void()> makeLaunch(State &s, const Node &node, CUstream stream) {
  return [&s, stream, k = node.kernel, arguments = node.arguments, cooperative = node.cooperative] {
    s.failureOfLaunch = std::exchange(s.failureOfNextLaunch, s.failureOfLaunch);
    s.launchNames.push_back(reinterpret_cast<Kernel *>(k.function)->name);
    s.launchArguments.push_back(arguments);
    s.launches.push_back({s.launchNames.back().c_str(),
                          {k.gridX, k.gridY, k.gridZ},
                          {k.blockX, k.blockY, k.blockZ},
                          k.sharedBytes,
                          stream,
                          cooperative,
                          s.launchArguments.back().size(),
                          s.launchArguments.back().data()});
  };
}

int note(State &s, CUfunction function, const unsigned (&grid)[3], const unsigned (&block)[3],
         unsigned sharedBytes, CUstream stream, void **parameters, bool cooperative) {
  auto *kernel = reinterpret_cast<Kernel *>(function);
  WORK_IN(stream);
  for (int axis = 0; axis < 3; ++axis)
    if (!grid[axis] || !block[axis])
      return s.refuse();
  if (block[0] * block[1] * block[2] > kernel->maxThreads)
    return s.refuse(result::launchOutOfResources);
  if (sharedBytes + kernel->sharedBytes >
      std::max(kernel->maxDynamicShared + kernel->sharedBytes, 49152u))
    return s.refuse();
  Node node;
  for (size_t i = 0; i < kernel->parameterBytes.size(); ++i) {
    uint64_t value = 0;
    std::memcpy(&value, parameters[i], std::min<size_t>(8, kernel->parameterBytes[i]));
    node.arguments.push_back(value);
  }
  node.kernel = {function, grid[0],  grid[1],     grid[2], block[0],
                 block[1], block[2], sharedBytes, nullptr, nullptr};
  node.cooperative = cooperative;
  node.run = makeLaunch(s, node, stream);
  s.doWork(*where, std::move(node));
  return result::success;
}

double milliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct ErrorName {
  int code;
  const char *name;
  const char *text;
};
constexpr ErrorName errorNames[] = {
    {0, "CUDA_SUCCESS", "no error"},
    {1, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {2, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {3, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {4, "CUDA_ERROR_DEINITIALIZED", "driver shutting down"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {101, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {201, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "uncorrectable ECC error encountered"},
    {218, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {400, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {500, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {600, "CUDA_ERROR_NOT_READY", "device not ready"},
    {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch"},
    {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access is already enabled"},
    {719, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "too many blocks in cooperative launch"},
    {800, "CUDA_ERROR_NOT_PERMITTED", "operation not permitted"},
    {801, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
};

const ErrorName *describe(int code) {
  for (const ErrorName &e : errorNames)
    if (e.code == code)
      return &e;
  return nullptr;
}

struct AttributeValue {
  int number;
  int value;
};
/// Values of an H200, for the attributes that are queried.
constexpr AttributeValue attributeValues[] = {
    {1, 1024},      {2, 1024},    {3, 1024},   {4, 64},     {5, 2147483647},  {6, 65535},
    {7, 65535},     {8, 49152},   {9, 65536},  {10, 32},    {11, 2147483647}, {12, 65536},
    {13, 1980000},  {16, 132},    {19, 1},     {31, 1},     {36, 3201000},    {37, 6144},
    {38, 62914560}, {39, 2048},   {40, 3},     {41, 1},     {78, 1},          {79, 1},
    {80, 1},        {81, 233472}, {82, 65536}, {83, 1},     {86, 0},          {87, 2},
    {89, 1},        {90, 1},      {91, 1},     {95, 1},     {97, 232448},     {99, 1},
    {102, 1},       {103, 1},     {106, 32},   {111, 1024}, {115, 1},         {120, 1},
    {125, 1},
};

int cuInit(unsigned) {
  ENTER(cuInit);
  if (s.devices == 0)
    return result::noDevice;
  s.initialized = true;
  return 0;
}

int cuDriverGetVersion(int *version) {
  *version = State::get().version;
  return 0;
}

int cuGetErrorName(int code, const char **text) {
  const ErrorName *found = describe(code);
  *text = found ? found->name : nullptr;
  return found ? 0 : result::invalidValue;
}

int cuGetErrorString(int code, const char **text) {
  const ErrorName *found = describe(code);
  *text = found ? found->text : nullptr;
  return found ? 0 : result::invalidValue;
}

int cuDeviceGetCount(int *count) {
  ENTER(cuDeviceGetCount);
  *count = s.devices;
  return 0;
}

int cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER(cuDeviceGet);
  if (ordinal < 0 || ordinal >= s.devices)
    return 101;
  *device = ordinal;
  return 0;
}

int cuDeviceGetName(char *name, int bytes, CUdevice) {
  ENTER(cuDeviceGetName);
  std::strncpy(name, "Fake GPU", bytes);
  return 0;
}

int cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  ENTER(cuDeviceGetUuid);
  for (int i = 0; i < 16; ++i)
    uuid->bytes[i] = i == 15 ? device : 0xf0 + i;
  return 0;
}

int cuDeviceTotalMem(size_t *bytes, CUdevice) {
  ENTER(cuDeviceTotalMem);
  *bytes = s.memory;
  return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  ENTER(cuDeviceGetAttribute);
  if (attribute < 1 || attribute > 147 || device < 0 || device >= s.devices)
    return result::invalidValue;
  *value = 0;
  for (const AttributeValue &a : attributeValues)
    if (a.number == attribute)
      *value = a.value;
  if (attribute == attribute::capabilityMajor)
    *value = s.capability / 10;
  if (attribute == attribute::capabilityMinor)
    *value = s.capability % 10;
  return 0;
}

int cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  ENTER(cuDeviceCanAccessPeer);
  *can = device != peer;
  return 0;
}

int cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device) {
  ENTER(cuDeviceGetDefaultMemPool);
  *pool = reinterpret_cast<CUmemoryPool>(&contexts[device]);
  return 0;
}

int cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER(cuDevicePrimaryCtxRetain);
  *context = reinterpret_cast<CUcontext>(&contexts[device]);
  return 0;
}

int cuCtxGetCurrent(CUcontext *context) {
  *context = current;
  return 0;
}

int cuCtxSetCurrent(CUcontext context) {
  ENTER(cuCtxSetCurrent);
  current = context;
  return 0;
}

int cuCtxSynchronize() {
  std::vector<std::pair<Stream *, uint64_t>> all;
  {
    ENTER(cuCtxSynchronize);
    NEED_CONTEXT;
    NOT_WHILE_ANY_CAPTURE;
    all = s.positions(s.defaultStreams[0]);
    for (const auto &[handle, stream] : s.streams)
      all.emplace_back(stream.get(), stream->submitted);
  }
  for (const auto &[stream, position] : all)
    for (bool over = false; !over; std::this_thread::yield()) {
      std::lock_guard lock(State::get().mutex);
      over = ready(*stream, position);
    }
  State::get().writePrints();
  return 0;
}

int cuCtxGetLimit(size_t *bytes, int) {
  ENTER(cuCtxGetLimit);
  NEED_CONTEXT;
  *bytes = s.stackBytes;
  return s.sticky;
}

int cuCtxSetLimit(int, size_t bytes) {
  ENTER(cuCtxSetLimit);
  NEED_CONTEXT;
  s.stackBytes = bytes;
  return s.sticky;
}

int cuCtxEnablePeerAccess(CUcontext, unsigned) {
  ENTER(cuCtxEnablePeerAccess);
  NEED_CONTEXT;
  return 0;
}

int cuMemGetInfo(size_t *free, size_t *total) {
  State &s = State::get();
  std::lock_guard lock(s.mutex);
  NEED_CONTEXT;
  *total = s.memory;
  *free = s.memory - std::min(s.memory, s.used[currentDevice()]);
  return s.sticky;
}

int cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  ENTER(cuMemAlloc);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  return allocate(s, address, bytes, Kind::Device);
}

int cuMemFree(CUdeviceptr address) {
  ENTER(cuMemFree);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  return release(s, address, {Kind::Device, Kind::Managed, Kind::Pool});
}

int cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned) {
  ENTER(cuMemAllocManaged);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  return allocate(s, address, bytes, Kind::Managed);
}

int cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  ENTER(cuMemHostAlloc);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  CUdeviceptr at = 0;
  int failed = allocate(s, &at, bytes, Kind::Host);
  *address = hostPointer(at);
  return failed;
}

int cuMemFreeHost(void *address) {
  ENTER(cuMemFreeHost);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  return release(s, reinterpret_cast<CUdeviceptr>(address), {Kind::Host});
}

int cuMemHostGetDevicePointer(CUdeviceptr *address, void *host, unsigned) {
  ENTER(cuMemHostGetDevicePointer);
  *address = reinterpret_cast<CUdeviceptr>(host);
  return s.find(*address, 1) ? 0 : s.refuse();
}

int cuMemHostRegister(void *address, size_t bytes, unsigned) {
  ENTER(cuMemHostRegister);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  auto at = reinterpret_cast<CUdeviceptr>(address);
  if (s.allocations.count(at))
    return 712;
  s.allocations[at] = {bytes, Kind::Registered, currentDevice()};
  return 0;
}

int cuMemHostUnregister(void *address) {
  ENTER(cuMemHostUnregister);
  NOT_WHILE_CAPTURING;
  auto found = s.allocations.find(reinterpret_cast<CUdeviceptr>(address));
  if (found == s.allocations.end() || found->second.kind != Kind::Registered)
    return 713;
  s.allocations.erase(found);
  return 0;
}

int cuMemGetAddressRange(CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  ENTER(cuMemGetAddressRange);
  const Allocation *found = s.find(address, 1, base);
  if (!found)
    return 500;
  *bytes = found->bytes;
  return 0;
}

int cuPointerGetAttributes(unsigned count, int *attributes, void **values, CUdeviceptr address) {
  ENTER(cuPointerGetAttributes);
  NEED_CONTEXT;
  if (count != 1 || attributes[0] != pointerMemoryType)
    return s.refuse();
  const Allocation *found = s.find(address, 1);
  bool host = found && (found->kind == Kind::Host || found->kind == Kind::Registered);
  *static_cast<unsigned *>(values[0]) = !found ? 0 : host ? 1 : 2;
  return 0;
}

int cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  ENTER(cuMemAllocAsync);
  NEED_CONTEXT;
  WORK_IN(stream);
  if (where->capture) // the memory would belong to the graph
    return s.refuse();
  NOT_WHILE_CAPTURING;
  return allocate(s, address, bytes, Kind::Pool);
}

int cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  ENTER(cuMemFreeAsync);
  NEED_CONTEXT;
  WORK_IN(stream);
  if (where->capture) // the graph did not allocate the memory
    return s.refuse();
  NOT_WHILE_CAPTURING;
  return release(s, address, {Kind::Pool, Kind::Device});
}

int cuMemPoolSetAttribute(CUmemoryPool pool, int attribute, void *value) {
  ENTER(cuMemPoolSetAttribute);
  if (attribute != pool::releaseThreshold)
    return s.refuse();
  s.releaseThreshold[reinterpret_cast<Context *>(pool)->device] = *static_cast<uint64_t *>(value);
  return 0;
}

int cuMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value) {
  ENTER(cuMemPoolGetAttribute);
  int device = reinterpret_cast<Context *>(pool)->device;
  *static_cast<uint64_t *>(value) =
      attribute == pool::releaseThreshold ? s.releaseThreshold[device] : 0;
  return 0;
}

int cuMemPoolTrimTo(CUmemoryPool, size_t) {
  ENTER(cuMemPoolTrimTo);
  NOT_WHILE_CAPTURING;
  return 0;
}

int cuMemPoolSetAccess(CUmemoryPool, const CUmemAccessDesc *, size_t) {
  ENTER(cuMemPoolSetAccess);
  return 0;
}

int cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER(cuMemcpyAsync);
  NEED_CONTEXT;
  WORK_IN(stream);
  s.doWork(*where, {.run = [=] { std::memmove(hostPointer(to), hostPointer(from), bytes); }});
  return 0;
}

int cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  ENTER(cuMemcpyHtoDAsync);
  NEED_CONTEXT;
  WORK_IN(stream);
  if (!onDevice(s, to, bytes))
    return s.refuse();
  s.doWork(*where, {.run = [=] { std::memcpy(hostPointer(to), from, bytes); }});
  return 0;
}

int cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER(cuMemcpyDtoHAsync);
  NEED_CONTEXT;
  WORK_IN(stream);
  if (!onDevice(s, from, bytes))
    return s.refuse();
  s.doWork(*where, {.run = [=] { std::memcpy(to, hostPointer(from), bytes); }});
  return 0;
}

int cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream) {
  ENTER(cuMemsetD8Async);
  NEED_CONTEXT;
  WORK_IN(stream);
  if (!onDevice(s, to, bytes))
    return s.refuse();
  s.doWork(*where, {.run = [=] { std::memset(hostPointer(to), value, bytes); }});
  return 0;
}

int cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr address) {
  ENTER(cuIpcGetMemHandle);
  auto found = s.allocations.find(address);
  if (found == s.allocations.end() || found->second.kind != Kind::Device)
    return result::invalidValue;
  std::memset(handle, 0, sizeof *handle);
  std::memcpy(handle->reserved, &address, sizeof address);
  return 0;
}

/// Also opens memory of this process, which the real driver does not.
int cuIpcOpenMemHandle(CUdeviceptr *address, CUipcMemHandle handle, unsigned) {
  ENTER(cuIpcOpenMemHandle);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  std::memcpy(address, handle.reserved, sizeof *address);
  return s.find(*address, 1) ? 0 : result::invalidValue;
}

int cuIpcCloseMemHandle(CUdeviceptr) {
  ENTER(cuIpcCloseMemHandle);
  NOT_WHILE_CAPTURING;
  return 0;
}

int cuStreamCreate(CUstream *stream, unsigned flags) {
  ENTER(cuStreamCreate);
  NEED_CONTEXT;
  auto made = std::make_unique<Stream>();
  made->flags = flags;
  made->device = currentDevice();
  *stream = reinterpret_cast<CUstream>(made.get());
  s.streams[made.get()] = std::move(made);
  return 0;
}

int cuStreamDestroy(CUstream stream) {
  ENTER(cuStreamDestroy);
  auto found = s.streams.find(stream);
  if (found == s.streams.end())
    return s.refuse(400);
  if (found->second->capture)
    s.invalidate(*found->second->capture);
  // Pending work still runs: keep the object, invalidate the handle.
  found->second.release();
  s.streams.erase(found);
  return 0;
}

int cuStreamGetFlags(CUstream stream, unsigned *flags) {
  ENTER(cuStreamGetFlags);
  Stream *found = s.stream(stream);
  if (!found)
    return 400;
  if (found->capture) { // as the real driver
    s.invalidate(*found->capture);
    return s.refuse(result::streamCaptureUnsupported);
  }
  *flags = found->flags;
  return 0;
}

int cuStreamIsCapturing(CUstream stream, int *status) {
  ENTER(cuStreamIsCapturing);
  NEED_CONTEXT;
  Stream *found = s.stream(stream);
  if (!found)
    return s.refuse(400);
  *status = found->capture ? (found->capture->invalid ? 2 : 1) : s.captures;
  if (found != &s.defaultStreams[0])
    return 0;
  for (const auto &[handle, other] : s.streams)
    if (other->capture && !(other->flags & streamNonBlocking))
      return result::streamCaptureImplicit;
  return 0;
}

int cuStreamBeginCapture(CUstream stream, int mode) {
  ENTER(cuStreamBeginCapture);
  NEED_CONTEXT;
  return beginCapture(stream, mode);
}

int cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  ENTER(cuStreamEndCapture);
  NEED_CONTEXT;
  return endCapture(stream, graph);
}

int cuStreamGetCaptureInfo(CUstream stream, int *status, uint64_t *id, CUgraph *graph,
                           const CUgraphNode **last, size_t *lastCount) {
  ENTER(cuStreamGetCaptureInfo);
  Stream *found = s.stream(stream);
  if (!found)
    return s.refuse(400);
  *status = found->capture || s.captures;
  *id = 1;
  *graph = reinterpret_cast<CUgraph>(found->capture ? &found->capture->graph : &s.otherGraph);
  *last = reinterpret_cast<const CUgraphNode *>(found->last.data());
  *lastCount = found->last.size();
  return 0;
}

int cuThreadExchangeStreamCaptureMode(int *mode) {
  ENTER(cuThreadExchangeStreamCaptureMode);
  std::swap(*mode, captureModeOfThread);
  return 0;
}

Graph *findGraph(State &s, void *handle) {
  auto found = s.graphs.find(handle);
  return found == s.graphs.end() ? nullptr : found->second.get();
}

int cuGraphInstantiateWithFlags(CUgraphExec *made, CUgraph graph, unsigned long long) {
  ENTER(cuGraphInstantiateWithFlags);
  NOT_WHILE_CAPTURING;
  Graph *source = findGraph(s, graph);
  if (!source)
    return s.refuse(400);
  auto copy = std::make_unique<Graph>(*source);
  *made = reinterpret_cast<CUgraphExec>(copy.get());
  s.graphs[copy.get()] = std::move(copy);
  return 0;
}

int cuGraphLaunch(CUgraphExec graph, CUstream stream) {
  ENTER(cuGraphLaunch);
  NEED_CONTEXT;
  WORK_IN(stream);
  Graph *found = findGraph(s, graph);
  if (!found)
    return s.refuse(400);
  for (const auto &node : found->nodes)
    s.doWork(*where, *node);
  return 0;
}

int destroyGraph(State &s, void *graph) {
  auto found = s.graphs.find(graph);
  if (found == s.graphs.end())
    return s.refuse(400);
  std::unique_ptr<Graph> gone = std::move(found->second);
  s.graphs.erase(found);
  return 0;
}

int cuGraphDestroy(CUgraph graph) {
  ENTER(cuGraphDestroy);
  return destroyGraph(s, graph);
}

int cuGraphExecDestroy(CUgraphExec graph) {
  ENTER(cuGraphExecDestroy);
  NOT_WHILE_CAPTURING;
  return destroyGraph(s, graph);
}

int cuGraphKernelNodeGetParams(CUgraphNode node, CUkernelNodeParams *parameters) {
  ENTER(cuGraphKernelNodeGetParams);
  auto *found = reinterpret_cast<Node *>(node);
  *parameters = found->kernel;
  found->pointers.clear();
  for (uint64_t &argument : found->arguments)
    found->pointers.push_back(&argument);
  parameters->parameters = found->pointers.data();
  return parameters->function ? 0 : s.refuse();
}

int cuGraphExecKernelNodeSetParams(CUgraphExec graph, CUgraphNode node,
                                   const CUkernelNodeParams *parameters) {
  ENTER(cuGraphExecKernelNodeSetParams);
  Graph *found = findGraph(s, graph);
  if (!found)
    return s.refuse(400);
  for (std::shared_ptr<Node> &own : found->nodes)
    if (own->original == node || own.get() == reinterpret_cast<Node *>(node)) {
      auto *kernel = reinterpret_cast<Kernel *>(parameters->function);
      auto changed = std::make_shared<Node>();
      changed->original = node;
      changed->kernel = *parameters;
      changed->arguments.resize(kernel->parameterBytes.size());
      for (size_t i = 0; i < kernel->parameterBytes.size(); ++i)
        std::memcpy(&changed->arguments[i], parameters->parameters[i],
                    std::min<size_t>(8, kernel->parameterBytes[i]));
      changed->run = makeLaunch(s, *changed, nullptr);
      own = std::move(changed);
      return 0;
    }
  return s.refuse(400);
}

int cuUserObjectCreate(CUuserObject *made, void *data, CUhostFn destroy, unsigned, unsigned) {
  ENTER(cuUserObjectCreate);
  auto object = std::make_shared<UserObject>(data, destroy);
  *made = reinterpret_cast<CUuserObject>(object.get());
  s.userObjects[object.get()] = std::move(object);
  return 0;
}

int cuUserObjectRelease(CUuserObject object, unsigned) {
  ENTER(cuUserObjectRelease);
  return s.userObjects.erase(object) ? 0 : s.refuse(400);
}

int cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned, unsigned flags) {
  ENTER(cuGraphRetainUserObject);
  auto found = s.userObjects.find(object);
  if (found == s.userObjects.end() || flags != graphUserObjectMove)
    return s.refuse();
  reinterpret_cast<Graph *>(graph)->held.push_back(found->second);
  s.userObjects.erase(found);
  return 0;
}

int cuStreamQuery(CUstream stream) {
  ENTER(cuStreamQuery);
  NEED_CONTEXT;
  Stream *found = s.stream(stream);
  if (!found)
    return s.refuse(400);
  if (found->capture) {
    s.invalidate(*found->capture);
    return s.refuse(result::streamCaptureUnsupported);
  }
  NOT_WHILE_CAPTURING;
  return ready(*found, found->submitted) ? 0 : result::notReady;
}

int cuStreamSynchronize(CUstream stream) {
  ENTER(cuStreamSynchronize);
  NEED_CONTEXT;
  // The runtime polls first, so that the wait can be interrupted.
  Stream *found = s.stream(stream);
  if (found && found->capture) {
    s.invalidate(*found->capture);
    return s.refuse(result::streamCaptureUnsupported);
  }
  s.writePrints();
  return found && ready(*found, found->submitted) ? 0 : s.refuse(400);
}

int cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  ENTER(cuStreamWaitEvent);
  auto found = s.events.find(event);
  if (found == s.events.end())
    return s.refuse(400);
  WORK_IN(stream);
  const std::shared_ptr<Capture> &capture = found->second->capture;
  if (where->capture == capture) { // also if both are null
    where->last.insert(where->last.end(), found->second->last.begin(), found->second->last.end());
    return 0;
  }
  if (where->capture) { // it would wait for work outside of the capture
    s.invalidate(*where->capture);
    return s.refuse(result::streamCaptureIsolation);
  }
  if (where == &s.defaultStreams[0])
    return s.refuse(result::streamCaptureImplicit);
  where->capture = capture;
  where->last = found->second->last;
  capture->streams.push_back(where);
  return 0;
}

int cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  ENTER(cuLaunchHostFunc);
  NEED_CONTEXT;
  WORK_IN(stream);
  s.doWork(*where,
           {.run = [&s, where, function, data] { s.submit(*where, [=] { function(data); }); }});
  return 0;
}

int cuEventCreate(CUevent *event, unsigned flags) {
  ENTER(cuEventCreate);
  NEED_CONTEXT;
  auto made = std::make_unique<Event>();
  made->flags = flags;
  *event = reinterpret_cast<CUevent>(made.get());
  s.events[made.get()] = std::move(made);
  return 0;
}

int cuEventDestroy(CUevent event) {
  ENTER(cuEventDestroy);
  return s.events.erase(event) ? 0 : s.refuse(400);
}

int cuEventRecord(CUevent event, CUstream stream) {
  ENTER(cuEventRecord);
  NEED_CONTEXT;
  auto found = s.events.find(event);
  Stream *where = s.stream(stream);
  if (found == s.events.end() || !where)
    return s.refuse(400);
  if (int code = s.beforeWork(*where))
    return code;
  found->second->capture = where->capture;
  found->second->last = where->last;
  found->second->after = s.positions(*where);
  found->second->milliseconds = milliseconds();
  return 0;
}

int cuEventQuery(CUevent event) {
  ENTER(cuEventQuery);
  auto found = s.events.find(event);
  if (found == s.events.end())
    return s.refuse(400);
  NOT_WHILE_CAPTURING;
  if (found->second->capture)
    return s.refuse(result::capturedEvent);
  for (const auto &[stream, position] : found->second->after)
    if (!ready(*stream, position))
      return result::notReady;
  return 0;
}

int cuEventSynchronize(CUevent event) {
  ENTER(cuEventSynchronize);
  NOT_WHILE_CAPTURING;
  s.writePrints();
  return s.events.count(event) ? 0 : s.refuse(400);
}

int cuEventElapsedTime(float *time, CUevent start, CUevent end) {
  ENTER(cuEventElapsedTime);
  auto from = s.events.find(start), to = s.events.find(end);
  if (from == s.events.end() || to == s.events.end() || from->second->milliseconds < 0 ||
      to->second->milliseconds < 0 || ((from->second->flags | to->second->flags) & 2))
    return s.refuse(400);
  *time = float(to->second->milliseconds - from->second->milliseconds);
  return 0;
}

/// Writes a message to the error log, if the options include one.
void log(unsigned count, const int *options, void **values, const char *text) {
  char *buffer = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == jit::errorLogBuffer)
      buffer = static_cast<char *>(values[i]);
    if (options[i] == jit::errorLogBytes)
      bytes = reinterpret_cast<size_t>(values[i]);
  }
  if (buffer && bytes)
    std::strncpy(buffer, text, bytes);
}

struct Link {
  std::string cubin;
  std::vector<int> options;
  std::vector<void *> values;
};

int jitLevel(unsigned count, const int *options, void *const *values) {
  constexpr int whenNotGiven = 4;
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == jit::optimizationLevel)
      return int(reinterpret_cast<uintptr_t>(values[i]));
  return whenNotGiven;
}

int cuLinkCreate(unsigned count, int *options, void **values, CUlinkState *state) {
  ENTER(cuLinkCreate);
  NEED_CONTEXT;
  NOT_WHILE_CAPTURING;
  s.jitLevel = jitLevel(count, options, values);
  *state = reinterpret_cast<CUlinkState>(
      new Link{"", {options, options + count}, {values, values + count}});
  return 0;
}

int cuLinkAddData(CUlinkState state, int type, void *data, size_t bytes, const char *, unsigned,
                  int *, void **) {
  ENTER(cuLinkAddData);
  auto *link = reinterpret_cast<Link *>(state);
  Module module;
  std::string ptx(static_cast<const char *>(data), bytes ? bytes - 1 : 0);
  if (type != jit::inputPtx || !readPtx(ptx, module)) {
    log(unsigned(link->options.size()), link->options.data(), link->values.data(),
        "ptxas application ptx input, line 1; fatal: not PTX");
    return result::invalidPtx;
  }
  link->cubin = cubinMagic + ptx;
  return 0;
}

int cuLinkComplete(CUlinkState state, void **cubin, size_t *bytes) {
  ENTER(cuLinkComplete);
  auto *link = reinterpret_cast<Link *>(state);
  *cubin = link->cubin.data();
  *bytes = link->cubin.size() + 1;
  return 0;
}

int cuLinkDestroy(CUlinkState state) {
  ENTER(cuLinkDestroy);
  delete reinterpret_cast<Link *>(state);
  return 0;
}

int cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, int *options,
                       void **values) {
  ENTER(cuModuleLoadDataEx);
  NEED_CONTEXT;
  std::string text(static_cast<const char *>(image));
  if (text.rfind(cubinMagic, 0) == 0)
    text.erase(0, std::strlen(cubinMagic));
  else
    s.jitLevel = jitLevel(count, options, values);
  auto made = std::make_unique<Module>();
  if (!readPtx(text, *made)) {
    log(count, options, values, "ptxas application ptx input, line 1; fatal: not PTX");
    return result::invalidPtx;
  }
  *module = reinterpret_cast<CUmodule>(made.get());
  s.modules.push_back(std::move(made));
  return 0;
}

int cuModuleUnload(CUmodule module) {
  ENTER(cuModuleUnload);
  NOT_WHILE_CAPTURING;
  size_t gone = std::erase_if(
      s.modules, [&](const auto &m) { return m.get() == reinterpret_cast<Module *>(module); });
  return gone ? 0 : s.refuse(400);
}

int cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  ENTER(cuModuleGetFunction);
  auto &kernels = reinterpret_cast<Module *>(module)->kernels;
  auto found = kernels.find(name);
  if (found == kernels.end())
    return 500;
  *function = reinterpret_cast<CUfunction>(found->second.get());
  return 0;
}

int cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  ENTER(cuModuleGetGlobal);
  auto &globals = reinterpret_cast<Module *>(module)->globals;
  auto found = globals.find(name);
  if (found == globals.end())
    return 500;
  *address = reinterpret_cast<CUdeviceptr>(found->second.data());
  *bytes = found->second.size();
  return 0;
}

int cuFuncLoad(CUfunction) {
  ENTER(cuFuncLoad);
  return 0;
}

int cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
  ENTER(cuFuncGetParamInfo);
  const auto &all = reinterpret_cast<Kernel *>(function)->parameterBytes;
  if (index >= all.size())
    return result::invalidValue;
  *bytes = all[index];
  *offset = 0;
  for (size_t i = 0; i <= index; ++i) // natural alignment
    *offset = (*offset + all[i] - 1) / all[i] * all[i] + (i < index ? all[i] : 0);
  return 0;
}

int cuFuncGetAttribute(int *value, int attribute, CUfunction function) {
  ENTER(cuFuncGetAttribute);
  auto *kernel = reinterpret_cast<Kernel *>(function);
  switch (attribute) {
  case function_attribute::maxThreadsPerBlock:
    *value = int(kernel->maxThreads);
    return 0;
  case function_attribute::sharedBytes:
    *value = int(kernel->sharedBytes);
    return 0;
  case function_attribute::registers:
    *value = 32;
    return 0;
  case function_attribute::maxDynamicSharedBytes:
    *value = int(kernel->maxDynamicShared);
    return 0;
  default:
    *value = 0;
    return 0;
  }
}

int cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  ENTER(cuFuncSetAttribute);
  auto *kernel = reinterpret_cast<Kernel *>(function);
  if (attribute != function_attribute::maxDynamicSharedBytes || value < 0 ||
      value + kernel->sharedBytes > 232448)
    return s.refuse();
  kernel->maxDynamicShared = unsigned(value);
  return 0;
}

int cuLaunchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                   CUstream stream, void **parameters, void **) {
  ENTER(cuLaunchKernel);
  NEED_CONTEXT;
  return note(s, function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, stream,
              parameters, false);
}

int cuLaunchCooperativeKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                              unsigned blockX, unsigned blockY, unsigned blockZ,
                              unsigned sharedBytes, CUstream stream, void **parameters) {
  ENTER(cuLaunchCooperativeKernel);
  NEED_CONTEXT;
  return note(s, function, {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes, stream,
              parameters, true);
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction, int blockThreads, size_t) {
  ENTER(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  *blocks = std::min(32, 2048 / std::max(1, blockThreads));
  return 0;
}

int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, size_t (*)(int),
                                     size_t, int) {
  ENTER(cuOccupancyMaxPotentialBlockSize);
  *grid = 264;
  *block = int(reinterpret_cast<Kernel *>(function)->maxThreads);
  return 0;
}

int cuProfilerStart() {
  ENTER(cuProfilerStart);
  return 0;
}

int cuProfilerStop() {
  ENTER(cuProfilerStop);
  return 0;
}

struct Function {
  const char *name;
  int version;
  void *address;
};

const Function functions[] = {
#define HEDDLE_CUDA_FUNCTION(name, version, parameters)                                            \
  {#name, version, reinterpret_cast<void *>(static_cast<CUresult(*) parameters>(&fake::name))},
#define HEDDLE_CUDA_OPTIONAL(name, version, parameters)                                            \
  HEDDLE_CUDA_FUNCTION(name, version, parameters)
#include "runtime/cuda/driver/functions.def"
};

} // namespace

int currentDevice() { return current ? reinterpret_cast<Context *>(current)->device : -1; }

} // namespace fake

extern "C" __attribute__((visibility("default"))) int cuDriverGetVersion(int *version) {
  return fake::cuDriverGetVersion(version);
}

extern "C" __attribute__((visibility("default"))) int
cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t, int *status) {
  *function = nullptr;
  if (version > fake::State::get().version)
    return fake::result::invalidValue;
  for (const fake::Function &f : fake::functions)
    if (std::strcmp(f.name, name) == 0 && f.version <= version) {
      *function = f.address;
      *status = 0;
      return 0;
    }
  *status = 1;
  return 0;
}
