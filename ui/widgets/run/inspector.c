/* The inspector: events and pins of a run, below its settings.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/inspector.h"
#include "core/base/words.h"
#include "core/probe/seeds.h"
#include "ui/plot/pins.h"
#include "ui/plot/text.h"
#include "ui/widgets/charts/chart_tile.h"
#include "ui/widgets/common/helpers.h"

#include <math.h>

G_DEFINE_FINAL_TYPE(NsInspector, ns_inspector, GTK_TYPE_BOX)

/* ---- Readings: the step that is shown, and what the crosshair touches ---- */

/* Digits of numbers, as in the tooltips of charts; four lanes leave space for one less. */
#define DIGITS 4
#define DIGITS_OF_MANY 3
#define DIGITS_OF_DEVIATION 2

static const char *const DEVIATION = N_("± s.d."); /* the name of a row below that of a mean */

#define MOST_COLUMNS (1 + NS_LANES_MAX)
#define GAP 10
#define GAP_OF_MANY 6

/* A number of a step; NULL where the step has none. */
typedef const double *(*Scalar)(const NsStep *step);

static const double *loss_of(const NsStep *step)
{
    return &step->loss;
}

static const double *gradient_of(const NsStep *step)
{
    return step->grad_norm_absent ? NULL : &step->grad_norm;
}

static const double *lr_of(const NsStep *step)
{
    return step->lr_absent ? NULL : &step->lr;
}

/* A number with this many digits. */
static char *number(double value, int digits)
{
    if (isnan(value)) return g_strdup(_("NaN"));
    return ns_text_value(value, digits);
}

/* A rate with the digits that it was set with. */
static char *rate(double value, int digits)
{
    return isfinite(value) ? ns_text_input(value, digits) : number(value, digits);
}

/* The record of a step, the mean over several seeds, or their standard deviation; false if the
 * history has none. */
static bool record_at(NsHistory *history, int64_t step, bool deviation, NsStep *record)
{
    int64_t at = history ? ns_seeds_record(history, step) : -1;
    if (at < 0 || at >= (int64_t)ns_seeds_records(history)) return false;
    *record = (deviation ? ns_seeds_deviation : ns_seeds_step)(history, (size_t)at);
    return true;
}

/* A row that no lane has a number for, at the step or at the ends of its history, is left out: the
 * log of another program may have only losses. */
static void add_scalar(GPtrArray *rows, const char *name, Scalar scalar,
                       char *(*words)(double, int), const NsFigureInput *input, int64_t step)
{
    bool any = false, deviation = name == DEVIATION;
    int digits = deviation ? DIGITS_OF_DEVIATION : input->n_lanes > 3 ? DIGITS_OF_MANY : DIGITS;
    g_autoptr(GString) row = g_string_new(deviation ? _(name) : name);
    for (unsigned i = 0; i < MAX(input->n_lanes, 1u); i++) {
        NsHistory *history = input->n_lanes ? input->lanes[i].history : input->history;
        NsStep record;
        bool there = record_at(history, step, deviation, &record);
        const double *scalar_value = there ? scalar(&record) : NULL;
        g_autofree char *value = scalar_value ? words(*scalar_value, digits) : g_strdup("–");
        g_string_append_printf(row, "\t%s", value);
        size_t n = history ? ns_history_steps(history) : 0;
        any |= n == 0 || scalar_value || scalar(ns_history_step(history, 0)) ||
               scalar(ns_history_step(history, n - 1));
    }
    if (any) g_ptr_array_add(rows, g_strdup(row->str));
}

/* The ratio of every lane to the first, where a measured curve of both is shown. */
static void add_ratios(GPtrArray *rows, const NsPlot *plot, size_t lanes, double x)
{
    double values[NS_LANES_MAX] = {NAN, NAN, NAN, NAN};
    for (size_t i = plot->n_series; i-- > 0;) { /* so that the first curve of a lane counts */
        const NsSeries *series = &plot->series[i];
        bool measured = !series->previous && !series->theory && !series->muted && !series->hidden;
        if (!measured || series->kind == NS_SERIES_BAND || series->style >= lanes) continue;
        size_t at = series->n;
        while (at > 0 && !(series->x[at - 1] <= x)) at--;
        if (at > 0 && series->x[at - 1] == x) values[series->style] = series->y[at - 1];
    }
    for (size_t lane = 1; lane < lanes; lane++) {
        if (!isfinite(values[0]) || !isfinite(values[lane]) || values[0] == 0.0) continue;
        g_autofree char *ratio = number(values[lane] / values[0], DIGITS);
        g_ptr_array_add(
            rows, g_strdup_printf("%s / %s\t%s", ns_lane_letter(lane), ns_lane_letter(0), ratio));
    }
}

