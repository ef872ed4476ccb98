/* What happened to the run.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/event_list.h"

#include "core/base/words.h"
#include "ui/widgets/common/accessible.h"
#include "ui/widgets/common/text_label.h"

#define MOST_ROWS 50u

struct _NsEventList {
    GtkBox parent;
    NsSession *session;
    GtkWidget *box;
    size_t n; /* marks at the last look */
    int64_t last;
};

G_DEFINE_FINAL_TYPE(NsEventList, ns_event_list, GTK_TYPE_BOX)

static const char STEP[] = "ns-event-step";

static GtkWidget *make_row(const NsSessionMark *mark, bool lanes)
{
    g_autofree char *digits = ns_group_digits(mark->step);
    const char *lane = lanes && mark->lane >= 0 ? ns_lane_letter((size_t)mark->lane) : NULL;
    g_autofree char *of_seed =
        mark->seed ? g_strdup_printf(_("Seed %d: %s"), mark->seed, mark->text) : NULL;
    g_autofree char *where = lane ? g_strdup_printf("%s %s", lane, digits) : g_strdup(digits);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *step = gtk_label_new(where), *words = ns_text_label_new(NULL, NULL);
    ns_text_label_set_sentence(words, of_seed ? of_seed : mark->text);
    gtk_widget_set_hexpand(words, TRUE);
    gtk_widget_set_valign(step, GTK_ALIGN_START);
    gtk_widget_add_css_class(step, "numeric");
    gtk_widget_add_css_class(step, "step");
    gtk_box_append(GTK_BOX(line), step);
    gtk_box_append(GTK_BOX(line), words);
    GtkWidget *row = gtk_list_box_row_new();
    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), line);
    g_autofree char *tip = g_strdup_printf(_("Show step %s"), digits);
    gtk_widget_set_tooltip_text(row, tip);
    g_object_set_data_full(G_OBJECT(row), STEP, g_memdup2(&mark->step, sizeof mark->step), g_free);
    return row;
}

bool ns_event_list_sync(NsEventList *list)
{
    size_t n = 0, events = 0;
    const NsSessionMark *marks = ns_session_marks(list->session, &n);
    int64_t last = -1;
    for (size_t i = 0; i < n; i++) {
        if (marks[i].kind == NS_SESSION_MARK_CHECKPOINT) continue;
        events++;
        last = marks[i].step;
    }
    if (events == list->n && last == list->last) return events > 0;
    list->n = events;
    list->last = last;
    GtkListBox *box = GTK_LIST_BOX(list->box);
    for (GtkListBoxRow *row; (row = gtk_list_box_get_row_at_index(box, 0));)
        gtk_list_box_remove(box, GTK_WIDGET(row));
    for (size_t i = n, rows = 0; i-- > 0 && rows < MOST_ROWS;) {
        if (marks[i].kind == NS_SESSION_MARK_CHECKPOINT || !marks[i].text) continue;
        gtk_list_box_append(box, make_row(&marks[i], list->session->view->started.n > 1));
        rows++;
    }
    return events > 0;
}

static void on_chosen(GtkListBox *box, GtkListBoxRow *row, NsEventList *list)
{
    (void)box;
    const int64_t *step = g_object_get_data(G_OBJECT(row), STEP);
    ns_session_show_step(list->session, *step);
}

static void ns_event_list_class_init(NsEventListClass *klass)
{
    (void)klass;
}

static void ns_event_list_init(NsEventList *list)
{
    list->last = -1;
    list->box = gtk_list_box_new();
    gtk_list_box_set_selection_mode(GTK_LIST_BOX(list->box), GTK_SELECTION_NONE);
    ns_accessible_name(list->box, _("Events"));
    g_signal_connect(list->box, "row-activated", G_CALLBACK(on_chosen), list);
    gtk_box_append(GTK_BOX(list), list->box);
}

GtkWidget *ns_event_list_new(NsSession *session)
{
    NsEventList *list =
        g_object_new(NS_TYPE_EVENT_LIST, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
    list->session = ns_session_hold(session, list);
    ns_event_list_sync(list);
    return GTK_WIDGET(list);
}
