/* A part of a diagram that can have the focus and be read.  SPDX-License-Identifier: MIT
 *
 * It draws nothing: the diagram below it does.  Enter or Space, or a screen reader, activates it.
 */
#pragma once

#include <gtk/gtk.h>

#define NS_TYPE_DIAGRAM_PART (ns_diagram_part_get_type())
G_DECLARE_FINAL_TYPE(NsDiagramPart, ns_diagram_part, NS, DIAGRAM_PART, GtkWidget)

/* Signal: "activated". */
GtkWidget *ns_diagram_part_new(void);

/* What a screen reader says. */
void ns_diagram_part_tell(NsDiagramPart *part, const char *name, const char *sentence);
const char *ns_diagram_part_name(NsDiagramPart *part);
