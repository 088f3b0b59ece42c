#include "widgets/support/status_text.h"

#include <QCoreApplication>

#include "engine/base/text.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {

QString statusCode(const Status& status) { return toQString(CodeName(status.code())); }

QString statusLine(const Status& status) {
  const std::string& message = status.message();
  return toQString(Printable(message.substr(0, message.find('\n')), 500));
}

QString statusTitle(const Status& status) {
  const char* title = QT_TRANSLATE_NOOP("StatusText", "Error");
  switch (status.code()) {
    case Code::kOk: title = QT_TRANSLATE_NOOP("StatusText", "Done"); break;
    case Code::kCancelled: title = QT_TRANSLATE_NOOP("StatusText", "Cancelled"); break;
    case Code::kInvalidArgument: title = QT_TRANSLATE_NOOP("StatusText", "Invalid argument"); break;
    case Code::kDeadlineExceeded: title = QT_TRANSLATE_NOOP("StatusText", "Time is up"); break;
    case Code::kNotFound: title = QT_TRANSLATE_NOOP("StatusText", "Not found"); break;
    case Code::kAlreadyExists: title = QT_TRANSLATE_NOOP("StatusText", "Already there"); break;
    case Code::kPermissionDenied: title = QT_TRANSLATE_NOOP("StatusText", "Not permitted"); break;
    case Code::kResourceExhausted: title = QT_TRANSLATE_NOOP("StatusText", "Out of memory"); break;
    case Code::kFailedPrecondition: title = QT_TRANSLATE_NOOP("StatusText", "Not possible now"); break;
    case Code::kAborted: title = QT_TRANSLATE_NOOP("StatusText", "Aborted"); break;
    case Code::kOutOfRange: title = QT_TRANSLATE_NOOP("StatusText", "Out of range"); break;
    case Code::kUnimplemented: title = QT_TRANSLATE_NOOP("StatusText", "Not supported"); break;
    case Code::kUnavailable: title = QT_TRANSLATE_NOOP("StatusText", "Not reachable"); break;
    case Code::kDataLoss: title = QT_TRANSLATE_NOOP("StatusText", "Damaged data"); break;
    default: break;
  }
  return QCoreApplication::translate("StatusText", title);
}

QString statusDetails(const Status& status) {
  QString text = statusCode(status) + QStringLiteral(": ");
  QStringList lines;
  for (const std::string& line : Split(status.message(), '\n')) lines << toQString(Printable(line));
  text += lines.join(QLatin1Char('\n'));
  if (!status.nodes().empty())
    text += QLatin1Char('\n') + QCoreApplication::translate("StatusText", "Nodes: ") + toQStringList(status.nodes()).join(QStringLiteral(", "));
  return text;
}

}  // namespace opscope::ui
