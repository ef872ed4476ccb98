/* SPDX-License-Identifier: MIT */
#include "core/base/error.h"

#include "core/base/words.h"

G_DEFINE_QUARK(ns - error - quark, ns_error)

bool ns_refuse(GError **error, NsErrorCode code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_propagate_error(error, g_error_new_valist(NS_ERROR, (int)code, _(format), arguments));
    va_end(arguments);
    return false;
}
