// Ops that make texts of texts, element by element.

#include <locale.h>
#include <wctype.h>

#include <algorithm>
#include <cstring>

#include "engine/base/text.h"
#include "engine/kernels/broadcast.h"
#include "engine/kernels/kernel_util.h"
#include "engine/kernels/string_hash.h"

namespace opscope::kernels {
namespace {

class StringJoinOp final : public OpKernel {
 public:
  explicit StringJoinOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, c->GetAttr("separator", &separator_)); }

  void Compute(OpKernelContext* context) override {
    TensorShape shape;
    for (int i = 0; i < context->num_inputs(); ++i) {
      const TensorShape& other = context->input(i).shape();
      if (other.dims() == 0) continue;
      OP_REQUIRES(context, shape.dims() == 0 || shape == other,
                  errors::InvalidArgument("Input shapes do not match: ", shape.DebugString(), " vs. ", other.DebugString()));
      shape = other;
    }
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    const auto texts = out->flat<tstring>();
    for (size_t k = 0; k < texts.size(); ++k) {
      for (int i = 0; i < context->num_inputs(); ++i) {
        if (i > 0) texts[k] += separator_;
        texts[k] += context->input(i).flat<tstring>()[IsScalar(context->input(i)) ? 0 : k];
      }
    }
  }

 private:
  std::string separator_;
};

// Whether an op counts characters of UTF-8 instead of bytes.
Status ReadUnit(OpKernelConstruction* c, bool* utf8) {
  std::string unit;
  OS_RETURN_IF_ERROR(c->GetAttr("unit", &unit));
  if (unit != "BYTE" && unit != "UTF8_CHAR") {
    return errors::InvalidArgument("Invalid character unit: ", unit, ". Only BYTE and UTF8_CHAR are valid");
  }
  *utf8 = unit == "UTF8_CHAR";
  return Status::OK();
}

bool BeginsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

int64_t CountCharacters(std::string_view text) { return std::count_if(text.begin(), text.end(), BeginsCharacter); }

class StringLengthOp final : public OpKernel {
 public:
  explicit StringLengthOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, ReadUnit(c, &utf8_)); }
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &out));
    const auto texts = context->input(0).flat<tstring>();
    for (size_t i = 0; i < texts.size(); ++i) {
      const int64_t length = utf8_ ? CountCharacters(texts[i]) : static_cast<int64_t>(texts[i].size());
      out->flat<int32_t>()[i] = static_cast<int32_t>(length);
    }
  }

 private:
  bool utf8_ = false;
};

/// A kernel that changes each text by itself.
class MapTextOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &out));
    const auto texts = context->input(0).flat<tstring>();
    for (size_t i = 0; i < texts.size(); ++i) OP_REQUIRES_OK(context, Map(texts[i], &out->flat<tstring>()[i]));
  }

 private:
  virtual Status Map(const tstring& in, tstring* out) const = 0;
};

class StringStripOp final : public MapTextOp {
 public:
  using MapTextOp::MapTextOp;

 private:
  Status Map(const tstring& in, tstring* out) const override {
    constexpr const char* kSpaces = " \t\n\v\f\r";
    const size_t begin = in.find_first_not_of(kSpaces);
    if (begin != tstring::npos) *out = in.substr(begin, in.find_last_not_of(kSpaces) - begin + 1);
    return Status::OK();
  }
};

// Decodes one character at `at`; what isn't UTF-8 becomes U+FFFD, one for each byte.
char32_t NextCharacter(std::string_view text, size_t* at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte((*at)++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : (first >= 0xE0 ? 2 : 1);
  if (first < 0xC2 || first > 0xF4 || *at + static_cast<size_t>(more) > text.size()) return 0xFFFD;
  char32_t code = first & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) {
    const unsigned char next = byte(*at + static_cast<size_t>(i));
    if ((next & 0xC0) != 0x80) return 0xFFFD;
    code = code << 6 | (next & 0x3Fu);
  }
  *at += static_cast<size_t>(more);
  return code;
}

