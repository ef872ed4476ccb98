/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"

G_DEFINE_QUARK(ns - error - quark, ns_error)
