#pragma once
// Reading TF_TString elements.

#include "engine/c_api/c_api.h"

#include <string_view>

namespace opscope::capi {

static_assert(sizeof(TF_TString) == 24, "the layout that C programs rely on");

/// The text of an element, valid as long as it isn't changed.
std::string_view StringText(const TF_TString& s);

}  // namespace opscope::capi