void AppendCharacter(char32_t code, tstring* out) {
  const auto put = [&](char32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

template <bool kUpper>
class ChangeCaseOp final : public MapTextOp {
 public:
  explicit ChangeCaseOp(OpKernelConstruction* c) : MapTextOp(c) {
    std::string encoding;
    OP_REQUIRES_OK(c, c->GetAttr("encoding", &encoding));
    OP_REQUIRES(c, encoding.empty() || encoding == "utf-8",
                errors::InvalidArgument("only utf-8 or '' (no encoding) is supported, received ", encoding));
    if (!encoding.empty()) locale_ = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  }
  ~ChangeCaseOp() override {
    if (locale_) ::freelocale(locale_);
  }
  ChangeCaseOp(const ChangeCaseOp&) = delete;
  ChangeCaseOp& operator=(const ChangeCaseOp&) = delete;

 private:
  Status Map(const tstring& in, tstring* out) const override {
    if (locale_) {
      for (size_t at = 0; at < in.size();) {
        const auto code = static_cast<wint_t>(NextCharacter(in, &at));
        AppendCharacter(kUpper ? ::towupper_l(code, locale_) : ::towlower_l(code, locale_), out);
      }
      return Status::OK();
    }
    *out = in;
    for (char& c : *out) {
      if (kUpper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z') c = static_cast<char>(c ^ 0x20);
    }
    return Status::OK();
  }

  locale_t locale_ = nullptr;
};

class HashBucketOp final : public OpKernel {
 public:
  explicit HashBucketOp(OpKernelConstruction* c) : OpKernel(c), farm_(type_string() == "StringToHashBucketFast") {
    OP_REQUIRES_OK(c, c->GetAttr("num_buckets", &num_buckets_));
    OP_REQUIRES(c, num_buckets_ > 0, errors::InvalidArgument("num_buckets must be positive, is ", num_buckets_));
  }
  void Compute(OpKernelContext* context) override {
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &out));
    const auto texts = context->input(0).flat<tstring>();
    for (size_t i = 0; i < texts.size(); ++i) {
      const uint64_t hash = farm_ ? FarmFingerprint64(texts[i]) : MurmurHash64(texts[i]);
      out->flat<int64_t>()[i] = static_cast<int64_t>(hash % static_cast<uint64_t>(num_buckets_));
    }
  }

 private:
  bool farm_;
  int64_t num_buckets_ = 1;
};

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

class EncodeBase64Op final : public MapTextOp {
 public:
  explicit EncodeBase64Op(OpKernelConstruction* c) : MapTextOp(c) { OP_REQUIRES_OK(c, c->GetAttr("pad", &pad_)); }

 private:
  Status Map(const tstring& in, tstring* out) const override {
    uint32_t bits = 0;
    int count = 0;
    for (const char c : in) {
      bits = bits << 8 | static_cast<unsigned char>(c);
      for (count += 8; count >= 6; count -= 6) out->push_back(kBase64[bits >> (count - 6) & 63]);
    }
    if (count > 0) out->push_back(kBase64[bits << (6 - count) & 63]);
    while (pad_ && out->size() % 4 != 0) out->push_back('=');
    return Status::OK();
  }

  bool pad_ = false;
};

class DecodeBase64Op final : public MapTextOp {
 public:
  using MapTextOp::MapTextOp;

 private:
  Status Map(const tstring& in, tstring* out) const override {
    std::string_view text(in);
    if (text.size() % 4 == 1) return errors::InvalidArgument("Base64 string length cannot be 1 modulo 4.");
    // Padding is one or two signs at the end of a whole group.
    for (int i = 0; i < 2 && !text.empty() && text.size() > in.size() - 2 && in.size() % 4 == 0 && text.back() == '='; ++i) {
      text.remove_suffix(1);
    }
    uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
      const size_t value = kBase64.find(c);
      if (value == std::string_view::npos) return errors::InvalidArgument("Invalid character found in base64.");
      bits = bits << 6 | static_cast<uint32_t>(value);
      count += 6;
      if (count >= 8) out->push_back(static_cast<char>(bits >> (count -= 8) & 0xFF));
    }
    return Status::OK();
  }
};

// The offset of a text's part, in bytes: [position, position + length) counted in characters or bytes.
class SubstrOp final : public OpKernel {
 public:
  explicit SubstrOp(OpKernelConstruction* c) : OpKernel(c) { OP_REQUIRES_OK(c, ReadUnit(c, &utf8_)); }

