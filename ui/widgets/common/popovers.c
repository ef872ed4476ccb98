/* Popovers that are there as long as they are open.  SPDX-License-Identifier: MIT */
#include "ui/widgets/common/popovers.h"

#include "core/base/words.h"
#include "ui/widgets/common/helpers.h"

#include <math.h>
#include <stdbool.h>

#define LEAVING_MS 50 /* time for the pointer to leave a closed popover */

static const char FORMER_FOCUS[] = "ns-focus-former";

static bool has_focus(GtkWidget *popover, GtkRoot *root)
{
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    return focus && gtk_widget_is_ancestor(focus, popover);
}

static void leave(GtkWidget *popover, GtkWidget *to)
{
    GtkRoot *root = gtk_widget_get_root(popover);
    if (!has_focus(popover, root)) return;
    if (to && gtk_widget_get_mapped(to)) gtk_widget_grab_focus(to);
    if (has_focus(popover, root)) gtk_root_set_focus(root, NULL);
}

static void free_reference(gpointer former)
{
    g_weak_ref_clear(former);
    g_free(former);
}

/* GTK 4.18 gives the focus to the parent of a popover after the handlers of "closed", although they
 * may have moved it.  A window or popover that has opened since then keeps it. */
static gboolean keep_focus(gpointer popover)
{
    g_autoptr(GtkWidget) former = g_weak_ref_get(g_object_get_data(popover, FORMER_FOCUS));
    GtkWidget *at = gtk_widget_get_parent(popover);
    GtkRoot *root = gtk_widget_get_root(popover);
    GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
    if (!at || !focus || !former || focus == former) return G_SOURCE_REMOVE;
    if (focus != at && !gtk_widget_is_ancestor(focus, at)) return G_SOURCE_REMOVE;
    if (gtk_widget_get_native(focus) != gtk_widget_get_native(at)) return G_SOURCE_REMOVE;
    if (gtk_widget_get_mapped(former)) gtk_widget_grab_focus(former);
    return G_SOURCE_REMOVE;
}

void ns_popover_part(GtkWidget *popover)
{
    leave(popover, gtk_widget_get_parent(popover));
    gtk_widget_set_sensitive(popover, FALSE);
}

static gboolean let_go(gpointer popover)
{
    ns_popover_part(popover);
    gtk_widget_unparent(popover);
    return G_SOURCE_REMOVE;
}

/* A popover must not be removed while it emits "closed", nor while the pointer is over it: it is
 * removed after this event. */
static void on_closed(GtkWidget *popover)
{
    GWeakRef *former = g_object_get_data(G_OBJECT(popover), FORMER_FOCUS);
    g_autoptr(GtkWidget) before = g_weak_ref_get(former);
    GtkRoot *root = gtk_widget_get_root(popover);
    leave(popover, before);
    g_weak_ref_set(former, root ? gtk_root_get_focus(root) : NULL);
    g_idle_add_full(G_PRIORITY_DEFAULT, keep_focus, g_object_ref(popover), g_object_unref);
    g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, let_go, g_object_ref(popover), g_object_unref);
}

void ns_popover_pass(GtkWidget *popover, GtkWidget *at, const GdkRectangle *place)
{
    GtkRoot *root = gtk_widget_get_root(at);
    GWeakRef *former = g_new0(GWeakRef, 1);
    g_weak_ref_init(former, root ? gtk_root_get_focus(root) : NULL);
    g_object_set_data_full(G_OBJECT(popover), FORMER_FOCUS, former, free_reference);
    gtk_widget_set_parent(popover, at);
    if (place) gtk_popover_set_pointing_to(GTK_POPOVER(popover), place);
    g_signal_connect(popover, "closed", G_CALLBACK(on_closed), NULL);
    /* A widget that is destroyed does not remove popovers that were added from outside. */
    ns_connect(at, "destroy", G_CALLBACK(gtk_widget_unparent), popover);
    gtk_popover_popup(GTK_POPOVER(popover));
}

