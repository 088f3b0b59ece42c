// Names and scopes against TensorFlow's recorded logs.

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "engine/graph/name_scope.h"

using namespace opscope;

namespace {

// Runs one recorded script and writes the log that TensorFlow wrote.
class Player {
 public:
  QJsonArray Play(const QJsonArray& script) {
    for (const QJsonValue& step : script) Do(step.toArray());
    return log_;
  }
  static bool Knows(const QJsonArray& script) {
    for (const QJsonValue& value : script) {
      const QJsonArray step = value.toArray();
      const QString verb = step[0].toString();
      if (verb == QLatin1String("scope")) {
        if (!Knows(step[2].toArray())) return false;
      } else if (verb != QLatin1String("op") && verb != QLatin1String("unique") &&
                 verb != QLatin1String("get_name_scope")) {
        return false;
      }
    }
    return true;
  }

 private:
  static std::string Text(const QJsonValue& value) { return value.toString().toStdString(); }

  void Log(const char* what, const StatusOr<std::string>& result) {
    QJsonArray entry{QLatin1String(what)};
    if (result.ok()) {
      entry.append(QString::fromStdString(*result));
    } else {
      entry.append(QJsonObject{{QStringLiteral("error"), QStringLiteral("ValueError")},
                               {QStringLiteral("message"), QString::fromStdString(result.status().message())}});
    }
    log_.append(entry);
  }

  void Do(const QJsonArray& step) {
    const QString verb = step[0].toString();
    if (verb == QLatin1String("op")) Log("op", names_.OpName(step[2].isNull() ? Text(step[1]) : Text(step[2])));
    if (verb == QLatin1String("unique")) Log("unique", names_.UniqueName(Text(step[1]), step[2].toBool(true)));
    if (verb == QLatin1String("get_name_scope")) Log("name_scope", names_.current());
    if (verb != QLatin1String("scope")) return;
    const auto entered = names_.EnterScope(Text(step[1]));
    Log("scope", entered);
    if (!entered.ok()) return;
    Play(step[2].toArray());
    names_.ExitScope();
    log_.append(QJsonArray{QLatin1String("exit"), QLatin1String("scope")});
  }

  NameScopes names_;
  QJsonArray log_;
};

Graph GraphOf(std::initializer_list<const char*> names) {
  GraphDef def;
  for (const char* name : names) def.add_node()->set_name(name);
  return Graph::FromGraphDef(def);
}

}  // namespace

class TstNameScope : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void recordedLogs_data() {
    QTest::addColumn<QJsonObject>("entry");
    QFile file(QStringLiteral(OPSCOPE_SHARED_DIR "/goldens/scopes.json"));
    if (!file.open(QIODevice::ReadOnly)) return;
    for (const QJsonValue& value : QJsonDocument::fromJson(file.readAll())[QStringLiteral("cases")].toArray()) {
      const QJsonObject entry = value.toObject();
      if (Player::Knows(entry[QStringLiteral("script")].toArray())) {
        QTest::newRow(qPrintable(entry[QStringLiteral("id")].toString())) << entry;
      }
    }
  }

  void recordedLogs() {
    QFETCH(QJsonObject, entry);
    const QJsonArray got = Player().Play(entry[QStringLiteral("script")].toArray());
    const QJsonArray want = entry[QStringLiteral("log")].toArray();
    QCOMPARE(QString::fromUtf8(QJsonDocument(got).toJson()), QString::fromUtf8(QJsonDocument(want).toJson()));
  }

  void namesOfAGraphAreInUse() {
    NameScopes names(GraphOf({"Foo", "a/b"}));
    QCOMPARE(names.UniqueName("foo"), std::string("foo_1"));
    QCOMPARE(names.UniqueName("FOO"), std::string("FOO_2"));
    QCOMPARE(names.UniqueName("a"), std::string("a"));
    QCOMPARE(names.UniqueName("a/b"), std::string("a/b_1"));
  }

  void uniqueAmongNodesAndScopes() {
    const Graph graph = GraphOf({"Add", "add_1", "s/x", "s_1/y/z", "t_1"});
    QCOMPARE(UniqueNodeName(graph, "Add"), std::string("Add_2"));
    QCOMPARE(UniqueNodeName(graph, "s"), std::string("s_2"));
    QCOMPARE(UniqueNodeName(graph, "t"), std::string("t"));
    QCOMPARE(UniqueNodeName(graph, "s/x"), std::string("s/x_1"));
    QCOMPARE(UniqueNodeName(graph, "s_1/y"), std::string("s_1/y_1"));
    QCOMPARE(UniqueNodeName(graph, "new"), std::string("new"));
  }
};

QTEST_GUILESS_MAIN(TstNameScope)
#include "tst_name_scope.moc"
