/* What the inspector shows: the events and the pins of a run, below its settings.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/run/inspector.h"

#include "core/base/words.h"
#include "ui/plot/pins.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/run/reading_table.h"

/* ---- Events ---- */

#define MOST_ROWS 50u

struct _NsEventList {
    GtkBox parent;
    NsSession *session;
    GtkWidget *box;
    guint hash; /* of the events in the list */
};

G_DEFINE_FINAL_TYPE(NsEventList, ns_event_list, GTK_TYPE_BOX)

static const char STEP[] = "ns-event-step";

static GtkWidget *make_event_row(const NsSessionMark *mark, bool lanes)
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

/* Returns whether there are any. */
static bool event_list_sync(NsEventList *list)
{
    size_t n = 0;
    const NsSessionMark *marks = ns_session_marks(list->session, &n);
    bool lanes = list->session->view->started.n > 1, events = false;
    guint hash = lanes;
    for (size_t i = 0; i < n; i++) {
        if (marks[i].kind == NS_SESSION_MARK_CHECKPOINT || !marks[i].text) continue;
        events = true;
        hash = 31 * (31 * hash + g_str_hash(marks[i].text)) + (guint)marks[i].step;
        hash = 31 * (31 * hash + (guint)marks[i].lane) + (guint)marks[i].seed;
    }
    if (hash == list->hash) return events;
    list->hash = hash;
    GtkListBox *box = GTK_LIST_BOX(list->box);
    for (GtkListBoxRow *row; (row = gtk_list_box_get_row_at_index(box, 0));)
        gtk_list_box_remove(box, GTK_WIDGET(row));
    for (size_t i = n, rows = 0; i-- > 0 && rows < MOST_ROWS;) {
        if (marks[i].kind == NS_SESSION_MARK_CHECKPOINT || !marks[i].text) continue;
        gtk_list_box_append(box, make_event_row(&marks[i], lanes));
        rows++;
    }
    return events;
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
    list->box = gtk_list_box_new();
    gtk_list_box_set_selection_mode(GTK_LIST_BOX(list->box), GTK_SELECTION_NONE);
    ns_accessible_name(list->box, _("Events"));
    g_signal_connect(list->box, "row-activated", G_CALLBACK(on_chosen), list);
    gtk_box_append(GTK_BOX(list), list->box);
}

/* ---- Pins ---- */

struct _NsPinList {
    GtkBox parent;
    GPtrArray *texts; /* of char *, as shown */
};

G_DEFINE_FINAL_TYPE(NsPinList, ns_pin_list, GTK_TYPE_BOX)

static const char TILE[] = "ns-pin-tile", NUMBER[] = "ns-pin-number";

typedef struct {
    NsChartTile *tile;
    unsigned number;
} Pinned;

/* What a pin reads now: "Loss and learning rate, step 20\ntraining: 3.2"; NULL where there is
 * nothing to read. */
static char *words_of(NsChartTile *tile, const NsPin *pin)
{
    NsChartView *chart = ns_chart_tile_chart(tile);
    const NsPlotLayout *layout = ns_chart_view_layout(chart);
    const NsPlot *plot = ns_chart_view_plot(chart);
    if (!layout || !plot) return NULL;
    NsReading reading;
    if (!ns_plot_read_pin(layout, pin, &reading)) return NULL;
    g_autofree char *title = ns_text_label(plot->title ? plot->title : "");
    g_autofree char *text = ns_text_label(reading.text);
    char *words = g_strdup_printf("%u  %s, %s", pin->number, title, text);
    ns_reading_clear(&reading);
    return words;
}

static void on_removed(GtkWidget *button)
{
    NsChartTile *tile = g_object_get_data(G_OBJECT(button), TILE);
    unsigned number = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), NUMBER));
    NsChartView *chart = ns_chart_tile_chart(tile);
    if (ns_view_state_unpin(ns_chart_view_state(chart), number)) ns_chart_view_state_changed(chart);
}

static GtkWidget *make_pin_row(const char *words, const Pinned *pinned)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
    GtkWidget *label = ns_text_label_new(words, "numeric");
    GtkWidget *button = gtk_button_new_from_icon_name("window-close-symbolic");
    g_autofree char *tip = g_strdup_printf(_("Remove pin %u"), pinned->number);
    gtk_widget_set_focusable(label, FALSE);
    gtk_widget_set_hexpand(label, TRUE);
    gtk_widget_add_css_class(button, "flat");
    gtk_widget_set_valign(button, GTK_ALIGN_START);
    ns_accessible_tooltip(button, tip);
    g_object_set_data_full(G_OBJECT(button), TILE, g_object_ref(pinned->tile), g_object_unref);
    g_object_set_data(G_OBJECT(button), NUMBER, GUINT_TO_POINTER(pinned->number));
    g_signal_connect(button, "clicked", G_CALLBACK(on_removed), NULL);
    gtk_box_append(GTK_BOX(row), label);
    gtk_box_append(GTK_BOX(row), button);
    return row;
}

static bool same_texts(const GPtrArray *a, const GPtrArray *b)
{
    if (a->len != b->len) return false;
    for (guint i = 0; i < a->len; i++)
        if (!g_str_equal(a->pdata[i], b->pdata[i])) return false;
    return true;
}