  void Compute(OpKernelContext* context) override {
    const Tensor &in = context->input(0), &pos = context->input(1), &len = context->input(2);
    OP_REQUIRES(context, pos.shape() == len.shape(),
                errors::InvalidArgument("pos and len should have the same shape, got: ", pos.shape().DebugString(), " vs. ",
                                        len.shape().DebugString()));
    auto broadcast = Broadcast::Make(in.shape(), pos.shape());
    OP_REQUIRES_OK(context, broadcast.status());
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, broadcast->output_shape(), &out));
    const std::vector<int64_t> positions = ToInt64s(pos), lengths = ToInt64s(len);
    Status status;
    broadcast->ForEachRow([&](int64_t left, int64_t right, int64_t to, int64_t count, BroadcastMode mode) {
      for (int64_t i = 0; i < count && status.ok(); ++i) {
        const auto text = static_cast<size_t>(mode == BroadcastMode::kLeftStays ? left : left + i);
        const auto part = static_cast<size_t>(mode == BroadcastMode::kRightStays ? right : right + i);
        status = Cut(in.flat<tstring>()[text], positions[part], lengths[part], to + i,
                     &out->flat<tstring>()[static_cast<size_t>(to + i)]);
      }
      return status.ok();
    });
    OP_REQUIRES_OK(context, status);
  }

 private:
  Status Cut(const tstring& text, int64_t pos, int64_t len, int64_t index, tstring* out) const {
    const int64_t size = utf8_ ? CountCharacters(text) : static_cast<int64_t>(text.size());
    if (pos < -size || pos > size) {
      return errors::InvalidArgument("pos ", pos, " out of range for string b'", Printable(text), "' at index ", index);
    }
    if (pos < 0) pos += size;
    const int64_t count = std::max<int64_t>(0, std::min(len, size - pos));
    if (!utf8_) {
      *out = text.substr(static_cast<size_t>(pos), static_cast<size_t>(count));
      return Status::OK();
    }
    const size_t begin = SkipCharacters(text, 0, pos);
    *out = text.substr(begin, SkipCharacters(text, begin, count) - begin);
    return Status::OK();
  }

  static size_t SkipCharacters(const tstring& text, size_t at, int64_t count) {
    for (; count > 0 && at < text.size(); --count) {
      do ++at;
      while (at < text.size() && !BeginsCharacter(text[at]));
    }
    return at;
  }

  bool utf8_ = false;
};

class DecodeRawOp final : public OpKernel {
 public:
  explicit DecodeRawOp(OpKernelConstruction* c) : OpKernel(c) {
    OP_REQUIRES_OK(c, c->GetAttr("little_endian", &little_endian_));
  }

  void Compute(OpKernelContext* context) override {
    const auto texts = context->input(0).flat<tstring>();
    const DataType dtype = output_type(0);
    const size_t width = DataTypeSize(dtype), bytes = texts.empty() ? 0 : texts[0].size();
    for (size_t i = 0; i < texts.size(); ++i) {
      OP_REQUIRES(context, texts[i].size() == bytes,
                  errors::InvalidArgument("DecodeRaw requires input strings to all be the same size, but element ", i,
                                          " has size ", bytes, " != ", texts[i].size()));
    }
    OP_REQUIRES(context, bytes % width == 0,
                errors::InvalidArgument("Input to DecodeRaw has length ", bytes, " that is not a multiple of ", width,
                                        ", the size of ", DataTypeString(dtype)));
    TensorShape shape = context->input(0).shape();
    OP_REQUIRES_OK(context, shape.AddDim(static_cast<int64_t>(bytes / width)));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &out));
    char* target = static_cast<char*>(out->raw_data());
    for (size_t i = 0; i < texts.size() && bytes > 0; ++i) std::memcpy(target + i * bytes, texts[i].data(), bytes);
    if (dtype == DT_BOOL) {
      for (size_t i = 0; i < texts.size() * bytes; ++i) target[i] = static_cast<char>(target[i] != 0);
    }
    // Complex numbers are turned part by part.
    const size_t unit = IsComplexType(dtype) ? width / 2 : width;
    for (size_t i = 0; !little_endian_ && i + unit <= texts.size() * bytes; i += unit) std::reverse(target + i, target + i + unit);
  }

 private:
  bool little_endian_ = true;
};

const CpuKernel<StringJoinOp> join({"StringJoin"}, {});
const CpuKernel<StringLengthOp> length({"StringLength"}, {});
const CpuKernel<StringStripOp> strip({"StringStrip"}, {});
const CpuKernel<ChangeCaseOp<true>> upper({"StringUpper"}, {});
const CpuKernel<ChangeCaseOp<false>> lower({"StringLower"}, {});
const CpuKernel<HashBucketOp> hash_bucket({"StringToHashBucket", "StringToHashBucketFast"}, {});
const CpuKernel<EncodeBase64Op> encode({"EncodeBase64"}, {});
const CpuKernel<DecodeBase64Op> decode({"DecodeBase64"}, {});
const CpuKernel<SubstrOp> substr({"Substr"}, {{"T", IndexTypes()}});
const CpuKernel<DecodeRawOp> decode_raw({"DecodeRaw"}, {});

}  // namespace
}  // namespace opscope::kernels
