/* The runs of the session: which was forked from which.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_RUN_TREE (ns_run_tree_get_type())
G_DECLARE_FINAL_TYPE(NsRunTree, ns_run_tree, NS, RUN_TREE, GtkBox)

/* An indented row a run, with buttons that pin it to the curves and that open it: its settings
 * become those of the controls. */
GtkWidget *ns_run_tree_new(NsSession *session);

/* Brings the row of the present run up to date.  Returns whether there are several runs. */
bool ns_run_tree_sync(NsRunTree *tree);
