/// \file
/// The exception class of this interface.
#pragma once

#include "heddle/export.h"

#include <stdexcept>
#include <string>

HEDDLE_BEGIN_NAMESPACE

/// An error. what() gives the problem, its location and a hint, in the same words that Python users see.
class HEDDLE_EXPORT Error : public std::runtime_error {
public:
  enum class Kind {
    Compile, ///< the source has errors or uses features that kernels do not support; with Clang's messages
    Argument, ///< an invalid argument: wrong count, type, shape or name. The call had no effect
    Memory,   ///< out of host or device memory
    Kernel, ///< a running kernel stopped: a failed assertion, a trap, a barrier that some threads never reached
    Driver,   ///< an NVIDIA driver call failed
    Internal, ///< a bug in Heddle
  };

  Error(Kind kind, const std::string &message);
  Error(const Error &) noexcept;
  ~Error() override;

  Kind kind() const noexcept { return kind_; }

private:
  Kind kind_;
};

HEDDLE_END_NAMESPACE
