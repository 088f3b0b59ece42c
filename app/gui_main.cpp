// The program opscope: the window, on files or driven by a script.

#include <cstdio>

#include <QApplication>
#include <QCommandLineParser>
#include <QTimer>

#include "app/main_window.h"
#include "app/script_runner.h"
#include "widgets/support/theme.h"

#ifndef OPSCOPE_VERSION
#define OPSCOPE_VERSION "0.1.0"
#endif

namespace opscope::ui {
namespace {

constexpr int kWrongUsage = 2;

Theme::Mode modeOf(const QString& name) {
  if (name == QLatin1String("light")) return Theme::Mode::kLight;
  if (name == QLatin1String("dark")) return Theme::Mode::kDark;
  return Theme::Mode::kSystem;
}

struct Options {
  QString script;
  QStringList files;
};

// Ends the program by itself for --help and --version.
Options parse(const QApplication& application) {
  QCommandLineParser parser;
  parser.setApplicationDescription(QStringLiteral("Editor, runtime and visual debugger for dataflow graphs."));
  parser.addHelpOption();
  parser.addVersionOption();
  const QCommandLineOption script(QStringLiteral("script"), QStringLiteral("Drive the window by JSON Lines from <file>, or - for standard input."),
                                  QStringLiteral("file"));
  parser.addOption(script);
  parser.addPositionalArgument(QStringLiteral("file"), QStringLiteral("Graphs to open."), QStringLiteral("[file…]"));
  parser.process(application);
  return {parser.value(script), parser.positionalArguments()};
}

int runScript(MainWindow* window, const QString& path) {
  ScriptRunner runner(window->actions());
  QObject::connect(&runner, &ScriptRunner::finished, [] { QCoreApplication::exit(0); });
  const Status status = runner.start(path);
  if (!status.ok()) {
    std::fprintf(stderr, "opscope: %s\n", status.ToString().c_str());
    return kWrongUsage;
  }
  return QCoreApplication::exec();
}

int run(int argc, char** argv) {
  QApplication application(argc, argv);
  QCoreApplication::setApplicationName(QStringLiteral("OpScope"));
  QCoreApplication::setOrganizationName(QStringLiteral("OpScope"));
  QCoreApplication::setApplicationVersion(QStringLiteral(OPSCOPE_VERSION));
  QGuiApplication::setDesktopFileName(QStringLiteral("opscope"));
  const Options options = parse(application);
  const bool scripted = !options.script.isEmpty();
  Theme theme(scripted ? Theme::Mode::kLight : modeOf(Settings(true).theme()));
  theme.applyToApplication();
  QApplication::setWindowIcon(theme.icon(QStringLiteral("graph"), theme.colors().accent));
  MainWindow window(&theme, !scripted);
  window.show();
  for (const QString& file : options.files) window.openForUser(file);
  return scripted ? runScript(&window, options.script) : QCoreApplication::exec();
}

}  // namespace
}  // namespace opscope::ui

int main(int argc, char** argv) { return opscope::ui::run(argc, argv); }
