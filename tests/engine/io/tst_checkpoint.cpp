#include <QTemporaryDir>
#include <QtTest>

#include "engine/base/file.h"
#include "engine/base/snappy.h"
#include "engine/io/checkpoint_reader.h"
#include "engine/io/checkpoint_writer.h"
#include "engine/io/table_reader.h"
#include "engine/io/table_writer.h"

using namespace opscope;

namespace {

Tensor Floats(const TensorShape& shape, float first) {
  Tensor t(DT_FLOAT, shape);
  for (auto& v : t.flat<float>()) v = first++;
  return t;
}

Tensor Texts() {
  Tensor t(DT_STRING, TensorShape({2, 2}));
  const std::vector<tstring> values{"", std::string("a\0b", 3), "text", std::string(300, 'x')};
  std::copy(values.begin(), values.end(), t.flat<tstring>().begin());
  return t;
}

std::string Path(const QTemporaryDir& folder, const char* name) { return folder.filePath(QLatin1String(name)).toStdString(); }

void Put(const std::string& path, const std::string& bytes) {
  QFile file(QString::fromStdString(path));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(bytes.data(), static_cast<qint64>(bytes.size()));
}

// Everything that a checkpoint holds, read; the first failure.
Status ReadAll(const std::string& prefix) {
  OS_ASSIGN_OR_RETURN(const auto reader, CheckpointReader::Open(prefix));
  for (const CheckpointTensor& tensor : reader->List()) OS_RETURN_IF_ERROR(reader->Read(tensor.name).status());
  return Status::OK();
}

}  // namespace

class TstCheckpoint : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void table_keepsAndFinds();
  void snappy_unpacks();
  void slices_parseAsTensorFlow();
  void slices_keysSort();
  void bundle_roundTrips();
  void bundle_slicesJoin();
  void bundle_mergeRenamesShards();
  void bundle_damageIsAnError();
  void oldForm_roundTripsOverFiles();
  void oldForm_damageIsAnError();
  void examples_haveTensorFlowsValues();
};

void TstCheckpoint::table_keepsAndFinds() {
  QTemporaryDir folder;
  TableWriter writer;
  for (int i = 0; i < 1000; ++i) writer.Add(StrCat("key", 10000 + i), std::string(static_cast<size_t>(i % 40), 'v'));
  Put(Path(folder, "t"), writer.Finish());
  const auto table = TableReader::Open(Path(folder, "t"));
  QVERIFY2(table.ok(), table.status().ToString().c_str());
  int count = 0;
  const Status status = (*table)->ForEach([&](std::string_view key, std::string_view value) {
    if (key != StrCat("key", 10000 + count) || value.size() != static_cast<size_t>(count % 40)) return errors::Internal(key);
    ++count;
    return Status::OK();
  });
  QVERIFY2(status.ok(), status.ToString().c_str());
  QCOMPARE(count, 1000);
  QCOMPARE((*table)->Get("key10777")->value().size(), size_t{17});
  QVERIFY(!(*table)->Get("key1077")->has_value());
  QVERIFY(!(*table)->Get("z")->has_value());
}

void TstCheckpoint::snappy_unpacks() {
  // 'abcd', then 8 bytes from 4 back; worked out by hand from the format's description.
  const std::string packed("\x0c\x0c" "abcd\x11\x04", 8);
  QCOMPARE(*SnappyUncompress(packed, 100), std::string("abcdabcdabcd"));
  QCOMPARE(SnappyUncompress(packed, 11).status().code(), Code::kResourceExhausted);
  for (size_t cut = 0; cut < packed.size(); ++cut) QVERIFY(!SnappyUncompress(packed.substr(0, cut), 100).ok());
  QCOMPARE(SnappyUncompress(std::string("\x04\x01\x08", 3), 100).status().code(), Code::kDataLoss);  // copies from nothing
}

void TstCheckpoint::slices_parseAsTensorFlow() {
  const auto parsed = ParseShapeAndSlice("10 20 2,3:-");
  QVERIFY(parsed.ok());
  QVERIFY(parsed->shape == TensorShape({10, 20}));
  QVERIFY(parsed->slice_shape == TensorShape({3, 20}));
  QVERIFY(ParseShapeAndSlice("")->is_whole);
  for (const char* bad : {"10", "10 20 0,5", "10 -1,5", "10 0,0", "x 0,1", "10 8,5", "10 9223372036854775807,1", "10 0,1:-"}) {
    QCOMPARE(ParseShapeAndSlice(bad).status().code(), Code::kInvalidArgument);
  }
}

