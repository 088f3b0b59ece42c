// Reading every form of graph, and giving back what wasn't edited.

#include <google/protobuf/text_format.h>

#include <QDirIterator>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/compression.h"
#include "engine/base/file.h"
#include "engine/base/record_file.h"
#include "engine/graph/graph_def_writer.h"
#include "engine/graph/graph_io.h"
#include "engine/graph/wire_scan.h"
#include "engine/proto/event.pb.h"
#include "engine/proto/saved_model.pb.h"

using namespace opscope;

namespace {

const std::string kCases = OPSCOPE_SOURCE_DIR "/tests/data/cases/";
const std::string kShared = OPSCOPE_SHARED_DIR;

QString Q(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

GraphDef FromText(const std::string& text) {
  GraphDef def;
  if (!google::protobuf::TextFormat::ParseFromString(text, &def)) qFatal("bad text proto in the test");
  return def;
}

StatusOr<LoadedGraph> Parse(std::string bytes, const LoadOptions& options = {}) {
  return ParseGraph(std::make_shared<const std::string>(std::move(bytes)), "file", options);
}

std::string Message(const StatusOr<LoadedGraph>& loaded) { return loaded.status().message(); }

const char* const kSmall = R"(
  node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
  node { name: "y" op: "Neg" input: "x" attr { key: "T" value { type: DT_FLOAT } } attr { key: "_z" value { i: 1 } } }
  library { function { signature { name: "f" } } function { signature { name: "g" } } }
  versions { producer: 27 })";

// A file as no writer of ours would make it: unknown fields, versions first, lengths in too many bytes.
std::string OddFile() {
  std::string bytes = "\x22\x02\x08\x1b";              // versions { producer: 27 }
  bytes += std::string("\x0a\x8c\x00", 3);              // A node, its length in two bytes.
  bytes += std::string("\x0a\x01x\x12\x04NoOp\x9a\x06\x00", 12);  // … with an unknown field 99.
  bytes += "\x92\x06\x03" "abc";                        // Unknown field 98 of the graph.
  bytes += std::string("\x0a\x09\x0a\x01y\x12\x04NoOp", 11);
  return bytes;
}

}  // namespace

class TstGraphIo : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void formats();
  void savedModelTags();
  void events();
  void misleadingFiles_data();
  void misleadingFiles();
  void brokenFiles_data();
  void brokenFiles();
  void notAGraphCases();
  void gzipBombsAreBounded();
  void oddFileIsGivenBack();
  void editsKeepTheRest();
  void undoneEditsGiveTheFileBack();
  void functionsKeepTheirBytes();
  void textKeepsMeaning();
  void packedFilesAreGivenBack();
  void sharedFilesAreGivenBack_data();
  void sharedFilesAreGivenBack();
  void malformedFilesSayWhatIsWrong_data();
  void malformedFilesSayWhatIsWrong();
};

void TstGraphIo::formats() {
  const GraphDef def = FromText(kSmall);
  std::string text;
  google::protobuf::TextFormat::PrintToString(def, &text);
  MetaGraphDef meta;
  meta.mutable_meta_info_def()->set_tensorflow_version("1.15.0");
  *meta.mutable_graph_def() = def;
  meta.mutable_saver_def()->set_restore_op_name("save/restore_all");
  auto& signature = (*meta.mutable_signature_def())["serving_default"];
  (*signature.mutable_inputs())["in"].set_name("x:0");
  (*signature.mutable_outputs())["out"].set_name("gone:0");
  std::string meta_text;
  google::protobuf::TextFormat::PrintToString(meta, &meta_text);
  SavedModel model;
  model.set_saved_model_schema_version(1);
  *model.add_meta_graphs() = meta;
  const std::vector<std::pair<std::string, GraphFormat>> files = {
      {def.SerializeAsString(), GraphFormat::kGraphDef},
      {text, GraphFormat::kGraphDefText},
      {"\xef\xbb\xbf# a comment\r\n" + text, GraphFormat::kGraphDefText},
      {meta.SerializeAsString(), GraphFormat::kMetaGraph},
      {meta_text, GraphFormat::kMetaGraphText},
      {model.SerializeAsString(), GraphFormat::kSavedModel},
      {"saved_model_schema_version: 1 meta_graphs {" + meta_text + "}", GraphFormat::kSavedModelText}};
  for (const auto& [bytes, format] : files) {
    for (const bool gzip : {false, true}) {
      const auto loaded = Parse(gzip ? *GzipBytes(bytes) : bytes);
      QVERIFY2(loaded.ok(), Message(loaded).c_str());
      QCOMPARE(Q(GraphFormatName(loaded->format)), Q(GraphFormatName(format)));
      QCOMPARE(loaded->gzip, gzip);
      QCOMPARE(loaded->graph.num_nodes(), size_t{2});
      QCOMPARE(loaded->graph.library().function_size(), 2);
      if (format == GraphFormat::kGraphDef || format == GraphFormat::kGraphDefText) continue;
      QCOMPARE(loaded->saver_def->restore_op_name(), std::string("save/restore_all"));
      QCOMPARE(loaded->signatures.at(0).inputs.at(0).name, std::string("x:0"));
      QCOMPARE(loaded->warnings.at(0).message, std::string("Signature serving_default: tensor \"gone:0\" is not in the graph"));
    }
  }
}

