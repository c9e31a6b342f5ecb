// Display names of source files in messages.
#pragma once

#include <string>

namespace heddle {

/// The display name that was set for the file, else the last component of its path.
std::string fileDisplayName(const std::string &path);

/// Sets a file's display name. Notebook cells are files whose paths mean nothing to users.
void setFileDisplayName(const std::string &path, const std::string &name);

} // namespace heddle
