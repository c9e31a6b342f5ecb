#include "frontend/cuda/options.h"

#include "support/diagnostic.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <optional>

namespace heddle::cudacpp {

using llvm::StringRef;

namespace {

[[noreturn]] void refuse(const std::string &message) {
  throw CompileError(ErrorKind::Value, message);
}

constexpr const char *known = "  hint: known are -std=, -D, -U, -I, -include, -use_fast_math, "
                              "-ftz=, -fmad=, -prec-div=, -prec-sqrt=, -G, "
                              "-lineinfo, -maxrregcount=, -w, -arch=, -default-device";

/// Options of NVRTC and nvcc that have no effect here, without and with a value.
constexpr StringRef unusedFlags[] = {
    "-restrict",
    "--restrict",
    "-device-int128",
    "--device-int128",
    "-extra-device-vectorization",
    "--extra-device-vectorization",
    "-expt-relaxed-constexpr",
    "--expt-relaxed-constexpr",
    "-expt-extended-lambda",
    "--expt-extended-lambda",
    "-extended-lambda",
    "--extended-lambda",
    "-dlto",
    "--dlink-time-opt",
    "-dc",
    "--device-c",
    "-ewp",
    "--extensible-whole-program",
    "-pch",
    "--pch",
    "-minimal",
    "--minimal",
    "-no-source-include",
    "--no-source-include",
    "-err-no",
    "--display-error-number",
    "-no-err-no",
    "--no-display-error-number",
    "-O0",
    "-O1",
    "-O2",
    "-O3",
    "-src-in-ptx",
    "--source-in-ptx",
    "-g",
    "--debug",
    "-m64",
    "-v",
    "--verbose",
    "-keep",
    "--keep",
    "-res-usage",
    "--resource-usage",
    "-allow-unsupported-compiler",
    "--allow-unsupported-compiler",
    "-Wno-deprecated-gpu-targets",
    "--Wno-deprecated-gpu-targets",
    "-fdevice-syntax-only",
    "--fdevice-syntax-only",
    "-device-stack-protector",
    "--device-stack-protector",
    "-forward-unknown-to-host-compiler",
    "--forward-unknown-to-host-compiler",
    "-gen-opt-lto",
    "--gen-opt-lto",
};
constexpr StringRef unusedValues[] = {
    "-time",
    "--time",
    "-builtin-move-forward",
    "--builtin-move-forward",
    "-builtin-initializer-list",
    "--builtin-initializer-list",
    "-modify-stack-limit",
    "--modify-stack-limit",
    "-split-compile",
    "--split-compile",
    "-rdc",
    "--relocatable-device-code",
    "-Xptxas",
    "--ptxas-options",
    "-Xcompiler",
    "--compiler-options",
    "-diag-suppress",
    "--diag-suppress",
    "-diag-warn",
    "--diag-warn",
    "-diag-error",
    "--diag-error",
    "-O",
    "--optimize",
    "-dopt",
    "--dopt",
    "-gencode",
    "--generate-code",
    "-code",
    "--gpu-code",
    "-ccbin",
    "--compiler-bindir",
    "-default-stream",
    "--default-stream",
    "-opt-info",
    "--optimization-info",
    "-Werror",
    "--Werror",
    "-Xcudafe",
    "-Xlinker",
    "--linker-options",
    "-Xnvlink",
    "--nvlink-options",
    "-t",
    "--threads",
    "-m",
    "--machine",
    "-x",
    "-cudart",
    "--cudart",
    "-jump-table-density",
    "--jump-table-density",
    "-frandom-seed",
    "--frandom-seed",
    "-Ofast-compile",
    "--Ofast-compile",
    "-fdevice-time-trace",
    "--fdevice-time-trace",
};
/// Options of nvcc that name a library or a folder of libraries: "-lcurand", "-L /usr/lib".
constexpr StringRef unusedLibraries[][2] = {{"-l", "--library"}, {"-L", "--library-path"}};

/// Parses a list of options whose values follow after `=` or as the next argument.
class Reader {
public:
  explicit Reader(std::span<const std::string> arguments) : arguments_(arguments) {}

