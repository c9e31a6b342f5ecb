#include "bindings/cuda_program.h"

#include "bindings/deep_stack.h"
#include "bindings/gil.h"
#include "bindings/kernels.h"
#include "bindings/launch.h"
#include "bindings/launch_configuration.h"
#include "bindings/public_function.h"
#include "bindings/runtime.h"
#include "frontend/cuda/compile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace heddle {

/// Clang's walks over an expression of the greatest length; a page is taken when it is first used.
constexpr size_t clangStackBytes = size_t(128) << 20;

CudaProgram::CudaProgram(std::string source, std::string file, std::vector<std::string> options,
                         std::vector<std::string> expressions)
    : source_(std::move(source)), file_(std::move(file)), options_(cudacpp::readOptions(options)),
      expressions_(std::move(expressions)) {
  options_.backEnd.cache = true;
}

LoadedProgram &CudaProgram::on(Device &device) {
  auto found = loaded_.find(&device);
  if (found != loaded_.end())
    return found->second;
  LoadedProgram made;
  withDeepStack(
      [&] {
        auto [major, minor] = device.computeCapability();
        WithoutGil release;
        made.source =
            cudacpp::compile(source_, file_, options_, expressions_, unsigned(major * 10 + minor));
        made.module = device.load(std::move(made.source.module), options_.backEnd);
        made.source.context.reset();
      },
      clangStackBytes);
  return loaded_.emplace(&device, std::move(made))
      .first->second; // another thread's, if it was faster
}

