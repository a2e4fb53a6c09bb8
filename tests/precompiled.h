// What every test includes, compiled once per build.
#pragma once

#include <gtest/gtest.h>

#include "../src/base/precompiled.h"
