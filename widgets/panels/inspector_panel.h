#pragma once
// The inspector: what is selected, with everything about it that can be edited.

#include "engine/base/ids.h"
#include "engine/graph/graph.h"
#include "widgets/models/attr_model.h"
#include "widgets/panels/panel.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace opscope::ui {

class FormRows;
class IconLabel;
class RowList;
class Section;
class StateCard;
struct Row;

/// A field that was edited is sent to the document when the focus leaves it or Enter is pressed; what the document
/// refuses stands in the card at the top, and the field shows the old value again. UI thread.
class InspectorPanel : public Panel {
  Q_OBJECT

 public:
  explicit InspectorPanel(QWidget* parent = nullptr);

 protected:
  void connectContext(QObject* guard) override;
  void refresh() override;

 private:
  void buildHead(QVBoxLayout* layout);
  void buildSections(QVBoxLayout* layout);
  void showNothing();
  void showScope(const QString& name);
  void showNode(NodeId id);
  void showHead(const QString& icon, int tone, const QString& title, const QString& subtitle);
  void showCard(const Node& node);
  // inspector_sections.cpp
  void showValue(const Node& node);
  void showAttributes(const Node& node);
  void rebuildAttributes(const QString& name);
  QWidget* attributeField(const AttrField& field);
  void showDevice(const Node& node);
  void showInputs(const Node& node);
  void showOutputs(const Node& node);
  void showReaders(const Node& node);
  void showParts(const QString& scope);
  std::vector<Row> documentFacts() const;
  /// Tells the outcome of an edit.
  void report(const Status& status);
  bool editable() const;

  NodeId node_;
  QString name_;  ///< Of what is shown; the fields were made for it.
  std::vector<AttrField> shown_fields_;
  QString refusal_;

  IconLabel* icon_;
  QLabel* title_;
  QLabel* subtitle_;
  StateCard* card_;
  QLabel* read_only_;
  Section *value_section_, *attributes_section_, *device_section_, *inputs_section_, *outputs_section_, *parts_section_, *readers_section_, *facts_section_;
  QLineEdit* value_;
  QLabel* value_note_;
  FormRows* attributes_;
  QComboBox* device_;
  QLabel* assigned_;
  RowList *inputs_, *outputs_, *parts_, *readers_, *facts_;
};

}  // namespace opscope::ui
