// Tables of rows that follow a pattern: names and documentation are generated when the table is made.
#pragma once

#include "frontend/python/rows/row.h"

#include <deque>
#include <string>
#include <vector>

namespace heddle::python {

/// Generated rows, with the strings that they point to.
class GeneratedRows {
public:
  /// Adds `row` under another name and with other documentation.
  void add(LibraryRow row, std::string name, std::string doc) {
    row.name = texts_.emplace_back(std::move(name)).c_str();
    row.doc = texts_.emplace_back(std::move(doc)).c_str();
    rows_.push_back(row);
  }
  /// Adds rows with a prefix to their names.
  void add(const std::string &prefix, llvm::ArrayRef<LibraryRow> rows) {
    for (const LibraryRow &row : rows)
      add(row, prefix + row.name, row.doc);
  }

  llvm::ArrayRef<LibraryRow> rows() const { return rows_; }

private:
  std::deque<std::string> texts_; // whose elements stay where they are
  std::vector<LibraryRow> rows_;
};

} // namespace heddle::python
