#include "api/errors.h"

#include "runtime/driver_error.h"
#include "runtime/kernel_error.h"
#include "support/diagnostic.h"

#include <new>

namespace heddle::v1 {

Error::Error(Kind kind, const std::string &message) : std::runtime_error(message), kind_(kind) {}
Error::Error(const Error &) noexcept = default;
Error::~Error() = default;

namespace detail {

namespace {

Error::Kind toPublicKind(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::Typing:
  case ErrorKind::Constant:
  case ErrorKind::Result:
  case ErrorKind::Member:
  case ErrorKind::Unsupported:
  case ErrorKind::Lowering:
    return Error::Kind::Compile;
  case ErrorKind::Value:
  case ErrorKind::Type:
    return Error::Kind::Argument;
  case ErrorKind::Memory:
    return Error::Kind::Memory;
  case ErrorKind::Internal:
    return Error::Kind::Internal;
  }
  return Error::Kind::Internal;
}

} // namespace

void rethrowAsPublicError() {
  try {
    throw;
  } catch (const Error &) {
    throw;
  } catch (const CompileError &error) {
    throw Error(toPublicKind(error.diagnostic().kind), error.what());
  } catch (const KernelError &error) {
    throw Error(Error::Kind::Kernel, error.what());
  } catch (const DriverError &error) {
    throw Error(Error::Kind::Driver, "[" + std::to_string(error.code()) + "] " + error.what());
  } catch (const std::bad_alloc &) {
    throw Error(Error::Kind::Memory, "out of host memory");
  } catch (const std::exception &error) {
    throw Error(Error::Kind::Internal, error.what());
  }
}

} // namespace detail

} // namespace heddle::v1
