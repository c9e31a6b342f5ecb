// The options of a CUDA C++ program: NVRTC's, as CuPy passes them on.
#pragma once

#include "simt/compile_options.h"

#include <span>
#include <string>
#include <vector>

namespace heddle::cudacpp {

/// What the options ask of the front end, and of the back end.
struct Options {
  std::string standard = "c++17";
  std::vector<std::string> macros;         ///< "-DNAME=VALUE" and "-UNAME", in order
  std::vector<std::string> includeFolders; ///< the only places on disk that headers come from
  std::vector<std::string> includeFiles;   ///< included before the source
  std::string librariesFolder; ///< of CUB, Thrust and libcu++ (libraries.h); empty for none
  bool contractFma = true;     ///< -fmad
  bool warnings = true;
  bool defaultIsDevice = false; ///< functions without __device__ or __host__ are for the device
  CompileOptions backEnd;
};

/// Reads a list of options. Throws CompileError (Value) that names an unknown one, or one with a bad value.
Options readOptions(std::span<const std::string> arguments);

} // namespace heddle::cudacpp
