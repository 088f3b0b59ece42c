#include "widgets/input/op_search.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <QCoreApplication>
#include <QStringList>

#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

using AttrDef = OpDef::AttrDef;

// What people add most: first while nothing is typed, and before equally good matches.
constexpr std::array<std::string_view, 24> kOften = {
    "Constant", "Placeholder", "Variable", "Add",     "Sub",     "Mul",    "Div",     "MatMul",
    "Identity", "Relu",        "Softmax",  "Reshape", "Sum",     "Mean",   "Assign",  "AssignAdd",
    "Conv2D",   "MaxPool",     "BiasAdd",  "AddV2",   "RealDiv", "Square", "Sqrt",    "Exp"};

int oftenRank(std::string_view name) {
  const auto it = std::find(kOften.begin(), kOften.end(), name);
  return it == kOften.end() ? -1 : static_cast<int>(it - kOften.begin());
}

QString groupForPeople(std::string_view group) {
  struct Word {
    std::string_view prefix;
    const char* text;
  };
  constexpr Word kWords[] = {{"core/constants", "Values"}, {"core/variables", "Variables"}, {"math", "Math"}, {"compare", "Comparison"},
                             {"reduction", "Reduction"},   {"linalg", "Linear algebra"},    {"nn", "Neural network"},
                             {"array", "Array"},           {"random", "Random"},            {"control", "Control flow"},
                             {"functional", "Functions"},  {"transfer", "Transfer"},        {"training", "Training"},
                             {"check", "Checks"},          {"summary", "Files"},            {"string", "Strings"},
                             {"image", "Images"},          {"tensor array", "Tensor lists"}, {"queues", "Queues"}};
  for (const Word& word : kWords) {
    if (group.starts_with(word.prefix)) return QCoreApplication::translate("OpGroup", word.text);
  }
  return toQString(group);
}

QString typeOf(const OpDef::ArgDef& arg) {
  QString type = !arg.type_list_attr().empty() ? toQString(arg.type_list_attr())
                 : !arg.type_attr().empty()    ? toQString(arg.type_attr())
                                               : toQString(NumpyName(static_cast<DataType>(arg.type())));
  if (!arg.number_attr().empty()) type = toQString(arg.number_attr()) + QChar(0xd7) + type;
  return arg.is_ref() ? QStringLiteral("ref ") + type : type;
}

const AttrDef* findAttr(const OpDef& op, const std::string& name) {
  for (const AttrDef& attr : op.attr()) {
    if (attr.name() == name) return &attr;
  }
  return nullptr;
}

bool takes(const OpDef& op, const OpDef::ArgDef& arg, DataType dtype) {
  if (dtype == DT_INVALID) return true;
  if (!arg.type_list_attr().empty()) return true;
  if (arg.type_attr().empty()) return static_cast<DataType>(arg.type()) == dtype;
  const AttrDef* attr = findAttr(op, arg.type_attr());
  if (attr == nullptr || attr->allowed_values().list().type_size() == 0) return true;
  const auto& allowed = attr->allowed_values().list().type();
  return std::any_of(allowed.begin(), allowed.end(), [dtype](int type) { return static_cast<DataType>(type) == dtype; });
}

bool isWordStart(const QString& name, qsizetype i) {
  if (i == 0) return true;
  const QChar c = name[i];
  const QChar before = name[i - 1];
  return (c.isUpper() && !before.isUpper()) || (c.isDigit() && !before.isDigit()) || before == QLatin1Char('_') ||
         (c.isUpper() && i + 1 < name.size() && name[i + 1].isLower());
}

}  // namespace

QString signatureOf(const OpDef& op) {
  QStringList inputs;
  QStringList outputs;
  for (const auto& arg : op.input_arg()) inputs << toQString(arg.name()) + QStringLiteral(": ") + typeOf(arg);
  for (const auto& arg : op.output_arg()) outputs << toQString(arg.name()) + QStringLiteral(": ") + typeOf(arg);
  QString text = QLatin1Char('(') + inputs.join(QStringLiteral(", ")) + QLatin1Char(')');
  if (!outputs.isEmpty()) text += QStringLiteral(" → ") + outputs.join(QStringLiteral(", "));
  return text;
}

