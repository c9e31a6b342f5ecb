#include "bindings/kernels/compile_ahead.h"

#include "backend/cpu/compile.h"
#include "backend/nvptx/compile.h"
#include "bindings/interpreter/deep_stack.h"
#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/warnings.h"
#include "bindings/kernels/kernels.h"
#include "frontend/cuda/compile.h"
#include "frontend/ptx/lower_inline_ptx.h"
#include "frontend/python/compile_kernel.h"
#include "program/loaded_program.h"
#include "simt/ir/inline_assembly.h"
#include "simt/thresholds.h"
#include "support/compiler_run.h"
#include "support/deep_stack.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;

namespace heddle {

namespace {

using Capability = std::pair<int, int>;

/// A SIMT module and its function's result type.
struct Compiled {
  simt::OwnedModule code;
  python::Type result;
};

constexpr unsigned debugPtxVersion = 75; // PTX ISA 7.5: differences of labels in .section

/// Output formats: SIMT IR, the LLVM IR for code generation, assembly, machine code, or the back end's remarks, one per
/// line.
enum class Form { Simt, Llvm, Assembly, Object, Remarks };

Form parseForm(const std::string &name) {
  auto form = llvm::StringSwitch<std::optional<Form>>(name)
                  .Case("simt", Form::Simt)
                  .Case("llvm", Form::Llvm)
                  .Case("asm", Form::Assembly)
                  .Case("object", Form::Object)
                  .Case("remarks", Form::Remarks)
                  .Default(std::nullopt);
  if (!form)
    throw CompileError(ErrorKind::Value, "unknown form of code: '" + name + "'");
  return *form;
}

/// The target for a compute capability; without one, for the current device.
nvptx::Target targetForCapability(const std::optional<Capability> &capability, bool debug) {
  if (!capability && currentDevice().type() == "cuda")
    return nvptx::targetFor(currentDevice().computeCapability(), currentDevice().driverVersion());
  // The CPU device reports the capability that it emulates.
  nvptx::Target target =
      nvptx::targetFor(capability ? *capability : currentDevice().computeCapability());
  if (debug)
    target.ptxVersion = std::max(target.ptxVersion, debugPtxVersion);
  return target;
}

/// The device whose driver assembles machine code for GPUs.
Device &requireDeviceThatAssembles(const std::optional<Capability> &capability) {
  Device &device = currentDevice();
  const char *hint = "\n  hint: PTX needs no GPU: emit that, and let the driver of the GPU that "
                     "runs it assemble it";
  if (device.type() != "cuda")
    throw CompileError(
        ErrorKind::Lowering,
        "the GPU's driver makes its machine code, but the current device is " + device.name() +
            (noGpuReason().empty() ? "" : " (no GPU: " + noGpuReason() + ")") + hint);
  if (capability && *capability != device.computeCapability()) {
    auto dotted = [](Capability c) {
      return std::to_string(c.first) + "." + std::to_string(c.second);
    };
    throw CompileError(ErrorKind::Lowering, "the driver of " + device.name() +
                                                " makes machine code for its compute capability " +
                                                dotted(device.computeCapability()) +
                                                " only, not for " + dotted(*capability) + hint);
  }
  return device;
}

std::string formatIr(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

std::string compileForCpu(llvm::Module &module, const CompileOptions &options, Form form) {
  ptx::translateInlinePtx(module);
  if (form == Form::Llvm)
    return cpu::compileToLlvmIr(module, options);
  if (form == Form::Assembly)
    return cpu::compileToAssembly(module, options);
  cpu::CompiledObject compiled = cpu::compileToObject(module, options);
  return form == Form::Remarks ? llvm::join(compiled.remarks, "\n")
                               : compiled.file->getBuffer().str();
}

std::string generateGpuCode(llvm::Module &module, const CompileOptions &options,
                            const nvptx::Target &target, Form form) {
  if (form == Form::Llvm)
    return nvptx::compileToLlvmIr(module, options, target);
  nvptx::Ptx ptx = nvptx::compileToPtx(module, options, target);
  return form == Form::Remarks ? llvm::join(ptx.remarks, "\n") : ptx.text;
}

/// The target and the output format of a compilation.
struct Order {
  bool forGpu = true;
  std::optional<Capability> capability; ///< of the GPU; nullopt for the current device's
  Form form = Form::Assembly;

  Order(const std::string &device, const std::optional<Capability> &capability,
        const std::string &form)
      : forGpu(device == "cuda"), capability(capability), form(parseForm(form)) {
    if (!forGpu && device != "cpu")
      throw CompileError(ErrorKind::Value, "unknown device '" + device + "'");
    if (forGpu && this->form == Form::Object)
      requireDeviceThatAssembles(capability);
  }

  std::string generateCode(simt::OwnedModule code, CompileOptions options) const {
    options.reorder = false; // other launchers do not know about the reordering
    if (forGpu && form == Form::Object)
      return requireDeviceThatAssembles(capability).load(std::move(code), options)->machineCode();
    std::optional<nvptx::Target> target;
    if (forGpu && form != Form::Simt)
      target = targetForCapability(capability, options.debug);
    // The program's PTX may need any version. nvcc writes its newest one, too.
    bool isForOtherDriver = capability || currentDevice().type() != "cuda";
    if (target && isForOtherDriver && code.module->getNamedMetadata(simt::inlinePtxOfProgram))
      target->ptxVersion = nvptx::newestPtxVersion();
    return runCompiler("compiling ahead", [&, code = std::move(code)] {
      if (form == Form::Simt)
        return formatIr(*code.module);
      return forGpu ? generateGpuCode(*code.module, options, *target, form)
                    : compileForCpu(*code.module, options, form);
    });
  }
};

Architecture cpuArchitecture() {
  for (const auto &device : devices())
    if (device->type() == "cpu")
      return device->architecture();
  throw CompileError(ErrorKind::Internal, "there is no CPU device");
}

Architecture architectureOf(const Order &order, bool debug) {
  return order.forGpu ? Architecture{targetForCapability(order.capability, debug).sm, true}
                      : cpuArchitecture();
}

Compiled compileKernelToSimt(Dispatcher &dispatcher,
                             const std::vector<python::KernelArgument> &arguments,
                             const Order &order) {
  python::LinkedCode linked =
      dispatcher.collectLinkedCode(architectureOf(order, dispatcher.options().debug));
  auto kernel =
      python::compileKernel(dispatcher.source(), arguments, dispatcher.checks(order.forGpu),
                            order.forGpu ? "PTX" : "cpu", linked);
  issueTypeSafetyWarnings(kernel.warnings);
  return {std::move(kernel.code), python::noneType()};
}

Compiled compileFunctionToSimt(Dispatcher &dispatcher, const Signature &signature,
                               const std::string &name, const Order &order) {
  Compiled out;
  if (dispatcher.isDevice()) {
    if (!order.forGpu || order.form == Form::Object)
      throw CompileError(ErrorKind::Unsupported,
                         "a device function can be compiled separately to PTX only, for GPU code "
                         "that calls it\n  hint: compile a kernel that calls it");
    dispatcher.compileDeclared(signature);
    python::LinkedCode linked =
        dispatcher.collectLinkedCode(architectureOf(order, dispatcher.options().debug));
    python::FunctionSource &source = dispatcher.source();
    auto f = python::compileFunction(source, source.declaredParameters, name,
                                     dispatcher.checks(/*forGpu=*/true), "PTX", linked);
    issueTypeSafetyWarnings(f.warnings);
    out = {std::move(f.code), f.result};
  } else {
    dispatcher.checkSignature(signature);
    std::vector<python::KernelArgument> arguments(signature.arguments.begin(),
                                                  signature.arguments.end());
    out = compileKernelToSimt(dispatcher, arguments, order);
  }
  return out;
}

nb::tuple compileAhead(Dispatcher &dispatcher, const Signature &signature, const std::string &name,
                       const std::string &device, const std::optional<Capability> &capability,
                       const std::string &form) {
  Order order(device, capability, form);
  Compiled compiled;
  runWithDeepStack([&] { compiled = compileFunctionToSimt(dispatcher, signature, name, order); });
  std::string code;
  {
    WithoutGil release;
    code = order.generateCode(std::move(compiled.code), dispatcher.options());
  }
  return nb::make_tuple(nb::bytes(code.data(), code.size()), PythonType{compiled.result});
}

/// Compiles a kernel for the argument facts of a variant.
nb::bytes compileVariantAhead(Dispatcher &dispatcher, const Variant &variant,
                              const std::string &device,
                              const std::optional<Capability> &capability,
                              const std::string &form) {
  Order order(device, capability, form);
  std::vector<python::KernelArgument> arguments = variant.arguments;
  // CPU launches do not check array alignment. The GPU driver aligns allocations to 256 bytes.
  if (order.forGpu && variant.device->usesHostMemory())
    for (python::KernelArgument &argument : arguments)
      argument.facts.aligned = argument.type.isArray();
  Compiled compiled;
  runWithDeepStack([&] { compiled = compileKernelToSimt(dispatcher, arguments, order); });
  std::string code;
  {
    WithoutGil release;
    code = order.generateCode(std::move(compiled.code), dispatcher.options());
  }
  return nb::bytes(code.data(), code.size());
}

/// The result type of a device function for these arguments. Compiles only to SIMT IR.
PythonType inferResultType(Dispatcher &dispatcher, const std::vector<PythonType> &arguments) {
  std::vector<python::Type> types;
  for (const PythonType &argument : arguments)
    types.push_back(argument.type);
  PythonType result;
  runWithDeepStack([&] {
    dispatcher.checkSignature({python::Type(), types});
    python::LinkedCode linked = dispatcher.collectLinkedCode(cpuArchitecture());
    result.type = python::compileFunction(dispatcher.source(), types, "asked",
                                          dispatcher.checks(/*forGpu=*/false), "cpu", linked)
                      .result;
  });
  return result;
}

nb::tuple compileCudaAhead(const std::string &source, const std::string &file,
                           cudacpp::Options options, const std::vector<std::string> &expressions,
                           const std::string &device, const std::optional<Capability> &capability,
                           const std::string &form) {
  Order order(device, capability, form);
  options.backEnd.bounds = options.backEnd.bounds && !order.forGpu;
  Architecture architecture = architectureOf(order, options.backEnd.debug);
  std::string code, log;
  std::vector<std::string> kernels;
  {
    WithoutGil release;
    runWithStack(program::compilerStackBytes, [&] {
      cudacpp::CompiledProgram program =
          cudacpp::compile(source, file, options, expressions, architecture);
      log = program.log;
      for (const cudacpp::KernelInfo &kernel : program.kernels)
        kernels.push_back(kernel.name);
      code = order.generateCode(std::move(program.code), options.backEnd);
    });
  }
  return nb::make_tuple(nb::bytes(code.data(), code.size()), log, kernels);
}

} // namespace

void bindCompileAhead(nb::module_ &m) {
  m.def("compute_capabilities", [] {
    std::vector<Capability> found;
    for (unsigned sm : nvptx::supportedCapabilities())
      found.emplace_back(sm / 10, sm % 10);
    return found;
  });
  m.def(
      "change_threshold",
      [](const std::string &name, unsigned value) {
        if (std::optional<unsigned> before = thresholds::exchangeByName(name, value))
          return *before;
        throw nb::key_error(name.c_str());
      },
      "name"_a, "value"_a,
      "Changes a threshold of thresholds.def for later compilations, and returns its previous "
      "value.");
  m.def("compile_ahead", compileAhead, "dispatcher"_a, "signature"_a, "name"_a, "device"_a,
        "capability"_a.none(), "form"_a,
        "Compiles a kernel, or a device function with the symbol `name`. Returns the code as bytes "
        "and the result type. device: 'cpu' or 'cuda'. capability: of the GPU; the current "
        "device's if None. form: 'simt', 'llvm', 'asm' (PTX for GPUs), 'object' or 'remarks'.");
  m.def("compile_variant_ahead", compileVariantAhead, "dispatcher"_a, "variant"_a, "device"_a,
        "capability"_a.none(), "form"_a,
        "Compiles a kernel for the argument facts of a variant of any device. Returns bytes. The "
        "other parameters are those of compile_ahead.");
  m.def("result_type", inferResultType, "function"_a, "arguments"_a,
        "The result type of a device function for these argument types.");
  nb::class_<cudacpp::Options>(m, "CudaOptions", "The options of a program in CUDA C++.")
      .def(
          "__init__",
          [](cudacpp::Options *self, const std::vector<std::string> &arguments) {
            new (self) cudacpp::Options(cudacpp::readOptions(arguments));
          },
          "arguments"_a, "Raises ValueError for an unknown option.");
  m.def("compile_cuda_ahead", compileCudaAhead, "source"_a, "file"_a, "options"_a, "expressions"_a,
        "device"_a, "capability"_a.none(), "form"_a,
        "Compiles a CUDA C++ program. Returns the code as bytes, the compiler's warnings and the "
        "kernels' names. The other parameters are those of compile_ahead.");
}

} // namespace heddle
