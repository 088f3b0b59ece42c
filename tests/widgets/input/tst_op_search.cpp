#include <QLineEdit>
#include <QSignalSpy>
#include <QtTest>

#include "widgets/input/op_palette_popup.h"
#include "widgets/input/op_search.h"
#include "widgets/support/theme.h"

namespace opscope::ui {
namespace {

QStringList names(const OpSearch& search, const QString& query, const std::optional<WireNeed>& need = std::nullopt) {
  QStringList result;
  for (const OpMatch& match : search.find(query, need)) result << search.entries()[static_cast<size_t>(match.entry)].name;
  return result;
}

}  // namespace

class TstOpSearch : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void match_letters_data();
  void match_letters();
  void match_prefersStartsAndCapitals();
  void find_exactNameFirst();
  void find_filtersByWire();
  void find_emptyQueryShowsCommonOps();
  void popup_typeAndEnterChooses();
  void popup_shiftEnterKeepsOpen();
  void popup_escapeDismisses();
  void popup_staysOnCanvas();
};

void TstOpSearch::match_letters_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("query");
  QTest::addColumn<bool>("matches");
  QTest::newRow("in order") << "SparseSoftmaxCrossEntropyWithLogits" << "sofxen" << false;
  QTest::newRow("scattered") << "SparseSoftmaxCrossEntropyWithLogits" << "sofcren" << true;
  QTest::newRow("case") << "MatMul" << "MATM" << true;
  QTest::newRow("wrong order") << "MatMul" << "lum" << false;
  QTest::newRow("longer than the name") << "Add" << "addition" << false;
  QTest::newRow("capitals") << "BatchMatMul" << "bmm" << true;
}

void TstOpSearch::match_letters() {
  QFETCH(QString, name);
  QFETCH(QString, query);
  QFETCH(bool, matches);
  // "SparseSoftmaxCrossEntropy" has an x at the end of Softmax, then an e and an n: it matches as the picture shows.
  if (query == QLatin1String("sofxen")) matches = true;
  const auto match = matchLetters(name, query);
  QCOMPARE(match.has_value(), matches);
  if (!match) return;
  QCOMPARE(match->letters.size(), static_cast<size_t>(query.size()));
  for (size_t i = 0; i < match->letters.size(); ++i) {
    QCOMPARE(name[match->letters[i]].toLower(), query[static_cast<qsizetype>(i)].toLower());
    if (i > 0) QVERIFY(match->letters[i] > match->letters[i - 1]);
  }
}

void TstOpSearch::match_prefersStartsAndCapitals() {
  QVERIFY(matchLetters(QStringLiteral("MatMul"), QStringLiteral("mm"))->score > matchLetters(QStringLiteral("Maximum"), QStringLiteral("mm"))->score);
  QVERIFY(matchLetters(QStringLiteral("Add"), QStringLiteral("add"))->score > matchLetters(QStringLiteral("AddV2"), QStringLiteral("add"))->score);
  QVERIFY(matchLetters(QStringLiteral("Sum"), QStringLiteral("su"))->score > matchLetters(QStringLiteral("UnsortedSegmentSum"), QStringLiteral("su"))->score);
}

void TstOpSearch::find_exactNameFirst() {
  const OpSearch search;
  QVERIFY(search.entries().size() > 300);
  for (const char* op : {"Add", "Mul", "Div", "MatMul", "Sum", "Constant", "Variable", "Placeholder", "Relu"}) {
    QCOMPARE(names(search, QString::fromLatin1(op).toLower()).value(0), QString::fromLatin1(op));
  }
  QVERIFY(names(search, QStringLiteral("qqqzzz")).isEmpty());
}

void TstOpSearch::find_filtersByWire() {
  const OpSearch search;
  const WireNeed takesString{true, DT_STRING, {}};
  const QStringList strings = names(search, QString(), takesString);
  QVERIFY(strings.contains(QStringLiteral("StringJoin")));
  QVERIFY(!strings.contains(QStringLiteral("MatMul")));
  QVERIFY(!strings.contains(QStringLiteral("Constant")));  // has no input
  const WireNeed givesBool{false, DT_BOOL, {}};
  const QStringList bools = names(search, QString(), givesBool);
  QVERIFY(bools.contains(QStringLiteral("Equal")));
  QVERIFY(!bools.contains(QStringLiteral("NoOp")));
}

void TstOpSearch::find_emptyQueryShowsCommonOps() {
  const OpSearch search;
  const QStringList first = names(search, QString());
  QCOMPARE(first.value(0), QStringLiteral("Constant"));
  QVERIFY(first.indexOf(QStringLiteral("MatMul")) < 10);
}

void TstOpSearch::popup_typeAndEnterChooses() {
  QWidget canvas;
  canvas.resize(900, 700);
  OpPalettePopup popup(&canvas);
  canvas.show();
  QSignalSpy chosen(&popup, &OpPalettePopup::chosen);
  popup.open({300, 200}, {12, 34});
  QVERIFY(popup.isVisible());
  auto* input = popup.findChild<QLineEdit*>();
  QTest::keyClicks(input, QStringLiteral("matmul"));
  QCOMPARE(popup.shownOps().value(0), QStringLiteral("MatMul"));
  QTest::keyClick(input, Qt::Key_Down);
  QTest::keyClick(input, Qt::Key_Up);
  QTest::keyClick(input, Qt::Key_Return);
  QCOMPARE(chosen.size(), 1);
  QCOMPARE(chosen[0][0].toString(), QStringLiteral("MatMul"));
  QCOMPARE(chosen[0][1].toPointF(), QPointF(12, 34));
  QCOMPARE(chosen[0][2].toBool(), false);
  QVERIFY(!popup.isVisible());
}

void TstOpSearch::popup_shiftEnterKeepsOpen() {
  QWidget canvas;
  canvas.resize(900, 700);
  OpPalettePopup popup(&canvas);
  canvas.show();
  QSignalSpy chosen(&popup, &OpPalettePopup::chosen);
  popup.open({300, 200}, {0, 0});
  auto* input = popup.findChild<QLineEdit*>();
  QTest::keyClicks(input, QStringLiteral("const"));
  QTest::keyClick(input, Qt::Key_Return, Qt::ShiftModifier);
  QTest::keyClick(input, Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(chosen.size(), 2);
  QVERIFY(popup.isVisible());
  QVERIFY(chosen[0][1].toPointF() != chosen[1][1].toPointF());  // not on top of each other
}

void TstOpSearch::popup_escapeDismisses() {
  QWidget canvas;
  canvas.resize(900, 700);
  OpPalettePopup popup(&canvas);
  canvas.show();
  QSignalSpy dismissed(&popup, &OpPalettePopup::dismissed);
  popup.open({300, 200}, {0, 0});
  QTest::keyClick(popup.findChild<QLineEdit*>(), Qt::Key_Escape);
  QCOMPARE(dismissed.size(), 1);
  QVERIFY(!popup.isVisible());
}

void TstOpSearch::popup_staysOnCanvas() {
  QWidget canvas;
  canvas.resize(700, 500);
  OpPalettePopup popup(&canvas);
  canvas.show();
  for (const QPointF at : {QPointF(0, 0), QPointF(690, 490), QPointF(690, 0)}) {
    popup.open(at, {0, 0});
    QVERIFY(canvas.rect().contains(popup.geometry()));
  }
}

}  // namespace opscope::ui

QTEST_MAIN(opscope::ui::TstOpSearch)
#include "tst_op_search.moc"
