#include "frontend/cuda/clang/explain.h"

#include "frontend/cuda/clang/device_headers.h"
#include "frontend/cuda/clang/library_mistakes.h"
#include "frontend/cuda/clang/missing_headers.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/JSON.h"

namespace heddle::cudacpp {

using namespace clang;
using llvm::StringRef;

namespace {

constexpr const char *missingLibraries = "CUB, Thrust and libcu++ come from NVIDIA: 'pip install "
                                         "nvidia-cuda-cccl' installs their headers";

/// A hint for common mistakes in programs written for nvcc or for a host compiler.
/// `code` begins at the location of the message.
std::string hintForMessage(StringRef message, StringRef code) {
  struct Known {
    const char *part, *hint;
  };
  static constexpr const char *textures = "#include <texture_types.h> declares textures and "
                                          "surfaces; mipmaps and cube maps are not supported";
  static constexpr const char *longLong =
      "int64_t and uint64_t are predefined as long long and unsigned long long, as with NVRTC: "
      "remove this definition, or choose another name";
  if (message.starts_with("call to '") && message.ends_with("is ambiguous"))
    return "convert an argument to the type of a parameter; size_t is unsigned long, uint64_t is "
           "unsigned long long, as with NVRTC";
  static constexpr const char *containers = "kernels do not support containers: use an array of "
                                            "constant size, or pass a pointer and a size";
  static constexpr const char *streams = "write with printf";
  static constexpr const char *strings =
      "kernels do not support std::string: use a char array, or print with printf";
  static constexpr const char *randomNumbers =
      "#include <curand_kernel.h> has random numbers for kernels";
  static constexpr const char *complexNumbers = "#include <thrust/complex.h> has thrust::complex";
  static constexpr const char *atomicObjects =
      "#include <cuda/atomic> has cuda::atomic and cuda::atomic_ref";
  static constexpr const char *textureReferences =
      "CUDA 12 removed texture references: pass a cudaTextureObject_t";
  static constexpr const char *clusters =
      "thread block clusters are not supported: kernels run on single blocks";
  static constexpr const char *exits = "end a kernel with assert or __trap()";
  static constexpr Known table[] = {
      {"reference to __host__ variable",
       "mark it __device__ or __constant__ to use it in a kernel; "
       "get_global() sets it from the host"},
      {"reference to __host__ function", "mark it __device__ to call it from a kernel"},
      {"identifier 'threadIdx'", "threadIdx, blockIdx, blockDim and gridDim are available only in "
                                 "__global__ and __device__ functions"},
      {"'cub/", missingLibraries},
      {"'cuda/", missingLibraries},
      {"'nv/", missingLibraries},
      {"'thrust/", missingLibraries},
      {"'vector' file", containers},
      {"'map' file", containers},
      {"'unordered_map' file", containers},
      {"'set' file", containers},
      {"'list' file", containers},
      {"'string' file", strings},
      {"'iostream' file", streams},
      {"'sstream' file", streams},
      {"'fstream' file", streams},
      {"'random' file", randomNumbers},
      {"'complex' file", complexNumbers},
      {"'atomic' file", atomicObjects},
      {"file not found", "headers are searched in the -I folders and in CUDA's device headers; "
                         "host headers are not available"},
      {"cannot use 'throw'",
       "kernels do not support exceptions: write an error code to an array, or use assert"},
      {"cannot use 'try'", "kernels do not support exceptions"},
      {"must have void return type",
       "a kernel writes its results to memory through pointer parameters"},
      {"a kernel cannot launch kernels",
       "launch kernels from Python, one after the other, or let the "
       "kernel call a __device__ function"},
      {"call to global function",
       "launch kernels from Python; move code that two kernels share to a __device__ function"},
      {"cudaConfigureCall",
       "launch kernels from Python; <<<...>>> is for programs that nvcc compiles"},
      {"undeclared identifier 'thrust'",
       "the names of thrust:: come from headers such as "
       "<thrust/complex.h>, <thrust/tuple.h> and <thrust/sort.h>"},
      {"undeclared identifier 'cuda'", "write threadIdx.x: cuda.threadIdx.x is for Python kernels"},
      {"undeclared identifier 'calloc'", "kernels support malloc and memset"},
      {"undeclared identifier 'realloc'", "kernels support malloc, memcpy and free"},
      {"named 'vector' in namespace 'std'", containers},
      {"named 'map' in namespace 'std'", containers},
      {"named 'string' in namespace 'std'", strings},
      {"named 'complex' in namespace 'std'", complexNumbers},
      {"named 'atomic' in namespace 'std'", atomicObjects},
      {"named 'function' in namespace 'std'",
       "pass a lambda or a function to a template parameter"},
      {"named 'sort' in namespace 'std'",
       "#include <thrust/sort.h> has thrust::sort(thrust::seq, begin, end)"},
      {"named 'cout' in namespace 'std'", streams},
      {"undeclared identifier 'stderr'", streams},
      {"undeclared identifier 'puts'", streams},
      {"unknown type name 'FILE'", streams},
      {"undeclared identifier 'rand'", randomNumbers},
      {"undeclared identifier 'exit'", exits},
      {"undeclared identifier 'abort'", exits},
      {"named 'endl' in namespace 'std'", "end the line with \\n in the format of printf"},
      {"all paths through this function will call itself",
       "add a path that returns without a recursive call"},
      {"recursive template instantiation",
       "end the recursion with a specialization or 'if constexpr'"},
      {"no template named 'texture'", textureReferences},
      {"identifier 'cudaReadMode", textureReferences},
      {"identifier 'cudaTextureType", textureReferences},
      {"no template named 'surface'",
       "CUDA 12 removed surface references: pass a cudaSurfaceObject_t"},
      {"'this_cluster' in namespace", clusters},
      {"'cluster_group' in namespace", clusters},
      {"'CUtensorMap'", "tensor maps are not supported: copy tiles with cuda::memcpy_async"},
      {"'curandStateMtgp32", "the supported generators are XORWOW, Philox, MRG32k3a and Sobol: "
                             "curandState is as fast, and private to each thread"},
      {"'cudaTextureObject_t'", textures},
      {"'cudaSurfaceObject_t'", textures},
      {"undeclared identifier 'tex", textures},
      {"undeclared identifier 'surf", textures},
      {"bracket nesting level exceeded", "brackets can be nested at most 256 levels deep"},
      {"#include nested too deeply", "a header that includes itself needs #pragma once"},
      {"expected '}'", "a brace opened here or above is never closed"},
      {"call to __host__ function", "mark it __device__ to call it from a kernel"},
      {"variable-length arrays", "the size of an array in a kernel must be a constant: use extern "
                                 "__shared__, or pass memory in"},
      {"dynamic initialization is not supported",
       "set it in a kernel, or from Python through get_global()"},
      {"initialization is not supported for __shared__",
       "assign to it in the kernel, then call __syncthreads()"},
      {"('long' vs 'long long')", longLong},
      {"('unsigned long' vs 'unsigned long long')", longLong},
      {"vs 'const __heddle_",
       "threadIdx, blockIdx, blockDim and gridDim are reserved by CUDA: choose another name"},
      {"Clang crashed", "fix the errors above, if there are any; otherwise rewrite this part"},
  };
  if (message.contains("undeclared identifier") && code.starts_with("cuda::"))
    return "the names of cuda:: come from headers such as <cuda/atomic> and <cuda/std/array>";
  if (code.starts_with("__cluster_dims__"))
    return clusters;
  for (const Known &known : table)
    if (message.contains(known.part))
      return known.hint;
  return hintForUnknownName(message);
}

/// Rephrases some of Clang's messages: those about options that programs cannot pass, or about the code that surrounds
/// a name expression.
StringRef rephraseMessage(StringRef message) {
  if (message.contains("kernel launch from __device__"))
    return "a kernel cannot launch kernels: there is no dynamic parallelism";
  if (message.starts_with("address of overloaded function") &&
      message.ends_with("does not match required type 'void'"))
    return "this does not name an instance of the template: give all template arguments, with the "
           "right kinds";
  return message;
}

/// The source line at `where` with a caret below; empty if there is none.
std::string quoteSourceLine(const SourceManager &sources, SourceLocation where) {
  PresumedLoc place = sources.getPresumedLoc(where);
  auto [file, offset] = sources.getDecomposedLoc(where);
  bool invalid = false;
  StringRef text = sources.getBufferData(file, &invalid);
  if (place.isInvalid() || invalid)
    return {};
  size_t begin = text.rfind('\n', offset); // before `offset`
  begin = begin == StringRef::npos ? 0 : begin + 1;
  StringRef line = text.slice(begin, text.find('\n', begin));
  constexpr size_t longest = 200;
  bool isOwn = line.contains("__heddle_expression_"); // stands around a name expression
  if (line.size() > longest || isOwn)
    return {};
  std::string number = std::to_string(place.getLine());
  std::string caret;
  for (size_t i = begin; i < offset; ++i)
    caret += text[i] == '\t' ? '\t' : ' ';
  std::string shown = line.str();
  llvm::replace(shown, '\0', ' ');
  std::string out = "   " + number + " | " + shown + "\n";
  return out + "   " + std::string(number.size(), ' ') + " | " + caret + "^\n";
}

std::string prefixLocation(const SourceManager &sources, SourceLocation where,
                           const std::string &text) {
  PresumedLoc place = sources.getPresumedLoc(where);
  if (place.isInvalid())
    return text;
  return std::string(place.getFilename()) + ":" + std::to_string(place.getLine()) + ":" +
         std::to_string(place.getColumn()) + ": " + text;
}

/// True for notes such as "'threadIdx' declared here" that point into Heddle's headers and do not help the user.
bool isNoteInHeader(DiagnosticsEngine::Level level, const Diagnostic &info) {
  if (level != DiagnosticsEngine::Note || !info.hasSourceManager())
    return false;
  const SourceManager &sources = info.getSourceManager();
  llvm::SmallString<80> text;
  info.FormatDiagnostic(text);
  return text.ends_with("declared here") &&
         isDeviceHeader(sources.getFilename(sources.getFileLoc(info.getLocation())));
}

} // namespace

/// Replaces a message about a library mistake by a better one. True if the message needs no further handling.
bool DiagnosticCollector::explainLibraryMistake(DiagnosticsEngine::Level level,
                                                const Diagnostic &info, StringRef message) {
  if (!info.hasSourceManager() || info.getLocation().isInvalid())
    return false;
  const SourceManager &sources = info.getSourceManager();
  if (level == DiagnosticsEngine::Note && !lastError_.empty()) {
    std::string hint = explainMissingPolicy(sources, info.getLocation(), lastError_, message);
    if (hint.empty())
      return false;
    errors_.resize(endOfLastError_);
    errors_ += "  hint: " + hint + "\n";
    skipsNotes_ = true;
    return true;
  }
  if (level < DiagnosticsEngine::Error)
    return false;
  std::optional<LibraryMistake> mistake =
      explainHostOnlyHeader(sources, info.getLocation(), message);
  if (!mistake)
    return false;
  SourceLocation where = sources.getFileLoc(mistake->where);
  errors_ += prefixLocation(sources, where, mistake->message) + "\n" +
             quoteSourceLine(sources, where) + "  hint: " + mistake->hint + "\n";
  isFull_ = true;
  return true;
}

void DiagnosticCollector::HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level == DiagnosticsEngine::Ignored || level == DiagnosticsEngine::Remark || isFull_)
    return;
  if (level != DiagnosticsEngine::Note)
    skipsNotes_ = false;
  if (skipsNotes_ || isNoteInHeader(level, info))
    return;
  if (info.getID() == diag::err_pp_file_not_found)
    missingHeader_ = info.getArgStdStr(0);
  constexpr unsigned mostNotes = 10; // enough when a hundred operators do not match
  notes_ = level == DiagnosticsEngine::Note ? notes_ + 1 : 0;
  if (notes_ > mostNotes)
    return;
  constexpr unsigned mostWarnings = 100;
  warningCount_ += level == DiagnosticsEngine::Warning;
  bool ofWarning =
      level == DiagnosticsEngine::Note ? afterWarning_ : level == DiagnosticsEngine::Warning;
  if (ofWarning && warningCount_ > mostWarnings) {
    afterWarning_ = true;
    return;
  }
  llvm::SmallString<200> formatted;
  info.FormatDiagnostic(formatted);
  // Remove advice to use Clang options, which programs cannot pass: "(skipping 9 calls in backtrace; use -f... to see
  // all)".
  auto [message, advice] = rephraseMessage(formatted.str()).split("use -f");
  if (message.empty() || explainLibraryMistake(level, info, message))
    return;
  std::string ending = message.consume_back("; ") ? ")" : "";
  std::string text;
  StringRef code;
  bool isExpression = false;
  if (info.hasSourceManager() && info.getLocation().isValid()) {
    const SourceManager &sources = info.getSourceManager();
    SourceLocation where = sources.getFileLoc(info.getLocation());
    auto [file, offset] = sources.getDecomposedLoc(where);
    code = sources.getBufferData(file).substr(offset);
    PresumedLoc place = sources.getPresumedLoc(where);
    isExpression = place.isValid() && StringRef(place.getFilename()).starts_with("name expression");
    bool isError = level >= DiagnosticsEngine::Error;
    std::string said = (isError                            ? ""
                        : level == DiagnosticsEngine::Note ? "note: "
                                                           : "warning: ") +
                       message.str() + ending;
    text = prefixLocation(sources, where, said) + "\n" + quoteSourceLine(sources, where);
  } else {
    text = message.str() + ending + "\n";
  }
  if (level != DiagnosticsEngine::Note)
    afterWarning_ = level == DiagnosticsEngine::Warning;
  std::string hint = isExpression && level >= DiagnosticsEngine::Error
                         ? "a name expression is the name of a kernel or the address of a "
                           "variable: scale<float>, &table"
                         : hintForMessage(message, code);
  if (!hint.empty() && !afterWarning_)
    text += "  hint: " + hint + "\n";
  (afterWarning_ ? warnings_ : errors_) +=
      llvm::json::fixUTF8(text); // headers may be in any encoding
  if (level != DiagnosticsEngine::Note) {
    lastError_ = level >= DiagnosticsEngine::Error ? message.str() : "";
    endOfLastError_ = errors_.size();
  }
}

} // namespace heddle::cudacpp
