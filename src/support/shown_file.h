// How messages name a file of a program.
#pragma once

#include <string>

namespace heddle {

/// The name that showFileAs() gave the file, else the last part of its path.
std::string shownFile(const std::string &path);

/// From here on messages name the file so: a notebook's cells are files whose paths tell a user nothing.
void showFileAs(const std::string &path, const std::string &name);

} // namespace heddle
