#include "bindings/kernels/declared_functions.h"

#include "bindings/interpreter/gil.h"
#include "frontend/cuda/compile.h"
#include "frontend/cuda/compile_ir.h"
#include "frontend/python/emit/emitter.h"
#include "host/foreign_functions.h"
#include "program/loaded_program.h"
#include "simt/ir/bitcode.h"
#include "support/compiler_run.h"
#include "support/deep_stack.h"

#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace heddle {

using python::Type;

namespace {

std::string nameOfPointeeType(const cudacpp::ValueType &type) {
  return type.kind == cudacpp::ValueType::Pointer && !type.takesAny ? type.element : "";
}

python::ForeignLibrary makeLibrary(cudacpp::CompiledProgram program, const std::string &name) {
  python::ForeignLibrary library{name, {}, program.functionTemplates, {}};
  for (const cudacpp::FunctionInfo &f : program.functions) {
    std::vector<std::string> pointees;
    for (const cudacpp::Parameter &p : f.parameters)
      pointees.push_back(nameOfPointeeType(p.type));
    pointees.push_back(nameOfPointeeType(f.result));
    library.functions.push_back({f.name, f.symbol, f.head, std::move(pointees)});
  }
  library.bitcode = runCompiler("writing SIMT IR", [code = std::move(program.code)] {
    return simt::bitcodeOf(*code.module);
  });
  return library;
}

/// True if a C++ function can take or return a value of this type.
bool isCppType(Type type) {
  return (type.isScalar() && !type.isHalf()) || type.isComplex() || type.isPointer();
}

bool isCppParameterType(Type type) {
  return isCppType(type) ||
         (type.isArray() && isCppType(type->element) && !type->element.isPointer());
}

/// Declared pointers accept addresses in any memory.
Type toDeclaredType(Type type) {
  return type.isPointer() ? python::pointerType(type->element, simt::Generic) : type;
}

} // namespace

CudaSource::CudaSource(std::string source, std::string name, std::vector<std::string> options,
                       std::string others)
    : source_(std::move(source)), name_(std::move(name)), others_(std::move(others)),
      options_(cudacpp::readOptions(options)) {}

python::ForeignLibrary CudaSource::compile(Architecture architecture) const {
  auto compiled = [&](const std::string &text) {
    return makeLibrary(cudacpp::compileDeviceFunctions(text, name_, options_, architecture), name_);
  };
  if (others_.empty())
    return compiled(source_);
  try {
    return compiled(source_);
  } catch (const CompileError &) { // the source may call functions of the other sources
    return compiled(source_ + "\n" + others_);
  }
}

const python::ForeignLibrary &CudaSource::getOrCompileFor(Architecture architecture) {
  auto found = compiled_.find(architecture);
  if (found != compiled_.end())
    return found->second;
  python::ForeignLibrary made;
  {
    WithoutGil release;
    runWithStack(program::compilerStackBytes, [&] { made = compile(architecture); });
  }
  return compiled_.emplace(architecture, std::move(made)).first->second;
}

IrFunction::IrFunction(std::string text, std::string symbol, std::string name)
    : text_(std::move(text)), symbol_(std::move(symbol)), name_(std::move(name)),
      forHost_(makeLibrary(cudacpp::readIr(text_, symbol_, name_))) {}

python::ForeignLibrary IrFunction::makeLibrary(const simt::OwnedModule &code) const {
  return {name_, {{symbol_, symbol_, name_, {}}}, {}, simt::bitcodeOf(*code.module)};
}

const python::ForeignLibrary &IrFunction::getOrCompileFor(Architecture architecture) {
  if (architecture == host)
    return forHost_;
  if (!forDevices_) {
    python::ForeignLibrary made;
    {
      WithoutGil release;
      runWithStack(program::compilerStackBytes,
                   [&] { made = makeLibrary(cudacpp::compileIr(text_, symbol_, name_)); });
    }
    if (!forDevices_) // another thread may have been faster
      forDevices_ = std::move(made);
  }
  return *forDevices_;
}

DeclaredFunction::DeclaredFunction(std::string name, const Signature &signature, std::string file,
                                   unsigned line, std::string text)
    : signature_(signature) {
  source_.name = source_.qualifiedName = std::move(name);
  source_.text = {std::move(file), line, {std::move(text)}};
  source_.span = {line, 0, line, unsigned(source_.text.lines[0].size())};
  source_.declaredResult = signature.result;
}

