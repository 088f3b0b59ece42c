#include <QtTest>

#include <random>

#include "tests/engine/document/document_fixture.h"

using namespace opscope;
using namespace opscope::test;

namespace {

NodeId RandomNode(const EditedDocument& d, std::mt19937* random) {
  const std::vector<NodeId> ids = d.document.graph().NodeIds();
  return ids.empty() ? NodeId() : ids[(*random)() % ids.size()];
}

std::vector<NodeId> RandomNodes(const EditedDocument& d, std::mt19937* random) {
  std::vector<NodeId> ids;
  for (size_t i = (*random)() % 4 + 1; i > 0; --i) ids.push_back(RandomNode(d, random));
  return ids;
}

/// One edit of a random kind; a refused one does nothing.
void RandomEdit(EditedDocument* d, std::mt19937* random) {
  static const char* const kOps[] = {"Const", "Neg", "AddV2", "Variable", "AddN", "Placeholder", "Assign", "NoOp"};
  if (d->document.graph().num_nodes() < 3) {
    (void)d->Add(kOps[(*random)() % 8], "");
    return;
  }
  const NodeId a = RandomNode(*d, random);
  const NodeId b = RandomNode(*d, random);
  const EditBuilder builder = d->builder();
  const auto text = [&] { return "n" + std::to_string((*random)() % 12); };
  switch ((*random)() % 16) {
    case 0: case 1: case 2: (void)d->Add(kOps[(*random)() % 8], text(), {}, Point{double((*random)() % 100), 3}); break;
    case 3: case 4: case 5: (void)d->Do(builder.Connect({a, 0}, {b, static_cast<int>((*random)() % 3)})); break;
    case 6: (void)d->Do(builder.ConnectControl(a, b)); break;
    case 7: (void)d->Do(builder.Delete(RandomNodes(*d, random))); break;
    case 8: (void)d->Do(builder.DeleteAndReconnect(RandomNodes(*d, random))); break;
    case 9: (void)d->Do(builder.Rename(a, text())); break;
    case 10: (void)d->Do(builder.Group(RandomNodes(*d, random), text())); break;
    case 11: (void)d->Do(builder.Ungroup(text())); break;
    case 12: (void)d->Do(builder.Duplicate(RandomNodes(*d, random), {8, 8}, (*random)() % 2 == 0)); break;
    case 13: (void)d->Do(builder.SetValue(a, std::to_string((*random)() % 9))); break;
    case 14: (void)d->Do(builder.MoveItems({{d->document.graph().node(a).name(), false, {double((*random)() % 50), 1}}})); break;
    default: (void)d->Do(builder.Disconnect({a, static_cast<int>((*random)() % 2)})); break;
  }
}

std::string DiagramText(const Diagram& diagram) {
  std::string text;
  for (const auto* items : {&diagram.ops(), &diagram.scopes()})
    for (const auto& [name, item] : *items)
      if (!item.IsDefault())
        text += StrCat(name, " ", item.position ? item.position->x : -1, " ", item.pinned, " ", item.collapsed.value_or(false), ";");
  for (const auto& [name, kind] : diagram.composites()) text += name + "=" + kind + ";";
  return text;
}

}  // namespace

class TstEditRandom : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void undoAndRedo_giveTheSameBytes_data();
  void undoAndRedo_giveTheSameBytes();
};

void TstEditRandom::undoAndRedo_giveTheSameBytes_data() {
  QTest::addColumn<unsigned>("seed");
  for (unsigned seed = 1; seed <= 40; ++seed) QTest::addRow("seed %u", seed) << seed;
}

void TstEditRandom::undoAndRedo_giveTheSameBytes() {
  QFETCH(const unsigned, seed);
  std::mt19937 random(seed);
  EditedDocument d;
  std::vector<std::string> states = {d.bytes()};
  for (int i = 0; i < 120; ++i) {
    const size_t before = d.redos.size();
    RandomEdit(&d, &random);
    if (d.redos.size() > before) states.push_back(d.bytes());
  }
  QVERIFY(states.size() > 40);
  const std::string diagram = DiagramText(d.document.diagram());
  const RunConfig config = d.document.run_config();
  for (size_t i = d.inverses.size(); i-- > 0;) {
    QVERIFY(d.document.Apply(d.inverses[i]).ok());
    QVERIFY2(d.bytes() == states[i], qPrintable(QStringLiteral("undo %1").arg(i)));
  }
  QCOMPARE(d.document.graph().num_nodes(), size_t{0});
  QCOMPARE(DiagramText(d.document.diagram()), std::string());
  for (size_t i = 0; i < d.redos.size(); ++i) {
    QVERIFY(d.document.Apply(d.redos[i]).ok());
    QVERIFY2(d.bytes() == states[i + 1], qPrintable(QStringLiteral("redo %1").arg(i)));
  }
  QCOMPARE(DiagramText(d.document.diagram()), diagram);
  QVERIFY(d.document.run_config() == config);
  // Names stay unique whatever was done.
  std::set<std::string> names;
  for (const std::string& name : d.names()) QVERIFY2(names.insert(name).second, name.c_str());
}

QTEST_APPLESS_MAIN(TstEditRandom)
#include "tst_edit_random.moc"
