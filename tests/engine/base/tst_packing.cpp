// Checksums, record files and compression against known answers, cut and hostile input.

#include <QTest>

#include "engine/base/compression.h"
#include "engine/base/crc32c.h"
#include "engine/base/record_file.h"

using namespace opscope;

class TstPacking : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void crc32cKnownAnswers() {
    QCOMPARE(Crc32c("123456789"), 0xE3069283u);  // RFC 3720
    QCOMPARE(Crc32c(std::string(32, '\0')), 0x8A9136AAu);
    QCOMPARE(Crc32c(std::string(32, '\xff')), 0x62A8AB43u);
    QCOMPARE(Crc32c("56789", Crc32c("1234")), 0xE3069283u);
    QCOMPARE(MaskCrc(0), 0xA282EAD8u);
    QCOMPARE(UnmaskCrc(MaskCrc(0x12345678u)), 0x12345678u);
    QCOMPARE(Crc32("123456789"), 0xCBF43926u);
  }

  void gzipRoundTrip() {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919);
    for (const std::string& bytes : {std::string(), std::string("x"), text}) {
      const std::string packed = *GzipBytes(bytes);
      QVERIFY(LooksLikeGzip(packed));
      QVERIFY(*GunzipBytes(packed, 1 << 30) == bytes);
      QVERIFY(*InflateBytes(*DeflateBytes(bytes), static_cast<int64_t>(bytes.size())) == bytes);
    }
    QCOMPARE(*GunzipBytes(*GzipBytes("one ") + *GzipBytes("two"), 100), std::string("one two"));
  }

  void boundsAndCuts() {
    const std::string packed = *GzipBytes(std::string(1000, 'x'));
    QCOMPARE(GunzipBytes(packed, 999).status().code(), Code::kResourceExhausted);
    QVERIFY(GunzipBytes(packed, 1000).ok());
    QCOMPARE(GunzipBytes(packed.substr(0, packed.size() / 2), 1000).status().code(), Code::kDataLoss);
    std::string broken = packed;
    broken[12] = '\xff';
    QVERIFY(!GunzipBytes(broken, 1000).ok());
    QCOMPARE(GunzipBytes("\x1f\x8b", 1000).status().code(), Code::kDataLoss);
  }

  void records() {
    std::string file;
    AppendRecord("first", &file);
    AppendRecord("", &file);
    AppendRecord(std::string(1000, 'z'), &file);
    RecordReader reader(file);
    std::string_view record;
    QVERIFY(reader.Next(&record).ok());
    QCOMPARE(record, std::string_view("first"));
    QVERIFY(reader.Next(&record).ok());
    QVERIFY(record.empty());
    QVERIFY(reader.Next(&record).ok());
    QCOMPARE(record.size(), size_t{1000});
    QCOMPARE(reader.Next(&record).code(), Code::kOutOfRange);
    QVERIFY(LooksLikeRecordFile(file));
    QVERIFY(!LooksLikeRecordFile("0123456789abcdef"));
    for (size_t n = 1; n < file.size(); ++n) {
      const std::string cut = file.substr(0, n);
      RecordReader part(cut);
      Status status = part.Next(&record);
      while (status.ok()) status = part.Next(&record);
      QVERIFY(status.code() == Code::kOutOfRange || (status.code() == Code::kDataLoss && part.truncated()));
    }
  }
};

QTEST_APPLESS_MAIN(TstPacking)
#include "tst_packing.moc"
