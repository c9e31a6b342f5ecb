#include "program/names.h"

#include "support/diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

#include <vector>

namespace heddle::program {

namespace {

template <typename Things, typename Name>
std::string formatNames(const Things &things, Name nameOf) {
  std::string text;
  for (const auto &thing : things)
    text += (text.empty() ? "" : ", ") + nameOf(thing);
  return text.empty() ? "none" : text;
}

/// Removes spaces that C++ does not need: "k( int * )" becomes "k(int*)".
std::string removeNeedlessSpaces(llvm::StringRef name) {
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

/// A name expression without needless spaces, and with complex<T> for thrust::complex<T>, the same type.
std::string simplifyExpression(llvm::StringRef name) {
  std::string text = removeNeedlessSpaces(name);
  for (size_t at; (at = text.find("thrust::complex<")) != std::string::npos;)
    text.erase(at, llvm::StringRef("thrust::").size());
  return text;
}

/// The symbol that a name expression stands for; other names unchanged.
const std::string &resolveNameExpression(const cudacpp::CompiledProgram &program,
                                         const std::string &name) {
  auto expression = program.expressions.find(name);
  if (expression != program.expressions.end())
    return expression->second;
  if (llvm::StringRef(name).contains('<')) {
    std::string wanted = simplifyExpression(name);
    for (const auto &[spelling, symbol] : program.expressions)
      if (simplifyExpression(spelling) == wanted)
        return symbol;
  }
  return name;
}

/// The demangled name with parameter types: "k(int*, float)"; for extern "C" only the name.
std::string demangledSignatureOf(const cudacpp::KernelInfo &kernel) {
  std::string text = llvm::demangle(kernel.symbol);
  return llvm::StringRef(text).starts_with("void ") ? text.substr(5)
                                                    : text; // templates have a result type
}

/// Like demangledSignatureOf(), with the types spelled as in the source.
std::string sourceSignatureOf(const cudacpp::KernelInfo &kernel) {
  std::string text;
  for (const cudacpp::Parameter &p : kernel.parameters)
    text += (text.empty() ? "" : ",") + p.type.spelling;
  return kernel.name + "(" + text + ")";
}

/// True if the name selects the kernel: "k", or "k(int*)" for overloads.
bool isSelectedByName(const cudacpp::KernelInfo &kernel, const std::string &name) {
  if (kernel.name == name)
    return true;
  std::string wanted = removeNeedlessSpaces(name);
  return removeNeedlessSpaces(demangledSignatureOf(kernel)) == wanted ||
         removeNeedlessSpaces(sourceSignatureOf(kernel)) == wanted;
}

const cudacpp::VariableInfo *findVariable(const cudacpp::CompiledProgram &program,
                                          const std::string &name) {
  std::string wanted = resolveNameExpression(program, name);
  if (llvm::StringRef(wanted).starts_with("&"))
    wanted.erase(0, 1);
  auto found = llvm::find_if(program.variables, [&](const cudacpp::VariableInfo &v) {
    return v.symbol == wanted || v.name == wanted;
  });
  return found == program.variables.end() ? nullptr : &*found;
}

/// The name expression of a template's instance; for other kernels the name.
std::string nameForMessage(const cudacpp::CompiledProgram &program,
                           const cudacpp::KernelInfo &kernel) {
  for (const auto &[spelling, symbol] : program.expressions)
    if (symbol == kernel.symbol)
      return spelling;
  return kernel.name;
}

/// A hint for an unknown kernel name.
std::string hintForMissingKernel(const cudacpp::CompiledProgram &program, const std::string &name) {
  if (findVariable(program, name))
    return "it is a variable: ask for it with get_global()";
  for (const cudacpp::KernelInfo &kernel : program.kernels)
    if (llvm::StringRef(kernel.name).ends_with("::" + name))
      return "the name has the namespace or the class in it: '" + kernel.name + "'";
  if (llvm::StringRef(name).contains('<'))
    return "compile this instance of the template: name_expressions=['" + name + "']";
  if (program.kernels.empty())
    return "declare it with extern \"C\" __global__ void " + name +
           "(...); a template is a kernel once name_expressions= has an instance of it";
  return "a template is a kernel once name_expressions= has an instance of it";
}

[[noreturn]] void rejectKernelName(const cudacpp::CompiledProgram &program, const std::string &name,
                                   const std::vector<const cudacpp::KernelInfo *> &found) {
  if (found.empty())
    throw CompileError(
        ErrorKind::Value,
        "there is no kernel named '" + name + "' in this program; its kernels are: " +
            formatNames(program.kernels,
                        [&](const cudacpp::KernelInfo &k) { return nameForMessage(program, k); }) +
            "\n  hint: " + hintForMissingKernel(program, name));
  throw CompileError(ErrorKind::Value, "several kernels are named '" + name + "': " +
                                           formatNames(found,
                                                       [](const cudacpp::KernelInfo *k) {
                                                         return demangledSignatureOf(*k);
                                                       }) +
                                           "\n  hint: use one of these names, with its parameters");
}

} // namespace

const cudacpp::KernelInfo &getKernel(const cudacpp::CompiledProgram &program,
                                     const std::string &name) {
  const std::string &wanted = resolveNameExpression(program, name);
  std::vector<const cudacpp::KernelInfo *> found;
  for (const cudacpp::KernelInfo &kernel : program.kernels) {
    if (kernel.symbol == wanted) {
      found = {&kernel};
      break;
    }
    if (isSelectedByName(kernel, wanted))
      found.push_back(&kernel);
  }
  if (found.size() != 1)
    rejectKernelName(program, name, found);
  if (!found.front()->unlaunchable.empty())
    throw CompileError(ErrorKind::Unsupported, found.front()->unlaunchable);
  return *found.front();
}

const cudacpp::VariableInfo &getVariable(const cudacpp::CompiledProgram &program,
                                         const std::string &name) {
  if (const cudacpp::VariableInfo *v = findVariable(program, name))
    return *v;
  bool isKernel = llvm::any_of(program.kernels, [&](const cudacpp::KernelInfo &kernel) {
    return isSelectedByName(kernel, resolveNameExpression(program, name));
  });
  throw CompileError(
      ErrorKind::Value,
      "there is no variable named '" + name + "' in this program; its variables are: " +
          formatNames(program.variables, [](const cudacpp::VariableInfo &v) { return v.name; }) +
          "\n  hint: " +
          (isKernel ? "it is a kernel: ask for it with get_function()"
                    : "a const variable is none, nor is a static one that no kernel uses"));
}

} // namespace heddle::program