namespace {

std::string listOf(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// What a name expression stands for; any other name as it is.
const std::string &resolved(const cudacpp::Program &program, const std::string &name) {
  auto expression = program.expressions.find(name);
  return expression == program.expressions.end() ? name : expression->second;
}

/// A name without the spaces that C++ does not need: "k( int * )" is "k(int*)".
std::string withoutSpaces(llvm::StringRef name) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::string text;
  for (size_t i = 0; i < name.size(); ++i) {
    size_t next = name.find_first_not_of(' ', i);
    bool separates =
        !text.empty() && isWord(text.back()) && next != llvm::StringRef::npos && isWord(name[next]);
    if (name[i] != ' ' || (separates && text.back() != ' '))
      text += name[i];
  }
  return text;
}

/// The kernel's name with its parameters' types, as linkers tell it: "k(int*, float)"; the name alone of extern "C".
std::string signatureOf(const cudacpp::KernelInfo &kernel) {
  std::string text = llvm::demangle(kernel.symbol);
  return llvm::StringRef(text).starts_with("void ") ? text.substr(5) : text; // a template's
}

/// The same with the types as the source spells them.
std::string writtenSignatureOf(const cudacpp::KernelInfo &kernel) {
  std::string text;
  for (const cudacpp::Parameter &p : kernel.parameters)
    text += (text.empty() ? "" : ",") + p.type.spelling;
  return kernel.name + "(" + text + ")";
}

/// "k", or "k(int*)" where the name alone is not enough.
bool isCalled(const cudacpp::KernelInfo &kernel, const std::string &name) {
  if (kernel.name == name)
    return true;
  std::string wanted = withoutSpaces(name);
  return withoutSpaces(signatureOf(kernel)) == wanted ||
         withoutSpaces(writtenSignatureOf(kernel)) == wanted;
}

const cudacpp::VariableInfo *findVariable(const cudacpp::Program &program,
                                          const std::string &name) {
  std::string wanted = resolved(program, name);
  if (llvm::StringRef(wanted).starts_with("&"))
    wanted.erase(0, 1);
  auto found = llvm::find_if(program.variables, [&](const cudacpp::VariableInfo &v) {
    return v.symbol == wanted || v.name == wanted;
  });
  return found == program.variables.end() ? nullptr : &*found;
}

/// Why there is no kernel of that name, and what to ask for.
std::string hintForMissing(const cudacpp::Program &program, const std::string &name) {
  if (findVariable(program, name))
    return "it is a variable: ask for it with get_global()";
  for (const cudacpp::KernelInfo &kernel : program.kernels)
    if (llvm::StringRef(kernel.name).ends_with("::" + name))
      return "the name has the namespace or the class in it: '" + kernel.name + "'";
  return "a template is a kernel once name_expressions= has an instance of it";
}

/// The kernel that a name stands for: a name expression, a symbol, or the source's name where only one has it.
const cudacpp::KernelInfo &find(const cudacpp::Program &program, const std::string &name) {
  const std::string &wanted = resolved(program, name);
  std::vector<const cudacpp::KernelInfo *> found;
  for (const cudacpp::KernelInfo &kernel : program.kernels) {
    if (kernel.symbol == wanted)
      return kernel;
    if (isCalled(kernel, wanted))
      found.push_back(&kernel);
  }
  if (found.size() == 1)
    return *found.front();
  std::vector<std::string> names;
  if (found.empty()) {
    for (const cudacpp::KernelInfo &kernel : program.kernels)
      names.push_back(kernel.name);
    throw CompileError(ErrorKind::Value,
                       "there is no kernel named '" + name +
                           "' in this program; its kernels are: " + listOf(names) +
                           "\n  hint: " + hintForMissing(program, name));
  }
  for (const cudacpp::KernelInfo *kernel : found)
    names.push_back(signatureOf(*kernel));
  throw CompileError(ErrorKind::Value, "several kernels are called '" + name +
                                           "': " + listOf(names) +
                                           "\n  hint: ask for one of these, with its parameters");
}

CudaKernel kernelOf(CudaProgram &program, const std::string &name, bool allowStrided) {
  Device &device = currentDevice();
  LoadedProgram &loaded = program.on(device);
  const cudacpp::KernelInfo &info = find(loaded.source, name);
  CudaKernel kernel;
  kernel.device = &device;
  kernel.module = loaded.module;
  kernel.kernel = &loaded.module->kernel(info.symbol);
  kernel.name = info.name;
  for (const cudacpp::Parameter &parameter : info.parameters)
    kernel.parameters.emplace_back(parameter);
  kernel.maxThreads = info.maxThreads;
  for (const simt::SiteInfo &site : kernel.kernel->sites())
    kernel.prints |= site.kind == "print";
  kernel.allowStrided = allowStrided;
  kernel.waits = program.options().backEnd.debug;
  return kernel;
}

/// (symbol, address, bytes) of a variable by its name in the source, its symbol or a name expression.
nb::tuple variableOf(CudaProgram &program, const std::string &name) {
  LoadedProgram &loaded = program.on(currentDevice());
  if (const cudacpp::VariableInfo *v = findVariable(loaded.source, name))
    return nb::make_tuple(
        v->symbol, reinterpret_cast<uintptr_t>(loaded.module->variable(v->symbol)), v->bytes);
  std::vector<std::string> names;
  for (const cudacpp::VariableInfo &v : loaded.source.variables)
    names.push_back(v.name);
  bool isKernel = llvm::any_of(loaded.source.kernels, [&](const cudacpp::KernelInfo &kernel) {
    return isCalled(kernel, resolved(loaded.source, name));
  });
  throw CompileError(
      ErrorKind::Value,
      "there is no variable named '" + name +
          "' in this program; its variables are: " + listOf(names) +
          (isKernel ? "\n  hint: it is a kernel: ask for it with get_function()" : ""));
}

void checkBounds(const CudaKernel &kernel, const LaunchShape &shape) {
  if (kernel.maxThreads && shape.block.count() > kernel.maxThreads)
    throw CompileError(ErrorKind::Value, "kernel " + kernel.name + ": a block of " +
                                             std::to_string(shape.block.count()) +
                                             " threads; __launch_bounds__ promised at most " +
                                             std::to_string(kernel.maxThreads));
}

void launch(CudaKernel &kernel, const LaunchConfiguration &configuration, nb::handle values) {
  Device &device = *kernel.device;
  Stream *named = configuration.stream.get();
  if (named && &named->device() != &device)
    throw CompileError(ErrorKind::Value, "kernel " + kernel.name + " is compiled for " +
                                             device.name() + ", the stream is of " +
                                             named->device().name());
  Stream &stream = named ? *named : device.defaultStream();
  ArgumentList arrays({}, &device, &stream);
  llvm::SmallVector<uint64_t, 40> slots;
  readCudaArguments(kernel.name, kernel.parameters, values, kernel.allowStrided, device, arrays,
                    slots);
  checkBounds(kernel, configuration.shape);
  checkLaunch(device, *kernel.kernel, configuration.shape);
  if (kernel.prints)
    flushPythonOutput();
  // NumPy arrays hold their results when the call returns.
  enqueue(stream, *kernel.kernel, configuration.shape, arrays, slots,
          kernel.waits || arrays.onHost);
}

/// kernel(grid, block, args, shared_mem, stream)
PyObject *callKernel(PyObject *self, PyObject *arguments, PyObject *keywords) {
  try {
    if (PyTuple_Size(arguments) != 5 || keywords)
      throw nb::type_error("a launch takes grid, block, arguments, shared memory and a stream");
    nb::handle given(arguments);
    PyObject *four = PyTuple_Pack(4, PyTuple_GetItem(arguments, 0), PyTuple_GetItem(arguments, 1),
                                  PyTuple_GetItem(arguments, 4), PyTuple_GetItem(arguments, 3));
    nb::object configuration = nb::steal(four);
    launch(*nb::inst_ptr<CudaKernel>(self), readConfiguration(configuration),
           PyTuple_GetItem(arguments, 2));
    return Py_NewRef(Py_None);
  } catch (...) {
    setPythonError(std::current_exception());
  }
  dropOwnFrames();
  return nullptr;
}

PyType_Slot kernelSlots[] = {{Py_tp_call, reinterpret_cast<void *>(callKernel)}, {0, nullptr}};

nb::dict attributesOf(const CudaKernel &k) {
  nb::dict d;
  auto [major, minor] = k.device->computeCapability();
  uint32_t most = k.kernel->maxThreadsPerBlock();
  d["max_threads_per_block"] = k.maxThreads ? std::min(most, k.maxThreads) : most;
  d["shared_size_bytes"] = k.kernel->staticSharedBytes();
  d["const_size_bytes"] = k.kernel->constantBytes();
  d["local_size_bytes"] = k.kernel->localBytes();
  d["num_regs"] = k.kernel->registers();
  d["ptx_version"] = major * 10 + minor;
  d["binary_version"] = major * 10 + minor;
  d["cache_mode_ca"] = 0;
  uint32_t shared = k.device->limits().maxSharedBytesPerBlock;
  d["max_dynamic_shared_size_bytes"] = shared - std::min(shared, k.kernel->staticSharedBytes());
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
  nb::class_<CudaKernel>(
      m, "CudaKernel", nb::type_slots(kernelSlots),
      "A kernel in CUDA C++ on one device: called with grid, block, arguments, shared memory in "
      "bytes and a stream or None.")
      .def_ro("name", &CudaKernel::name)
      .def_prop_ro("parameters", parametersOf, "Pairs of a name and a type of C++.")
      .def_prop_ro("attributes", attributesOf)
      .def_prop_ro("cooperative", [](const CudaKernel &k) { return k.kernel->cooperative(); })
      .def_prop_ro("assembly", [](CudaKernel &k) { return k.module->assembly(); })
      .def_prop_ro("from_cache", [](CudaKernel &k) { return k.module->fromCache(); });
  nb::class_<CudaProgram>(m, "CudaProgram", "A program in CUDA C++.")
      .def(nb::init<std::string, std::string, std::vector<std::string>, std::vector<std::string>>(),
           "source"_a, "file"_a, "options"_a, "expressions"_a)
      .def(
          "compile", [](CudaProgram &p) { return p.on(currentDevice()).source.log; },
          "Compiles for the calling thread's device, if it is not yet; returns the compiler's "
          "warnings.")
      .def("kernel", kernelOf, "name"_a, "allow_strided"_a)
      .def("variable", variableOf, "name"_a,
           "(symbol, address, bytes) on the calling thread's device.");
}

} // namespace heddle
