#include "bindings/kernels/kernels.h"

#include "bindings/interpreter/serialized_scope.h"
#include "bindings/kernels/checked_launches.h"

#include "bindings/interpreter/deep_stack.h"
#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/warnings.h"
#include "bindings/kernels/compile_ahead.h"
#include "bindings/kernels/declared_functions.h"
#include "bindings/kernels/traced_launches.h"
#include "bindings/source/environment.h"
#include "frontend/python/compile_kernel.h"
#include "frontend/python/rows/row.h"
#include "simt/ir/bitcode.h"
#include "support/compile_progress.h"
#include "support/compiler_run.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <tuple>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace heddle {

using python::KernelArgument;
using python::Type;

Dispatcher::Dispatcher(nb::object function, nb::dict options)
    : BaseDispatcher(std::move(function)) {
  auto flag = [&](const char *name, bool otherwise) { // uses Python's truth value
    nb::object value = options.contains(name) ? nb::object(options[name]) : nb::none();
    int truth = value.is_none() ? otherwise : PyObject_IsTrue(value.ptr());
    if (truth < 0)
      throw nb::python_error();
    return truth != 0;
  };
  isDevice_ = flag("device", false);
  if (flag("parallel_as_caller", false))
    setParallelAsCaller();
  options_.debug = flag("debug", false);
  options_.optimize = flag("opt", true);
  options_.flushDenormals = flag("fastmath", false);
  options_.fastMath = options_.flushDenormals ? FastMath::All : FastMath::None;
  options_.contract = flag("contract", true);
  options_.cache = flag("cache", false);
  options_.lineInfo = flag("lineinfo", false);
  options_.reorder = flag("reorder", true);
  auto number = [&](const char *name, nb::handle value, unsigned &out) {
    if (!nb::try_cast(value, out))
      throw nb::type_error((std::string(name) + " takes non-negative numbers, not " +
                            nb::cast<std::string>(nb::repr(value)))
                               .c_str());
  };
  if (options.contains("max_registers") && !options["max_registers"].is_none())
    number("max_registers", options["max_registers"], options_.maxRegisters);
  if (options.contains("width") && !options["width"].is_none()) {
    if (!nb::try_cast(options["width"], options_.width) || !isValidWidth(options_.width))
      throw nb::value_error("width takes 1, 4, 8, 16 or 32");
  }
  if (options.contains("launch_bounds")) // the Python side has checked that it is a tuple
    for (size_t i = 0; nb::handle bound : nb::borrow<nb::tuple>(options["launch_bounds"]))
      number("launch_bounds", bound, options_.launchBounds.at(i++));
  if (options.contains("link")) // the Python side has checked that it is a list
    linked_ = nb::borrow<nb::list>(options["link"]);
}

int Dispatcher::visitReferences(visitproc visit, void *arg) const {
  Py_VISIT(linked_.ptr());
  return BaseDispatcher::visitReferences(visit, arg);
}

void Dispatcher::clearReferences() {
  linked_ = nb::list();
  BaseDispatcher::clearReferences();
}

python::LinkedCode Dispatcher::collectLinkedCode(Architecture architecture) const {
  return {architecture, toForeignCode(linked_)};
}

namespace {

/// True if a launch can pass values of the type. Optional values and ranges have no launch representation.
bool isLaunchArgument(Type type) {
  return !type.is(python::TypeKind::Optional) && !type.is(python::TypeKind::Range) &&
         (!type.isTuple() || llvm::all_of(type->elements, isLaunchArgument));
}

} // namespace

void Dispatcher::checkSignature(const Signature &signature) {
  checkParameterCount(signature);
  if (!isDevice_)
    for (Type type : signature.arguments)
      if (!isLaunchArgument(type))
        throw CompileError(
            ErrorKind::Type,
            "a kernel declares no parameter of type " + type.name() +
                "\n  hint: leave out the signature: a kernel is compiled for None and "
                "for values apart");
  if (!isDevice_ && signature.result && !signature.result.is(python::TypeKind::None))
    throw CompileError(ErrorKind::Type,
                       "a CUDA kernel must have void return type, not " + signature.result.name() +
                           "\n  hint: write void, or device=True for a function that kernels call");
}

