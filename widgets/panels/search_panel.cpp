#include "widgets/panels/search_panel.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QVBoxLayout>

#include "widgets/controllers/document_controller.h"
#include "widgets/models/value_words.h"
#include "widgets/panels/panel_parts.h"
#include "widgets/support/qt_convert.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

SearchPanel::SearchPanel(QWidget* parent) : Panel(QStringLiteral("find"), QStringLiteral("Find"), parent) {
  auto* content = new QWidget;
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(0, 10, 0, 0);
  layout->setSpacing(0);
  input_ = new QLineEdit;
  input_->setObjectName(QStringLiteral("findInput"));
  input_->setPlaceholderText(QStringLiteral("Find a node"));
  input_->setClearButtonEnabled(true);
  input_->addAction(Theme::instance().icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
  input_->installEventFilter(this);
  count_ = makeLabel(TextRole::kSmall, QString(), true);
  count_->setObjectName(QStringLiteral("findCount"));
  count_->setWordWrap(true);
  auto* top = new QVBoxLayout;
  top->setContentsMargins(12, 0, 12, 8);
  top->setSpacing(8);
  top->addWidget(input_);
  top->addWidget(count_);
  layout->addLayout(top);
  list_ = new QListView;
  list_->setObjectName(QStringLiteral("findList"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setUniformItemSizes(true);
  list_->setMouseTracking(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  model_ = new SearchModel(this);
  list_->setModel(model_);
  list_->setItemDelegate(new RowDelegate(list_));
  layout->addWidget(list_, 1);
  help_ = makeLabel(TextRole::kSmall, QStringLiteral("Words narrow the search:\nop:MatMul   device:GPU   scope:tower_0   -op:Const"), true);
  help_->setContentsMargins(12, 8, 12, 12);
  help_->setWordWrap(true);
  layout->addWidget(help_);
  connect(input_, &QLineEdit::textChanged, this, &SearchPanel::scheduleRefresh);
  connect(list_, &QListView::clicked, this, [this](const QModelIndex& index) { Q_EMIT nodeActivated(model_->row(index).node); });
  connect(list_, &QListView::activated, this, [this](const QModelIndex& index) { Q_EMIT nodeActivated(model_->row(index).node); });
  setContent(content);
}

void SearchPanel::connectContext(QObject* guard) {
  connect(context().document, &DocumentController::graphChanged, guard, [this] { scheduleRefresh(); });
  connect(context().document, &DocumentController::documentReset, guard, [this] { scheduleRefresh(); });
}

void SearchPanel::refresh() {
  if (!context().valid()) {
    showPlaceholder(QStringLiteral("No document."));
    return;
  }
  showContent();
  const Graph& graph = context().document->graph();
  const Status status = model_->search(graph, input_->text());
  const int hits = model_->rowCount();
  if (!status.ok()) {
    count_->setText(toQString(status.message()));
  } else if (input_->text().trimmed().isEmpty()) {
    count_->setText(QStringLiteral("%1 nodes").arg(countWord(static_cast<int64_t>(graph.num_nodes()))));
  } else if (hits == 0) {
    count_->setText(QStringLiteral("Nothing matches. All %1 nodes were searched, hidden ones too.").arg(countWord(static_cast<int64_t>(graph.num_nodes()))));
  } else {
    count_->setText(QStringLiteral("%1%2 of %3 nodes").arg(model_->truncated() ? QStringLiteral("the first ") : QString(), countWord(hits),
                                                         countWord(static_cast<int64_t>(graph.num_nodes()))));
  }
}

void SearchPanel::goTo(int by) {
  if (model_->rowCount() == 0) return;
  const int now = list_->currentIndex().row();
  const int next = now < 0 ? 0 : (now + by + model_->rowCount()) % model_->rowCount();
  list_->setCurrentIndex(model_->index(next));
  Q_EMIT nodeActivated(model_->row(model_->index(next)).node);
}

bool SearchPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == input_ && event->type() == QEvent::KeyPress) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Down) goTo(1);
    else if (key->key() == Qt::Key_Up) goTo(-1);
    else if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) goTo(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
    else return false;
    return true;
  }
  return Panel::eventFilter(watched, event);
}

}  // namespace opscope::ui
