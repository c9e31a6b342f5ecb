// Shared libraries that are loaded at run time. They are never unloaded.
#pragma once

#include <string>

namespace heddle::os {

/// Loads a library. A name without a folder is searched for in the system's library path. Returns null and sets
/// `error` if the library cannot be loaded.
void *loadSharedLibrary(const std::string &path, std::string &error);

/// The address of a function; null if the library has none of this name.
void *findSymbol(void *library, const char *name);

} // namespace heddle::os