Variant *Dispatcher::compileDeclared(const Signature &signature) {
  checkSignature(signature);
  if (isDevice_) {
    signatures_.push_back(signature);
    setSignaturesForCalls(signatures_);
    return nullptr;
  }
  Variant &variant = compileAndAddVariant(
      currentDevice(), kernelArgumentsWithoutFacts(signature.arguments), true, {});
  signatures_.push_back(signature);
  return &variant;
}

void Dispatcher::recompile() {
  source().compiledWith.clear();
  discardVariants();
  if (!isDevice_)
    compileDeclaredSignatures(currentDevice());
  else if (!signatures_.empty())
    setSignaturesForCalls(signatures_);
}

bool Dispatcher::compileDeclaredSignatures(Device &device) {
  bool isNew = false;
  for (size_t i = 0; i < signatures_.size(); ++i) { // by index: another thread may add one
    std::vector<KernelArgument> arguments = kernelArgumentsWithoutFacts(signatures_[i].arguments);
    if (llvm::any_of(variants(), [&](const std::unique_ptr<BaseVariant> &variant) {
          return variant->declared && variant->device == &device && variant->arguments == arguments;
        }))
      continue;
    compileAndAddVariant(device, arguments, true, {});
    isNew = true;
  }
  return isNew;
}

LaunchConfiguration Dispatcher::readConfiguration(PyObject *configuration) {
  if (!PyTuple_CheckExact(configuration) || PyTuple_Size(configuration) != 2)
    return heddle::readConfiguration(configuration);
  PyObject *grid = PyTuple_GetItem(configuration, 0), *block = PyTuple_GetItem(configuration, 1);
  if (knownShape_.matches(grid, block))
    return {knownShape_.shape, nullptr};
  LaunchConfiguration read = heddle::readConfiguration(configuration);
  knownShape_.storeIfConstant(grid, block, read.shape);
  return read;
}

Variant &Dispatcher::findOrCompileVariant(Device &device, ArgumentList &arguments,
                                          const LaunchExtents &launch) {
  llvm::ArrayRef<KernelArgument> given = arguments.kernelArguments;
  if (!signatures_.empty()) {
    bool isOnly = signatures_.size() == 1;
    BaseVariant *variant = findDeclaredVariant(&device, arguments, isOnly);
    if (!variant && compileDeclaredSignatures(device))
      variant = findDeclaredVariant(&device, arguments, isOnly);
    if (variant) {
      // The declared types may be narrower than the arguments'.
      arguments.convertToParameterTypes(variant->arguments);
      return static_cast<Variant &>(*variant);
    }
    auto isText = [](const KernelArgument &a) { return a.type.is(python::TypeKind::String); };
    if (!mayCompile_)
      rejectArguments(arguments, "declared", signatures_,
                      llvm::any_of(given, isText)
                          ? "\n  hint: a string is a constant of what is compiled "
                            "for it: leave out the signatures"
                          : "");
  }
  if (BaseVariant *variant = findCompiledVariant(&device, given))
    return static_cast<Variant &>(*variant);
  return compileAndAddVariant(device, given.vec(), false, launch);
}

Variant &Dispatcher::compileAndAddVariant(Device &device,
                                          const std::vector<KernelArgument> &arguments,
                                          bool declared, const LaunchExtents &launch) {
  if (isDevice_) {
    nb::object type = nb::module_::import_("heddle.errors").attr("DeviceFunctionError");
    PyErr_SetString(type.ptr(), (source().name + " is a device function: call it from a kernel, or "
                                                 "leave out device=True to launch it")
                                    .c_str());
    throw nb::python_error();
  }
  return static_cast<Variant &>(BaseDispatcher::compileAndAddVariant(
      &device, arguments, declared, [&] { return compileVariant(device, arguments, launch); }));
}

namespace {

uint32_t countConstantMemoryBytes(const llvm::Module &module) {
  uint64_t bytes = 0;
  for (const llvm::GlobalVariable &global : module.globals())
    if (global.getAddressSpace() == simt::Constant)
      bytes += module.getDataLayout().getTypeAllocSize(global.getValueType());
  return bytes;
}

} // namespace

