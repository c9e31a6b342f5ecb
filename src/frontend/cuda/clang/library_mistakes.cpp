#include "frontend/cuda/clang/library_mistakes.h"

#include "frontend/cuda/libraries.h"

namespace heddle::cudacpp {

using namespace clang;
using llvm::StringRef;

std::optional<LibraryMistake> explainHostOnlyHeader(const SourceManager &sources,
                                                    SourceLocation where, StringRef message) {
  bool isForHost = message.contains("is not supported when compiling with NVRTC") ||
                   message.ends_with("file not found");
  StringRef header = libraryIncludePath(sources.getFilename(sources.getFileLoc(where)));
  if (!isForHost || header.empty())
    return std::nullopt;
  SourceLocation place = where;
  while (place.isValid()) {
    StringRef name = libraryIncludePath(sources.getFilename(sources.getFileLoc(place)));
    if (name.empty())
      return LibraryMistake{
          place, "'" + header.str() + "' is a host-only header: a kernel cannot use it",
          header.starts_with("cub/")
              ? "use block and warp algorithms, such as <cub/block/block_reduce.cuh>; for a whole "
                "array, write a kernel, or reduce it from Python"
              : "pass arrays to the kernel as pointers"};
    header = name;
    place = sources.getIncludeLoc(sources.getFileID(sources.getFileLoc(place)));
  }
  return std::nullopt;
}

std::string explainMissingPolicy(const SourceManager &sources, SourceLocation candidate,
                                 StringRef message, StringRef note) {
  if (!message.consume_front("no matching function for call to '") ||
      !note.contains("call to __host__ function") ||
      !libraryIncludePath(sources.getFilename(sources.getFileLoc(candidate)))
           .starts_with("thrust/"))
    return {};
  std::string name = message.take_until([](char c) { return c == '\''; }).str();
  return "in a kernel, Thrust algorithms need an execution policy and run in one thread: thrust::" +
         name + "(thrust::seq, ...), with <thrust/execution_policy.h>";
}

} // namespace heddle::cudacpp