void TstGraphIo::savedModelTags() {
  SavedModel model;
  model.set_saved_model_schema_version(1);
  for (const char* tag : {"train", "serve"}) {
    MetaGraphDef* meta = model.add_meta_graphs();
    meta->mutable_meta_info_def()->add_tags(tag);
    *meta->mutable_graph_def() = FromText(std::string("node { name: '") + tag + "' op: 'NoOp' }");
    (*meta->mutable_collection_def())["saved_model_main_op"].mutable_node_list()->add_value(tag);
  }
  const std::string bytes = model.SerializeAsString();
  QCOMPARE(Parse(bytes)->graph.node(NodeId(0u)).name(), std::string("serve"));
  LoadOptions options;
  options.tags = {"train"};
  QCOMPARE(Parse(bytes, options)->graph.node(NodeId(0u)).name(), std::string("train"));
  QCOMPARE(Parse(bytes, options)->init_op, std::string("train"));
  options.tags = {"tpu"};
  const auto missing = Parse(bytes, options);
  QCOMPARE(missing.status().code(), Code::kNotFound);
  QCOMPARE(Q(Message(missing)), QStringLiteral("file: MetaGraphDef associated with tags [tpu] could not be found in "
                                               "SavedModel, with available tags: [train], [serve]"));
}

void TstGraphIo::events() {
  Event version;
  version.set_file_version("brain.Event:2");
  Event graph;
  graph.set_graph_def(FromText(kSmall).SerializeAsString());
  std::string bytes;
  AppendRecord(version.SerializeAsString(), &bytes);
  const std::string head = bytes;
  AppendRecord(graph.SerializeAsString(), &bytes);
  const auto loaded = Parse(bytes);
  QVERIFY2(loaded.ok(), Message(loaded).c_str());
  QCOMPARE(loaded->format, GraphFormat::kEvents);
  QCOMPARE(loaded->graph.num_nodes(), size_t{2});
  // Cut in a later record: what came before is taken.
  const auto cut = Parse(bytes + bytes.substr(0, 30));
  QVERIFY2(cut.ok(), Message(cut).c_str());
  QCOMPARE(cut->warnings.size(), size_t{1});
  const auto none = Parse(head);
  QVERIFY(Q(Message(none)).startsWith(QStringLiteral("file: not a GraphDef: it looks like an event file")));
  std::string broken = bytes;
  broken[head.size() + 20] = static_cast<char>(broken[head.size() + 20] ^ 1);
  const auto crc = Parse(broken);
  QCOMPARE(crc.status().code(), Code::kDataLoss);
  QVERIFY(Q(Message(crc)).contains(QStringLiteral("record 2 at byte %1: CRC mismatch of the data").arg(head.size())));
}

