// GPU code of a SIMT module, and its serialization for the disk cache.
#pragma once

#include "backend/nvptx/compile.h"

#include <optional>
#include <string>
#include <string_view>

namespace heddle::cuda {

struct CudaCode {
  nvptx::Ptx ptx;
  std::string cubin; ///< empty until the driver has assembled the PTX
};

/// Serializes the code for the disk cache. unpack() returns nullopt for another format version or damaged bytes.
std::string pack(const CudaCode &code);
std::optional<CudaCode> unpack(std::string_view bytes);

} // namespace heddle::cuda
