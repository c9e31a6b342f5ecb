// Compile options of CUDA C++ programs: those of NVRTC, as passed by CuPy.
#pragma once

#include "simt/compile_options.h"

#include <span>
#include <string>
#include <vector>

namespace heddle::cudacpp {

/// Parsed options for the front end and the back end.
struct Options {
  std::string standard = "c++17";
  std::vector<std::string> macros;         ///< "-DNAME=VALUE" and "-UNAME", in order
  std::vector<std::string> includeFolders; ///< the only folders on disk to search for headers
  std::vector<std::string> includeFiles;   ///< included before the source
  std::string librariesFolder; ///< folder of CUB, Thrust and libcu++ (libraries.h); empty for none
  bool contractFma = true;     ///< -fmad
  bool warnings = true;
  bool defaultIsDevice = false; ///< functions without __device__ or __host__ are device functions
  CompileOptions backEnd;
};

/// Parses a list of options. Throws a CompileError (Value) that names an unknown option, or one with a bad value.
Options readOptions(std::span<const std::string> arguments);

} // namespace heddle::cudacpp
