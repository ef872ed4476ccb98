/* SPDX-License-Identifier: MIT */
#include "ui/widgets/common/typing.h"

void ns_end_typing(GtkWidget *widget)
{
    GtkRoot *root = gtk_widget_get_root(widget);
    if (root) gtk_root_set_focus(root, NULL);
}