std::optional<OpMatch> matchLetters(const QString& name, const QString& query) {
  constexpr int kMaxQuery = 64;
  OpMatch match;
  if (query.isEmpty()) return match;
  if (query.size() > kMaxQuery || query.size() > name.size()) return std::nullopt;
  const auto n = static_cast<size_t>(name.size());
  const auto q = static_cast<size_t>(query.size());
  const QString lower = name.toLower();
  const QString wanted = query.toLower();
  // best[i][j]: query up to i matched with its last letter at j. A chain of neighbours beats scattered letters.
  constexpr int kNone = -100000;
  std::vector<std::vector<int>> best(q, std::vector<int>(n, kNone));
  std::vector<std::vector<int>> from(q, std::vector<int>(n, -1));
  for (size_t i = 0; i < q; ++i) {
    int reach = kNone;
    int reachAt = -1;
    for (size_t j = i; j < n; ++j) {
      if (i > 0 && j >= 2 && best[i - 1][j - 2] > reach) {
        reach = best[i - 1][j - 2];
        reachAt = static_cast<int>(j) - 2;
      }
      if (lower[static_cast<qsizetype>(j)] != wanted[static_cast<qsizetype>(i)]) continue;
      int score = isWordStart(name, static_cast<qsizetype>(j)) ? 8 : 0;
      if (i == 0) {
        best[i][j] = score + (j == 0 ? 10 : 0);
        continue;
      }
      const int next = j >= 1 && best[i - 1][j - 1] > kNone ? best[i - 1][j - 1] + 6 : kNone;
      const int jump = reach > kNone ? reach - 2 : kNone;
      if (std::max(next, jump) <= kNone) continue;
      best[i][j] = score + std::max(next, jump);
      from[i][j] = next >= jump ? static_cast<int>(j) - 1 : reachAt;
    }
  }
  const auto end = std::max_element(best[q - 1].begin(), best[q - 1].end());
  if (*end <= kNone) return std::nullopt;
  int at = static_cast<int>(end - best[q - 1].begin());
  for (size_t i = q; i-- > 0;) {
    match.letters.insert(match.letters.begin(), at);
    at = from[i][static_cast<size_t>(at)];
  }
  match.score = *end * 4 - static_cast<int>(n);
  if (lower == wanted) match.score += 1000;
  if (lower.startsWith(wanted)) match.score += 200;
  return match;
}

OpSearch::OpSearch(const OpRegistry& registry) {
  addWord(QStringLiteral("Constant"), QStringLiteral("() → output: dtype"), "Const", registry);
  addWord(QStringLiteral("Variable"), QStringLiteral("() → ref: dtype"), "VariableV2", registry);
  for (const OpRegistrationData* data : registry.All()) {
    const std::string& name = data->op_def.name();
    if (name.starts_with("_")) continue;  // of the runtime's own
    OpEntry entry;
    entry.name = toQString(name);
    entry.group = groupForPeople(data->group);
    entry.signature = signatureOf(data->op_def);
    entry.category = categoryOf(name);
    entry.gradient = data->gradient == GradientKind::kYes;
    const int often = oftenRank(name);
    entry.rank = often >= 0 ? often : 100 + data->tier;
    entry.def = &data->op_def;
    entries_.push_back(std::move(entry));
  }
}

void OpSearch::addWord(const QString& name, const QString& signature, const char* op, const OpRegistry& registry) {
  OpEntry entry;
  entry.name = name;
  entry.group = groupForPeople("core/constants");
  entry.signature = signature;
  entry.category = OpCategory::kVariable;
  entry.rank = oftenRank(name.toStdString());
  if (const OpRegistrationData* data = registry.Find(op)) entry.def = &data->op_def;
  entries_.push_back(std::move(entry));
}

bool OpSearch::accepts(const OpDef& op, const WireNeed& need) {
  if (need.input) {
    return std::any_of(op.input_arg().begin(), op.input_arg().end(), [&](const OpDef::ArgDef& arg) { return takes(op, arg, need.dtype); });
  }
  return std::any_of(op.output_arg().begin(), op.output_arg().end(), [&](const OpDef::ArgDef& arg) { return takes(op, arg, need.dtype); });
}

std::vector<OpMatch> OpSearch::find(const QString& query, const std::optional<WireNeed>& need) const {
  std::vector<OpMatch> matches;
  const QString letters = query.simplified().remove(QLatin1Char(' '));
  for (size_t i = 0; i < entries_.size(); ++i) {
    const OpEntry& entry = entries_[i];
    if (need && (entry.def == nullptr || !accepts(*entry.def, *need))) continue;
    std::optional<OpMatch> match = matchLetters(entry.name, letters);
    if (!match) continue;
    match->entry = static_cast<int>(i);
    matches.push_back(std::move(*match));
  }
  std::stable_sort(matches.begin(), matches.end(), [this](const OpMatch& a, const OpMatch& b) {
    if (a.score != b.score) return a.score > b.score;
    const OpEntry& ea = entries_[static_cast<size_t>(a.entry)];
    const OpEntry& eb = entries_[static_cast<size_t>(b.entry)];
    return ea.rank != eb.rank ? ea.rank < eb.rank : ea.name < eb.name;
  });
  return matches;
}

}  // namespace opscope::ui
