#include <QtTest>

#include <QImage>
#include <QTemporaryDir>

#include "app/feed_files.h"

using namespace opscope;
using namespace opscope::ui;

class TstFeedFiles : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void csv_isRows();
  void csv_shapes();
  void csv_faultsNameTheLine();
  void npy_isAReference();
  void picture_inTheShapeOfThePlaceholder();
  void missingFile();
};

void TstFeedFiles::csv_isRows() {
  QCOMPARE(*feedTextOfCsv("x,y\n1,2\n3,4.5\n", PartialTensorShape()), QStringLiteral("[[1, 2], [3, 4.5]]"));
  QCOMPARE(*feedTextOfCsv("1;2\n\n3;4\n", PartialTensorShape(std::vector<int64_t>{-1, 2})), QStringLiteral("[[1, 2], [3, 4]]"));
}

void TstFeedFiles::csv_shapes() {
  QCOMPARE(*feedTextOfCsv("1\n2\n", PartialTensorShape(std::vector<int64_t>{-1})), QStringLiteral("[1, 2]"));
  QCOMPARE(*feedTextOfCsv("1,2\n", PartialTensorShape(std::vector<int64_t>{2})), QStringLiteral("[1, 2]"));
  QCOMPARE(*feedTextOfCsv("7\n", PartialTensorShape(std::vector<int64_t>{})), QStringLiteral("7"));
}

void TstFeedFiles::csv_faultsNameTheLine() {
  const auto word = feedTextOfCsv("1,2\nx,y\n", PartialTensorShape());
  QCOMPARE(word.status().code(), Code::kInvalidArgument);
  QVERIFY(word.status().message().find("line 2") != std::string::npos);
  const auto ragged = feedTextOfCsv("1,2\n3\n", PartialTensorShape());
  QVERIFY(ragged.status().message().find("line 2 has 1") != std::string::npos);
  QCOMPARE(feedTextOfCsv("", PartialTensorShape()).status().code(), Code::kInvalidArgument);
}

void TstFeedFiles::npy_isAReference() {
  QTemporaryDir folder;
  QFile file(folder.filePath(QStringLiteral("a.npy")));
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write("x");
  file.close();
  QCOMPARE(*feedTextOfFile(file.fileName(), DT_FLOAT, {}), QString(QLatin1Char('@') + file.fileName()));
}

void TstFeedFiles::picture_inTheShapeOfThePlaceholder() {
  QTemporaryDir folder;
  QImage image(2, 1, QImage::Format_RGB32);
  image.setPixel(0, 0, qRgb(255, 0, 10));
  image.setPixel(1, 0, qRgb(1, 2, 3));
  const QString path = folder.filePath(QStringLiteral("p.png"));
  QVERIFY(image.save(path));
  QCOMPARE(*feedTextOfFile(path, DT_FLOAT, PartialTensorShape(std::vector<int64_t>{1, 2, 3})), QStringLiteral("[[[255,0,10],[1,2,3]]]"));
  QCOMPARE(*feedTextOfFile(path, DT_FLOAT, PartialTensorShape(std::vector<int64_t>{-1, 1, 2, 3})), QStringLiteral("[[[[255,0,10],[1,2,3]]]]"));
  QCOMPARE(*feedTextOfFile(path, DT_FLOAT, PartialTensorShape(std::vector<int64_t>{1, 2})), QStringLiteral("[[%1,%2]]").arg(qGray(255, 0, 10)).arg(qGray(1, 2, 3)));
  QCOMPARE(feedTextOfFile(path, DT_FLOAT, PartialTensorShape(std::vector<int64_t>{5})).status().code(), Code::kInvalidArgument);
}

void TstFeedFiles::missingFile() {
  QCOMPARE(feedTextOfFile(QStringLiteral("/nowhere/a.csv"), DT_FLOAT, {}).status().code(), Code::kNotFound);
}

QTEST_MAIN(TstFeedFiles)
#include "tst_feed_files.moc"