void TstCheckpoint::slices_keysSort() {
  const auto key = [](const char* text) { return EncodeTensorNameSlice("w", *TensorSlice::Parse(text)); };
  // As TensorFlow writes it: 0, name, rank, then start and length (-1: all).
  QCOMPARE(key("-:2,70"), std::string("\x00w\x00\x01\x01\x02\x80\x7f\x82\xc0\x46", 11));
  QVERIFY(key("0,63") < key("0,64"));
  QVERIFY(key("0,64") < key("0,8192"));
  QVERIFY(key("8191,1") < key("1048576,1"));
}

void TstCheckpoint::bundle_roundTrips() {
  QTemporaryDir folder;
  const std::string prefix = Path(folder, "model");
  BundleWriter writer(prefix);
  QVERIFY(writer.Add("a/w", Floats(TensorShape({2, 3}), 1)).ok());
  QVERIFY(writer.Add("texts", Texts()).ok());
  QVERIFY(writer.Add("scalar", Tensor::Scalar<int64_t>(-7)).ok());
  QVERIFY(writer.Add("none", Floats(TensorShape({0, 3}), 1)).ok());
  QCOMPARE(writer.Add("scalar", Tensor::Scalar<int64_t>(1)).code(), Code::kInvalidArgument);
  QVERIFY(!FileExists(BundleIndexName(prefix)));
  QVERIFY(writer.Finish().ok());
  const auto reader = CheckpointReader::Open(prefix);
  QVERIFY2(reader.ok(), reader.status().ToString().c_str());
  QVERIFY((*reader)->is_v2());
  QCOMPARE((*reader)->List().size(), size_t{4});
  QCOMPARE((*reader)->Read("a/w")->tensor_data(), Floats(TensorShape({2, 3}), 1).tensor_data());
  QCOMPARE((*reader)->Read("scalar")->scalar<int64_t>(), int64_t{-7});
  const auto texts = (*reader)->Read("texts");
  QVERIFY2(texts.ok(), texts.status().ToString().c_str());
  QVERIFY(std::ranges::equal(texts->flat<tstring>(), Texts().flat<tstring>()));
  QVERIFY((*reader)->Read("none")->shape() == TensorShape({0, 3}));
  QCOMPARE((*reader)->Read("b").status().message(), std::string("Key b not found in checkpoint"));
  const auto part = (*reader)->Read("a/w", *ParseShapeAndSlice("2 3 1,1:1,2"));
  QCOMPARE(part->flat<float>()[0], 5.0F);
  QCOMPARE(part->flat<float>()[1], 6.0F);
  QCOMPARE((*reader)->Read("a/w", *ParseShapeAndSlice("2 4 -:-")).status().code(), Code::kInvalidArgument);
}

void TstCheckpoint::bundle_slicesJoin() {
  QTemporaryDir folder;
  const std::string prefix = Path(folder, "model");
  const TensorShape whole({4, 2});
  BundleWriter writer(prefix);
  QVERIFY(writer.AddSlice("w", whole, *TensorSlice::Parse("0,1:-"), Floats(TensorShape({1, 2}), 0)).ok());
  QVERIFY(writer.AddSlice("w", whole, *TensorSlice::Parse("1,3:-"), Floats(TensorShape({3, 2}), 2)).ok());
  QVERIFY(writer.Finish().ok());
  const auto reader = CheckpointReader::Open(prefix);
  QCOMPARE((*reader)->List().size(), size_t{1});
  QCOMPARE((*reader)->Read("w")->tensor_data(), Floats(whole, 0).tensor_data());
  const auto part = (*reader)->Read("w", *ParseShapeAndSlice("4 2 0,2:1,1"));
  QCOMPARE(part->flat<float>()[0], 1.0F);
  QCOMPARE(part->flat<float>()[1], 3.0F);
}

void TstCheckpoint::bundle_mergeRenamesShards() {
  QTemporaryDir folder;
  const std::string a = Path(folder, "tmp/a"), b = Path(folder, "tmp/b"), joined = Path(folder, "model");
  for (const auto& [prefix, name] : {std::pair(a, "x"), std::pair(b, "y")}) {
    BundleWriter writer(prefix);
    QVERIFY(writer.Add(name, Floats(TensorShape({2}), name[0])).ok());
    QVERIFY(writer.Finish().ok());
  }
  QVERIFY(MergeBundles({a, b}, joined, true, false).ok());
  QVERIFY(!FileExists(Path(folder, "tmp")));
  const auto reader = CheckpointReader::Open(joined);
  QVERIFY2(reader.ok(), reader.status().ToString().c_str());
  QCOMPARE((*reader)->Read("x")->flat<float>()[0], static_cast<float>('x'));
  QCOMPARE((*reader)->Read("y")->flat<float>()[1], static_cast<float>('y') + 1);
  QCOMPARE(MergeBundles({a}, joined, true, true).code(), Code::kNotFound);
}

