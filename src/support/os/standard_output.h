// Writes to the process's standard output.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace heddle::os {

/// Writes `text` to file descriptor 1; concurrent calls do not mix. Waits while a pipe is full. Drops text that cannot
/// be written (closed output, no reader, full disk).
void writeStandardOutput(std::string_view text);

/// Makes writeStandardOutput() collect texts for takeStandardOutput() instead of writing them, for processes that show
/// output elsewhere, such as notebooks. The writing thread calls `announce` for a collected text, unless an earlier one
/// is announced and not yet taken. `announce` must not write; it returns true if the text will be taken. A null
/// `announce` ends the collection.
void setOutputAnnouncer(bool (*announce)());

/// Returns the text collected since the last call.
std::string takeStandardOutput();

/// Redirects file descriptor 1 to a file in memory while the object lives, then passes the contents to
/// writeStandardOutput() at once. For calls of libraries that write to standard output. Does nothing unless texts are
/// collected.
class DivertedOutput {
public:
  DivertedOutput();
  ~DivertedOutput();
  DivertedOutput(const DivertedOutput &) = delete;
  DivertedOutput &operator=(const DivertedOutput &) = delete;

private:
  void close();

  std::unique_lock<std::mutex> only_; ///< one at a time
  int file_ = -1;                     ///< the file in memory
  int output_ = -1;                   ///< a duplicate of the original file descriptor 1
};

} // namespace heddle::os
