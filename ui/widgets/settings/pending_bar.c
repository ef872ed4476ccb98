/* SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/pending_bar.h"

#include "core/base/words.h"
#include "ui/widgets/common/helpers.h"

typedef struct {
    NsSession *session;
    GtkWidget *words, *restart, *fork, *drop;
} Bar;

static Bar *bar_of(GtkWidget *revealer)
{
    return g_object_get_data(G_OBJECT(revealer), "ns-bar");
}

/* Says from which step a fork would begin; FALSE where none can. */
static bool offer_fork(const Bar *bar)
{
    int64_t step = ns_session_fork_step(bar->session);
    if (step < 0) {
        gtk_widget_set_tooltip_text(
            bar->fork, _("There is no checkpoint from which all lanes could continue."));
        return false;
    }
    g_autofree char *digits = ns_group_digits(step);
    g_autofree char *words = g_strdup_printf(
        _("Continue from step %s with these settings, as a new branch (F)"), digits);
    gtk_widget_set_tooltip_text(bar->fork, words);
    return true;
}

static void sync_bar(GtkWidget *revealer)
{
    const Bar *bar = bar_of(revealer);
    g_autofree char *words = ns_session_pending_words(bar->session);
    bool waits = words != NULL;
    bool had_focus = !waits && gtk_widget_get_focus_child(revealer);
    if (waits) {
        gtk_label_set_text(GTK_LABEL(bar->words), words);
        gtk_widget_set_tooltip_text(bar->words, words);
    }
    gtk_revealer_set_reveal_child(GTK_REVEALER(revealer), waits);
    /* A bar that is folded away must not be reached by keyboard, pointer or assistive technology,
     * which is told of each button alone. */
    gtk_widget_set_can_target(revealer, waits);
    gtk_widget_set_sensitive(bar->restart, waits && ns_session_can_restart(bar->session));
    gtk_widget_set_sensitive(bar->fork, waits && offer_fork(bar));
    gtk_widget_set_sensitive(bar->drop, waits);
    if (had_focus) gtk_widget_child_focus(gtk_widget_get_parent(revealer), GTK_DIR_TAB_FORWARD);
}

static void on_restart(GtkWidget *revealer)
{
    ns_session_restart(bar_of(revealer)->session);
}

static void on_fork(GtkWidget *revealer)
{
    ns_session_fork(bar_of(revealer)->session);
}

static void on_drop(GtkWidget *revealer)
{
    ns_session_drop_pending(bar_of(revealer)->session);
}

static GtkWidget *add_button(GtkWidget *line, GtkWidget *owner, const char *label,
                             const char *words, GCallback callback)
{
    GtkWidget *button = gtk_button_new_with_label(label);
    gtk_widget_set_tooltip_text(button, words);
    g_signal_connect_object(button, "clicked", callback, owner, G_CONNECT_SWAPPED);
    gtk_box_append(GTK_BOX(line), button);
    return button;
}

GtkWidget *ns_pending_bar_new(NsSession *session)
{
    GtkWidget *revealer = gtk_revealer_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    Bar *bar = g_new0(Bar, 1);
    bar->session = ns_session_hold(session, revealer);
    g_object_set_data_full(G_OBJECT(revealer), "ns-bar", bar, g_free);
    gtk_widget_add_css_class(box, "pending-bar");
    bar->words = ns_text_label_new(NULL, NULL);
    gtk_label_set_lines(GTK_LABEL(bar->words), 2);
    gtk_label_set_ellipsize(GTK_LABEL(bar->words), PANGO_ELLIPSIZE_END);
    gtk_widget_set_vexpand(bar->words, TRUE);
    gtk_box_append(GTK_BOX(box), bar->words);
    gtk_widget_add_css_class(line, "linked");
    gtk_box_set_homogeneous(GTK_BOX(line), TRUE);
    bar->restart =
        add_button(line, revealer, _("Restart"),
                   _("All lanes restart at step 0 with these settings"), G_CALLBACK(on_restart));
    bar->fork = add_button(line, revealer, _("Fork"), NULL, G_CALLBACK(on_fork));
    bar->drop = add_button(line, revealer, _("Undo"), _("Back to the settings of the run"),
                           G_CALLBACK(on_drop));
    gtk_box_append(GTK_BOX(box), line);
    gtk_revealer_set_child(GTK_REVEALER(revealer), box);
    ns_session_listen(session, "settings-changed", G_CALLBACK(sync_bar), revealer);
    ns_session_listen(session, "status-changed", G_CALLBACK(sync_bar), revealer);
    ns_session_listen(session, "view-changed", G_CALLBACK(sync_bar), revealer);
    sync_bar(revealer);
    return revealer;
}
