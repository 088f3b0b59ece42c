#pragma once
// The dialog that gives a node a value.

#include <functional>

#include <QDialog>

#include "engine/base/status.h"
#include "engine/framework/dtype.h"
#include "engine/framework/tensor_shape.h"

class QLabel;
class QPlainTextEdit;

namespace opscope::ui {

/// Stays open while the value is refused, and says why. UI thread.
class ValueDialog : public QDialog {
  Q_OBJECT

 public:
  struct Request {
    QString node;
    QString text;        ///< The value that there is.
    DataType dtype = DT_INVALID;
    PartialTensorShape shape;
    bool feed = false;   ///< A fed value: files can be chosen, and "Clear" takes it back.
  };
  using Setter = std::function<Status(const QString& json)>;

  ValueDialog(const Request& request, Setter setter, QWidget* parent);

 private:
  void chooseFile();
  void takeFile(const QString& path);
  void apply(const QString& text);
  void showError(const Status& status);

  Request request_;
  Setter setter_;
  QPlainTextEdit* edit_;
  QLabel* error_;
};

}  // namespace opscope::ui
