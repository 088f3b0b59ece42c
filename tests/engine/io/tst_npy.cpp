#include <QTemporaryDir>
#include <QtTest>

#include "engine/base/file.h"
#include "engine/io/npy.h"
#include "engine/io/zip_reader.h"

using namespace opscope;

namespace {

std::string Npy(const std::string& header, const std::string& data, char version = 1) {
  std::string padded = header + "\n";
  std::string out = "\x93NUMPY";
  out += version;
  out += '\0';
  out += static_cast<char>(padded.size() & 0xFF);
  out += static_cast<char>(padded.size() >> 8);
  if (version > 1) out.append(2, '\0');
  return out + padded + data;
}

// Without the syncs of an atomic save: this runs some hundred times.
void Put(const std::string& path, const std::string& bytes) {
  QFile file(QString::fromStdString(path));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(bytes.data(), static_cast<qint64>(bytes.size()));
}

Tensor Matrix() {
  Tensor t(DT_FLOAT, TensorShape({2, 3}));
  for (size_t i = 0; i < 6; ++i) t.flat<float>()[i] = static_cast<float>(i);
  return t;
}

}  // namespace

class TstNpy : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void npy_roundTripsEveryType();
  void npy_ordersAreConverted();
  void npy_strings();
  void npy_refuses_data();
  void npy_refuses();
  void npz_roundTrips();
  void npz_damageIsAnError();
  void npz_readsNumpysFiles();
};

void TstNpy::npy_roundTripsEveryType() {
  for (const DataType dtype : {DT_FLOAT, DT_DOUBLE, DT_HALF, DT_INT8, DT_INT16, DT_INT32, DT_INT64, DT_UINT8, DT_UINT16,
                               DT_UINT32, DT_UINT64, DT_BOOL, DT_COMPLEX64, DT_COMPLEX128}) {
    Tensor t(dtype, TensorShape({3, 1, 2}));
    for (size_t i = 0; i < t.tensor_data().size(); ++i) static_cast<char*>(t.raw_data())[i] = static_cast<char>(dtype == DT_BOOL ? i & 1 : i);
    const auto back = ParseNpy(*FormatNpy(t), "a.npy");
    QVERIFY(back->dtype() == dtype);
    QVERIFY(back->shape() == t.shape());
    QCOMPARE(back->tensor_data(), t.tensor_data());
  }
  const auto scalar = ParseNpy(*FormatNpy(Tensor::Scalar(2.5)), "a.npy");
  QCOMPARE(scalar->dims(), 0);
  QCOMPARE(scalar->scalar<double>(), 2.5);
}

void TstNpy::npy_ordersAreConverted() {
  const std::string big("\x3f\x80\0\0\x40\0\0\0", 8);
  QCOMPARE(ParseNpy(Npy("{'descr': '>f4', 'fortran_order': False, 'shape': (2,), }", big), "b")->flat<float>()[1], 2.0f);
  const std::string columns("\1\2\3\4\5\6", 6);
  const auto fortran = ParseNpy(Npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", columns, 2), "f");
  const std::array<uint8_t, 6> want = {1, 3, 5, 2, 4, 6};
  QVERIFY(std::equal(want.begin(), want.end(), fortran->flat<uint8_t>().begin()));
}

void TstNpy::npy_strings() {
  const auto bytes = ParseNpy(Npy("{'descr': '|S3', 'fortran_order': False, 'shape': (2,), }", std::string("ab\0cde", 6)), "s");
  QCOMPARE(bytes->flat<tstring>()[0], std::string("ab"));
  QCOMPARE(bytes->flat<tstring>()[1], std::string("cde"));
  const auto wide = ParseNpy(Npy("{'descr': '<U2', 'fortran_order': False, 'shape': (), }", std::string("\xe9\0\0\0\0\0\0\0", 8)), "u");
  QCOMPARE(wide->scalar<tstring>(), std::string("\xc3\xa9"));
}

void TstNpy::npy_refuses_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QByteArray>("words");
  const auto row = [](const char* name, const std::string& bytes, const char* words) {
    QTest::newRow(name) << QByteArray::fromStdString(bytes) << QByteArray(words);
  };
  row("magic", "NUMPY nothing", "bad magic");
  row("version", Npy("{}", "", 9), "version 9.0");
  row("huge", Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 3), }", "1234"), "has 4 bytes of data");
  row("overflow", Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 1099511627776), }", ""), "2**63 - 1");
  row("object", Npy("{'descr': '|O8', 'fortran_order': False, 'shape': (1,), }", "12345678"), "type 'O8'");
  row("structured", Npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"), "structured");
  row("no_shape", Npy("{'descr': '<f4', 'fortran_order': False, }", "1234"), "lacks");
  row("code", Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (__import__('os'),), }", "1234"), "something else");
  row("cut", std::string("\x93NUMPY\1\0\xff\xff{", 11), "cut off");
  row("empty_strings", Npy("{'descr': '|S0', 'fortran_order': False, 'shape': (4611686018427387904,), }", ""), "empty strings");
}