  Options read() {
    for (at_ = 0; at_ < arguments_.size(); ++at_)
      readOption(arguments_[at_]);
    return std::move(options_);
  }

private:
  void readOption(StringRef text) {
    StringRef argument = text.trim();
    if (argument.contains('\0'))
      refuse("the option '" + argument.split('\0').first.str() + "...' has a NUL byte in it");
    if (readOptionWithJoinedValue(argument, "-D", "--define-macro"))
      return addMacro("-D");
    if (readOptionWithJoinedValue(argument, "-U", "--undefine-macro"))
      return addMacro("-U");
    if (readOptionWithJoinedValue(argument, "-I", "--include-path"))
      return options_.includeFolders.push_back(value_);
    if (readOptionWithValue(argument, {"-isystem", "--system-include"}))
      return options_.includeFolders.push_back(value_);
    if (readOptionWithValue(argument, {"-include", "--pre-include"}))
      return options_.includeFiles.push_back(value_);
    if (readOptionWithValue(argument, {"-std", "--std"}))
      return readStandard();
    if (matchesFlag(argument, {"-use_fast_math", "--use_fast_math", "-use-fast-math"})) {
      options_.backEnd.fastMath = FastMath::All;
      options_.backEnd.flushDenormals = options_.contractFma = true;
      return;
    }
    if (readOptionWithValue(argument, {"-fmad", "--fmad"}))
      return readBool(argument, options_.contractFma);
    if (readOptionWithValue(argument, {"-ftz", "--ftz"}))
      return readBool(argument, options_.backEnd.flushDenormals);
    // Divisions and square roots are always exact.
    bool ignored = false;
    if (readOptionWithValue(argument, {"-prec-div", "--prec-div", "-prec-sqrt", "--prec-sqrt"}))
      return readBool(argument, ignored);
    if (matchesFlag(argument, {"-G", "--device-debug"})) {
      options_.backEnd.debug = true;
      return;
    }
    if (matchesFlag(argument, {"-lineinfo", "--generate-line-info"})) {
      options_.backEnd.lineInfo = true;
      return;
    }
    if (readOptionWithValue(argument, {"-maxrregcount", "--maxrregcount"}))
      return readMaxRegisters();
    if (readOptionWithValue(argument, {"-reorder", "--reorder"}))
      return readBool(argument, options_.backEnd.reorder);
    if (matchesFlag(argument, {"-w", "--disable-warnings"})) {
      options_.warnings = false;
      return;
    }
    if (readOptionWithValue(argument, {"-arch", "--gpu-architecture"})) {
      if (!llvm::is_contained({"native", "all", "all-major"}, value_) &&
          !StringRef(value_).starts_with("sm_") && !StringRef(value_).starts_with("compute_") &&
          !StringRef(value_).starts_with("lto_"))
        refuse("'" + argument.str() + "': write an architecture as sm_90 or compute_90");
      return; // the device determines the target architecture
    }
    if (matchesFlag(argument, {"-default-device", "--device-as-default-execution-space"})) {
      options_.defaultIsDevice = true;
      return;
    }
    if (matchesFlag(argument, unusedFlags) || readOptionWithValue(argument, unusedValues))
      return;
    for (const auto &[shortForm, longForm] : unusedLibraries)
      if (readOptionWithJoinedValue(argument, shortForm, longForm))
        return;
    refuse("unknown option '" + text.str() + "'\n" + known);
  }

  /// "-DNAME", "-D NAME", "--define-macro=NAME", "--define-macro NAME".
  bool readOptionWithJoinedValue(StringRef argument, StringRef shortForm, StringRef longForm) {
    if (readOptionWithValue(argument, {longForm}))
      return true;
    if (!argument.starts_with(shortForm))
      return false;
    StringRef rest = argument.drop_front(shortForm.size());
    value_ = rest.empty() ? takeNextArgument(argument) : rest.ltrim().str();
    return true;
  }
  bool readOptionWithValue(StringRef argument, llvm::ArrayRef<StringRef> names) {
    auto [name, value] = argument.split('=');
    if (!llvm::is_contained(names, name))
      return false;
    value_ = argument.contains('=') ? value.str() : takeNextArgument(argument);
    return true;
  }
  bool matchesFlag(StringRef argument, llvm::ArrayRef<StringRef> names) const {
    return llvm::is_contained(names, argument);
  }
  std::string takeNextArgument(StringRef argument) {
    if (at_ + 1 == arguments_.size())
      refuse("option '" + argument.str() + "' needs a value");
    if (StringRef(arguments_[at_ + 1]).contains('\0'))
      refuse("the value of option '" + argument.str() + "' has a NUL byte in it");
    return arguments_[++at_];
  }

  void addMacro(const char *option) {
    if (value_.empty() || !(llvm::isAlpha(value_[0]) || value_[0] == '_'))
      refuse(std::string(option) + " needs the name of a macro, not '" + value_ + "'");
    options_.macros.push_back(option + value_);
  }
  void readStandard() {
    if (!llvm::is_contained({"c++11", "c++14", "c++17", "c++20"}, value_))
      refuse("-std takes c++11, c++14, c++17 or c++20, not '" + value_ + "'");
    options_.standard = value_;
  }
  void readBool(StringRef argument, bool &out) {
    if (!llvm::is_contained({"true", "false"}, value_))
      refuse("'" + argument.str() + "': the value must be true or false, not '" + value_ + "'");
    out = value_ == "true";
  }
  void readMaxRegisters() {
    unsigned &out = options_.backEnd.maxRegisters;
    if (StringRef(value_).getAsInteger(10, out))
      refuse("-maxrregcount takes a number of registers, 0 for any, not '" + value_ + "'");
    if (out > 255) // no thread has more registers: ptxas ignores a higher limit
      out = 0;
  }

  std::span<const std::string> arguments_;
  size_t at_ = 0;
  std::string value_;
  Options options_;
};

} // namespace

Options readOptions(std::span<const std::string> arguments) { return Reader(arguments).read(); }

} // namespace heddle::cudacpp
