// The library exports the functions of its header and nothing else.
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

class TstCApiExports : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void exports_areThoseOfTheHeader();
  void pkgConfig_findsTheLibrary();
};

void TstCApiExports::exports_areThoseOfTheHeader() {
  QFile header(QStringLiteral(OPSCOPE_SOURCE_DIR "/engine/c_api/c_api.h"));
  QVERIFY(header.open(QIODevice::ReadOnly));
  QSet<QString> declared;
  auto matches = QRegularExpression(QStringLiteral("\\b(TF_\\w+)\\("))
                     .globalMatch(QString::fromUtf8(header.readAll()));
  while (matches.hasNext()) declared.insert(matches.next().captured(1));
  QVERIFY(declared.size() >= 209);
  QProcess nm;
  nm.start(QStringLiteral("nm"),
           {QStringLiteral("-D"), QStringLiteral("--defined-only"),
            QStringLiteral(OPSCOPE_BIN_DIR "/../lib/libopscope_tensorflow.so")});
  if (!nm.waitForStarted()) QSKIP("nm is not installed");
  QVERIFY(nm.waitForFinished());
  QSet<QString> exported;
  for (const QByteArray& line : nm.readAllStandardOutput().split('\n')) {
    if (!line.isEmpty()) exported.insert(QString::fromUtf8(line.mid(line.lastIndexOf(' ') + 1)));
  }
  QCOMPARE(QStringList((exported - declared).values()), QStringList());
  QCOMPARE(QStringList((declared - exported).values()), QStringList());
}

void TstCApiExports::pkgConfig_findsTheLibrary() {
  QFile file(QStringLiteral(OPSCOPE_BIN_DIR "/../lib/pkgconfig/tensorflow.pc"));
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(file.readAll());
  const auto version = QRegularExpression(QStringLiteral("Version: (\\d+)\\.(\\d+)")).match(text);
  QVERIFY(version.hasMatch());
  QVERIFY(version.captured(1).toInt() > 2 || version.captured(2).toInt() >= 13);
  QVERIFY(text.contains(QStringLiteral("-L${libdir} -lopscope_tensorflow")));
}

QTEST_GUILESS_MAIN(TstCApiExports)
#include "tst_c_api_exports.moc"
