#include "api/access.h"
#include "api/arguments.h"
#include "api/errors.h"
#include "program/loaded_program.h"
#include "program/names.h"
#include "runtime/disk_cache.h"
#include "support/deep_stack.h"
#include "support/diagnostic.h"

#include <cstdio>

namespace heddle::v1 {

using detail::Access;
using detail::translateErrors;

namespace {

/// The object that a Module handle refers to.
struct LoadedModule {
  heddle::Device &device;
  program::LoadedProgram program;
  bool debug = false; ///< launches wait, so that errors are thrown by the launch itself
};

/// The object that a Kernel handle refers to.
struct ModuleKernel {
  std::shared_ptr<LoadedModule> module;
  heddle::Kernel &kernel;
  const cudacpp::KernelInfo &info;
  bool prints = false;
};

LoadedModule &moduleFromHandle(const std::shared_ptr<void> &native) {
  return *static_cast<LoadedModule *>(native.get());
}
const ModuleKernel &kernelFromHandle(const std::shared_ptr<void> &native) {
  return *static_cast<const ModuleKernel *>(native.get());
}

program::LoadedProgram loadProgram(const program::ProgramSource &source, heddle::Device &device) {
  program::LoadedProgram program;
  runWithStack(program::compilerStackBytes,
               [&] { program = program::compileAndLoad(source, device); });
  for (const std::string &why : DiskCache::takeCacheWarnings())
    program.compiled.log += "warning: " + why + "\n";
  return program;
}

uint32_t checkExtent(uint64_t given, const char *what) {
  if (given < 1 || given > UINT32_MAX)
    throw CompileError(ErrorKind::Value,
                       std::string("the ") + what + " has an extent of " +
                           std::to_string(int64_t(given)) +
                           "; every extent must be at least 1 and below 2**32" +
                           (given ? ""
                                  : "\n  hint: n / block is 0 for a small n: round up with "
                                    "(n + block - 1) / block"));
  return uint32_t(given);
}

heddle::Dim3 checkExtents(const Dim3 &given, const char *what) {
  return {checkExtent(given.x, what), checkExtent(given.y, what), checkExtent(given.z, what)};
}

uint32_t checkSharedBytes(uint64_t given) {
  if (given > UINT32_MAX)
    throw CompileError(ErrorKind::Value,
                       "the dynamic shared memory must be a non-negative number of bytes, not " +
                           std::to_string(int64_t(given)));
  return uint32_t(given);
}

heddle::Stream &checkAndGetLaunchStream(const Launch &how, const ModuleKernel &kernel) {
  heddle::Device &device = kernel.module->device;
  if (!how.stream)
    return device.defaultStream();
  heddle::Stream &stream = Access::native(*how.stream);
  if (&stream.device() != &device)
    throw CompileError(ErrorKind::Value, "kernel " + kernel.info.name + " is compiled for " +
                                             device.name() + ", the stream is on " +
                                             stream.device().name());
  return stream;
}

} // namespace

Module::Module(const Device &device, const std::string &source,
               const std::vector<std::string> &options,
               const std::vector<std::string> &nameExpressions)
    : native_(translateErrors([&] {
        program::ProgramSource program{source, "<cuda source>", cudacpp::readOptions(options),
                                       nameExpressions};
        program.options.backEnd.cache = true;
        heddle::Device &native = Access::native(device);
        return std::make_shared<LoadedModule>(
            LoadedModule{native, loadProgram(program, native), program.options.backEnd.debug});
      })) {}

Device Module::device() const { return Access::handle(moduleFromHandle(native_).device); }

Kernel Module::function(const std::string &name) const {
  return translateErrors([&] {
    auto module = std::static_pointer_cast<LoadedModule>(native_);
    const cudacpp::KernelInfo &info = program::getKernel(module->program.compiled, name);
    heddle::Kernel &kernel = module->program.module->kernel(info.symbol);
    bool prints = false;
    for (const simt::SiteInfo &site : kernel.sites())
      prints |= site.kind == "print";
    return Access::handle(
        std::make_shared<ModuleKernel>(ModuleKernel{module, kernel, info, prints}));
  });
}

detail::Memory Module::variable(const std::string &name, size_t elementBytes) const {
  return translateErrors([&] {
    LoadedModule &module = moduleFromHandle(native_);
    const cudacpp::VariableInfo &info = program::getVariable(module.program.compiled, name);
    if (info.bytes % elementBytes)
      throw CompileError(ErrorKind::Value, "the variable '" + name + "' has " +
                                               std::to_string(info.bytes) +
                                               " bytes, which is not a multiple of elements of " +
                                               std::to_string(elementBytes) + " bytes");
    return detail::Memory(device(), module.program.module->variableAddress(info.symbol), info.bytes,
                          native_);
  });
}

std::string Module::log() const {
  return translateErrors([&] { return moduleFromHandle(native_).program.compiled.log; });
}

std::string Module::assembly() const {
  return translateErrors([&] { return moduleFromHandle(native_).program.module->assembly(); });
}

std::string Kernel::name() const {
  return translateErrors([&] { return kernelFromHandle(native_).info.name; });
}

KernelAttributes Kernel::attributes() const {
  return translateErrors([&] {
    const ModuleKernel &k = kernelFromHandle(native_);
    program::Attributes a = program::kernelAttributes(k.module->device, k.kernel);
    return KernelAttributes{
        a.maxThreadsPerBlock, a.sharedBytes,           a.constantBytes,         a.localBytes,
        a.registers,          a.maxDynamicSharedBytes, k.kernel.isCooperative()};
  });
}

std::vector<Parameter> Kernel::parameters() const {
  return translateErrors([&] {
    std::vector<Parameter> parameters;
    for (const cudacpp::Parameter &p : kernelFromHandle(native_).info.parameters)
      parameters.push_back({p.name, p.type.spelling});
    return parameters;
  });
}

unsigned Kernel::suggestedBlockSize(size_t dynamicSharedBytes) const {
  return translateErrors([&] {
    const ModuleKernel &k = kernelFromHandle(native_);
    return k.module->device.suggestedBlockSize(k.kernel, checkSharedBytes(dynamicSharedBytes));
  });
}

uint64_t Kernel::maxCooperativeBlocks(unsigned blockThreads, size_t dynamicSharedBytes) const {
  return translateErrors([&] {
    const ModuleKernel &k = kernelFromHandle(native_);
    return k.module->device.maxCooperativeBlocks(k.kernel, blockThreads,
                                                 checkSharedBytes(dynamicSharedBytes));
  });
}

void Kernel::launchWith(const Launch &how, const detail::Argument *arguments, size_t count) const {
  translateErrors([&] {
    const ModuleKernel &k = kernelFromHandle(native_);
    heddle::Device &device = k.module->device;
    heddle::Stream &stream = checkAndGetLaunchStream(how, k);
    llvm::SmallVector<uint64_t, 40> slots;
    std::vector<std::shared_ptr<void>> owners;
    detail::appendArgumentSlots(k.info, Access::handle(device), {arguments, count}, slots, owners);
    LaunchShape shape{checkExtents(how.grid, "grid"), checkExtents(how.block, "block"),
                      checkSharedBytes(how.dynamicSharedBytes)};
    shape.cooperative = how.cooperative;
    checkLaunch(device, k.kernel, shape);
    if (k.prints)
      std::fflush(stdout);
    // GPU memory is freed in stream order.
    std::shared_ptr<void> keepAlive;
    if (device.usesHostMemory() && !owners.empty())
      keepAlive = std::make_shared<decltype(owners)>(std::move(owners));
    stream.launch(k.kernel, shape, slots, std::move(keepAlive));
    if (k.module->debug)
      stream.synchronize();
  });
}

} // namespace heddle::v1
