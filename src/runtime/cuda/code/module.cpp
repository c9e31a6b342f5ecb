#include "runtime/cuda/code/module.h"

#include "runtime/cuda/code/driver_jit.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/graph/capture.h"
#include "runtime/cuda/host_work.h"
#include "runtime/disk_cache.h"
#include "simt/ir/bitcode.h"
#include "simt/ir/owned_module.h"
#include "simt/thresholds.h"
#include "support/compiler_run.h"
#include "support/diagnostic.h"
#include "support/hash.h"
#include "support/os/files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

namespace heddle::cuda {

namespace {

/// Dynamic shared memory available without opting in (CUDA C++ Programming Guide, compute capability 7.x).
constexpr uint32_t ordinarySharedBytes = 49152;

/// Stack per thread for kernels with unbounded call depth. The driver's default of 1 KiB is filled by a few calls. The
/// driver reserves this for every resident thread at the first launch of such a kernel: 2 GiB on an H200.
constexpr size_t recursiveStackBytes = 8192;

/// Hashes everything that the machine code depends on.
std::string cacheKey(const llvm::Module &module, const CompileOptions &options,
                     const nvptx::Target &target, std::pair<int, int> capability,
                     int driverVersion) {
  static const std::string compiler = HEDDLE_VERSION " " LLVM_VERSION_STRING " " + os::codeStamp();
  Hash hash;
  hash.add(simt::bitcodeOf(module))
      .add("cuda")
      .add(compiler)
      .add(thresholds::describeChanges())
      .add(uint64_t(target.sm))
      .add(uint64_t(target.ptxVersion))
      .add(uint64_t(capability.first) * 10 + uint64_t(capability.second))
      .add(uint64_t(driverVersion))
      .add(uint64_t(options.debug))
      .add(uint64_t(options.optimize))
      .add(uint64_t(options.fastMath))
      .add(uint64_t(options.flushDenormals))
      .add(uint64_t(options.lineInfo))
      .add(uint64_t(options.reorder))
      .add(uint64_t(options.maxRegisters))
      .add(uint64_t(assemblerLevelFromEnvironment().value_or(~0u)));
  for (unsigned bound : options.launchBounds)
    hash.add(uint64_t(bound));
  return hash.hex();
}

CUfunction findAndLoadKernelFunction(const CudaModule &module, const std::string &name) {
  Context &context = module.device().context();
  CUfunction function = nullptr;
  AllowedInCapture allowed(context.driver());
  context.check(context.driver().cuModuleGetFunction(&function, module.handle(), name.c_str()),
                "cuModuleGetFunction");
  // With lazy loading, the first launch would otherwise stall the GPU to load the function.
  if (context.driver().cuFuncLoad)
    context.check(context.driver().cuFuncLoad(function), "cuFuncLoad");
  return function;
}

} // namespace

CudaKernel::CudaKernel(CudaModule &module, const nvptx::KernelCode &code)
    : module_(module), context_(module.device().context()), name_(code.name),
      launched_(getOrAddLaunchedKernel(code.name, context_.label())),
      function_(findAndLoadKernelFunction(module, code.name)), cooperative_(code.cooperative),
      order_(code.order), parameterBytes_(code.parameterBytes) {
  staticSharedBytes_ = queryAttribute(function_, function_attribute::sharedBytes);
  localBytes_ = queryAttribute(function_, function_attribute::localBytes);
  registers_ = queryAttribute(function_, function_attribute::registers);
  maxThreadsPerBlock_ = queryAttribute(function_, function_attribute::maxThreadsPerBlock);
  constantBytes_ = queryAttribute(function_, function_attribute::constantBytes);
  allowedDynamicShared_ = ordinarySharedBytes - std::min(ordinarySharedBytes, staticSharedBytes_);
  if (code.coarsening <= 1 || code.coarsened.empty())
    return;
  coarsening_ = code.coarsening;
  coarsenedFunction_ = findAndLoadKernelFunction(module, code.coarsened);
  coarsenedMaxThreads_ = queryAttribute(coarsenedFunction_, function_attribute::maxThreadsPerBlock);
  coarsenedFrom_ = uint64_t(coarsening_) * module.device().residentThreads();
}

void CudaKernel::queryParameterSizes() {
  const Driver &driver = context_.driver();
  if (!driver.cuFuncGetParamInfo)
    throw CompileError(
        ErrorKind::Unsupported,
        "the driver of " + context_.label() +
            " cannot report the parameters of kernels from other compilers: it is older "
            "than CUDA 12.4\n  hint: give the CUDA C++ source as code=");
  size_t offset = 0, bytes = 0;
  // The driver reports no count; the first index past the last parameter is an error.
  for (size_t i = 0; driver.cuFuncGetParamInfo(function_, i, &offset, &bytes) == result::success;
       ++i)
    parameterBytes_.push_back(uint32_t(bytes));
}

int CudaKernel::queryAttribute(CUfunction function, int which) const {
  int value = 0;
  context_.check(context_.driver().cuFuncGetAttribute(&value, which, function),
                 "cuFuncGetAttribute");
  return value;
}

std::shared_ptr<void> CudaKernel::shareModule() const { return module_.shared_from_this(); }

const std::vector<simt::SiteInfo> &CudaKernel::sites() const { return module_.sites(); }

void CudaKernel::raiseDynamicSharedLimit(uint32_t bytes) const {
  uint32_t most = module_.device().limits().maxSharedBytesPerBlock;
  if (bytes > most - std::min(most, staticSharedBytes_))
    throw CompileError(ErrorKind::Value,
                       "dynamic shared memory of " + std::to_string(bytes) + " bytes: kernel " +
                           name_ + " may have at most " +
                           std::to_string(most - std::min(most, staticSharedBytes_)) + " here");
  context_.check(context_.driver().cuFuncSetAttribute(function_,
                                                      function_attribute::maxDynamicSharedBytes,
                                                      int(most - staticSharedBytes_)),
                 "cuFuncSetAttribute");
  allowedDynamicShared_ = most - staticSharedBytes_;
}

std::shared_ptr<CudaModule> CudaModule::load(CudaDevice &device, simt::OwnedModule code,
                                             const CompileOptions &options) {
  std::shared_ptr<CudaModule> loaded(new CudaModule(device));
  Context &context = device.context();
  loaded->options_ = options;
  int driverVersion = context.driver().version;
  auto capability = device.computeCapability();
  nvptx::Target target = nvptx::targetFor(capability, driverVersion);
  std::string key;
  std::tie(code, key, loaded->names_->sites) =
      runCompiler("reading SIMT IR", [&, code = std::move(code)]() mutable {
        const llvm::Module &module = *code.module;
        std::string key =
            options.cache ? cacheKey(module, options, target, capability, driverVersion) : "";
        return std::tuple(std::move(code), std::move(key), simt::sitesOf(module));
      });
  Context::Use use(context);

  std::optional<DiskCache> cache;
  if (options.cache) {
    cache = DiskCache::forKernels();
    if (auto bytes = cache->read(key))
      if (auto unpacked = unpackPtx(*bytes)) {
        loaded->code_.ptx = std::move(*unpacked);
        loaded->fromCache_ = true;
      }
  }
  if (!loaded->fromCache_)
    // NOLINTNEXTLINE(bugprone-use-after-move): std::tie has assigned it again.
    loaded->code_.ptx = runCompiler("compiling for a GPU", [&, code = std::move(code)] {
      return nvptx::compileToPtx(*code.module, options, target);
    });
  AllowedInCapture allowed(context.driver());
  loaded->handle_ = loadPtx(context, loaded->code_.ptx, options);
  if (cache && !loaded->fromCache_) {
    DiskCache::Label label{.target = "sm_" + std::to_string(capability.first) +
                                     std::to_string(capability.second)};
    for (const nvptx::KernelCode &kernel : loaded->code_.ptx.kernels)
      label.functions.push_back(kernel.name);
    cache->write(key, packPtx(loaded->code_.ptx), label);
  }
  loaded->initialize();
  return loaded;
}

std::shared_ptr<CudaModule> CudaModule::loadImage(CudaDevice &device, std::string image,
                                                  const std::string &name) {
  std::shared_ptr<CudaModule> loaded(new CudaModule(device));
  loaded->imageName_ = name;
  device.setMayPrint(); // the image's kernels may print
  Context::Use use(device.context());
  AllowedInCapture allowed(device.context().driver());
  loaded->handle_ = cuda::loadImage(device.context(), image, name);
  bool isText = image.find('\0') == image.npos;
  (isText ? loaded->code_.ptx.text : loaded->code_.cubin) = std::move(image);
  return loaded;
}

void CudaModule::initialize() {
  Context &context = device_.context();
  const Driver &driver = context.driver();
  for (const nvptx::KernelCode &code : code_.ptx.kernels) {
    kernels_[code.name] = std::make_unique<CudaKernel>(*this, code);
    names_->kernels.push_back(code.name);
  }
  if (llvm::any_of(code_.ptx.kernels, [](const nvptx::KernelCode &k) { return k.recursive; }))
    context.raiseStackLimit(recursiveStackBytes);
  if (llvm::any_of(sites(), [](const simt::SiteInfo &site) { return site.kind == "print"; }))
    device_.setMayPrint();
  if (!code_.ptx.reportsErrors)
    return;
  CUdeviceptr address = 0;
  size_t bytes = 0;
  context.check(driver.cuModuleGetGlobal(&address, &bytes, handle_, nvptx::errorChannelName),
                "cuModuleGetGlobal");
  if (bytes != sizeof(nvptx::ErrorChannel))
    throw CompileError(ErrorKind::Internal, std::string(nvptx::errorChannelName) + " has " +
                                                std::to_string(bytes) + " bytes");
  channel_ = device_.traps().addModule(names_);
  context.writeToDevice(address, &*channel_, sizeof(*channel_));
}

CudaModule::~CudaModule() {
  kernels_.clear();
  if (!handle_)
    return;
  // A kernel of the module may still run and report an error.
  device_.runWhenRuntimeIsIdle([&device = device_, handle = handle_, channel = channel_] {
    Context &context = device.context();
    freeOutsideCaptures(context, [&context, handle] { context.driver().cuModuleUnload(handle); });
    if (channel)
      device.traps().keepErrorAndRemoveModule(*channel);
  });
}

CudaKernel *CudaModule::findAndAddKernelOfImage(std::string_view name) {
  Context &context = device_.context();
  Context::Use use(context);
  CUfunction function = nullptr;
  std::string symbol(name);
  CUresult code = context.driver().cuModuleGetFunction(&function, handle_, symbol.c_str());
  if (code == result::notFound)
    return nullptr;
  context.check(code, "cuModuleGetFunction");
  auto kernel = std::make_unique<CudaKernel>(*this, nvptx::KernelCode{.name = symbol});
  kernel->queryParameterSizes();
  return (kernels_[symbol] = std::move(kernel)).get();
}

Kernel &CudaModule::kernel(std::string_view name) {
  auto found = kernels_.find(name);
  if (found != kernels_.end())
    return *found->second;
  if (!imageName_.empty())
    if (CudaKernel *kernel = findAndAddKernelOfImage(name))
      return *kernel;
  throw CompileError(ErrorKind::Value,
                     "there is no kernel named " + std::string(name) + " in " +
                         (imageName_.empty()
                              ? "this module"
                              : imageName_ + "\n  hint: a kernel that is not extern "
                                             "\"C\" has a longer symbol, as in _Z1kPf"));
}

CudaModule::Variable CudaModule::findVariable(std::string_view symbol) {
  Context &context = device_.context();
  Context::Use use(context);
  Variable variable;
  std::string name(symbol);
  CUresult code =
      context.driver().cuModuleGetGlobal(&variable.address, &variable.bytes, handle_, name.c_str());
  if (code == result::notFound)
    throw CompileError(ErrorKind::Value, "there is no variable named " + name + " in " +
                                             (imageName_.empty() ? "this module" : imageName_));
  context.check(code, "cuModuleGetGlobal");
  return variable;
}

void *CudaModule::variableAddress(std::string_view symbol) {
  return reinterpret_cast<void *>(findVariable(symbol).address);
}

uint64_t CudaModule::variableBytes(std::string_view symbol) { return findVariable(symbol).bytes; }

std::vector<uint32_t> CudaModule::parameterBytes(const Kernel &kernel) const {
  return static_cast<const CudaKernel &>(kernel).parameterBytes();
}

std::string CudaModule::machineCode() {
  std::lock_guard lock(machineCodeMutex_);
  if (code_.cubin.empty()) {
    Context::Use use(device_.context());
    AllowedInCapture allowed(device_.context().driver());
    code_.cubin = assembleToCubin(device_.context(), code_.ptx, options_);
  }
  return code_.cubin;
}

} // namespace heddle::cuda
