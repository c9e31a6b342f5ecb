#include "bindings/kernels/cuda_program.h"

#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/serialized_scope.h"
#include "bindings/interpreter/warnings.h"
#include "bindings/kernels/kernel_launcher.h"
#include "bindings/kernels/kernels.h"
#include "frontend/cuda/libraries.h"
#include "program/names.h"
#include "support/deep_stack.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace heddle {

using program::LoadedProgram;

CudaProgram::CudaProgram(std::string source, std::string file, std::vector<std::string> options,
                         std::vector<std::string> expressions) {
  program::ProgramSource made{std::move(source), std::move(file), cudacpp::readOptions(options),
                              std::move(expressions)};
  made.options.backEnd.cache = true;
  source_ = std::make_shared<const program::ProgramSource>(std::move(made));
}

LoadedProgram &CudaProgram::getOrLoadOnDevice(Device &device) {
  SerializedScope scope;
  auto found = loaded_.find(&device);
  if (found != loaded_.end())
    return found->second;
  LoadedProgram made;
  {
    WithoutGil release;
    runWithStack(program::compilerStackBytes,
                 [&] { made = program::compileAndLoad(*source_, device); });
  }
  warnOfCacheRefusals();
  return loaded_.emplace(&device, std::move(made))
      .first->second; // may be the result of another thread
}

std::shared_ptr<Image> CudaImage::getOrLoadOnDevice(Device &device) {
  SerializedScope scope;
  std::shared_ptr<Image> &loaded = loaded_[&device];
  if (!loaded)
    loaded = loadImage(device, image_, name_);
  return loaded;
}

namespace {

CudaKernel loadAndFindKernel(CudaProgram &program, const std::string &name, bool allowStrided,
                             bool cupysRules, bool cooperative) {
  Device &device = currentDevice();
  LoadedProgram &loaded = program.getOrLoadOnDevice(device);
  const cudacpp::KernelInfo &info = program::getKernel(loaded.compiled, name);
  CudaKernel kernel;
  kernel.device = &device;
  kernel.module = loaded.module;
  kernel.kernel = &loaded.module->kernel(info.symbol);
  kernel.source = program.source();
  kernel.info = info;
  for (const cudacpp::Parameter &parameter : info.parameters)
    kernel.parameters.emplace_back(parameter);
  for (const simt::SiteInfo &site : kernel.kernel->sites())
    kernel.prints |= site.kind == "print";
  kernel.rules = {allowStrided, cupysRules};
  kernel.cooperative = cooperative;
  kernel.waits = kernel.source->options.backEnd.debug;
  return kernel;
}

CudaKernel loadImageAndFindKernel(CudaImage &image, const std::string &name, bool allowStrided,
                                  bool cupysRules, bool cooperative) {
  CudaKernel kernel;
  kernel.device = &currentDevice();
  std::shared_ptr<Image> loaded = image.getOrLoadOnDevice(*kernel.device);
  kernel.kernel = &loaded->kernel(name);
  kernel.info.name = kernel.info.symbol = name;
  for (uint32_t bytes : loaded->parameterBytes(*kernel.kernel))
    kernel.parameters.push_back(CudaParameter::fromSize(bytes));
  kernel.module = std::move(loaded);
  kernel.rules = {allowStrided, cupysRules};
  kernel.cooperative = cooperative;
  kernel.prints = true; // unknown, so assume that it prints
  return kernel;
}

nb::tuple loadImageAndFindVariable(CudaImage &image, const std::string &name) {
  std::shared_ptr<Image> loaded = image.getOrLoadOnDevice(currentDevice());
  return nb::make_tuple(name, reinterpret_cast<uintptr_t>(loaded->variableAddress(name)),
                        loaded->variableBytes(name));
}

/// A variable as (symbol, address, bytes).
nb::tuple loadAndFindVariable(CudaProgram &source, const std::string &name) {
  LoadedProgram &loaded = source.getOrLoadOnDevice(currentDevice());
  const cudacpp::VariableInfo &found = program::getVariable(loaded.compiled, name);
  auto address = reinterpret_cast<uintptr_t>(loaded.module->variableAddress(found.symbol));
  return nb::make_tuple(found.symbol, address, found.bytes);
}

/// The variables that kernels may write or the host may set, as (symbol, address, bytes). The module contains only
/// those that are used.
nb::list loadAndListVariables(CudaProgram &source) {
  LoadedProgram &loaded = source.getOrLoadOnDevice(currentDevice());
  nb::list list;
  for (const cudacpp::VariableInfo &variable : loaded.compiled.variables) {
    if (variable.isConst)
      continue;
    try {
      auto address = reinterpret_cast<uintptr_t>(loaded.module->variableAddress(variable.symbol));
      list.append(nb::make_tuple(variable.symbol, address, variable.bytes));
    } catch (const CompileError &) {
      // The module does not contain the variable.
    }
  }
  return list;
}

nb::dict attributesOf(const CudaKernel &k) {
  nb::dict d;
  auto [major, minor] = k.device->computeCapability();
  program::Attributes a = program::kernelAttributes(*k.device, *k.kernel);
  d["max_threads_per_block"] = a.maxThreadsPerBlock;
  d["shared_size_bytes"] = a.sharedBytes;
  d["const_size_bytes"] = a.constantBytes;
  d["local_size_bytes"] = a.localBytes;
  d["num_regs"] = a.registers;
  d["ptx_version"] = major * 10 + minor;
  d["binary_version"] = major * 10 + minor;
  d["cache_mode_ca"] = 0;
  d["max_dynamic_shared_size_bytes"] = a.maxDynamicSharedBytes;
  d["preferred_shared_memory_carveout"] = -1;
  return d;
}

/// CUDA C++ libraries that an installed Python package contains.
std::string findCudaLibrariesFolder() {
  nb::gil_scoped_acquire gil; // compilations run without the GIL
  return nb::cast<std::string>(
      nb::module_::import_("heddle.compiler.cuda_libraries").attr("find_cub_folder")());
}

/// The kernel's remarks; in a module, each remark begins with the kernel's name.
std::vector<std::string> remarksOf(const CudaKernel &k) {
  std::string begin = k.info.symbol + ": ";
  std::vector<std::string> own;
  for (const std::string &remark : k.module->remarks())
    if (remark.starts_with(begin))
      own.push_back(k.info.name + ": " + remark.substr(begin.size()));
  return own;
}

nb::list parametersOf(const CudaKernel &k) {
  nb::list list;
  for (const CudaParameter &p : k.parameters)
    list.append(nb::make_tuple(p.source.name, p.source.type.spelling));
  return list;
}

nb::list listWhichParametersArePointers(const CudaKernel &k) {
  nb::list list;
  for (const CudaParameter &p : k.parameters)
    list.append(p.source.type.kind == cudacpp::ValueType::Pointer);
  return list;
}

} // namespace

