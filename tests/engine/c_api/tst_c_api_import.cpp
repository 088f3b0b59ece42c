// Import and export of graphs through the C API.
#include "tests/engine/c_api/c_sample_graphs.h"

#include <QTest>

class TstCApiImport : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void import_andExport();
  void import_refusesNamesThatAreTaken();
  void import_withPrefix();
  void import_countsNamesUp();
  void import_mapsInputs();
  void import_waitsForControlDependencies();
  void import_tellsWhatWasAskedFor();
  void import_keepsLoopsClosed();
  void import_isAllOrNothing();
  void import_survivesOddBytes();
};

void TstCApiImport::import_andExport() {
  const std::string bytes = SmallGraph();
  CGraph g;
  Importer importer;
  importer.Run(g, bytes);
  QVERIFY2(importer.status.ok(), qPrintable(importer.status.message()));
  TF_Tensor* fed = CGraph::Scalar(2.0F, TF_FLOAT);
  QCOMPARE(CGraph::Take<float>(g.Run({{Find(g, "a"), 0}}, {fed}, {Find(g, "sum"), 0})), 3.0F);
  TF_DeleteTensor(fed);
  CGraph again;
  Importer second;
  second.Run(again, Serialized(g));
  QVERIFY(second.status.ok());
  QVERIFY(Find(again, "sum") != nullptr);
}

void TstCApiImport::import_refusesNamesThatAreTaken() {
  CGraph g;
  Importer importer;
  importer.Run(g, SmallGraph());
  importer.Run(g, SmallGraph());
  QCOMPARE(importer.status.code(), TF_INVALID_ARGUMENT);
  QCOMPARE(importer.status.message(), QStringLiteral("Node name 'a' already exists in the Graph"));
}

void TstCApiImport::import_withPrefix() {
  CGraph g;
  Importer importer;
  TF_ImportGraphDefOptionsSetPrefix(importer, "in");
  TF_ImportGraphDefOptionsSetDefaultDevice(importer, "/cpu:0");
  importer.Run(g, SmallGraph());
  QVERIFY(importer.status.ok());
  TF_Operation* sum = Find(g, "in/sum");
  QVERIFY(sum != nullptr);
  QCOMPARE(QByteArray(TF_OperationDevice(sum)), QByteArray("/cpu:0"));
  QVERIFY(TF_OperationInput({sum, 0}).oper == Find(g, "in/a"));
  TF_ImportGraphDefOptionsSetUniquifyPrefix(importer, 1);
  importer.Run(g, SmallGraph());
  QVERIFY2(importer.status.ok(), qPrintable(importer.status.message()));
  QVERIFY(TF_OperationInput({Find(g, "in_1/sum"), 0}).oper == Find(g, "in_1/a"));
  TF_ImportGraphDefOptionsSetPrefix(importer, "no spaces");
  importer.Run(g, SmallGraph());
  QCOMPARE(
      importer.status.message(),
      QStringLiteral("Imported node name prefix 'no spaces/' would lead to invalid node names"));
}

void TstCApiImport::import_countsNamesUp() {
  CGraph g;
  Importer importer;
  TF_ImportGraphDefOptionsSetUniquifyNames(importer, 1);
  importer.Run(g, SmallGraph());
  importer.Run(g, SmallGraph());
  QVERIFY(importer.status.ok());
  TF_Operation* sum = Find(g, "sum_1");
  QVERIFY(sum != nullptr);
  QVERIFY(TF_OperationInput({sum, 0}).oper == Find(g, "a_1"));
}

void TstCApiImport::import_mapsInputs() {
  CGraph g;
  const TF_Output mine = g.Constant("mine", 5.0F, TF_FLOAT);
  Importer importer;
  TF_ImportGraphDefOptionsAddInputMapping(importer, "a", 0, mine);
  TF_ImportGraphDefOptionsAddInputMapping(importer, "nobody", 0, mine);
  importer.Run(g, SmallGraph());
  QVERIFY2(importer.status.ok(), qPrintable(importer.status.message()));
  QCOMPARE(CGraph::Take<float>(g.Run({}, {}, {Find(g, "sum"), 0})), 6.0F);
  int count = 0;
  const char** names = nullptr;
  int* indexes = nullptr;
  TF_ImportGraphDefResultsMissingUnusedInputMappings(importer.results(), &count, &names, &indexes);
  QCOMPARE(count, 1);
  QCOMPARE(QByteArray(names[0]), QByteArray("nobody"));
  QCOMPARE(indexes[0], 0);
}

void TstCApiImport::import_waitsForControlDependencies() {
  CGraph g;
  const TF_Output first = g.Constant("first", 5.0F, TF_FLOAT);
  Importer importer;
  TF_ImportGraphDefOptionsSetPrefix(importer, "in");
  TF_ImportGraphDefOptionsAddControlDependency(importer, first.oper);
  importer.Run(g, SmallGraph());
  QCOMPARE(TF_OperationNumControlInputs(Find(g, "in/a")), 1);
  QCOMPARE(TF_OperationNumControlInputs(Find(g, "in/sum")), 0);
}