static void add_reading(GPtrArray *rows, NsSession *session, NsChartView *chart)
{
    const NsReading *reading = ns_chart_view_reading(chart);
    const NsPlot *plot = chart->plot;
    if (!reading || !reading->text || !plot) return;
    g_auto(GStrv) lines = g_strsplit(reading->text, "\n", -1);
    g_ptr_array_add(rows, g_strdup("")); /* a gap */
    g_ptr_array_add(rows, ns_text_label(plot->title ? plot->title : ""));
    g_ptr_array_add(rows, ns_text_label(lines[0] ? lines[0] : ""));
    for (size_t i = 1; lines[0] && lines[i]; i++) {
        /* "label: value unit" becomes two cells. */
        g_autofree char *plain = ns_text_label(lines[i]);
        const char *colon = g_strrstr(plain, ": ");
        g_ptr_array_add(rows, colon ? g_strdup_printf("%.*s\t%s", (int)(colon - plain), plain,
                                                      colon + strlen(": "))
                                    : g_strdup(plain));
    }
    if (session->view->started.n > 1 && !plot->heatmap)
        add_ratios(rows, &chart->shown, session->view->started.n, reading->x);
}

static GtkLabel *cell_at(NsInspector *inspector, guint row, guint column)
{
    while (inspector->cells->len <= row * MOST_COLUMNS + column) {
        guint at = inspector->cells->len;
        GtkWidget *label = gtk_label_new(NULL);
        bool name = at % MOST_COLUMNS == 0;
        gtk_label_set_xalign(GTK_LABEL(label), name ? 0.0F : 1.0F);
        gtk_widget_set_focusable(label, FALSE);
        gtk_widget_set_hexpand(label, name);
        gtk_label_set_wrap(GTK_LABEL(label), name);
        gtk_widget_set_valign(label, GTK_ALIGN_START);
        gtk_widget_add_css_class(label, name ? "name" : "numeric");
        gtk_grid_attach(GTK_GRID(inspector->readings), label, (int)(at % MOST_COLUMNS),
                        (int)(at / MOST_COLUMNS), 1, 1);
        g_ptr_array_add(inspector->cells, label);
    }
    return inspector->cells->pdata[row * MOST_COLUMNS + column];
}

/* A row of one cell spans all columns; a single value spans the columns of all lanes. */
static void show_row(NsInspector *inspector, guint row, const char *text, guint columns)
{
    g_auto(GStrv) cells = g_strsplit(text, "\t", MOST_COLUMNS);
    guint n = g_strv_length(cells);
    for (guint i = 0; i < MOST_COLUMNS; i++) {
        GtkLabel *label = cell_at(inspector, row, i);
        bool used = i == 0 || i < n, last = i + 1 >= n && i < columns;
        const char *words = i < n ? cells[i] : "";
        GtkLayoutManager *layout = gtk_widget_get_layout_manager(inspector->readings);
        GtkLayoutChild *place = gtk_layout_manager_get_layout_child(layout, GTK_WIDGET(label));
        gtk_grid_layout_child_set_column_span(GTK_GRID_LAYOUT_CHILD(place),
                                              (int)(used && last ? columns - i : 1));
        if (!g_str_equal(gtk_label_get_text(label), words)) gtk_label_set_text(label, words);
        gtk_widget_set_visible(GTK_WIDGET(label), used);
    }
}

/* Loss, gradient norm and learning rate of every lane at the step that is shown; below them the
 * reading of the chart in `tile`, and of several lanes their ratios.  NULL: no reading. */