void bindCudaPrograms(nb::module_ &m) {
  bindKernelLauncher(m);
  cudacpp::setLibrariesFinder(findCudaLibrariesFolder);
  nb::class_<CudaKernel>(m, "CudaKernel", "A kernel in CUDA C++ on one device.")
      .def_prop_ro("name", [](const CudaKernel &k) { return k.info.name; })
      .def_prop_ro("symbol", [](const CudaKernel &k) { return k.info.symbol; })
      .def_prop_ro("parameters", parametersOf, "Pairs of a name and a type of C++.")
      .def_prop_ro("pointers", listWhichParametersArePointers,
                   "For each parameter, whether it is a pointer.")
      .def_prop_ro("attributes", attributesOf)
      .def_prop_ro("cooperative",
                   [](const CudaKernel &k) { return k.cooperative || k.kernel->isCooperative(); })
      .def(
          "max_cooperative_blocks",
          [](const CudaKernel &k, uint32_t blockThreads, uint32_t dynamicSharedBytes) {
            return k.device->maxCooperativeBlocks(*k.kernel, blockThreads, dynamicSharedBytes);
          },
          "block_threads"_a, "dynamic_shared_bytes"_a,
          "The number of blocks of this size that the device runs at once.")
      .def_prop_ro("remarks", remarksOf, "What was decided for its speed, and why not: sentences.")
      .def_prop_ro("assembly", [](CudaKernel &k) { return k.module->assembly(); })
      .def_prop_ro("from_cache", [](CudaKernel &k) { return k.module->fromCache(); });
  nb::class_<CudaImage>(m, "CudaImage", "The file of a module that another compiler made.")
      .def(nb::init<nb::bytes, std::string>(), "image"_a, "name"_a)
      .def(
          "compile",
          [](CudaImage &image) {
            image.getOrLoadOnDevice(currentDevice());
            return "";
          },
          "Loads it on the calling thread's device.")
      .def("kernel", loadImageAndFindKernel, "name"_a, "allow_strided"_a, "cupys_rules"_a,
           "cooperative"_a)
      .def("variable", loadImageAndFindVariable, "name"_a,
           "(symbol, address, bytes) on the calling thread's device.");
  nb::class_<CudaProgram>(m, "CudaProgram", "A program in CUDA C++.")
      .def(nb::init<std::string, std::string, std::vector<std::string>, std::vector<std::string>>(),
           "source"_a, "file"_a, "options"_a, "expressions"_a)
      .def(
          "compile",
          [](CudaProgram &p) { return p.getOrLoadOnDevice(currentDevice()).compiled.log; },
          "Compiles for the calling thread's device, if needed. Returns the compiler's warnings.")
      .def("kernel", loadAndFindKernel, "name"_a, "allow_strided"_a, "cupys_rules"_a,
           "cooperative"_a)
      .def("variable", loadAndFindVariable, "name"_a,
           "(symbol, address, bytes) on the calling thread's device.")
      .def("variables", loadAndListVariables,
           "The variables that are not constants, as (symbol, address, bytes) on the calling "
           "thread's device.");
}

} // namespace heddle
