/* The runs of the session.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/run_tree.h"

#include "core/base/words.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"

#include <math.h>

#define INDENT 14 /* pixels a generation */
#define MOST_GENERATIONS 5

struct _NsRunTree {
    GtkBox parent;
    NsSession *session;
    GtkWidget *facts; /* of the present run; NULL while there is none */
    bool stale;       /* is rebuilt soon */
};

G_DEFINE_FINAL_TYPE(NsRunTree, ns_run_tree, GTK_TYPE_BOX)

static const char ID[] = "ns-run-id", WORDS[] = "ns-run-words";

static unsigned id_of(gpointer button)
{
    return GPOINTER_TO_UINT(g_object_get_data(button, ID));
}

static void on_pinned(GtkToggleButton *button, NsRunTree *tree)
{
    ns_session_pin_run(tree->session, id_of(button), gtk_toggle_button_get_active(button));
}

static void on_opened(GtkWidget *button, NsRunTree *tree)
{
    ns_session_open_run(tree->session, id_of(button));
}

static char *facts_of(const NsSessionRun *run)
{
    if (!run->measured) return g_strdup(_("no step measured yet"));
    GString *words = g_string_new(NULL);
    for (size_t i = 0; i < run->lanes; i++) {
        g_autofree char *number = ns_text_value(run->loss[i], 3);
        const char *name = run->names && run->names[i] ? run->names[i] : ns_lane_letter(i);
        if (run->lanes > 1) g_string_append_printf(words, "%s%s ", i ? ", " : "", name);
        g_string_append(words, isfinite(run->loss[i]) ? number : _("not finite"));
    }
    g_autofree char *last = ns_group_digits(run->last_step), *loss = g_string_free(words, FALSE);
    g_autofree char *from = ns_group_digits(run->fork_step);
    if (run->parent)
        return g_strdup_printf(run->present ? _("from step %s of run %u, now at %s, loss %s")
                                            : _("from step %s of run %u to %s, loss %s"),
                               from, run->parent, last, loss);
    return g_strdup_printf(run->present ? _("now at step %s, loss %s") : _("to step %s, loss %s"),
                           last, loss);
}

static GtkWidget *prepare(GtkWidget *button, unsigned id, const char *words)
{
    gtk_widget_add_css_class(button, "flat");
    gtk_widget_set_valign(button, GTK_ALIGN_START);
    ns_accessible_tooltip(button, words);
    g_object_set_data(G_OBJECT(button), ID, GUINT_TO_POINTER(id));
    return button;
}

static char *open_words(const NsSessionRun *run)
{
    g_autofree char *step = ns_group_digits(run->checkpoint);
    if (run->outside) return g_strdup_printf(_("Show run %u again"), run->id);
    if (run->checkpoint < 0)
        return g_strdup_printf(_("Show run %u again; Run would restart it"), run->id);
    return g_strdup_printf(_("Show run %u again; Run would continue from step %s"), run->id, step);
}

static GtkWidget *make_row(NsRunTree *tree, const NsSessionRun *run, int generation)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 2);
    GtkWidget *words = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    g_autofree char *title =
        g_strdup_printf("%u  %s", run->id, run->differs ? run->differs : run->title);
    g_autofree char *facts = facts_of(run);
    GtkWidget *below = ns_text_label_new(facts, "hint");
    ns_box_append(words, ns_text_label_new(title, run->present ? "now" : NULL), below, NULL);
    ns_tooltip(words, run->title);
    gtk_widget_set_hexpand(words, TRUE);
    gtk_box_append(GTK_BOX(row), words);
    gtk_widget_set_margin_start(row, generation * INDENT);
    if (run->present) {
        tree->facts = below;
        return row;
    }
    g_autofree char *pin =
        g_strdup_printf(_("Pin run %u: its curves stay, drawn faintly"), run->id);
    g_autofree char *open = open_words(run);
    GtkWidget *toggle = gtk_toggle_button_new();
    gtk_button_set_icon_name(GTK_BUTTON(toggle), "view-pin-symbolic");
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(toggle), run->pinned);
    gtk_box_append(GTK_BOX(row), prepare(toggle, run->id, pin));
    GtkWidget *button = gtk_button_new_from_icon_name("document-open-symbolic");
    gtk_box_append(GTK_BOX(row), prepare(button, run->id, open));
    g_signal_connect(toggle, "toggled", G_CALLBACK(on_pinned), tree);
    g_signal_connect(button, "clicked", G_CALLBACK(on_opened), tree);
    return row;
}

