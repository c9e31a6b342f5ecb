/// \file
/// The one exception of this interface.
#pragma once

#include "heddle/export.h"

#include <stdexcept>
#include <string>

HEDDLE_BEGIN_NAMESPACE

/// What went wrong. what() names what, where and what to do; the text is the one that Python users see.
class HEDDLE_EXPORT Error : public std::runtime_error {
public:
  enum class Kind {
    Compile,  ///< the source is wrong, or has what kernels cannot have; with Clang's messages
    Argument, ///< what a call was given cannot be: a number or type of arguments, a shape, a name. Nothing was done
    Memory,   ///< no memory is left, on the host or the device
    Kernel, ///< a running kernel stopped: a failed assertion, a trap, a barrier that some threads never reached
    Driver,   ///< a call to NVIDIA's driver failed
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
