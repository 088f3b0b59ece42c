#pragma once
// Gathers what the overlays of one document are computed from.

#include <vector>

#include <QObject>
#include <QTimer>

#include "widgets/overlays/overlay_input.h"

namespace opscope::ui {

class DocumentController;
class RunController;
class TraceController;

/// Infers types and shapes off the UI thread after edits; knows which variables have a value. UI thread.
class OverlaySource : public QObject {
  Q_OBJECT

 public:
  OverlaySource(DocumentController* document, RunController* run, TraceController* trace, QObject* parent = nullptr);

  OverlayInput input() const;
  /// Types are of the graph as it is.
  bool isIdle() const { return !inferring_ && !timer_.isActive(); }

 Q_SIGNALS:
  /// Something that input() tells is new.
  void changed();

 private:
  void inferTypes();
  void noteVariables();

  DocumentController* document_;
  RunController* run_;
  TraceController* trace_;
  QTimer timer_;
  std::vector<InferredType> types_;
  std::map<std::string, VariableState> variables_;
  bool inferring_ = false;
  int generation_ = 0;
};

}  // namespace opscope::ui