static void sync_readings(NsInspector *inspector, NsChartTile *tile)
{
    /* Of char *, cells with tabs between. */
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(g_free);
    NsFigureInput input = ns_view_input(inspector->session->view);
    int64_t shown = ns_session_shown_step(inspector->session), step = shown;
    /* During training one lane or seed may be a step ahead; then all have the step before it. */
    for (unsigned i = 0; i < input.n_lanes; i++) {
        NsHistory *history = input.lanes[i].history;
        NsStep record;
        if (!record_at(history, shown, false, &record) &&
            record_at(history, shown - 1, false, &record))
            step = shown - 1;
    }
    g_autofree char *digits = ns_group_digits(step);
    GString *head = g_string_new(NULL);
    g_string_append_printf(head, _("Step %s"), digits);
    for (unsigned i = 0; input.n_lanes > 1 && i < input.n_lanes; i++)
        g_string_append_printf(head, "\t%s", input.lanes[i].name);
    g_ptr_array_add(rows, g_string_free(head, FALSE));
    size_t seeds = input.history ? ns_history_seeds(input.history) : 1;
    if (seeds > 1) g_ptr_array_add(rows, g_strdup_printf(_("mean ± s.d. of %zu seeds"), seeds));
    add_scalar(rows, _("Loss"), loss_of, number, &input, step);
    if (seeds > 1) add_scalar(rows, DEVIATION, loss_of, number, &input, step);
    add_scalar(rows, _("Gradient norm"), gradient_of, number, &input, step);
    if (seeds > 1) add_scalar(rows, DEVIATION, gradient_of, number, &input, step);
    /* The state of a model before its first update has none. */
    if (step > 0 || ns_session_is_watching(inspector->session))
        add_scalar(rows, _("Learning rate"), lr_of, rate, &input, step);
    guint columns = 1 + (guint)inspector->session->view->started.n;
    bool many = columns > 4;
    gtk_grid_set_column_spacing(GTK_GRID(inspector->readings), many ? GAP_OF_MANY : GAP);
    ns_set_css_class(inspector->readings, "many", many);
    guint heading = rows->len + 1;
    if (tile) add_reading(rows, inspector->session, tile->chart);
    for (guint i = 0; i < rows->len; i++) {
        show_row(inspector, i, rows->pdata[i], columns);
        GtkWidget *name = GTK_WIDGET(cell_at(inspector, i, 0));
        gtk_label_set_wrap(GTK_LABEL(name), i != 0); /* a step stays in one piece */
        ns_set_css_class(name, "heading", i == 0 || i == heading);
    }
    for (guint i = rows->len; i < inspector->cells->len / MOST_COLUMNS; i++) {
        show_row(inspector, i, "", columns);
        gtk_widget_set_visible(GTK_WIDGET(cell_at(inspector, i, 0)), FALSE);
    }
}

/* ---- Events ---- */

#define MOST_ROWS 50u

static const char STEP[] = "ns-event-step";

/* A row, and another one for the details, a click on which leaves the step. */
static void add_event(GtkListBox *box, const NsSessionMark *mark, bool lanes)
{
    g_autofree char *digits = ns_group_digits(mark->step);
    const char *lane = lanes && mark->lane >= 0 ? ns_lane_letter((size_t)mark->lane) : NULL;
    g_autofree char *text = mark->learned
                                ? g_strdup_printf(_("%s It has learned since."), mark->text)
                                : g_strdup(mark->text);
    g_autofree char *of_seed =
        mark->seed ? g_strdup_printf(_("Seed %d: %s"), mark->seed, text) : NULL;
    g_autofree char *where = lane ? g_strdup_printf("%s %s", lane, digits) : g_strdup(digits);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *step = gtk_label_new(where), *words = ns_text_label_new(NULL, NULL);
    GtkWidget *details = g_object_ref_sink(ns_details_new());
    ns_sentences_set(words, details, of_seed ? of_seed : text);
    gtk_widget_set_hexpand(words, TRUE);
    gtk_widget_set_valign(step, GTK_ALIGN_START);
    gtk_widget_add_css_class(step, "numeric");
    gtk_widget_add_css_class(step, "step");
    ns_box_append(line, step, words, NULL);
    GtkWidget *row = gtk_list_box_row_new();
    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), line);
    g_autofree char *tip = g_strdup_printf(_("Show step %s"), digits);
    gtk_widget_set_tooltip_text(row, tip);
    g_object_set_data_full(G_OBJECT(row), STEP, g_memdup2(&mark->step, sizeof mark->step), g_free);
    gtk_list_box_append(box, row);
    if (gtk_widget_get_visible(details)) {
        gtk_list_box_append(box, details);
        gtk_list_box_row_set_activatable(GTK_LIST_BOX_ROW(gtk_widget_get_parent(details)), FALSE);
    }
    g_object_unref(details);
}

