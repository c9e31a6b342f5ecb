// What a SIMT module becomes for a GPU, and how it looks in the disk cache.
#pragma once

#include "backend/nvptx/compile.h"

#include <optional>
#include <string>
#include <string_view>

namespace heddle::cuda {

struct CudaCode {
  nvptx::Ptx ptx;
  std::string cubin; ///< empty where the driver has not been asked for it
};

/// As bytes, for the disk cache, and back; nothing when the bytes are of another version or damaged.
std::string pack(const CudaCode &code);
std::optional<CudaCode> unpack(std::string_view bytes);

} // namespace heddle::cuda
