#include <QtTest>

#include <QTemporaryDir>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/document/document_io.h"
#include "engine/graph/graph_def_writer.h"
#include "engine/proto/document.pb.h"
#include "tests/engine/document/document_fixture.h"

using namespace opscope;
using namespace opscope::test;

class TstDocumentIo : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { QVERIFY(dir_.isValid()); }
  void opscope_roundTrips();
  void opscope_keepsUnknownFields();
  void opscope_refusesLaterVersion();
  void opscope_refusesBroken();
  void pb_untouchedKeepsBytes();
  void pb_editedAndUndoneKeepsBytes();
  void unknownEnding_isRefused();
  void missingFile_isNotFound();
  void cancelled_isCancelled();
  void variables_ofOtherProgramsAreComposites();
  void killedWhileSaving_fileIsWhole();

 private:
  std::string Path(const char* name) const { return dir_.filePath(QString::fromLatin1(name)).toStdString(); }
  QTemporaryDir dir_;
};

namespace {

void Fill(EditedDocument* d) {
  QVERIFY(d->Add("Const", "x", {{"value", "1"}}, Point{-512.25, -1e5}).ok());
  QVERIFY(d->Add("Placeholder", "s/p", {{"shape", "[2]"}}, Point{200, 0}).ok());
  QVERIFY(d->Add("Variable", "v", {{"value", "3"}}, Point{1, 2}).ok());
  QVERIFY(d->Do(d->builder().SetValue(d->id("s/p"), "[1,2]")).ok());
  QVERIFY(d->Do(d->builder().AddFrame({Rect{50, 300, 120, 40}, "check"})).ok());
  RunConfig config = d->document.run_config();
  config.fetches = {"x:0"};
  config.breakpoints.push_back({"x", false, "nan", ""});
  config.session.devices["CPU"] = 2;
  config.session.memory_limit_bytes = 1000;
  config.muted = {"x"};
  QVERIFY(d->Do(d->builder().SetRunConfig(config)).ok());
  d->document.view().SetCollapsed("s", true);
  d->document.view().Item("s", true).color = "#ff8800";
  d->document.view().set_camera(0.5, {300, -40});
  d->document.view().set_direction(FlowDirection::kTopBottom);
}

}  // namespace

void TstDocumentIo::opscope_roundTrips() {
  EditedDocument d;
  Fill(&d);
  QVERIFY(SaveDocument(d.document, Path("p.opscope")).ok());
  StatusOr<Document> back = LoadDocument(Path("p.opscope"));
  QVERIFY2(back.ok(), back.status().ToString().c_str());
  QCOMPARE(back->format(), DocumentFormat::kOpScope);
  QCOMPARE(SerializeGraphDef(back->graph()), SerializeGraphDef(d.document.graph()));
  QVERIFY(back->run_config() == d.document.run_config());
  QCOMPARE(*back->diagram().Position("x", false), (Point{-512.25, -1e5}));
  QVERIFY(back->diagram().IsCollapsed("s"));
  QCOMPARE(back->diagram().Find("s", true)->color, std::string("#ff8800"));
  QCOMPARE(back->diagram().Composite("v"), std::string("Variable"));
  QCOMPARE(back->diagram().frames().size(), size_t{1});
  QCOMPARE(back->diagram().frames()[0].text, std::string("check"));
  QCOMPARE(back->diagram().zoom(), 0.5);
  QCOMPARE(back->diagram().direction(), FlowDirection::kTopBottom);
  // Saved again it is the same file.
  QVERIFY(SaveDocument(*back, Path("p2.opscope")).ok());
  QCOMPARE(*ReadFile(Path("p2.opscope")), *ReadFile(Path("p.opscope")));
}

