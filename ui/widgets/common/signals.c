/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/signals.h"

void ns_signal_new(GType type, const char *name, guint n, ...)
{
    va_list types;
    va_start(types, n);
    g_signal_new_valist(name, type, G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL, G_TYPE_NONE, n,
                        types);
    va_end(types);
}
