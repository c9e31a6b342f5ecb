// GPU code of a SIMT module, and its serialization for the disk cache.
#pragma once

#include "backend/nvptx/compile.h"

#include <optional>
#include <string>
#include <string_view>

namespace heddle::cuda {

struct CudaCode {
  nvptx::Ptx ptx;
  std::string cubin; ///< empty unless loaded from a cubin or requested by machineCode()
};

/// Serializes PTX for the disk cache. unpackPtx() returns nullopt for another format version or damaged bytes.
std::string packPtx(const nvptx::Ptx &ptx);
std::optional<nvptx::Ptx> unpackPtx(std::string_view bytes);

} // namespace heddle::cuda