/* Closes the open popovers below a widget; TRUE if there were some, which grab the pointer. */
static bool close_below(GtkWidget *widget)
{
    bool any = false;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child))
        any |= close_below(child);
    if (!GTK_IS_POPOVER(widget) || !gtk_widget_get_mapped(widget)) return any;
    if (!gtk_popover_get_autohide(GTK_POPOVER(widget))) return any;
    gtk_popover_popdown(GTK_POPOVER(widget));
    return true;
}

static gboolean close_again(gpointer window)
{
    gtk_window_close(window);
    return G_SOURCE_REMOVE;
}

/* A window may close another one, so the popovers of all windows are closed.  The window follows
 * when the pointer has left them; otherwise the next layout would ask a surface that is gone. */
static gboolean on_close_request(GtkWindow *window)
{
    GListModel *windows = gtk_window_get_toplevels();
    bool any = false;
    for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
        g_autoptr(GtkWidget) each = g_list_model_get_item(windows, i);
        any |= close_below(each);
    }
    if (any)
        g_timeout_add_full(G_PRIORITY_DEFAULT_IDLE, LEAVING_MS, close_again, g_object_ref(window),
                           g_object_unref);
    return any;
}

static void on_windows_changed(GListModel *windows, guint at, guint removed, guint added)
{
    (void)removed;
    for (guint i = at; i < at + added; i++) {
        g_autoptr(GtkWidget) window = g_list_model_get_item(windows, i);
        g_signal_connect(window, "close-request", G_CALLBACK(on_close_request), NULL);
    }
}

void ns_popovers_close_first(void)
{
    static bool once;
    if (once) return;
    once = true;
    g_signal_connect(gtk_window_get_toplevels(), "items-changed", G_CALLBACK(on_windows_changed),
                     NULL);
}

/* ---- A question for one number ---- */

#define CHARS 8

typedef struct {
    const NsAsk *ask;
    gpointer data;
    GtkWidget *popover, *entry, *hint;
} Question;

static void on_answer(Question *question)
{
    g_autofree char *text =
        g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(question->entry))));
    char *end = NULL;
    double number = g_ascii_strtod(text, &end);
    if (*text && !*end && isfinite(number) && question->ask->take(number, question->data)) {
        gtk_popover_popdown(GTK_POPOVER(question->popover));
        return;
    }
    gtk_label_set_text(GTK_LABEL(question->hint), _(question->ask->refusal));
    gtk_widget_set_visible(question->hint, TRUE);
}

GtkWidget *ns_ask_popover(GtkWidget *at, const NsAsk *ask, gpointer data)
{
    Question *question = g_new0(Question, 1);
    GtkWidget *popover = gtk_popover_new();
    *question = (Question){.ask = ask, .data = data, .popover = popover};
    g_object_set_data_full(G_OBJECT(popover), "ns-question", question, g_free);
    GtkWidget *grid = ns_grid_new(6, 8);
    GtkWidget *label = gtk_label_new(_(question->ask->question));
    GtkWidget *button =
        ns_button_new(_(question->ask->answer), NULL, G_CALLBACK(on_answer), question);
    question->entry = gtk_entry_new();
    question->hint = ns_text_label_new(NULL, "error");
    gtk_editable_set_text(GTK_EDITABLE(question->entry), question->ask->start);
    gtk_editable_set_width_chars(GTK_EDITABLE(question->entry), CHARS);
    gtk_accessible_update_relation(GTK_ACCESSIBLE(question->entry),
                                   GTK_ACCESSIBLE_RELATION_LABELLED_BY, label, NULL, -1);
    gtk_widget_add_css_class(button, "suggested-action");
    gtk_label_set_max_width_chars(GTK_LABEL(question->hint), 32);
    gtk_widget_set_visible(question->hint, FALSE);
    gtk_widget_add_css_class(grid, "ask");
    gtk_grid_attach(GTK_GRID(grid), label, 0, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), question->entry, 1, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), button, 2, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), question->hint, 0, 1, 3, 1);
    g_signal_connect_swapped(question->entry, "activate", G_CALLBACK(on_answer), question);
    gtk_popover_set_child(GTK_POPOVER(popover), grid);
    ns_popover_pass(popover, at, NULL);
    gtk_widget_grab_focus(question->entry);
    return popover;
}
