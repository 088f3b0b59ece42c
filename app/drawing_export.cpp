#include "app/drawing_export.h"

#include <QBuffer>
#include <QImage>
#include <QPainter>
#include <QPdfWriter>
#include <QSvgGenerator>

#include "app/editor.h"
#include "engine/base/file.h"
#include "widgets/canvas/canvas_widget.h"
#include "widgets/controllers/document_controller.h"
#include "widgets/controllers/selection.h"
#include "widgets/support/qt_convert.h"

namespace opscope::ui {
namespace {

constexpr double kMargin = 24;           ///< Scene units around the drawing.
constexpr double kMaxSide = 32'000;      ///< Pixels of a .png, as far as Qt's raster engine draws.

StatusOr<QRectF> area(const Editor& editor, const QString& what) {
  const auto scene = editor.document()->scene();
  QRectF rect;
  if (what == QLatin1String("all")) {
    rect = toQRectF(scene->bounds);
  } else if (what == QLatin1String("view")) {
    return editor.canvas()->viewport().toScene(QRectF(editor.canvas()->rect()));
  } else if (what == QLatin1String("selection")) {
    for (const ItemId id : editor.selection()->items()) {
      const int32_t index = scene->Find(id);
      if (index >= 0) rect |= toQRectF(scene->items[static_cast<size_t>(index)].rect);
    }
  } else {
    return errors::InvalidArgument("\"what\" is '", what.toStdString(), "'; expected all, view or selection");
  }
  if (rect.isEmpty()) return errors::FailedPrecondition("There is nothing to draw");
  return rect.adjusted(-kMargin, -kMargin, kMargin, kMargin);
}

Status drawPng(const CanvasWidget& canvas, const QRectF& rect, double scale, QBuffer* out) {
  const QSizeF size = rect.size() * scale;
  if (size.width() > kMaxSide || size.height() > kMaxSide) {
    return errors::InvalidArgument("The picture would be ", static_cast<int64_t>(size.width()), " x ",
                                   static_cast<int64_t>(size.height()), " pixels; at most ", kMaxSide,
                                   " are drawn. Take a smaller scale, or .svg.");
  }
  QImage image(size.toSize().expandedTo({1, 1}), QImage::Format_ARGB32_Premultiplied);
  if (image.isNull()) return errors::ResourceExhausted("There is no memory for a picture of this size");
  QPainter painter(&image);
  canvas.paintScene(&painter, rect, QRectF(QPointF(), QSizeF(image.size())));
  painter.end();
  return image.save(out, "PNG") ? Status::OK() : errors::Internal("The picture could not be encoded");
}

Status drawSvg(const CanvasWidget& canvas, const QRectF& rect, QBuffer* out) {
  QSvgGenerator svg;
  svg.setOutputDevice(out);
  svg.setSize(rect.size().toSize());
  svg.setViewBox(QRectF(QPointF(), rect.size()));
  QPainter painter(&svg);
  canvas.paintScene(&painter, rect, QRectF(QPointF(), rect.size()));
  return Status::OK();
}

Status drawPdf(const CanvasWidget& canvas, const QRectF& rect, QBuffer* out) {
  QPdfWriter pdf(out);
  constexpr int kDotsPerInch = 96;  // one scene unit is one CSS pixel
  pdf.setResolution(kDotsPerInch);
  pdf.setPageSize(QPageSize(rect.size() / kDotsPerInch, QPageSize::Inch));
  pdf.setPageMargins(QMarginsF());
  QPainter painter(&pdf);
  canvas.paintScene(&painter, rect, QRectF(QPointF(), rect.size()));
  return Status::OK();
}

}  // namespace

Status exportDrawing(const Editor& editor, const QString& path, const QString& what, double scale) {
  OS_ASSIGN_OR_RETURN(const QRectF rect, area(editor, what));
  if (!(scale > 0)) return errors::InvalidArgument("\"scale\" must be above 0");
  QBuffer buffer;
  buffer.open(QIODevice::WriteOnly);
  Status status;
  if (path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) status = drawPng(*editor.canvas(), rect, scale, &buffer);
  else if (path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) status = drawSvg(*editor.canvas(), rect, &buffer);
  else if (path.endsWith(QLatin1String(".pdf"), Qt::CaseInsensitive)) status = drawPdf(*editor.canvas(), rect, &buffer);
  else status = errors::InvalidArgument(path.toStdString(), ": a drawing ends in .png, .svg or .pdf");
  OS_RETURN_IF_ERROR(status);
  const QByteArray& bytes = buffer.data();
  return WriteFileAtomic(path.toStdString(), std::string_view(bytes.constData(), static_cast<size_t>(bytes.size())));
}

}  // namespace opscope::ui