/* Returns whether there are any. */
static bool sync_events(NsInspector *inspector)
{
    size_t n = 0;
    const NsSessionMark *marks = ns_session_marks(inspector->session, &n);
    bool lanes = inspector->session->view->started.n > 1, events = false;
    guint hash = lanes;
    for (size_t i = 0; i < n; i++) {
        if (marks[i].kind == NS_SESSION_MARK_CHECKPOINT || !marks[i].text) continue;
        events = true;
        hash = 31 * (31 * hash + g_str_hash(marks[i].text)) + (guint)marks[i].step;
        hash =
            31 * (31 * hash + (guint)marks[i].lane) + 2 * (guint)marks[i].seed + marks[i].learned;
    }
    if (hash == inspector->events_hash) return events;
    inspector->events_hash = hash;
    GtkListBox *box = GTK_LIST_BOX(inspector->events);
    for (GtkListBoxRow *row; (row = gtk_list_box_get_row_at_index(box, 0));)
        gtk_list_box_remove(box, GTK_WIDGET(row));
    for (size_t i = n, rows = 0; i-- > 0 && rows < MOST_ROWS;) {
        if (marks[i].kind == NS_SESSION_MARK_CHECKPOINT || !marks[i].text) continue;
        add_event(box, &marks[i], lanes);
        rows++;
    }
    return events;
}

static void on_chosen(GtkListBox *box, GtkListBoxRow *row, NsInspector *inspector)
{
    (void)box;
    const int64_t *step = g_object_get_data(G_OBJECT(row), STEP);
    ns_session_show_step(inspector->session, *step);
}

/* ---- Pins ---- */

static const char TILE[] = "ns-pin-tile", NUMBER[] = "ns-pin-number";

typedef struct {
    NsChartTile *tile;
    unsigned number;
} Pinned;

/* The reading of a pin now: "Loss, step 20\ntraining: 3.2"; NULL where there is
 * nothing to read. */
static char *words_of(NsChartTile *tile, const NsPin *pin)
{
    NsChartView *chart = tile->chart;
    const NsPlotLayout *layout = ns_chart_view_layout(chart);
    const NsPlot *plot = chart->plot;
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
    NsChartView *chart = tile->chart;
    if (ns_view_state_unpin(&chart->view_state, number)) ns_chart_view_state_changed(chart);
}

static GtkWidget *make_pin_row(const char *words, const Pinned *pinned)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
    GtkWidget *label = ns_text_label_new(words, "numeric");
    g_autofree char *tip = g_strdup_printf(_("Remove pin %u"), pinned->number);
    GtkWidget *button = ns_icon_button_new("window-close-symbolic", tip);
    gtk_widget_set_focusable(label, FALSE);
    gtk_widget_set_hexpand(label, TRUE);
    gtk_widget_set_valign(button, GTK_ALIGN_START);
    g_object_set_data_full(G_OBJECT(button), TILE, g_object_ref(pinned->tile), g_object_unref);
    g_object_set_data(G_OBJECT(button), NUMBER, GUINT_TO_POINTER(pinned->number));
    g_signal_connect(button, "clicked", G_CALLBACK(on_removed), NULL);
    ns_box_append(row, label, button, NULL);
    return row;
}

