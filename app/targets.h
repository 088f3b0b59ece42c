#pragma once
// Script targets ({"node":"a/b"}, {"port":"a:0"}, {"at":[x,y]}, {"widget":"name"} …) as points on the screen.

#include <QJsonValue>
#include <QPoint>

#include "app/workbench.h"
#include "engine/base/status.h"

namespace opscope::ui {

/// The global point of a target, in its middle. NOT_FOUND naming what isn't there; FAILED_PRECONDITION when it is hidden.
StatusOr<QPoint> targetPoint(Workbench* workbench, const QJsonValue& target);
/// A visible widget of any window by objectName; nullptr without one.
QWidget* findWidget(Workbench* workbench, const QString& objectName);

}  // namespace opscope::ui