DeclaredFunction::DeclaredFunction(std::string name, const Signature &signature, bool numba,
                                   nb::list code, std::string file, unsigned line, std::string text)
    : DeclaredFunction(std::move(name), signature, std::move(file), line, std::move(text)) {
  code_ = std::move(code);
  auto reject = [&](const std::string &what, Type type) {
    std::string hint = type.isArray()
                           ? "declare it as types.CPointer(" + type->element.name() +
                                 "), and call the function with the array or ffi.from_buffer(array)"
                           : "use numbers and pointers (types.CPointer)";
    throw nb::type_error(("declare_device: a C++ function cannot have " + what + " of type " +
                          type.name() + "\n  hint: " + hint)
                             .c_str());
  };
  if (!signature.result)
    throw nb::type_error(("declare_device: the signature of '" + source_.name +
                          "' has no result\n  hint: write it as in 'int32(float32, int32)'")
                             .c_str());
  if (!signature.result.is(python::TypeKind::None) &&
      (!isCppType(signature.result) || (!numba && signature.result.isComplex())))
    reject("a result", signature.result);
  source_.declaredResult = toDeclaredType(signature.result);
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    Type type = signature.arguments[i];
    if (!isCppParameterType(type))
      reject("parameter " + std::to_string(i + 1), type);
    source_.parameters.push_back({.name = "arg" + std::to_string(i), .span = source_.span});
    source_.declaredParameters.push_back(toDeclaredType(type));
  }
  source_.declaration = {numba ? python::CallingConvention::Numba : python::CallingConvention::C,
                         toForeignCode(code_)};
}

std::unique_ptr<DeclaredFunction> DeclaredFunction::fromC(const std::string &name,
                                                          const Signature &signature,
                                                          const std::string &symbol,
                                                          uintptr_t address) {
  auto made = std::make_unique<DeclaredFunction>(name, signature, /*numba=*/false, nb::list(), name,
                                                 1, formatSignature(signature));
  host::defineForeignFunction(symbol, reinterpret_cast<void *>(address));
  made->source_.declaration->symbol = symbol;
  return made;
}

std::unique_ptr<DeclaredFunction> DeclaredFunction::fromIr(const std::string &name,
                                                           const Signature &signature,
                                                           const std::string &symbol,
                                                           const std::string &text,
                                                           const std::vector<std::string> &names) {
  std::unique_ptr<DeclaredFunction> made(
      new DeclaredFunction(symbol, signature, name, 1, formatSignature(signature)));
  made->source_.qualifiedName = name;
  made->ir_ = std::make_unique<IrFunction>(text, symbol, name);
  for (size_t i = 0; i < signature.arguments.size(); ++i) {
    made->source_.parameters.push_back(
        {.name = i < names.size() ? names[i] : "arg" + std::to_string(i)});
    made->source_.declaredParameters.push_back(signature.arguments[i]);
  }
  made->source_.declaration = {python::CallingConvention::Parts, {made->ir_.get()}, ""};
  return made;
}

std::vector<python::ForeignCode *> toForeignCode(nb::handle sources) {
  std::vector<python::ForeignCode *> code;
  for (nb::handle source : sources)
    code.push_back(&nb::cast<CudaSource &>(source));
  return code;
}

/// The LLVM types that represent a value of the type in compiled functions.
std::vector<std::string> llvmTypesOf(const PythonType &type) {
  llvm::LLVMContext context;
  std::vector<std::string> names;
  for (llvm::Type *part : python::partTypes(context, type.type)) {
    std::string name;
    llvm::raw_string_ostream(name) << *part;
    names.push_back(std::move(name));
  }
  return names;
}

void bindDeclaredFunctions(nb::module_ &m) {
  m.def("parts_of", llvmTypesOf, "type"_a,
        "The LLVM types that represent a value of a type in compiled functions.");
  nb::class_<CudaSource>(m, "CudaSource", "CUDA C++ whose device functions kernels in Python call.")
      .def(nb::init<std::string, std::string, std::vector<std::string>, std::string>(), "source"_a,
           "name"_a, "options"_a, "others"_a);
  nb::class_<DeclaredFunction>(m, "DeclaredFunction",
                               "A function that kernels call and that is defined elsewhere.")
      .def(nb::init<std::string, const Signature &, bool, nb::list, std::string, unsigned,
                    std::string>(),
           "name"_a, "signature"_a, "numba"_a, "code"_a, "file"_a, "line"_a, "text"_a)
      .def_static("of_c", &DeclaredFunction::fromC, "name"_a, "signature"_a, "symbol"_a,
                  "address"_a)
      .def_static("of_ir", &DeclaredFunction::fromIr, "name"_a, "signature"_a, "symbol"_a, "text"_a,
                  "parameters"_a = std::vector<std::string>())
      .def_prop_ro("name", [](DeclaredFunction &f) { return f.source().name; })
      .def_prop_ro("sig", &DeclaredFunction::signature);
}

} // namespace heddle