/* Lists the pins of every tile; NULL: of none.  Returns whether there are any. */
static bool pin_list_sync(NsPinList *list, NsDashboard *dashboard)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) pinned = g_array_new(FALSE, FALSE, sizeof(Pinned));
    NsChartTile *tile;
    for (size_t i = 0; dashboard && (tile = ns_dashboard_tile(dashboard, i)); i++) {
        const NsViewState *view_state = ns_chart_view_state(ns_chart_tile_chart(tile));
        for (size_t k = 0; k < view_state->n_pins; k++) {
            char *words = words_of(tile, &view_state->pins[k]);
            if (!words) continue;
            Pinned one = {tile, view_state->pins[k].number};
            g_ptr_array_add(texts, words);
            g_array_append_val(pinned, one);
        }
    }
    bool same = same_texts(texts, list->texts);
    g_ptr_array_unref(list->texts);
    list->texts = texts;
    for (GtkWidget *row; !same && (row = gtk_widget_get_first_child(GTK_WIDGET(list)));)
        gtk_box_remove(GTK_BOX(list), row);
    for (guint i = 0; !same && i < texts->len; i++)
        gtk_box_append(GTK_BOX(list),
                       make_pin_row(texts->pdata[i], &g_array_index(pinned, Pinned, i)));
    return texts->len > 0;
}

static void ns_pin_list_finalize(GObject *object)
{
    g_ptr_array_unref(NS_PIN_LIST(object)->texts);
    G_OBJECT_CLASS(ns_pin_list_parent_class)->finalize(object);
}

static void ns_pin_list_class_init(NsPinListClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_pin_list_finalize;
}

static void ns_pin_list_init(NsPinList *list)
{
    list->texts = g_ptr_array_new_with_free_func(g_free);
}

/* ---- The inspector ---- */

#define SAY_EVERY_US 200000 /* numbers that change faster cannot be read */

struct _NsInspector {
    GtkBox parent;
    GtkWidget *readings, *pins, *events, *runs;
    NsChartTile *pointed; /* weak */
    gint64 said;
};

G_DEFINE_FINAL_TYPE(NsInspector, ns_inspector, GTK_TYPE_BOX)

void ns_inspector_point(NsInspector *inspector, NsChartTile *tile)
{
    g_set_weak_pointer(&inspector->pointed, tile);
}

/* A section without contents has no heading either. */
static void show_section(GtkWidget *contents, bool shown)
{
    gtk_widget_set_visible(contents, shown);
    gtk_widget_set_visible(gtk_widget_get_prev_sibling(contents), shown);
}

void ns_inspector_sync(NsInspector *inspector, NsPage *page, bool at_once)
{
    gint64 now = g_get_monotonic_time();
    if (!at_once && now - inspector->said < SAY_EVERY_US) return;
    if (!gtk_widget_get_mapped(GTK_WIDGET(inspector))) return;
    inspector->said = now;
    NsChartTile *tile = inspector->pointed;
    if (tile && !gtk_widget_is_ancestor(GTK_WIDGET(tile), GTK_WIDGET(page))) tile = NULL;
    ns_reading_table_sync(NS_READING_TABLE(inspector->readings),
                          tile ? tile : ns_page_current(page));
    bool pins = pin_list_sync(NS_PIN_LIST(inspector->pins),
                              NS_IS_DASHBOARD(page) ? NS_DASHBOARD(page) : NULL);
    show_section(inspector->pins, pins);
    show_section(inspector->runs, ns_run_tree_sync(NS_RUN_TREE(inspector->runs)));
    show_section(inspector->events, event_list_sync(NS_EVENT_LIST(inspector->events)));
}

static void ns_inspector_dispose(GObject *object)
{
    g_clear_weak_pointer(&NS_INSPECTOR(object)->pointed);
    G_OBJECT_CLASS(ns_inspector_parent_class)->dispose(object);
}

static void ns_inspector_class_init(NsInspectorClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = ns_inspector_dispose;
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "inspector");
}

static void ns_inspector_init(NsInspector *inspector)
{
    (void)inspector;
}

static void add_section(NsInspector *inspector, const char *title, GtkWidget *contents)
{
    GtkWidget *label = gtk_label_new(title);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0F);
    gtk_widget_add_css_class(label, "heading");
    gtk_accessible_update_relation(GTK_ACCESSIBLE(contents), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                   label, NULL, -1);
    gtk_box_append(GTK_BOX(inspector), label);
    gtk_box_append(GTK_BOX(inspector), contents);
}

GtkWidget *ns_inspector_new(NsSession *session)
{
    NsInspector *inspector = g_object_new(NS_TYPE_INSPECTOR, "orientation",
                                          GTK_ORIENTATION_VERTICAL, "spacing", 6, NULL);
    inspector->readings = ns_reading_table_new(session);
    inspector->pins =
        g_object_new(NS_TYPE_PIN_LIST, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 4, NULL);
    /* A row a mark of the timeline; choosing one shows its step. */
    NsEventList *list =
        g_object_new(NS_TYPE_EVENT_LIST, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
    list->session = ns_session_hold(session, list);
    event_list_sync(list);
    inspector->events = GTK_WIDGET(list);
    inspector->runs = ns_run_tree_new(session);
    gtk_box_append(GTK_BOX(inspector), inspector->readings);
    add_section(inspector, _("Pinned readings"), inspector->pins);
    add_section(inspector, _("Runs"), inspector->runs);
    add_section(inspector, _("Events"), inspector->events); /* last: it moves nothing */
    return GTK_WIDGET(inspector);
}