void TstGraphIo::misleadingFiles_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("part");
  const auto row = [](const char* name, QByteArray bytes, const char* part) {
    QTest::newRow(name) << bytes << QString::fromLatin1(part);
  };
  row("html", "<!DOCTYPE html><html>404</html>", "not a GraphDef: it is an HTML page");
  row("json", "{\"node\":[{\"name\":\"x\"}]}", "it is JSON, not text protobuf");
  row("tflite", QByteArray("\x1c\0\0\0TFL3\0\0\0\0", 12), "TensorFlow Lite");
  row("npy", "\x93NUMPY\x01", "NumPy array");
  row("zip", QByteArray("PK\x03\x04zzzz\0", 9), "zip archive");
  row("onnx", QByteArray("\x08\x07\x12\x07pytorch\x1a\x03\x31.9\x3a\x04\x0a\x02\x0a\x00", 22), "ONNX");
  row("lfs", "version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer");
  row("empty", "", "no nodes");
}

void TstGraphIo::misleadingFiles() {
  QFETCH(QByteArray, bytes);
  QFETCH(QString, part);
  const auto loaded = Parse(bytes.toStdString());
  QVERIFY(!loaded.ok());
  QVERIFY2(Q(Message(loaded)).startsWith(QStringLiteral("file: ")) && Q(Message(loaded)).contains(part),
           Message(loaded).c_str());
}