void TstDocumentIo::opscope_keepsUnknownFields() {
  EditedDocument d;
  Fill(&d);
  DocumentFile file;
  QVERIFY(file.ParseFromString(SerializeDocument(d.document, "x.opscope")->bytes.substr(8)));
  file.set_version(7);
  file.GetReflection()->MutableUnknownFields(&file)->AddLengthDelimited(99, "later");
  file.GetReflection()->MutableUnknownFields(file.mutable_diagram())->AddVarint(77, 5);
  QVERIFY(WriteFileAtomic(Path("later.opscope"), "OPSCOPE1" + file.SerializeAsString()).ok());
  StatusOr<Document> back = LoadDocument(Path("later.opscope"));
  QVERIFY2(back.ok(), back.status().ToString().c_str());
  DocumentFile again;
  QVERIFY(again.ParseFromString(SerializeDocument(*back, "x.opscope")->bytes.substr(8)));
  QCOMPARE(again.version(), 7);
  QCOMPARE(again.GetReflection()->GetUnknownFields(again).field(0).length_delimited(), std::string("later"));
  QCOMPARE(again.diagram().GetReflection()->GetUnknownFields(again.diagram()).field(0).varint(), uint64_t{5});
  QCOMPARE(again.diagram().items_size(), file.diagram().items_size());
}

void TstDocumentIo::opscope_refusesLaterVersion() {
  DocumentFile file;
  file.set_version(9);
  file.set_min_reader_version(9);
  tensorflow::GraphDef graph;
  graph.add_node()->set_name("a");
  graph.mutable_node(0)->set_op("NoOp");
  file.set_graph_def(graph.SerializeAsString());
  QVERIFY(WriteFileAtomic(Path("v9.opscope"), "OPSCOPE1" + file.SerializeAsString()).ok());
  const StatusOr<Document> back = LoadDocument(Path("v9.opscope"));
  QCOMPARE(back.status().code(), Code::kUnimplemented);
  QVERIFY(back.status().message().find("v9.opscope") != std::string::npos);
}

void TstDocumentIo::opscope_refusesBroken() {
  QVERIFY(WriteFileAtomic(Path("broken.opscope"), "OPSCOPE1\xff\xff\xff").ok());
  QVERIFY(!LoadDocument(Path("broken.opscope")).ok());
  EditedDocument d;
  Fill(&d);
  const std::string bytes = SerializeDocument(d.document, "x.opscope")->bytes;
  // Cut anywhere, no crash; positions that are no numbers become zero.
  for (size_t size = 0; size < bytes.size(); size += 7) {
    QVERIFY(WriteFileAtomic(Path("cut.opscope"), std::string_view(bytes).substr(0, size)).ok());
    (void)LoadDocument(Path("cut.opscope"));
  }
  DocumentFile file;
  QVERIFY(file.ParseFromString(bytes.substr(8)));
  file.mutable_diagram()->mutable_items(0)->mutable_position()->set_x(std::numeric_limits<double>::quiet_NaN());
  const std::string name = file.diagram().items(0).name();
  QVERIFY(WriteFileAtomic(Path("nan.opscope"), "OPSCOPE1" + file.SerializeAsString()).ok());
  const StatusOr<Document> back = LoadDocument(Path("nan.opscope"));
  QVERIFY(back.ok());
  QCOMPARE(back->diagram().Position(name, false)->x, 0.0);
}

void TstDocumentIo::pb_untouchedKeepsBytes() {
  // Fields in an order that no writer of ours uses, and one that nobody knows.
  tensorflow::NodeDef node;
  node.set_name("a");
  node.set_op("NoOp");
  std::string bytes = std::string("\x22\x02\x08\x05", 4) + "\x0a" + static_cast<char>(node.ByteSizeLong()) + node.SerializeAsString() +
                      std::string("\xa2\x06\x02hi", 5);
  QVERIFY(WriteFileAtomic(Path("a.pb"), bytes).ok());
  StatusOr<Document> document = LoadDocument(Path("a.pb"));
  QVERIFY2(document.ok(), document.status().ToString().c_str());
  QCOMPARE(document->format(), DocumentFormat::kGraphDefBinary);
  QVERIFY(document->graph_untouched());
  QVERIFY(SaveDocument(*document, Path("b.pb")).ok());
  QCOMPARE(*ReadFile(Path("b.pb")), bytes);
}

