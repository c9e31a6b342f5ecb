#include "bindings/cuda_program.h"

#include "bindings/deep_stack.h"
#include "bindings/gil.h"
#include "bindings/kernels.h"
#include "bindings/launch.h"
#include "bindings/launch_configuration.h"
#include "bindings/public_function.h"
#include "bindings/runtime.h"
#include "program/names.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>

namespace nb = nanobind;
using namespace nb::literals;

namespace heddle {

using program::LoadedProgram;

CudaProgram::CudaProgram(std::string source, std::string file, std::vector<std::string> options,
                         std::vector<std::string> expressions)
    : source_{std::move(source), std::move(file), cudacpp::readOptions(options),
              std::move(expressions)} {
  source_.options.backEnd.cache = true;
}

LoadedProgram &CudaProgram::on(Device &device) {
  auto found = loaded_.find(&device);
  if (found != loaded_.end())
    return found->second;
  LoadedProgram made;
  withDeepStack(
      [&] {
        WithoutGil release;
        made = program::load(source_, device);
      },
      program::compilerStackBytes);
  return loaded_.emplace(&device, std::move(made))
      .first->second; // another thread's, if it was faster
}

std::shared_ptr<Image> CudaImage::on(Device &device) {
  std::shared_ptr<Image> &loaded = loaded_[&device];
  if (!loaded)
    loaded = loadImage(device, image_, name_);
  return loaded;
}

namespace {

CudaKernel kernelOf(CudaProgram &source, const std::string &name, bool allowStrided,
                    bool cooperative) {
  Device &device = currentDevice();
  LoadedProgram &loaded = source.on(device);
  const cudacpp::KernelInfo &info = program::kernelNamed(loaded.source, name);
  CudaKernel kernel;
  kernel.device = &device;
  kernel.module = loaded.module;
  kernel.kernel = &loaded.module->kernel(info.symbol);
  kernel.info = info;
  for (const cudacpp::Parameter &parameter : info.parameters)
    kernel.parameters.emplace_back(parameter);
  for (const simt::SiteInfo &site : kernel.kernel->sites())
    kernel.prints |= site.kind == "print";
  kernel.allowStrided = allowStrided;
  kernel.cooperative = cooperative;
  kernel.waits = source.options().backEnd.debug;
  return kernel;
}

CudaKernel kernelOfImage(CudaImage &image, const std::string &name, bool allowStrided,
                         bool cooperative) {
  CudaKernel kernel;
  kernel.device = &currentDevice();
  std::shared_ptr<Image> loaded = image.on(*kernel.device);
  kernel.kernel = &loaded->kernel(name);
  kernel.info.name = kernel.info.symbol = name;
  for (uint32_t bytes : loaded->parameterBytes(*kernel.kernel))
    kernel.parameters.push_back(CudaParameter::ofBytes(bytes));
  kernel.module = std::move(loaded);
  kernel.allowStrided = allowStrided;
  kernel.cooperative = cooperative;
  kernel.prints = true; // it may
  return kernel;
}

nb::tuple variableOfImage(CudaImage &image, const std::string &name) {
  std::shared_ptr<Image> loaded = image.on(currentDevice());
  return nb::make_tuple(name, reinterpret_cast<uintptr_t>(loaded->variable(name)),
                        loaded->variableBytes(name));
}

/// (symbol, address, bytes) of a variable.
nb::tuple variableOf(CudaProgram &source, const std::string &name) {
  LoadedProgram &loaded = source.on(currentDevice());
  const cudacpp::VariableInfo &found = program::variableNamed(loaded.source, name);
  auto address = reinterpret_cast<uintptr_t>(loaded.module->variable(found.symbol));
  return nb::make_tuple(found.symbol, address, found.bytes);
}

void launch(CudaKernel &kernel, const LaunchConfiguration &configuration, nb::handle values) {
  Device &device = *kernel.device;
  Stream *named = configuration.stream.get();
  if (named && &named->device() != &device)
    throw CompileError(ErrorKind::Value, "kernel " + kernel.info.name + " is compiled for " +
                                             device.name() + ", the stream is of " +
                                             named->device().name());
  Stream &stream = named ? *named : device.defaultStream();
  ArgumentList arrays({}, &device, &stream);
  llvm::SmallVector<uint64_t, 40> slots;
  readCudaArguments(kernel.info.name, kernel.parameters, values, kernel.allowStrided, device,
                    arrays, slots);
  LaunchShape shape = configuration.shape;
  shape.cooperative = kernel.cooperative;
  checkLaunch(device, *kernel.kernel, shape);
  if (kernel.prints)
    flushPythonOutput();
  // NumPy arrays hold their results when the call returns.
  enqueue(stream, *kernel.kernel, shape, arrays, slots, kernel.waits || arrays.onHost);
}

/// What heddle.RawKernel is: `kernel(grid, block, args=(), *, shared_mem=0, stream=None)` with none of Python's code in the
/// way of a launch.
struct KernelLauncher {
  nb::object current; ///< the kernel of the device that was launched on last
};

/// The arguments of such a call: grid, block, args, shared_mem and stream, borrowed; null for each of the last two that is
/// not given.
std::array<PyObject *, 5> launchArguments(PyObject *positional, PyObject *keywords) {
  static const char *const names[] = {"grid", "block", "args", "shared_mem", "stream"};
  constexpr Py_ssize_t mostPositional = 3;
  static PyObject *const noArguments = PyTuple_New(0);
  std::array<PyObject *, 5> found{nullptr, nullptr, noArguments, nullptr, nullptr};
  Py_ssize_t given = PyTuple_Size(positional);
  if (given > mostPositional)
    throw nb::type_error(("a launch takes grid, block and args, not " + std::to_string(given) +
                          " positional arguments\n  hint: the kernel's own arguments are one "
                          "tuple; shared_mem= and stream= are named")
                             .c_str());
  for (Py_ssize_t i = 0; i < given; ++i)
    found[size_t(i)] = PyTuple_GetItem(positional, i);
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; keywords && PyDict_Next(keywords, &at, &key, &value);) {
    std::string name = nb::cast<std::string>(nb::handle(key));
    auto known = std::find(std::begin(names), std::end(names), name);
    if (known == std::end(names))
      throw nb::type_error(
          ("a launch takes grid, block, args, shared_mem and stream, not " + name).c_str());
    Py_ssize_t place = known - std::begin(names);
    if (place < given)
      throw nb::type_error(("a launch was given two values for " + name).c_str());
    found[size_t(place)] = value;
  }
  if (!found[0] || !found[1])
    throw nb::type_error("a launch needs a grid and a block");
  return found;
}

PyObject *callLauncher(PyObject *self, PyObject *positional, PyObject *keywords) {
  try {
    if (!nb::inst_ready(self))
      throw nb::type_error("this kernel was not initialised");
    auto [grid, block, arguments, sharedBytes, stream] = launchArguments(positional, keywords);
    KernelLauncher &launcher = *nb::inst_ptr<KernelLauncher>(self);
    if (!launcher.current.is_valid() ||
        nb::inst_ptr<CudaKernel>(launcher.current)->device != &currentDevice())
      launcher.current = nb::handle(self).attr("kernel");
    nb::object kernel = launcher.current; // another thread may launch elsewhere meanwhile
    launch(*nb::inst_ptr<CudaKernel>(kernel), readConfiguration(grid, block, stream, sharedBytes),
           arguments);
    return Py_NewRef(Py_None);
  } catch (...) {
    setPythonError(std::current_exception());
  }
  dropOwnFrames();
  return nullptr;
}

PyType_Slot launcherSlots[] = {{Py_tp_call, reinterpret_cast<void *>(callLauncher)}, {0, nullptr}};

nb::dict attributesOf(const CudaKernel &k) {
  nb::dict d;
  auto [major, minor] = k.device->computeCapability();
  program::Attributes a = program::attributesOf(*k.device, *k.kernel);
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

nb::list parametersOf(const CudaKernel &k) {
  nb::list list;
  for (const CudaParameter &p : k.parameters)
    list.append(nb::make_tuple(p.source.name, p.source.type.spelling));
  return list;
}

} // namespace

void bindCudaPrograms(nb::module_ &m) {
  nb::class_<KernelLauncher>(
      m, "KernelLauncher", nb::type_slots(launcherSlots),
      "What is called with grid, block, arguments, shared memory in bytes and a stream or None. A "
      "subclass says by its attribute `kernel` what it launches on the current device.")
      .def(nb::init<>());
  nb::class_<CudaKernel>(m, "CudaKernel", "A kernel in CUDA C++ on one device.")
      .def_prop_ro("name", [](const CudaKernel &k) { return k.info.name; })
      .def_prop_ro("parameters", parametersOf, "Pairs of a name and a type of C++.")
      .def_prop_ro("attributes", attributesOf)
      .def_prop_ro("cooperative",
                   [](const CudaKernel &k) { return k.cooperative || k.kernel->cooperative(); })
      .def_prop_ro("assembly", [](CudaKernel &k) { return k.module->assembly(); })
      .def_prop_ro("from_cache", [](CudaKernel &k) { return k.module->fromCache(); });
  nb::class_<CudaImage>(m, "CudaImage", "The file of a module that another compiler made.")
      .def(nb::init<nb::bytes, std::string>(), "image"_a, "name"_a)
      .def(
          "compile",
          [](CudaImage &image) {
            image.on(currentDevice());
            return "";
          },
          "Loads it on the calling thread's device.")
      .def("kernel", kernelOfImage, "name"_a, "allow_strided"_a, "cooperative"_a)
      .def("variable", variableOfImage, "name"_a,
           "(symbol, address, bytes) on the calling thread's device.");
  nb::class_<CudaProgram>(m, "CudaProgram", "A program in CUDA C++.")
      .def(nb::init<std::string, std::string, std::vector<std::string>, std::vector<std::string>>(),
           "source"_a, "file"_a, "options"_a, "expressions"_a)
      .def(
          "compile", [](CudaProgram &p) { return p.on(currentDevice()).source.log; },
          "Compiles for the calling thread's device, if it is not yet; returns the compiler's "
          "warnings.")
      .def("kernel", kernelOf, "name"_a, "allow_strided"_a, "cooperative"_a)
      .def("variable", variableOf, "name"_a,
           "(symbol, address, bytes) on the calling thread's device.");
}

} // namespace heddle
