// What the consumer checks with.
#pragma once

#include <iostream>
#include <string>

#include <opscope/session.h>

inline int failures = 0;

inline void Check(bool ok, const char* what, int line, const std::string& seen = {}) {
  if (ok) return;
  ++failures;
  std::cerr << "line " << line << ": " << what << (seen.empty() ? "" : ": ") << seen << "\n";
}

#define CHECK_TRUE(condition) Check((condition), #condition, __LINE__)
#define CHECK_HAS(text, part) Check((text).find(part) != std::string::npos, "misses " #part, __LINE__, (text))

inline void CheckOk(const opscope::Status& status, const char* what, int line) { Check(status.ok(), what, line, status.ToString()); }
#define CHECK_OK(expression) CheckOk((expression), #expression, __LINE__)