void TstCheckpoint::bundle_damageIsAnError() {
  QTemporaryDir folder;
  const std::string prefix = Path(folder, "model");
  BundleWriter writer(prefix);
  QVERIFY(writer.Add("w", Floats(TensorShape({2, 3}), 1)).ok());
  QVERIFY(writer.Add("t", Texts()).ok());
  QVERIFY(writer.Finish().ok());
  QVERIFY(ReadAll(prefix).ok());
  for (const std::string& path : {BundleIndexName(prefix), BundleDataName(prefix, 0, 1)}) {
    const std::string bytes = *ReadFile(path);
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::string bad = bytes;
      bad[i] = static_cast<char>(bad[i] ^ 0x5a);
      Put(path, bad);
      const Status status = ReadAll(prefix);
      // Only the index's unused padding and the empty block of tables may change unnoticed.
      QVERIFY(status.ok() || status.code() == Code::kDataLoss);
      QVERIFY(status.ok() || status.message().find(path.substr(0, path.size() - 6)) != std::string::npos);
      Put(path, bytes.substr(0, i));
      QCOMPARE(ReadAll(prefix).code(), Code::kDataLoss);
    }
    Put(path, bytes);
  }
  QFile::remove(QString::fromStdString(BundleDataName(prefix, 0, 1)));
  QCOMPARE(ReadAll(prefix).code(), Code::kNotFound);
}

void TstCheckpoint::oldForm_roundTripsOverFiles() {
  QTemporaryDir folder;
  const TensorShape whole({3, 2});
  SliceTableWriter first(Path(folder, "export-00000-of-00002")), second(Path(folder, "export-00001-of-00002"));
  QVERIFY(first.Add("w", whole, *TensorSlice::Parse("0,2:-"), Floats(TensorShape({2, 2}), 0)).ok());
  QVERIFY(first.Add("t", Texts().shape(), TensorSlice(2), Texts()).ok());
  QVERIFY(second.Add("w", whole, *TensorSlice::Parse("2,1:-"), Floats(TensorShape({1, 2}), 4)).ok());
  QVERIFY(first.Finish().ok() && second.Finish().ok());
  const auto reader = CheckpointReader::Open(Path(folder, "export-*-of-00002"));
  QVERIFY2(reader.ok(), reader.status().ToString().c_str());
  QVERIFY(!(*reader)->is_v2());
  QCOMPARE((*reader)->Read("w")->tensor_data(), Floats(whole, 0).tensor_data());
  QVERIFY(std::ranges::equal((*reader)->Read("t")->flat<tstring>(), Texts().flat<tstring>()));
  const auto half = CheckpointReader::Open(Path(folder, "export-00001-of-00002"));
  QCOMPARE((*half)->Read("w").status().code(), Code::kNotFound);
  QCOMPARE(CheckpointReader::Open(Path(folder, "other")).status().message(),
           "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for " + Path(folder, "other"));
}

void TstCheckpoint::oldForm_damageIsAnError() {
  QTemporaryDir folder;
  const std::string path = Path(folder, "old");
  SliceTableWriter writer(path);
  QVERIFY(writer.Add("w", TensorShape({3}), TensorSlice(1), Floats(TensorShape({3}), 0)).ok());
  QVERIFY(writer.Finish().ok());
  const std::string bytes = *ReadFile(path);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string bad = bytes;
    bad[i] = static_cast<char>(bad[i] ^ 0x11);
    Put(path, bad);
    const Status status = ReadAll(path);
    QVERIFY(status.ok() || status.code() == Code::kDataLoss);
    Put(path, bytes.substr(0, i));
    QCOMPARE(ReadAll(path).code(), Code::kDataLoss);
  }
}

void TstCheckpoint::examples_haveTensorFlowsValues() {
  const std::string folder = OPSCOPE_SHARED_DIR "/examples/";
  if (!FileExists(folder)) QSKIP("../shared/examples is absent");
  const auto reader = CheckpointReader::Open(folder + "mlp/model.ckpt-7");
  QVERIFY2(reader.ok(), reader.status().ToString().c_str());
  const auto weights = (*reader)->Read("layer1/w");
  QVERIFY(weights.ok() && weights->shape() == TensorShape({4, 8}));
  QCOMPARE(weights->flat<float>()[0], -0.52698684F);
  QCOMPARE(weights->flat<float>()[31], -0.03676319F);
  for (const char* model : {"cnn", "rnn_while"}) {
    QVERIFY(ReadAll(folder + model + "/model.ckpt-7").ok());
    QVERIFY(ReadAll(folder + model + "/saved_model/variables/variables").ok());
  }
}

QTEST_APPLESS_MAIN(TstCheckpoint)
#include "tst_checkpoint.moc"
