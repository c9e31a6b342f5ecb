// Places of files: the cache directory, and the file that holds this code.
#pragma once

#include <string>

namespace heddle::os {

/// A variable of the environment that names a file or folder of code. Empty when it is not set, and in a program that runs
/// with more rights than the user who started it.
std::string pathFromEnvironment(const char *name);

/// Where this user's caches go: $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else ~/.cache/heddle. Not created.
/// Empty when the environment names no place at all.
std::string cacheDirectory();

/// The folder, with a slash at its end, of the program or shared library that holds this code; empty when not known.
std::string codeDirectory();

/// Changes when the program or shared library that holds this code changes: its size and modification time.
std::string codeStamp();

} // namespace heddle::os
