// Mutual exclusion for state that the GIL protects in other builds of Python.
#pragma once

#include <nanobind/nanobind.h>

#ifdef NB_FREE_THREADED
#include <mutex>
#endif

namespace heddle {

/// The object whose lock the scopes share, made when the module is imported. Never freed.
inline PyObject *serializedScopeLock = nullptr;

/// On free-threaded Python, one thread at a time is in a scope. As with the GIL, a thread in a scope lets others in
/// while it is in WithoutGil, and while Python code that it calls waits. Scopes can be nested. They do nothing in
/// builds of Python with the GIL.
class SerializedScope {
public:
  SerializedScope() : guard_(serializedScopeLock) {}
  SerializedScope(const SerializedScope &) = delete;

private:
  nanobind::ft_object_guard guard_;
};

/// In a binding: the function runs in a SerializedScope.
inline constexpr nanobind::call_guard<SerializedScope> serialized;

/// Guards a table on free-threaded Python, with std::lock_guard. The code that holds it calls no Python, so no other
/// thread can enter.
#ifdef NB_FREE_THREADED
using TableLock = std::mutex;
#else
struct TableLock {
  void lock() {}
  void unlock() {}
};
#endif

} // namespace heddle