void TstGraphIo::brokenFiles_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("part");
  const auto row = [](const char* name, QByteArray bytes, const char* part) {
    QTest::newRow(name) << bytes << QString::fromLatin1(part);
  };
  row("zero field", QByteArray(64, '\0'), "field number 0 is illegal");
  row("varint", QByteArray("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12), "varint is longer than 10 bytes");
  row("length", QByteArray("\x0a\xff\xff\xff\xff\x07" "abc", 9), "field 1 has 2147483647 bytes but 3 are left");
  row("group", QByteArray("\x0b\x0a\x01x", 4), "byte 0: a group tag");
  row("text that is no UTF-8", "node { name: 'a\\377b' op: 'NoOp' }", "tensorflow.NodeDef.name");
  row("utf8", QByteArray("\x0a\x05\x0a\x03" "a\xff" "b", 7), "byte 5: tensorflow.NodeDef.name \"a\\xffb\" is not valid UTF-8");
  row("quote", "node {\n  name: \"x\n}", "2:11: ");
  row("enum", "node { name: 'x'\n attr { key: 'T' value { type: DT_FLAOT } } }", "2:41: ");
  row("twice", "node {\n op: 'x' op: 'y' }", "2:12: ");
  QByteArray deep;
  for (int i = 0; i < 500; ++i) deep += "node { attr { value { func { attr { value { func { ";
  row("deep", deep, "1:");
}

void TstGraphIo::brokenFiles() {
  QFETCH(QByteArray, bytes);
  QFETCH(QString, part);
  const auto loaded = Parse(bytes.toStdString());
  QCOMPARE(loaded.status().code(), Code::kInvalidArgument);
  QVERIFY2(Q(Message(loaded)).contains(part), Message(loaded).c_str());
  QVERIFY2(Q(Message(loaded)).startsWith(QStringLiteral("file: not a GraphDef: ")), Message(loaded).c_str());
}

void TstGraphIo::notAGraphCases() {
  const auto says = [](const char* file) {
    const auto loaded = LoadGraph(kCases + "imp-not-a-graph/" + file);
    return loaded.ok() ? QStringLiteral("loaded") : Q(loaded.status().message());
  };
  QVERIFY(says("empty.pb").endsWith(QStringLiteral("empty.pb: no nodes: the file is empty (0 bytes)")));
  QVERIFY(says("html_saved_as.pb").contains(QStringLiteral("html_saved_as.pb: not a GraphDef")));
  QVERIFY(says("truncated.pb").contains(QStringLiteral("truncated.pb: not a GraphDef")));
  QVERIFY(says("events.out.tfevents.1").contains(QStringLiteral("not a GraphDef: it looks like an event file")));
  QVERIFY(says("none.pb").contains(QStringLiteral("none.pb")));
  QCOMPARE(LoadGraph(kCases + "imp-not-a-graph").status().code(), Code::kNotFound);
}

void TstGraphIo::gzipBombsAreBounded() {
  const std::string packed = *GzipBytes(std::string(size_t{300} << 20, '\n'));
  QVERIFY(packed.size() < (size_t{1} << 20));
  const auto loaded = Parse(packed);
  QCOMPARE(loaded.status().code(), Code::kResourceExhausted);
}

void TstGraphIo::oddFileIsGivenBack() {
  const std::string bytes = OddFile();
  const auto loaded = Parse(bytes);
  QVERIFY2(loaded.ok(), Message(loaded).c_str());
  QCOMPARE(loaded->graph.num_nodes(), size_t{2});
  QCOMPARE(loaded->graph.versions().producer(), 27);
  QCOMPARE(SerializeGraphDef(loaded->graph), bytes);
}

void TstGraphIo::editsKeepTheRest() {
  const auto loaded = Parse(OddFile());
  Graph graph = loaded->graph;
  NodeDef y = graph.node(NodeId(1u)).def;
  y.set_device("/cpu:0");
  QVERIFY(graph.ReplaceNode(NodeId(1u), y).ok());
  NodeDef z;
  z.set_name("z");
  QVERIFY(graph.AddNode(z).ok());
  VersionDef versions = graph.versions();
  versions.set_producer(28);
  graph.set_versions(versions);
  const std::string odd = OddFile();
  std::string want = "\x22\x02\x08\x1c" + odd.substr(4, 15) + odd.substr(19, 6);
  want += std::string("\x0a\x11\x0a\x01y\x12\x04NoOp\x22\x06/cpu:0", 19);
  want += std::string("\x0a\x03\x0a\x01z", 5);
  QCOMPARE(QByteArray::fromStdString(SerializeGraphDef(graph)).toHex(' '), QByteArray::fromStdString(want).toHex(' '));
  QVERIFY(graph.RemoveNode(NodeId(0u)).ok());
  QVERIFY(SerializeGraphDef(graph).find("\x9a\x06") == std::string::npos);
}

void TstGraphIo::undoneEditsGiveTheFileBack() {
  const std::string bytes = OddFile();
  Graph graph = Parse(bytes)->graph;
  const NodeDef x = graph.node(NodeId(0u)).def;
  NodeDef edited = x;
  edited.add_input("^y");
  QVERIFY(graph.ReplaceNode(NodeId(0u), edited).ok());
  QVERIFY(SerializeGraphDef(graph) != bytes);
  QVERIFY(graph.ReplaceNode(NodeId(0u), x).ok());
  QCOMPARE(SerializeGraphDef(graph), bytes);
  const Node removed = graph.node(NodeId(1u));
  QVERIFY(graph.RemoveNode(NodeId(1u)).ok());
  QVERIFY(graph.RestoreNode(NodeId(1u), removed.def, removed.source_buffer, removed.source_bytes).ok());
  QCOMPARE(SerializeGraphDef(graph), bytes);
}

void TstGraphIo::functionsKeepTheirBytes() {
  GraphDef def = FromText(kSmall);
  FunctionDef* f = def.mutable_library()->mutable_function(0);
  for (const char* key : {"zz", "a", "m", "b"}) (*f->mutable_attr())[key].set_i(1);
  std::string bytes;
  // Not sorted by key: as another writer would do.
  def.SerializeToString(&bytes);
  Graph graph = Parse(bytes)->graph;
  FunctionDefLibrary library = graph.library();
  library.mutable_function(1)->mutable_signature()->set_description("edited");
  graph.set_library(library);
  const std::string saved = SerializeGraphDef(graph);
  QVERIFY(saved.find(f->SerializeAsString()) != std::string::npos || bytes.find(f->SerializeAsString()) == std::string::npos);
  const auto source = graph.source();
  QVERIFY(saved.find(std::string(source->functions.at("f"))) != std::string::npos);
  QVERIFY(saved.find("edited") != std::string::npos);
}

void TstGraphIo::textKeepsMeaning() {
  for (const char* name : {"imp-inf-nan", "imp-int64", "imp-half-bfloat", "imp-const-short", "imp-while-loop"}) {
    const auto loaded = LoadGraph(kCases + name + "/graph.pbtxt");
    QVERIFY2(loaded.ok(), Message(loaded).c_str());
    const auto again = Parse(GraphDefToText(loaded->graph));
    QVERIFY2(again.ok(), Message(again).c_str());
    QCOMPARE(SerializeGraphDef(again->graph), SerializeGraphDef(loaded->graph));
  }
}

void TstGraphIo::packedFilesAreGivenBack() {
  const std::string bytes = *GzipBytes(OddFile()) ;
  QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("g.pb.gz")).toStdString();
  QVERIFY(WriteFileAtomic(path, bytes).ok());
  const auto loaded = LoadGraph(path);
  QVERIFY2(loaded.ok(), Message(loaded).c_str());
  QVERIFY(SaveGraphDef(loaded->graph, path).ok());
  QCOMPARE(*ReadFile(path), bytes);
  const Status refused = SaveGraphDef(loaded->graph, folder.filePath(QStringLiteral("g.xyz")).toStdString());
  QCOMPARE(refused.code(), Code::kInvalidArgument);
}

