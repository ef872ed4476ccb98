/* The runs of the session and their forks.  SPDX-License-Identifier: MIT */
#pragma once

#include "ui/session/session.h"

#include <gtk/gtk.h>

#define NS_TYPE_RUN_TREE (ns_run_tree_get_type())
G_DECLARE_FINAL_TYPE(NsRunTree, ns_run_tree, NS, RUN_TREE, GtkBox)

/* A row for each run, indented below the run that it was forked from, with buttons that pin its
 * curves and that show it again with its settings. */
GtkWidget *ns_run_tree_new(NsSession *session);

/* Brings the row of the present run up to date.  Returns whether there are several runs. */
bool ns_run_tree_sync(NsRunTree *tree);
