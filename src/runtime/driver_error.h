// The exception for failed driver calls.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace heddle {

/// `code` and `name` are the driver's (700, "CUDA_ERROR_ILLEGAL_ADDRESS"); what() names the failed call and gives a
/// hint.
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