/* Lists the pins of every tile; NULL: of none.  Returns whether there are any. */
static bool sync_pins(NsInspector *inspector, NsDashboard *dashboard)
{
    g_autoptr(GStrvBuilder) texts = g_strv_builder_new();
    g_autoptr(GArray) pinned = g_array_new(FALSE, FALSE, sizeof(Pinned));
    NsChartTile *tile;
    for (size_t i = 0; dashboard && (tile = ns_dashboard_tile(dashboard, i)); i++) {
        const NsViewState *view_state = &tile->chart->view_state;
        for (size_t k = 0; k < view_state->n_pins; k++) {
            g_autofree char *words = words_of(tile, &view_state->pins[k]);
            if (!words) continue;
            Pinned one = {tile, view_state->pins[k].number};
            g_strv_builder_add(texts, words);
            g_array_append_val(pinned, one);
        }
    }
    GStrv shown = inspector->pin_texts;
    inspector->pin_texts = g_strv_builder_end(texts);
    bool same = g_strv_equal((const char *const *)shown, (const char *const *)inspector->pin_texts);
    g_strfreev(shown);
    for (GtkWidget *row; !same && (row = gtk_widget_get_first_child(inspector->pins));)
        gtk_box_remove(GTK_BOX(inspector->pins), row);
    for (guint i = 0; !same && i < pinned->len; i++)
        gtk_box_append(GTK_BOX(inspector->pins),
                       make_pin_row(inspector->pin_texts[i], &g_array_index(pinned, Pinned, i)));
    return pinned->len > 0;
}

/* ---- Runs: a row for each, indented below the run that it was forked from ---- */

#define INDENT 14 /* pixels a generation */
#define MOST_GENERATIONS 5

static const char ID[] = "ns-run-id", WORDS[] = "ns-run-words";

static unsigned id_of(gpointer button)
{
    return GPOINTER_TO_UINT(g_object_get_data(button, ID));
}

static void on_pinned(GtkToggleButton *button, NsInspector *inspector)
{
    ns_session_pin_run(inspector->session, id_of(button), gtk_toggle_button_get_active(button));
}

static void on_opened(GtkWidget *button, NsInspector *inspector)
{
    ns_session_open_run(inspector->session, id_of(button));
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

static GtkWidget *make_run_row(NsInspector *inspector, const NsSessionRun *run, int generation)
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
        inspector->facts = below;
        return row;
    }
    g_autofree char *pin =
        g_strdup_printf(run->pinned ? _("Unpin run %u: its curves are hidden")
                                    : _("Pin run %u: its curves stay, drawn faintly"),
                        run->id);
    g_autofree char *open = open_words(run);
    GtkWidget *toggle = gtk_toggle_button_new();
    gtk_button_set_icon_name(GTK_BUTTON(toggle), "view-pin-symbolic");
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(toggle), run->pinned);
    gtk_box_append(GTK_BOX(row), prepare(toggle, run->id, pin));
    GtkWidget *button = gtk_button_new_from_icon_name("document-open-symbolic");
    gtk_box_append(GTK_BOX(row), prepare(button, run->id, open));
    g_signal_connect(toggle, "toggled", G_CALLBACK(on_pinned), inspector);
    g_signal_connect(button, "clicked", G_CALLBACK(on_opened), inspector);
    return row;
}

/* Brings the row of the present run up to date.  Returns whether there are several runs. */
static bool sync_runs(NsInspector *inspector)
{
    size_t n = 0;
    const NsSessionRun *runs = ns_session_runs(inspector->session, &n);
    for (size_t i = 0; inspector->facts && i < n; i++) {
        if (!runs[i].present) continue;
        g_autofree char *facts = facts_of(&runs[i]);
        gtk_label_set_text(GTK_LABEL(inspector->facts), facts);
    }
    return n > 1;
}

static void remove_run_row(NsInspector *inspector, GtkWidget *row)
{
    if (inspector->facts && gtk_widget_is_ancestor(inspector->facts, row)) inspector->facts = NULL;
    gtk_box_remove(GTK_BOX(inspector->runs), row);
}

/* Rows whose words are the same stay: a session may have had hundreds of runs. */
static void rebuild_runs(NsInspector *inspector)
{
    size_t n = 0;
    const NsSessionRun *runs = ns_session_runs(inspector->session, &n);
    GtkWidget *old = gtk_widget_get_first_child(inspector->runs), *last = NULL;
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
            if (row) remove_run_row(inspector, row);
            row = make_run_row(inspector, &runs[i], generation);
            g_object_set_data_full(G_OBJECT(row), WORDS, g_steal_pointer(&words), g_free);
            gtk_box_insert_child_after(GTK_BOX(inspector->runs), row, last);
        }
        last = row;
    }
    while (old) {
        GtkWidget *row = old;
        old = gtk_widget_get_next_sibling(row);
        remove_run_row(inspector, row);
    }
    sync_runs(inspector);
}

