#include <QtTest>

#include "widgets/controllers/selection.h"

using namespace opscope;
using namespace opscope::ui;

class TstSelection : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void changes_areToldOnce();
  void retain_dropsWhatIsGone();
};

void TstSelection::changes_areToldOnce() {
  Selection selection;
  QSignalSpy changed(&selection, &Selection::changed);
  QSignalSpy hover(&selection, &Selection::hoverChanged);
  selection.set({ItemId{1}, ItemId{2}});
  selection.set({ItemId{1}, ItemId{2}});
  selection.add(ItemId{2});
  QCOMPARE(changed.count(), 1);
  selection.toggle(ItemId{1});
  QCOMPARE(selection.items(), (std::vector<ItemId>{ItemId{2}}));
  QCOMPARE(selection.current(), ItemId{2});
  selection.setHovered(ItemId{3});
  selection.setHovered(ItemId{3});
  QCOMPARE(hover.count(), 1);
  selection.clear();
  QVERIFY(selection.empty());
  QVERIFY(!selection.current().valid());
}

void TstSelection::retain_dropsWhatIsGone() {
  Selection selection;
  const WireRef wire{NodeId(1u), 0, NodeId(2u), 1};
  selection.set({ItemId{1}, ItemId{2}}, {wire});
  selection.setHovered(ItemId{1});
  selection.retain([](ItemId item) { return item.value != 1; }, [](const WireRef&) { return false; });
  QCOMPARE(selection.items(), (std::vector<ItemId>{ItemId{2}}));
  QVERIFY(selection.wires().empty());
  QVERIFY(!selection.hovered().valid());
}

QTEST_GUILESS_MAIN(TstSelection)
#include "tst_selection.moc"
