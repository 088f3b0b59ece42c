#include "widgets/overlays/overlay_model.h"

#include <utility>

#include "widgets/overlays/picture_builder.h"
#include "widgets/support/theme.h"

namespace opscope::ui {

OverlayModel::OverlayModel(QObject* parent) : QObject(parent) {
  connect(&Theme::instance(), &Theme::changed, this, &OverlayModel::invalidate);
}

OverlayModel::~OverlayModel() = default;

void OverlayModel::setKind(OverlayKind kind) {
  if (kind == kind_) return;
  kind_ = kind;
  invalidate();
}

void OverlayModel::setSource(std::function<OverlayInput()> source) {
  source_ = std::move(source);
  invalidate();
}

void OverlayModel::setInput(OverlayInput input) {
  setSource([input = std::move(input)] { return input; });
}

std::shared_ptr<const OverlayPicture> OverlayModel::picture() {
  if (picture_) return picture_;
  ++computations_;
  const OverlayInput input = source_ ? source_() : OverlayInput();
  const OpFactsTable facts = collectFacts(input, values_);
  picture_ = PictureBuilder(input, facts, kind_, Theme::instance().colors()).build();
  return picture_;
}

void OverlayModel::invalidate() {
  picture_.reset();
  if (announced_) return;
  announced_ = true;
  QMetaObject::invokeMethod(
      this,
      [this] {
        announced_ = false;
        Q_EMIT changed();
      },
      Qt::QueuedConnection);
}

}  // namespace opscope::ui
