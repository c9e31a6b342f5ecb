#include "frontend/python/link/declared_functions.h"

#include "simt/passes/link_functions.h"
#include "support/diagnostic.h"
#include "support/llvm_errors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/MemoryBuffer.h"

#include <map>
#include <memory>

namespace heddle::python {
namespace {

std::string joinWithCommas(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

[[noreturn]] void failAtDeclaration(const FunctionSource &declared, std::string message,
                                    std::string hint = "", std::vector<std::string> notes = {}) {
  fail(declared, declared.span, ErrorKind::Typing, std::move(message), "", std::move(hint),
       std::move(notes));
}

/// A library whose functions are linked into the module, each once.
class Library {
public:
  Library(const ForeignLibrary &foreign, llvm::Module &module) : foreign_(foreign) {
    auto read = llvm::parseBitcodeFile(llvm::MemoryBufferRef(foreign.bitcode, foreign.name),
                                       module.getContext());
    if (!read)
      throw CompileError(ErrorKind::Internal, "reading the code of " + foreign.name + ": " +
                                                  llvm::toString(read.takeError()));
    module_ = std::move(*read);
  }

  const ForeignLibrary &foreign() const { return foreign_; }

  /// The function with that symbol, or the only one with that name; null if there is none.
  const ForeignFunction *findDeclared(const FunctionSource &declared) const {
    std::vector<const ForeignFunction *> named;
    for (const ForeignFunction &f : foreign_.functions) {
      if (f.symbol == declared.name)
        return &f;
      if (f.name == declared.name)
        named.push_back(&f);
    }
    if (named.size() <= 1)
      return named.empty() ? nullptr : named[0];
    std::vector<std::string> heads;
    for (const ForeignFunction *f : named)
      heads.push_back(f->symbol + " is " + f->head);
    failAtDeclaration(declared,
                      foreign_.name + " has several functions called '" + declared.name + "'",
                      "declare one of them by its symbol, or make it extern \"C\"", heads);
  }

  /// Requests that `f` be linked as the function that `declared` declares.
  void requestLink(const ForeignFunction &f, const FunctionSource &declared, llvm::Module &module) {
    auto [known, isNew] = names_.try_emplace(f.symbol, importedSymbolName(declared));
    if (isNew || known->second == importedSymbolName(declared))
      return;
    llvm::Function *other = module.getFunction(importedSymbolName(declared)); // another name for it
    other->replaceAllUsesWith(module.getFunction(known->second));
    other->eraseFromParent();
  }
  const llvm::Function &function(const ForeignFunction &f) const {
    return *module_->getFunction(f.symbol);
  }
  void linkInto(llvm::Module &module) {
    if (!names_.empty())
      simt::linkFunctions(module, std::move(module_), names_);
  }

private:
  const ForeignLibrary &foreign_;
  std::unique_ptr<llvm::Module> module_;
  std::map<std::string, std::string> names_;
};

/// True if pointers to these numbers are compatible: integers only need equal sizes.
bool arePointeesCompatible(llvm::StringRef a, llvm::StringRef b) {
  auto size = [](llvm::StringRef name) {
    return name.starts_with("uint") ? name.drop_front() : name;
  };
  return a.empty() || b.empty() || size(a) == size(b);
}

/// The name of the type that a parameter or result points to, for comparisons.
std::string nameOfPointeeType(Type type) {
  bool numbers = type.isPointer() && (type->element.isScalar() || type->element.isComplex());
  return numbers ? type->element.name() : "";
}

/// numba's array structure: two owners, element count, bytes per element, address; then the extents and the strides.
constexpr unsigned numberOfArrayFields = 5, addressField = 4;

/// Checks a declaration against the definition.
class SignatureComparison {
public:
  SignatureComparison(const FunctionSource &declared, const ForeignFunction &found,
                      const ForeignLibrary &library, const llvm::Function &made,
                      const llvm::Function &called)
      : declared_(declared), found_(found), library_(library), made_(made), called_(called) {}

  void run() const {
    if (declared_.declaration->convention == CallingConvention::Parts)
      return checkFunctionTypesEqual();
    bool numba = declared_.declaration->convention == CallingConvention::Numba;
    if (numba && (!made_.getReturnType()->isIntegerTy(32) || !made_.arg_size() ||
                  !made_.getArg(0)->getType()->isPointerTy()))
      failMismatch("it returns no status",
                   "write " + expectedDeclaration() +
                       ", or declare it with abi=\"c\" if it returns its result");
    if (made_.arg_size() != called_.arg_size())
      failMismatch("it has " + std::to_string(made_.arg_size() - numba) +
                       " parameters, the declaration has " +
                       std::to_string(called_.arg_size() - numba),
                   hintForArrays());
    if (!numba)
      compareTypes("its result", made_.getReturnType(), called_.getReturnType(),
                   found_.pointees.back(), nameOfPointeeType(declared_.declaredResult),
                   declared_.declaredResult);
    else if (!declared_.declaredResult.is(TypeKind::None))
      compareTypes("its result", made_.getArg(0)->getType(), called_.getArg(0)->getType(),
                   found_.pointees[0], declared_.declaredResult.name(), declared_.declaredResult);
    size_t at = numba;
    for (size_t i = 0; i < declared_.declaredParameters.size(); ++i) {
      Type type = declared_.declaredParameters[i];
      for (unsigned n = 0; n < countPassedParameters(type); ++n, ++at) {
        std::string pointee = !type.isArray()     ? nameOfPointeeType(type)
                              : n == addressField ? type->element.name()
                                                  : "";
        compareTypes("parameter " + std::to_string(i + 1), made_.getArg(at)->getType(),
                     called_.getArg(at)->getType(), found_.pointees[at], pointee, type);
      }
    }
  }

private:
  void compareTypes(const std::string &what, const llvm::Type *made, const llvm::Type *called,
                    const std::string &madePointee, const std::string &calledPointee,
                    Type type) const {
    if (made != called || !arePointeesCompatible(madePointee, calledPointee))
      failMismatch(what + " is declared as " + type.name(), "");
  }

  void checkFunctionTypesEqual() const {
    if (made_.getFunctionType() != called_.getFunctionType())
      failMismatch("its LLVM IR has other types than its signature", "");
  }

  std::string hintForArrays() const {
    if (llvm::none_of(declared_.declaredParameters, [](Type type) { return type.isArray(); }))
      return "";
    return "an array is the parameters void *, void *, long long count, long long bytes_of_one, T "
           "*data, then a long "
           "long for each extent and for each stride; types.CPointer is one parameter";
  }

  std::string expectedDeclaration() const {
    return "extern \"C\" __device__ int " + declared_.name + "(T *result, ...), which returns 0";
  }

  [[noreturn]] void failMismatch(const std::string &how, std::string hint) const {
    failAtDeclaration(
        declared_, "'" + declared_.name + "' is another function in " + library_.name + ": " + how,
        std::move(hint), {library_.name + " has " + found_.head});
  }

  const FunctionSource &declared_;
  const ForeignFunction &found_;
  const ForeignLibrary &library_;
  const llvm::Function &made_, &called_;
};

[[noreturn]] void failUndefined(const FunctionSource &declared,
                                const std::vector<std::unique_ptr<Library>> &libraries) {
  if (libraries.empty())
    failAtDeclaration(declared,
                      "'" + declared.name + "' is declared, but no linked code defines it",
                      "give its CUDA C++ to cuda.declare_device(..., link=\"file.cu\") or to "
                      "cuda.jit(link=[...])");
  std::vector<std::string> notes;
  std::string hint = "a static or inline function cannot be called from outside its source";
  for (const auto &library : libraries) {
    const ForeignLibrary &foreign = library->foreign();
    std::vector<std::string> names;
    for (const ForeignFunction &f : foreign.functions)
      names.push_back(f.name);
    notes.push_back(foreign.name + " has " +
                    (names.empty() ? "no functions" : joinWithCommas(names)));
    if (llvm::is_contained(foreign.templates, declared.name))
      hint =
          "in " + foreign.name + " it is a template: write a function that calls an instance of it";
  }
  failAtDeclaration(declared,
                    "there is no __device__ function '" + declared.name + "' in the linked code",
                    hint, notes);
}

/// The declared functions that the module calls.
std::vector<const FunctionSource *> findCalledDeclarations(const llvm::Module &module,
                                                           FunctionInstances &instances) {
  std::vector<const FunctionSource *> called;
  for (const auto &f : instances.functions())
    if (f->source->declaration && !f->source->declaration->isOnHost() &&
        module.getFunction(importedSymbolName(*f->source)))
      called.push_back(f->source);
  return called;
}

} // namespace

std::string importedSymbolName(const FunctionSource &declared) {
  const Declaration &declaration = *declared.declaration;
  return declaration.isOnHost() ? declaration.symbol : "import." + declared.name;
}

unsigned countPassedParameters(Type type) {
  return type.isArray() ? numberOfArrayFields + 2 * type->ndim : 1;
}

std::vector<const ForeignLibrary *> compileLibrariesFor(const llvm::Module &module,
                                                        FunctionInstances &instances,
                                                        const LinkedCode &linked) {
  std::vector<const FunctionSource *> called = findCalledDeclarations(module, instances);
  std::vector<ForeignCode *> code;
  auto add = [&](ForeignCode *one) {
    if (!llvm::is_contained(code, one))
      code.push_back(one);
  };
  for (const FunctionSource *declared : called)
    llvm::for_each(declared->declaration->code, add);
  if (!called.empty())
    llvm::for_each(linked.code, add);
  std::vector<const ForeignLibrary *> libraries;
  for (ForeignCode *one : code)
    libraries.push_back(&one->getOrCompileFor(linked.architecture));
  return libraries;
}

void linkDeclared(llvm::Module &module, FunctionInstances &instances,
                  const std::vector<const ForeignLibrary *> &foreign) {
  std::vector<const FunctionSource *> called = findCalledDeclarations(module, instances);
  if (called.empty())
    return;
  LlvmErrorScope errors(module.getContext());
  std::vector<std::unique_ptr<Library>> libraries;
  for (const ForeignLibrary *one : foreign)
    libraries.push_back(std::make_unique<Library>(*one, module));
  for (const FunctionSource *declared : called) {
    Library *owner = nullptr;
    const ForeignFunction *found = nullptr;
    for (const auto &library : libraries)
      if (!found && (found = library->findDeclared(*declared)))
        owner = library.get();
    if (!found)
      failUndefined(*declared, libraries);
    SignatureComparison(*declared, *found, owner->foreign(), owner->function(*found),
                        *module.getFunction(importedSymbolName(*declared)))
        .run();
    owner->requestLink(*found, *declared, module);
  }
  for (const auto &library : libraries)
    library->linkInto(module);
  errors.throwIfErrors();
}

} // namespace heddle::python
