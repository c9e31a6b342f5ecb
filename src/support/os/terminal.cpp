#include "support/os/terminal.h"

#include <unistd.h>

namespace heddle::os {

bool isStandardErrorTerminal() { return isatty(STDERR_FILENO) == 1; }

void writeStandardError(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written <= 0)
      return;
    text.remove_prefix(size_t(written));
  }
}

} // namespace heddle::os
