#include "engine/io/table_writer.h"

#include <algorithm>

#include "engine/base/crc32c.h"
#include "engine/base/varint.h"
#include "engine/io/table_format.h"

namespace opscope {
namespace {

constexpr size_t kBlockBytes = 4096;
constexpr int kRestartInterval = 16;

}  // namespace

void TableWriter::Block::Add(std::string_view key, std::string_view value, int restart_interval) {
  size_t shared = 0;
  if (count % restart_interval == 0) {
    AppendFixed32(static_cast<uint32_t>(bytes.size()), &restarts);
  } else {
    const size_t most = std::min(key.size(), last_key.size());
    while (shared < most && key[shared] == last_key[shared]) ++shared;
  }
  AppendVarint(shared, &bytes);
  AppendVarint(key.size() - shared, &bytes);
  AppendVarint(value.size(), &bytes);
  bytes.append(key.substr(shared));
  bytes.append(value);
  last_key = std::string(key);
  ++count;
}

std::string TableWriter::Block::Finish() {
  if (restarts.empty()) AppendFixed32(0, &restarts);
  std::string done = std::move(bytes) + restarts;
  AppendFixed32(static_cast<uint32_t>(restarts.size() / sizeof(uint32_t)), &done);
  *this = Block();
  return done;
}

void TableWriter::Add(std::string_view key, std::string_view value) {
  data_.Add(key, value, kRestartInterval);
  if (data_.bytes.size() >= kBlockBytes) FlushBlock();
}

// Writes a block with its trailer; the answer is its handle.
std::string TableWriter::WriteBlock(Block* block) {
  std::string bytes = block->Finish();
  std::string handle;
  AppendVarint(out_.size(), &handle);
  AppendVarint(bytes.size(), &handle);
  bytes.push_back(table_format::kPlain);
  const uint32_t crc = Crc32c(bytes);
  out_ += bytes;
  AppendFixed32(MaskCrc(crc), &out_);
  return handle;
}

void TableWriter::FlushBlock() {
  if (data_.count == 0) return;
  const std::string last_key = data_.last_key;
  index_.Add(last_key, WriteBlock(&data_), 1);
}

std::string TableWriter::Finish() {
  FlushBlock();
  Block meta;
  std::string footer = WriteBlock(&meta);
  footer += WriteBlock(&index_);
  footer.resize(table_format::kFooterBytes - sizeof(uint64_t), '\0');
  AppendFixed64(table_format::kMagic, &footer);
  return std::move(out_) + footer;
}

}  // namespace opscope
