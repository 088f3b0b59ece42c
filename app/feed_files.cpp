#include "app/feed_files.h"

#include <algorithm>

#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QImageReader>
#include <QRegularExpression>
#include <QStringList>

namespace opscope::ui {
namespace {

constexpr qint64 kMaxFileBytes = 64 << 20;
constexpr int64_t kMaxPixels = 16 << 20;

// One row of numbers; false where something is no number.
bool numbers(const QString& line, QStringList* out) {
  static const QRegularExpression separators(QStringLiteral("[,;\\t ]+"));
  out->clear();
  for (const QString& cell : line.split(separators, Qt::SkipEmptyParts)) {
    bool ok = false;
    const QString text = cell.trimmed();
    text.toDouble(&ok);
    if (!ok) return false;
    *out << text;
  }
  return true;
}

struct PictureShape {
  int height = 0, width = 0, channels = 0;  // 0: of the picture
  int rank = 3;
};

StatusOr<PictureShape> pictureShape(const PartialTensorShape& shape) {
  PictureShape wanted;
  if (shape.unknown_rank()) return wanted;
  wanted.rank = shape.dims();
  if (wanted.rank < 2 || wanted.rank > 4) {
    return errors::InvalidArgument("a picture needs a shape of 2, 3 or 4 dimensions; the placeholder has ", shape.DebugString());
  }
  const int first = wanted.rank == 4 ? 1 : 0;
  const auto fixed = [&](int i) { return static_cast<int>(std::clamp<int64_t>(shape.dim_size(i), 0, 1 << 14)); };
  wanted.height = fixed(first);
  wanted.width = fixed(first + 1);
  wanted.channels = wanted.rank == 2 ? 1 : fixed(first + 2);
  return wanted;
}

QString pixelText(const QImage& image, int channels, bool flat) {
  QString text = QStringLiteral("[");
  for (int y = 0; y < image.height(); ++y) {
    text += y == 0 ? QStringLiteral("[") : QStringLiteral(",[");
    for (int x = 0; x < image.width(); ++x) {
      const QRgb pixel = image.pixel(x, y);
      if (x > 0) text += QLatin1Char(',');
      if (flat) {
        text += QString::number(qGray(pixel));
        continue;
      }
      QStringList values;
      if (channels == 1) values << QString::number(qGray(pixel));
      else values << QString::number(qRed(pixel)) << QString::number(qGreen(pixel)) << QString::number(qBlue(pixel));
      if (channels == 4) values << QString::number(qAlpha(pixel));
      text += QLatin1Char('[') + values.join(QLatin1Char(',')) + QLatin1Char(']');
    }
    text += QLatin1Char(']');
  }
  return text + QLatin1Char(']');
}

StatusOr<QString> pictureText(const QString& path, const PartialTensorShape& shape) {
  OS_ASSIGN_OR_RETURN(PictureShape wanted, pictureShape(shape));
  QImageReader reader(path);
  reader.setAutoTransform(true);
  const QSize size = reader.size();
  if (size.isValid() && int64_t{size.width()} * size.height() > kMaxPixels) {
    return errors::ResourceExhausted(path.toStdString(), ": the picture has ", size.width(), " x ", size.height(), " pixels; at most ", kMaxPixels, " can be fed");
  }
  QImage image = reader.read();
  if (image.isNull()) return errors::InvalidArgument(path.toStdString(), ": ", reader.errorString().toStdString());
  const QSize target(wanted.width > 0 ? wanted.width : image.width(), wanted.height > 0 ? wanted.height : image.height());
  if (target != image.size()) image = image.scaled(target, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
  const int channels = wanted.channels > 0 ? wanted.channels : 3;
  if (channels != 1 && channels != 3 && channels != 4) {
    return errors::InvalidArgument(path.toStdString(), ": a picture has 1, 3 or 4 channels; the placeholder wants ", channels);
  }
  const QString text = pixelText(image.convertToFormat(QImage::Format_ARGB32), channels, wanted.rank == 2);
  return wanted.rank == 4 ? QString(QLatin1Char('[') + text + QLatin1Char(']')) : text;
}

}  // namespace

StatusOr<QString> feedTextOfCsv(const QByteArray& bytes, const PartialTensorShape& shape) {
  QStringList rows;
  QStringList cells;
  qsizetype width = -1;
  int number = 0;
  for (const QString& line : QString::fromUtf8(bytes).split(QLatin1Char('\n'))) {
    ++number;
    if (line.trimmed().isEmpty()) continue;
    if (!numbers(line, &cells)) {
      if (rows.isEmpty() && number == 1) continue;  // a heading
      return errors::InvalidArgument("line ", number, " has something that is no number");
    }
    if (width >= 0 && cells.size() != width) {
      return errors::InvalidArgument("line ", number, " has ", cells.size(), " numbers, those before it have ", width);
    }
    width = cells.size();
    rows << cells.join(QStringLiteral(", "));
  }
  if (rows.isEmpty()) return errors::InvalidArgument("there are no numbers in it");
  const int rank = shape.dims();
  if (rank == 0 && rows.size() == 1 && width == 1) return rows.first();
  if (rank == 1 && width == 1) return QString(QLatin1Char('[') + rows.join(QStringLiteral(", ")) + QLatin1Char(']'));
  if (rank == 1 && rows.size() == 1) return QString(QLatin1Char('[') + rows.first() + QLatin1Char(']'));
  return QString(QStringLiteral("[[") + rows.join(QStringLiteral("], [")) + QStringLiteral("]]"));
}

StatusOr<QString> feedTextOfFile(const QString& path, DataType, const PartialTensorShape& shape) {
  const QFileInfo info(path);
  if (!info.isFile()) return errors::NotFound(path.toStdString(), ": there is no such file");
  const QString suffix = info.suffix().toLower();
  if (suffix == QLatin1String("npy")) return QString(QLatin1Char('@') + info.absoluteFilePath());
  if (suffix != QLatin1String("csv") && suffix != QLatin1String("tsv") && suffix != QLatin1String("txt")) return pictureText(path, shape);
  QFile file(path);
  if (info.size() > kMaxFileBytes) return errors::ResourceExhausted(path.toStdString(), ": larger than ", kMaxFileBytes, " bytes");
  if (!file.open(QIODevice::ReadOnly)) return errors::NotFound(path.toStdString(), ": ", file.errorString().toStdString());
  auto text = feedTextOfCsv(file.readAll(), shape);
  if (!text.ok()) return text.status().Prepend(path.toStdString() + ": ");
  return text;
}

}  // namespace opscope::ui
