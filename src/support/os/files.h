// Paths: the cache directory, and the running program or shared library.
#pragma once

#include <string>

namespace heddle::os {

/// Reads an environment variable that names a file or folder with code. Empty if it is not set, or if the program runs
/// with elevated privileges (setuid).
std::string pathFromEnvironment(const char *name);

/// The user's cache directory: $HEDDLE_CACHE_DIR, else $XDG_CACHE_HOME/heddle, else $HOME/.cache/heddle; empty if none
/// of these variables is set. Does not create the directory.
std::string cacheDirectory();

/// The directory, with a trailing slash, of the program or shared library that contains this code; empty if unknown.
std::string codeDirectory();

/// Size and modification time of the program or shared library that contains this code, to detect a new build.
std::string codeStamp();

} // namespace heddle::os
