/* The four stages of a step in slow motion.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/stages.h"

#include "core/base/words.h"
#include "ui/widgets/common/accessible.h"

#define N_STAGES (NS_STAGE_UPDATE + 1)

static const struct {
    const char *word, *purpose;
} STAGES[N_STAGES] = {
    {N_("Forward"), N_("The batch goes through the layers; every hidden state is computed")},
    {N_("Loss"), N_("How far the prediction is from the next token")},
    {N_("Backward"),
     N_("The gradient is propagated back through the layers, from the last to the first")},
    {N_("Update"), N_("The optimizer changes every weight a little so as to lower the loss")},
};

struct _NsStages {
    GtkBox parent;
    NsSession *session;
    GtkWidget *revealer, *cell[N_STAGES], *bar[N_STAGES];
    int lit; /* -1: none */
};

G_DEFINE_FINAL_TYPE(NsStages, ns_stages, GTK_TYPE_BOX)

void ns_stages_sync(NsStages *stages)
{
    NsStage stage = NS_STAGE_FORWARD;
    double progress = 0.0;
    bool slow = stages->session->slow;
    int lit = slow && ns_session_stage(stages->session, &stage, &progress) ? (int)stage : -1;
    gtk_revealer_set_reveal_child(GTK_REVEALER(stages->revealer), slow);
    for (int i = 0; i < N_STAGES; i++) {
        double share = lit < 0 || i > lit ? 0.0 : i < lit ? 1.0 : progress;
        gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(stages->bar[i]), share);
        if (i == lit && lit != stages->lit) gtk_widget_add_css_class(stages->cell[i], "lit");
        if (i == stages->lit && lit != stages->lit)
            gtk_widget_remove_css_class(stages->cell[i], "lit");
    }
    stages->lit = lit;
}

static void ns_stages_class_init(NsStagesClass *klass)
{
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "stages");
}

static void ns_stages_init(NsStages *stages)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 10);
    gtk_box_set_homogeneous(GTK_BOX(row), TRUE);
    for (int i = 0; i < N_STAGES; i++) {
        GtkWidget *cell = gtk_box_new(GTK_ORIENTATION_VERTICAL, 3);
        stages->cell[i] = cell;
        stages->bar[i] = gtk_progress_bar_new();
        gtk_box_append(GTK_BOX(cell), gtk_label_new(_(STAGES[i].word)));
        gtk_box_append(GTK_BOX(cell), stages->bar[i]);
        ns_accessible_name(stages->bar[i], _(STAGES[i].word));
        gtk_widget_set_tooltip_text(cell, _(STAGES[i].purpose));
        gtk_box_append(GTK_BOX(row), cell);
    }
    stages->lit = -1;
    stages->revealer = gtk_revealer_new();
    gtk_revealer_set_child(GTK_REVEALER(stages->revealer), row);
    gtk_box_append(GTK_BOX(stages), stages->revealer);
}

GtkWidget *ns_stages_new(NsSession *session)
{
    NsStages *stages = g_object_new(NS_TYPE_STAGES, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
    stages->session = ns_session_hold(session, stages);
    ns_stages_sync(stages);
    return GTK_WIDGET(stages);
}
