#include "app/value_dialog.h"

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/feed_files.h"
#include "widgets/models/value_words.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/status_text.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

ValueDialog::ValueDialog(const Request& request, Setter setter, QWidget* parent)
    : QDialog(parent), request_(request), setter_(std::move(setter)) {
  setObjectName(QStringLiteral("valueDialog"));
  setWindowTitle(QStringLiteral("Value of %1").arg(request.node));
  setMinimumWidth(440);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(20, 18, 20, 18);
  layout->setSpacing(10);
  layout->addWidget(makeLabel(TextRole::kTitle, windowTitle()));
  QString facts = dtypeWord(request.dtype);
  if (!facts.isEmpty()) facts += QLatin1Char(' ') + shapeWord(request.shape);
  layout->addWidget(makeLabel(TextRole::kSmall, facts + QStringLiteral("   A value such as 3, [1, 2] or [[1, 2], [3, 4]]"), true));
  edit_ = new QPlainTextEdit(request.text);
  edit_->setObjectName(QStringLiteral("valueText"));
  edit_->setFont(Theme::instance().fonts().mono);
  edit_->setTabChangesFocus(true);
  edit_->setFixedHeight(112);
  edit_->setFrameShape(QFrame::StyledPanel);
  layout->addWidget(edit_);
  error_ = makeLabel(TextRole::kSmall);
  error_->setObjectName(QStringLiteral("valueError"));
  error_->setWordWrap(true);
  error_->hide();
  layout->addWidget(error_);
  auto* row = new QHBoxLayout;
  if (request.feed) {
    auto* file = new QPushButton(QStringLiteral("From a file…"));
    file->setObjectName(QStringLiteral("valueFile"));
    file->setToolTip(QStringLiteral(".npy, .csv or a picture"));
    connect(file, &QPushButton::clicked, this, &ValueDialog::chooseFile);
    row->addWidget(file);
    auto* clear = new QPushButton(QStringLiteral("Clear"));
    clear->setObjectName(QStringLiteral("valueClear"));
    connect(clear, &QPushButton::clicked, this, [this] { apply(QString()); });
    row->addWidget(clear);
  }
  row->addStretch();
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  row->addWidget(buttons);
  layout->addLayout(row);
  connect(buttons, &QDialogButtonBox::accepted, this, [this] { apply(edit_->toPlainText().trimmed()); });
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  edit_->selectAll();
  edit_->setFocus();
  setAttribute(Qt::WA_DeleteOnClose);
}

void ValueDialog::chooseFile() {
  auto* dialog = new QFileDialog(this, QStringLiteral("Value of %1").arg(request_.node));
  dialog->setObjectName(QStringLiteral("valueFileDialog"));
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({QStringLiteral("Values (*.npy *.csv *.tsv *.txt *.png *.jpg *.jpeg *.bmp *.gif)"), QStringLiteral("All files (*)")});
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  connect(dialog, &QFileDialog::fileSelected, this, &ValueDialog::takeFile);
  dialog->open();
}

void ValueDialog::takeFile(const QString& path) {
  const auto text = feedTextOfFile(path, request_.dtype, request_.shape);
  if (!text.ok()) {
    showError(text.status());
    return;
  }
  apply(*text);
}

void ValueDialog::apply(const QString& text) {
  const Status status = setter_(text);
  if (status.ok()) accept();
  else showError(status);
}

void ValueDialog::showError(const Status& status) {
  QPalette palette = error_->palette();
  palette.setColor(QPalette::WindowText, Theme::instance().colors().error);
  error_->setPalette(palette);
  error_->setText(toQString(status.message()));
  error_->show();
}

}  // namespace opscope::ui