void TstGraphIo::sharedFilesAreGivenBack_data() {
  QTest::addColumn<QString>("path");
  for (const char* folder : {"/examples", "/corpus/graphs", "/cases"}) {
    QDirIterator files(Q(kShared + folder), {QStringLiteral("*.pb"), QStringLiteral("*.pbtxt"), QStringLiteral("*.meta")},
                       QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
      const QString path = files.next();
      QTest::newRow(qPrintable(path.mid(static_cast<qsizetype>(kShared.size())))) << path;
    }
  }
}

void TstGraphIo::sharedFilesAreGivenBack() {
  QFETCH(QString, path);
  const auto loaded = LoadGraph(path.toStdString());
  if (!loaded.ok()) return;  // Run metadata and broken files lie there, too; others judge them.
  if (loaded->format == GraphFormat::kGraphDef) {
    QVERIFY(SerializeGraphDef(loaded->graph) == *loaded->original_bytes);
  }
  const auto again = Parse(SerializeGraphDef(loaded->graph) + std::string("\x22\x00", 2));
  QVERIFY2(again.ok(), Message(again).c_str());
  QCOMPARE(again->graph.num_nodes(), loaded->graph.num_nodes());
  QCOMPARE(again->graph.num_edges(), loaded->graph.num_edges());
}

void TstGraphIo::malformedFilesSayWhatIsWrong_data() {
  QTest::addColumn<QString>("path");
  QTest::addColumn<QString>("part");
  const auto row = [](const char* file, const char* part) {
    QTest::newRow(file) << Q(kShared + "/corpus/bad/" + file) << QString::fromLatin1(part);
  };
  row("trunc_half.pb", "but ");
  row("trunc_last_byte.pb", "are left");
  row("zeros_64k.pb", "field number 0 is illegal");
  row("varint_overlong.pb", "varint is longer than 10 bytes");
  row("length_beyond_eof.pb", "2147483647 bytes but 3 are left");
  row("wiretype_group.pb", "byte 0: a group tag");
  row("name_invalid_utf8.pb", "is not valid UTF-8");
  row("deep_braces.pbtxt", "deep_braces.pbtxt");
  row("bad_escape.pbtxt", "2:");
  row("duplicate_scalar_field.pbtxt", "4:");
  row("bad_enum.pbtxt", "DT_FLAOT");
  row("missing_quote.pbtxt", "2:");
  row("number_for_string.pbtxt", "2:");
  row("json_named_pbtxt.pbtxt", "JSON");
  row("onnx_like.pb", "ONNX");
  row("html_error_page.pb", "HTML");
  row("tflite_flatbuffer.pb", "TensorFlow Lite");
  row("savedmodel_no_metagraph", "holds no MetaGraph");
  row("events.out.tfevents.2.badcrc", "record 2");
  row("events.out.tfevents.3.hugelen", "record 2");
  for (const char* loads : {"utf8_bom_crlf.pbtxt", "binary_named_pbtxt.pbtxt", "text_named_pb.pb", "gzip_graph.pb",
                            "cycle_5000.pb", "savedmodel_two_same_tags", "scope_depth_20000.pb"}) {
    row(loads, "");
  }
}

void TstGraphIo::malformedFilesSayWhatIsWrong() {
  QFETCH(QString, path);
  QFETCH(QString, part);
  if (!FileExists(path.toStdString())) QSKIP("the shared corpus is not there");
  const auto loaded = LoadGraph(path.toStdString());
  QCOMPARE(loaded.ok(), part.isEmpty());
  QVERIFY2(Q(Message(loaded)).contains(part), Message(loaded).c_str());
}

QTEST_GUILESS_MAIN(TstGraphIo)
#include "tst_graph_io.moc"
