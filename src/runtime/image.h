// Code for a device that another compiler made: PTX, or machine code in a file (a cubin, a fatbin).
#pragma once

#include "runtime/device.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle {

/// An image on a device. Its kernels are found by their symbols; what they take is known by its size.
class Image : public Module {
public:
  /// Bytes of each parameter of a kernel of this image. A launch has as many 8-byte slots for each as hold it.
  virtual std::vector<uint32_t> parameterBytes(const Kernel &kernel) const = 0;
  /// Bytes of a variable. Throws as variable() does.
  virtual uint64_t variableBytes(std::string_view symbol) = 0;
};

/// Loads an image, which messages call `name`. Throws CompileError: Unsupported where the device runs no such code, or its
/// driver does not tell what kernels take; Value when it does not take this image.
std::shared_ptr<Image> loadImage(Device &device, std::string image, const std::string &name);

} // namespace heddle
