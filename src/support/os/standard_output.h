// The process's standard output.
#pragma once

#include <mutex>
#include <string>
#include <string_view>

namespace heddle::os {

/// Writes all of `text` to file descriptor 1, one call after the other; waits while a pipe is full. What cannot be
/// written (the output is closed, its reader gone, the disk full) is dropped.
void writeStandardOutput(std::string_view text);

/// From here on texts are kept until takeStandardOutput() is called, for a process whose output is elsewhere, as that of a
/// notebook is. `announce` is called on the thread that writes, for each text while none before it is announced; it
/// returns whether somebody will take the text, and must not write. Null: texts are written again.
void keepStandardOutput(bool (*announce)());

/// What was kept since the last call.
std::string takeStandardOutput();

/// While one lives, what this process writes to file descriptor 1 goes to a file in memory; its end hands that to
/// writeStandardOutput, in one piece. It is for calls of libraries that write there themselves. Where texts are not kept
/// it does nothing.
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
  int output_ = -1;                   ///< what file descriptor 1 was
};

} // namespace heddle::os
