// Device code from other compilers: PTX, or machine code in a file (a cubin, a fatbin).
#pragma once

#include "runtime/device.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// An image on a device. Its kernels are found by symbol; only the sizes of their parameters are known.
class Image : public Module {
public:
  /// The size of each parameter of the kernel, in bytes. A launch passes each parameter in as many 8-byte slots as it
  /// needs.
  virtual std::vector<uint32_t> parameterBytes(const Kernel &kernel) const = 0;
  /// The size of a variable in bytes. Throws the same errors as variable().
  virtual uint64_t variableBytes(std::string_view symbol) = 0;
};

/// Loads an image; messages call it `name`. Throws CompileError: Unsupported if the device cannot run the code or the
/// driver cannot report kernel parameters, Value if the driver rejects the image.
std::shared_ptr<Image> loadImage(Device &device, std::string image, const std::string &name);

} // namespace heddle
