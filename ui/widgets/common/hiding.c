/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/hiding.h"

#define REASONS "ns-hidden-by" /* of the object: a set of NsHiddenBy */

void ns_hide(GtkWidget *widget, NsHiddenBy reason, bool hidden)
{
    unsigned reasons = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(widget), REASONS));
    reasons = hidden ? reasons | (unsigned)reason : reasons & ~(unsigned)reason;
    g_object_set_data(G_OBJECT(widget), REASONS, GUINT_TO_POINTER(reasons));
    gtk_widget_set_visible(widget, reasons == 0);
}