void TstDocumentIo::pb_editedAndUndoneKeepsBytes() {
  QVERIFY(WriteFileAtomic(Path("in.pb"), *ReadFile(std::string(OPSCOPE_SOURCE_DIR) + "/tests/data/traces/step_stats_example.graph.binpb")).ok());
  StatusOr<Document> loaded = LoadDocument(Path("in.pb"));
  QVERIFY(loaded.ok());
  EditedDocument d;
  d.document = *std::move(loaded);
  const NodeId first = d.document.graph().NodeIds().front();
  QVERIFY(d.Do(d.builder().Rename(first, "renamed")).ok());
  QVERIFY(d.Add("NoOp", "more").ok());
  QVERIFY(SaveDocument(d.document, Path("edited.pb")).ok());
  QVERIFY(*ReadFile(Path("edited.pb")) != *ReadFile(Path("in.pb")));
  QVERIFY(d.UndoAll().ok());
  QVERIFY(SaveDocument(d.document, Path("undone.pb")).ok());
  QCOMPARE(*ReadFile(Path("undone.pb")), *ReadFile(Path("in.pb")));
}

void TstDocumentIo::unknownEnding_isRefused() {
  QCOMPARE(SaveDocument(Document(), Path("x.exe")).code(), Code::kInvalidArgument);
  QVERIFY(!FileExists(Path("x.exe")));
}

void TstDocumentIo::missingFile_isNotFound() {
  const StatusOr<Document> document = LoadDocument(Path("nope.pb"));
  QCOMPARE(document.status().code(), Code::kNotFound);
  QVERIFY(document.status().message().find("nope.pb") != std::string::npos);
}

void TstDocumentIo::cancelled_isCancelled() {
  EditedDocument d;
  Fill(&d);
  QVERIFY(SaveDocument(d.document, Path("c.opscope")).ok());
  QCOMPARE(LoadDocument(Path("c.opscope"), [](std::string_view) { return false; }).status().code(), Code::kCancelled);
}

void TstDocumentIo::variables_ofOtherProgramsAreComposites() {
  EditedDocument d;
  QVERIFY(d.Add("Variable", "net/w").ok());
  QVERIFY(d.Add("Variable", "net/b").ok());
  QVERIFY(d.Add("NoOp", "net/b/more").ok());
  QVERIFY(d.Add("VariableV2", "net/g").ok());
  for (const char* part : {"net/g/Initializer/zeros", "net/g/Assign", "net/g/read"}) QVERIFY(d.Add("NoOp", part).ok());
  QVERIFY(d.Add("VariableV2", "lone").ok());
  QVERIFY(SaveDocument(d.document, Path("vars.pb")).ok());
  const StatusOr<Document> back = LoadDocument(Path("vars.pb"));
  QVERIFY(back.ok());
  QCOMPARE(back->diagram().Composite("net/w"), std::string("Variable"));
  QCOMPARE(back->diagram().Composite("net/b"), std::string());
  QCOMPARE(back->diagram().Composite("net/g"), std::string("Variable"));
  QCOMPARE(back->diagram().Composite("lone"), std::string());
}

void TstDocumentIo::killedWhileSaving_fileIsWhole() {
  const std::string path = Path("killed.opscope");
  EditedDocument old_one;
  EditedDocument new_one;
  Fill(&old_one);
  Fill(&new_one);
  // Big enough that a plain write would be caught in the middle.
  for (int i = 0; i < 300; ++i) QVERIFY(new_one.Add("Const", "big" + std::to_string(i), {{"value", "\"" + std::string(4000, 'x') + "\""}}).ok());
  const std::string old_bytes = SerializeDocument(old_one.document, path)->bytes;
  const std::string new_bytes = SerializeDocument(new_one.document, path)->bytes;
  for (int round = 0; round < 12; ++round) {
    QVERIFY(WriteFileAtomic(path, old_bytes).ok());
    int ready[2];
    QCOMPARE(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      (void)!write(ready[1], "x", 1);
      while (true) {
        (void)SaveDocument(new_one.document, path);
        (void)SaveDocument(old_one.document, path);
      }
    }
    char byte = 0;
    QCOMPARE(read(ready[0], &byte, 1), ssize_t{1});
    usleep(static_cast<useconds_t>(3000 + 1700 * round));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    close(ready[0]);
    close(ready[1]);
    const StatusOr<std::string> found = ReadFile(path);
    QVERIFY(found.ok());
    QVERIFY(*found == old_bytes || *found == new_bytes);
    QVERIFY(LoadDocument(path).ok());
  }
}

QTEST_APPLESS_MAIN(TstDocumentIo)
#include "tst_document_io.moc"
