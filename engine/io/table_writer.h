#pragma once
// Makes sorted string tables (table_reader.h) without compression.

#include <string>
#include <string_view>

namespace opscope {

/// Builds a table in memory. REQUIRES: keys are added in ascending order.
class TableWriter {
 public:
  void Add(std::string_view key, std::string_view value);
  /// The bytes of the whole table. Nothing can be added afterwards.
  std::string Finish();

 private:
  /// Entries of one block and where its restarts are.
  struct Block {
    std::string bytes, last_key, restarts;
    int count = 0;
    void Add(std::string_view key, std::string_view value, int restart_interval);
    std::string Finish();
  };
  void FlushBlock();
  std::string WriteBlock(Block* block);

  std::string out_;
  Block data_, index_;
};

}  // namespace opscope