void TstNpy::npy_refuses() {
  QFETCH(QByteArray, bytes);
  QFETCH(QByteArray, words);
  const auto tensor = ParseNpy(bytes.toStdString(), "x.npy");
  QVERIFY(!tensor.ok());
  QVERIFY2(tensor.status().message().starts_with("x.npy: "), tensor.status().message().c_str());
  QVERIFY2(tensor.status().message().find(words.toStdString()) != std::string::npos, tensor.status().message().c_str());
}

void TstNpy::npz_roundTrips() {
  QTemporaryDir dir;
  const std::string path = dir.filePath(QStringLiteral("a.npz")).toStdString();
  Tensor strings(DT_STRING, TensorShape({2}));
  strings.flat<tstring>()[0] = std::string("\0a", 2);
  strings.flat<tstring>()[1] = "";
  Tensor narrow(DT_BFLOAT16, TensorShape({1}));
  static_cast<uint16_t*>(narrow.raw_data())[0] = 0x3F80;
  QVERIFY(WriteNpz(path, {{"x:0", Matrix()}, {"s:0", strings}, {"b:0", narrow}}).ok());
  const auto read = ReadNpz(path);
  QVERIFY2(read.ok(), read.status().ToString().c_str());
  QCOMPARE(read->size(), size_t{3});
  QCOMPARE((*read)[0].first, std::string("x:0"));
  QCOMPARE((*read)[0].second.tensor_data(), Matrix().tensor_data());
  QCOMPARE((*read)[1].second.flat<tstring>()[0], std::string("\0a", 2));
  QVERIFY((*read)[2].second.dtype() == DT_BFLOAT16);
}

void TstNpy::npz_damageIsAnError() {
  QTemporaryDir dir;
  const std::string path = dir.filePath(QStringLiteral("a.npz")).toStdString();
  QVERIFY(WriteNpz(path, {{"x", Matrix()}}).ok());
  const std::string good = *ReadFile(path);
  for (size_t i = 0; i < good.size(); ++i) {  // every flipped byte: a result or a clean error, never a crash
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    Put(path, bad);
    const auto read = ReadNpz(path);
    if (!read.ok()) QVERIFY(read.status().message().find("a.npz") != std::string::npos);
  }
  std::string flipped = good;
  flipped[good.find("NUMPY") + 130] ^= 1;
  Put(path, flipped);
  QVERIFY(ReadNpz(path).status().code() == Code::kDataLoss);
  for (size_t size = 0; size < good.size(); size += 7) {
    Put(path, good.substr(0, size));
    QVERIFY(!ReadNpz(path).ok());
  }
}

void TstNpy::npz_readsNumpysFiles() {
  const std::string folder = OPSCOPE_SHARED_DIR "/corpus/bad/";
  if (!FileExists(folder)) QSKIP("../shared is not there");
  QCOMPARE(ReadNpz(folder + "zip_bomb_50MB.npz")->front().second.NumElements(), int64_t{13107200});  // deflated
  QVERIFY(ReadNpz(folder + "bad_crc.npz").status().code() == Code::kDataLoss);
  QCOMPARE(ReadNpz(folder + "zip_slip.npz")->front().first, std::string("../../evil"));
}

QTEST_APPLESS_MAIN(TstNpy)
#include "tst_npy.moc"