bool ns_run_tree_sync(NsRunTree *tree)
{
    size_t n = 0;
    const NsSessionRun *runs = ns_session_runs(tree->session, &n);
    for (size_t i = 0; tree->facts && i < n; i++) {
        if (!runs[i].present) continue;
        g_autofree char *facts = facts_of(&runs[i]);
        gtk_label_set_text(GTK_LABEL(tree->facts), facts);
    }
    return n > 1;
}

static void remove_row(NsRunTree *tree, GtkWidget *row)
{
    if (tree->facts && gtk_widget_is_ancestor(tree->facts, row)) tree->facts = NULL;
    gtk_box_remove(GTK_BOX(tree), row);
}

/* Rows whose words are the same stay: a session may have had hundreds of runs. */
static void rebuild(NsRunTree *tree)
{
    size_t n = 0;
    const NsSessionRun *runs = ns_session_runs(tree->session, &n);
    GtkWidget *old = gtk_widget_get_first_child(GTK_WIDGET(tree)), *last = NULL;
    for (size_t i = 0; i < n; i++) {
        int generation = 0;
        unsigned parent = runs[i].parent;
        for (size_t k = n; k-- > 0 && generation < MOST_GENERATIONS;) {
            if (!parent || runs[k].id != parent) continue;
            parent = runs[k].parent;
            generation++;
        }
        /* The words of a row, without those that change with every step of the present run. */
        const NsSessionRun *run = &runs[i];
        g_autofree char *facts = run->present ? g_strdup("") : facts_of(run);
        g_autofree char *open = run->present ? g_strdup("") : open_words(run);
        g_autofree char *words =
            g_strdup_printf("%u %d %d\n%s\n%s\n%s\n%s", run->id, generation, run->pinned,
                            run->differs ? run->differs : "", run->title, facts, open);
        GtkWidget *row = old;
        if (old) old = gtk_widget_get_next_sibling(old);
        if (!row || !g_str_equal(g_object_get_data(G_OBJECT(row), WORDS), words)) {
            if (row) remove_row(tree, row);
            row = make_row(tree, &runs[i], generation);
            g_object_set_data_full(G_OBJECT(row), WORDS, g_steal_pointer(&words), g_free);
            gtk_box_insert_child_after(GTK_BOX(tree), row, last);
        }
        last = row;
    }
    while (old) {
        GtkWidget *row = old;
        old = gtk_widget_get_next_sibling(row);
        remove_row(tree, row);
    }
    ns_run_tree_sync(tree);
}

static gboolean rebuild_soon(gpointer data)
{
    NsRunTree *tree = data;
    tree->stale = false;
    if (gtk_widget_get_root(GTK_WIDGET(tree))) rebuild(tree); /* else its window was closed */
    return G_SOURCE_REMOVE;
}

/* Deferred, because a button must not be removed while it emits "clicked". */
static void on_runs_changed(NsRunTree *tree)
{
    if (tree->stale) return;
    tree->stale = true;
    g_idle_add_full(G_PRIORITY_DEFAULT, rebuild_soon, g_object_ref(tree), g_object_unref);
}

static void ns_run_tree_class_init(NsRunTreeClass *klass)
{
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "runs");
}

static void ns_run_tree_init(NsRunTree *tree)
{
    (void)tree;
}

GtkWidget *ns_run_tree_new(NsSession *session)
{
    NsRunTree *tree =
        g_object_new(NS_TYPE_RUN_TREE, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 6, NULL);
    tree->session = ns_session_hold(session, tree);
    ns_session_listen(session, "runs-changed", G_CALLBACK(on_runs_changed), tree);
    rebuild(tree);
    return GTK_WIDGET(tree);
}
