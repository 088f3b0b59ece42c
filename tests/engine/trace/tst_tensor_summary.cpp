#include <QtTest>

#include <limits>

#include "engine/trace/tensor_summary.h"

using namespace opscope;

class TstTensorSummary : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void summarize_countsAndMeans();
  void summarize_stringsHaveNoNumbers();
  void shortValueText_isShort();
};

void TstTensorSummary::summarize_countsAndMeans() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> values = {1, nan, -3, inf, 8};
  const TensorSummary s = Summarize(Tensor::Vector<float>(values), 2);
  QCOMPARE(s.nan_count, int64_t{1});
  QCOMPARE(s.inf_count, int64_t{1});
  QVERIFY(s.has_numbers);
  QCOMPARE(s.min, -3.0);
  QCOMPARE(s.max, 8.0);
  QCOMPARE(s.mean, 2.0);
  QCOMPARE(s.first, (std::vector<std::string>{"1", "nan"}));
  QCOMPARE(s.bytes, int64_t{20});
  QVERIFY(!s.healthy());
}

void TstTensorSummary::summarize_stringsHaveNoNumbers() {
  const TensorSummary s = Summarize(Tensor::Scalar<tstring>("ab"));
  QVERIFY(!s.has_numbers);
  QCOMPARE(s.first, (std::vector<std::string>{"ab"}));
  QCOMPARE(Summarize(Tensor()).dtype, DT_INVALID);
}

void TstTensorSummary::shortValueText_isShort() {
  QCOMPARE(ShortValueText(Tensor::Scalar<float>(3.75f)), std::string("3.75"));
  const std::vector<int32_t> few = {1, 2, 3};
  QCOMPARE(ShortValueText(Tensor::Vector<int32_t>(few)), std::string("[1 2 3]"));
  QCOMPARE(ShortValueText(Tensor(DT_FLOAT, TensorShape({512, 512}))), std::string("float32 [512,512]"));
  QCOMPARE(ShortValueText(Tensor::Scalar<tstring>("ääääää"), 3), std::string("\"ää…"));
}

QTEST_APPLESS_MAIN(TstTensorSummary)
#include "tst_tensor_summary.moc"
