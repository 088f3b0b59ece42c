#pragma once
// Devices: a card for each device of the session with live figures, what went from one to another up to the moment
// shown, who asked for which device, and its attributes.

#include <QTimer>

#include "widgets/models/device_model.h"
#include "widgets/panels/panel.h"

class QVBoxLayout;

namespace opscope::ui {

class DeviceCard;
class RowList;
class Section;

/// UI thread.
class DevicePanel : public Panel {
  Q_OBJECT

 public:
  explicit DevicePanel(QWidget* parent = nullptr);

 protected:
  void connectContext(QObject* guard) override;
  void refresh() override;

 private:
  void showCards();
  void showTransfers();
  void showPlacement();
  void showAttributes();

  DeviceModel* model_;
  QVBoxLayout* cards_layout_;
  std::vector<DeviceCard*> cards_;
  Section* transfers_section_;
  RowList* transfers_;
  Section* placement_section_;
  RowList* placement_;
  Section* attributes_section_;
  RowList* attributes_;
  int chosen_ = 0;
  QTimer live_;  ///< While a run goes on figures change without a signal.
};

}  // namespace opscope::ui