std::unique_ptr<Variant> Dispatcher::compileVariant(Device &device,
                                                    const std::vector<KernelArgument> &arguments,
                                                    const LaunchExtents &launch) {
  auto variant = std::make_unique<Variant>();
  python::CompiledKernel compiled =
      python::compileKernel(source(), arguments, checks(!device.usesHostMemory()),
                            std::string(device.type()), collectLinkedCode(device.architecture()));
  issueTypeSafetyWarnings(compiled.warnings);
  variant->prints = compiled.code.module->getFunction(simt::info(simt::Op::Print).name);
  variant->written = compiled.written;
  variant->checksAccesses = compiled.checksAccesses;
  variant->typedSource = std::move(compiled.types);
  variant->constantBytes = countConstantMemoryBytes(*compiled.code.module);
  for (const auto &place : compiled.named) {
    if (place->device != device.index())
      throw nb::type_error((name() + " names an array in the memory of " + place->deviceName +
                            ", but runs on " + std::string(device.name()) +
                            ": pass the array as an argument, or copy it there")
                               .c_str());
    variant->named.push_back(place->owner);
  }
  {
    WithoutGil release;
    std::tie(compiled.code, variant->bitcode) =
        runCompiler("writing SIMT IR", [code = std::move(compiled.code)]() mutable {
          std::string bitcode = simt::bitcodeOf(*code.module);
          return std::tuple(std::move(code), std::move(bitcode));
        });
    CompileOptions options = options_;
    options.launch = launch;
    variant->module = device.load(std::move(compiled.code), options);
  }
  warnOfCacheRefusals();
  variant->kernel = &variant->module->kernel(compiled.kernel);
  return variant;
}

namespace {

Variant &findOrCompileVariantFor(Dispatcher &self, nb::args values, nb::kwargs named) {
  Device &device = currentDevice();
  ArgumentList arguments(self.function(), &device);
  self.readArguments(values, named, arguments);
  arguments.markArraysWithoutOverlap();
  return self.findOrCompileVariant(device, arguments, {});
}

nb::list describeLibraryRows() {
  nb::list out;
  for (const python::LibraryRow *row : python::libraryRows()) {
    nb::dict facts;
    facts["name"] = row->name;
    facts["signature"] = row->signature;
    facts["doc"] = row->doc;
    facts["difference"] = row->difference;
    facts["devices"] = row->devices;
    facts["in_kernels"] = row->targets.include(python::Target::Kernel);
    facts["on_host"] = row->targets.include(python::Target::Host);
    nb::list parameters, optional, writes;
    for (const python::SignatureParameter &parameter : python::parseParameters(*row)) {
      if (row->writes >> nb::len(parameters) & 1)
        writes.append(parameter.name);
      if (parameter.optional)
        optional.append(parameter.name);
      parameters.append(parameter.name);
    }
    facts["parameters"] = parameters;
    facts["optional"] = optional;
    facts["writes"] = writes;
    out.append(facts);
  }
  return out;
}

} // namespace

void bindKernels(nb::module_ &m) {
  static PyType_Slot slots[] = {
      {Py_mp_subscript, reinterpret_cast<void *>(makeConfiguredKernel)},
      {Py_tp_traverse, reinterpret_cast<void *>(traverseFunction)},
      {Py_tp_clear, reinterpret_cast<void *>(clearFunction)},
      {0, nullptr},
  };
  nb::class_<Dispatcher, BaseDispatcher>(m, "DispatcherBase", nb::type_slots(slots),
                                         "A function decorated with cuda.jit.")
      .def(nb::init<nb::object, nb::dict>(), nb::arg("function"), nb::arg("options"))
      .def("variant_for", findOrCompileVariantFor, nb::rv_policy::reference_internal, serialized);
  bindVariants(m);
  bindLaunches(m);
  bindCheckedLaunches(m);
  bindTracedLaunches(m);
  bindCompileAhead(m);
  bindOverloads(m);
  bindDeclaredFunctions(m);
  m.def("library", describeLibraryRows,
        "The compiler's tables of library functions, as dicts. in_kernels, on_host: available in "
        "kernels and host functions; parameters: names; optional: parameters that may be omitted; "
        "writes: parameters whose memory may be written.");
}

} // namespace heddle