static gboolean rebuild_soon(gpointer data)
{
    NsInspector *inspector = data;
    inspector->runs_stale = false;
    if (gtk_widget_get_root(inspector->runs))
        rebuild_runs(inspector); /* else its window was closed */
    return G_SOURCE_REMOVE;
}

/* Deferred, because a button must not be removed while it emits "clicked". */
static void on_runs_changed(NsInspector *inspector)
{
    if (inspector->runs_stale) return;
    inspector->runs_stale = true;
    g_idle_add_full(G_PRIORITY_DEFAULT, rebuild_soon, g_object_ref(inspector), g_object_unref);
}

/* ---- The inspector ---- */

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

void ns_inspector_sync(NsInspector *inspector, NsPage *page)
{
    if (!gtk_widget_get_mapped(GTK_WIDGET(inspector))) return;
    NsChartTile *tile = inspector->pointed;
    if (tile && !gtk_widget_is_ancestor(GTK_WIDGET(tile), GTK_WIDGET(page))) tile = NULL;
    NsDashboard *dashboard = NS_IS_DASHBOARD(page) ? NS_DASHBOARD(page) : NULL;
    sync_readings(inspector, tile ? tile : ns_page_current(page));
    show_section(inspector->pins, sync_pins(inspector, dashboard));
    show_section(inspector->runs, sync_runs(inspector));
    show_section(inspector->events, sync_events(inspector));
}

static void ns_inspector_finalize(GObject *object)
{
    NsInspector *inspector = NS_INSPECTOR(object);
    g_clear_weak_pointer(&inspector->pointed);
    g_ptr_array_unref(inspector->cells);
    g_strfreev(inspector->pin_texts);
    G_OBJECT_CLASS(ns_inspector_parent_class)->finalize(object);
}

static void ns_inspector_class_init(NsInspectorClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_inspector_finalize;
    gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "inspector");
}

static void ns_inspector_init(NsInspector *inspector)
{
    inspector->cells = g_ptr_array_new();
    inspector->pin_texts = g_new0(char *, 1);
}

static void add_section(NsInspector *inspector, const char *title, GtkWidget *contents)
{
    GtkWidget *label = gtk_label_new(title);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0F);
    gtk_widget_add_css_class(label, "heading");
    gtk_accessible_update_relation(GTK_ACCESSIBLE(contents), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                   label, NULL, -1);
    ns_box_append(GTK_WIDGET(inspector), label, contents, NULL);
}

GtkWidget *ns_inspector_new(NsSession *session)
{
    NsInspector *inspector = g_object_new(NS_TYPE_INSPECTOR, "orientation",
                                          GTK_ORIENTATION_VERTICAL, "spacing", 6, NULL);
    inspector->session = ns_session_hold(session, inspector);
    inspector->readings = g_object_new(GTK_TYPE_GRID, "css-name", "readings", NULL);
    inspector->pins = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    inspector->runs = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    inspector->events = gtk_list_box_new();
    gtk_list_box_set_selection_mode(GTK_LIST_BOX(inspector->events), GTK_SELECTION_NONE);
    ns_accessible_name(inspector->events, _("Events"));
    g_signal_connect(inspector->events, "row-activated", G_CALLBACK(on_chosen), inspector);
    gtk_box_append(GTK_BOX(inspector), inspector->readings);
    add_section(inspector, _("Pinned readings"), inspector->pins);
    add_section(inspector, _("Events"), inspector->events);
    /* At the end, since there may be many, which are seldom used. */
    add_section(inspector, _("Runs"), inspector->runs);
    sync_readings(inspector, NULL);
    sync_events(inspector);
    rebuild_runs(inspector);
    ns_session_listen(session, "runs-changed", G_CALLBACK(on_runs_changed), inspector);
    return GTK_WIDGET(inspector);
}
