// A call to a device's driver that failed.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace heddle {

/// `code` and `name` are the driver's ("CUDA_ERROR_ILLEGAL_ADDRESS", 700); what() says which call failed, and what to do.
class DriverError : public std::runtime_error {
public:
  DriverError(int code, std::string name, const std::string &message)
      : std::runtime_error(message), code_(code), name_(std::move(name)) {}

  int code() const { return code_; }
  const std::string &name() const { return name_; }

private:
  int code_;
  std::string name_;
};

} // namespace heddle