void TstCApiImport::import_tellsWhatWasAskedFor() {
  CGraph g;
  Importer importer;
  TF_ImportGraphDefOptionsAddReturnOutput(importer, "sum", 0);
  TF_ImportGraphDefOptionsAddReturnOperation(importer, "a");
  QCOMPARE(TF_ImportGraphDefOptionsNumReturnOutputs(importer), 1);
  QCOMPARE(TF_ImportGraphDefOptionsNumReturnOperations(importer), 1);
  importer.Run(g, SmallGraph());
  int count = 0;
  TF_Output* outputs = nullptr;
  TF_ImportGraphDefResultsReturnOutputs(importer.results(), &count, &outputs);
  QCOMPARE(count, 1);
  QVERIFY(outputs[0].oper == Find(g, "sum"));
  TF_Operation** opers = nullptr;
  TF_ImportGraphDefResultsReturnOperations(importer.results(), &count, &opers);
  QCOMPARE(count, 1);
  QVERIFY(opers[0] == Find(g, "a"));
  Importer wrong;
  TF_ImportGraphDefOptionsSetPrefix(wrong, "x");
  TF_ImportGraphDefOptionsAddReturnOutput(wrong, "sum", 1);
  wrong.Run(g, SmallGraph());
  QCOMPARE(wrong.status.message(),
           QStringLiteral("Invalid return output 1 of node 'sum', which has 1 output(s)"));
}

// The head of a loop reads a node that comes later; it must be read by its new name.
void TstCApiImport::import_keepsLoopsClosed() {
  CGraph source;
  TF_Output inputs[] = {source.Placeholder("i", TF_INT32), source.Constant("x", 3, TF_INT32)};
  const TF_WhileParams params = StartLoop(source, inputs);
  TF_Output outputs[2];
  TF_FinishWhile(&params, source.status(), outputs);
  QVERIFY2(source.status().ok(), qPrintable(source.status().message()));
  const std::string bytes = Serialized(source);
  for (const bool counts_up : {false, true}) {
    CGraph g;
    Importer importer;
    if (counts_up) {
      importer.Run(g, bytes);
      TF_ImportGraphDefOptionsSetUniquifyNames(importer, 1);
    } else {
      TF_ImportGraphDefOptionsSetPrefix(importer, "in");
    }
    importer.Run(g, bytes);
    QVERIFY2(importer.status.ok(), qPrintable(importer.status.message()));
    const char* merge = counts_up ? "loop/merge0_1" : "in/loop/merge0";
    const char* next = counts_up ? "loop/next_iteration0_1" : "in/loop/next_iteration0";
    QVERIFY(TF_OperationInput({Find(g, merge), 1}).oper == Find(g, next));
    const TF_Output feed{Find(g, counts_up ? "i_1" : "in/i"), 0};
    TF_Tensor* fed = CGraph::Scalar(2, TF_INT32);
    QCOMPARE(CGraph::Take<int32_t>(
                 g.Run({feed}, {fed}, {Find(g, counts_up ? "loop/exit1_1" : "in/loop/exit1"), 0})),
             24);
    TF_DeleteTensor(fed);
  }
}

void TstCApiImport::import_isAllOrNothing() {
  CGraph g;
  // A node of an op that nobody knows comes last.
  std::string bytes = SmallGraph();
  const std::string bad =
      "\x0a\x0a\x0a\x03"
      "bad"
      "\x12\x03"
      "Bad";
  Importer importer;
  importer.Run(g, bytes + bad);
  QCOMPARE(importer.status.code(), TF_NOT_FOUND);
  size_t pos = 0;
  QVERIFY(TF_GraphNextOperation(g, &pos) == nullptr);
  importer.Run(g, bytes);
  QVERIFY2(importer.status.ok(), qPrintable(importer.status.message()));
  QCOMPARE(CGraph::Take<float>(g.Run({}, {}, {Find(g, "b"), 0})), 1.0F);
}

void TstCApiImport::import_survivesOddBytes() {
  const std::string bytes = SmallGraph();
  for (size_t i = 0; i < bytes.size(); i += 3) {
    for (const int bit : {1, 64}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(changed[i] ^ bit);
      CGraph g;
      Importer importer;
      importer.Run(g, changed);
      if (importer.status.ok()) (void)Serialized(g);
    }
  }
  CGraph g;
  Importer importer;
  importer.Run(g, "no proto at all");
  QCOMPARE(importer.status.message(), QStringLiteral("Invalid GraphDef"));
}

QTEST_GUILESS_MAIN(TstCApiImport)
#include "tst_c_api_import.moc"
