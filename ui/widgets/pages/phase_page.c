/* The page of sweeps.  SPDX-License-Identifier: MIT */
#include "ui/widgets/pages/phase_page.h"

#include "core/base/digits.h"
#include "core/base/processors.h"
#include "core/base/words.h"
#include "core/experiment/assignment.h"
#include "ui/plot/text.h"
#include "ui/widgets/charts/page.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define STEPS 100
#define MOST_STEPS 100000
#define CHARS 11      /* characters of a range: 1e-4:1e-1:7 */
#define RANGE_CHARS 8 /* of its ends */
#define REDRAW_EVERY_US 100000

static void implement_page(NsPageInterface *page);

G_DEFINE_FINAL_TYPE_WITH_CODE(NsPhasePage, ns_phase_page, GTK_TYPE_BOX,
                              G_IMPLEMENT_INTERFACE(NS_TYPE_PAGE, implement_page))

/* ---- The axes ---- */

/* The values that are proposed: settings that the paper varies, where they make a difference. */
static const struct {
    const char *key, *values;
} USUAL[] = {
    {"lr", "1e-4:1e-1:7"},
    {"warmup", "1, 10, 100"},
    {"layers", "2, 4, 6, 12"},
    {"placement", "post, pre"},
    {"d-model", "16, 32, 64, 128"},
    {"batch", "4, 16, 64"},
    {"optimizer", "sgd, adam, radam"},
    {"seed", "1, 2, 3, 4, 5"},
};

static const NsParam *param_at(NsPhasePage *page, guint i)
{
    return page->params->pdata[MIN(i, page->params->len - 1)];
}

/* The proposed values, or values around the present one. */
static char *first_values(NsPhasePage *page, const NsParam *param)
{
    for (size_t i = 0; i < G_N_ELEMENTS(USUAL); i++)
        if (g_str_equal(USUAL[i].key, param->key)) return g_strdup(USUAL[i].values);
    if (param->type == NS_PARAM_CHOICE)
        return g_strdup_printf("%s, %s", param->choices(0)->key, param->choices(1)->key);
    double now = ns_settings_get_number(ns_session_settings(page->session), param);
    /* Rounded, the upper end must still be in range. */
    double lo = MAX(now / 4, param->least), hi = MIN(now * 4, 0.9 * param->most);
    if (!(lo < hi)) hi = MIN(lo + 0.5, 0.9 * param->most);
    if (param->type == NS_PARAM_INT) return g_strdup_printf("%.0f:%.0f:5", lo, hi);
    g_autofree char *from = ns_text_input(lo, 3), *to = ns_text_input(hi, 3);
    return g_strdup_printf("%s:%s:5", from, to);
}

static guint key_index(NsPhasePage *page, const char *key)
{
    for (guint i = 0; i < page->params->len; i++)
        if (g_str_equal(param_at(page, i)->key, key)) return i;
    return 0;
}

/* A list with one text in place of another; ranges are as they were.  Free with g_free. */
static char *replaced(const char *list, const char *text, const char *by)
{
    g_auto(GStrv) words = g_strsplit(list, ",", -1);
    for (char **word = words; *word && text && by; word++)
        if (g_str_equal(g_strstrip(*word), text)) {
            g_free(*word);
            *word = g_strdup(by);
        }
    for (char **word = words; *word; word++) g_strstrip(*word);
    return g_strjoinv(", ", words);
}

/* In the entry, the value that means no amount is its word: "off, 10, 100". */
static void set_values(NsPhasePage *page, int axis, const NsParam *param, const char *values)
{
    g_autofree char *shown = replaced(values, ns_param_none(param), ns_param_none_word(param));
    gtk_editable_set_text(GTK_EDITABLE(page->values[axis]), shown);
}

static void set_key(NsPhasePage *page, int axis, guint i)
{
    gtk_drop_down_set_selected(GTK_DROP_DOWN(page->key[axis]), i);
    g_autofree char *values = first_values(page, param_at(page, i));
    set_values(page, axis, param_at(page, i), values);
    NsParamType type = param_at(page, i)->type;
    gtk_widget_set_visible(page->range[axis], type == NS_PARAM_INT || type == NS_PARAM_REAL);
}

static bool read_axis(NsPhasePage *page, int axis, NsStudyAxis *out, GError **error)
{
    const NsParam *param =
        param_at(page, gtk_drop_down_get_selected(GTK_DROP_DOWN(page->key[axis])));
    const char *typed = gtk_editable_get_text(GTK_EDITABLE(page->values[axis]));
    g_autofree char *values = replaced(typed, ns_param_none_word(param), ns_param_none(param));
    g_autofree char *text = g_strdup_printf("%s=%s", param->key, values);
    return ns_study_axis_read(out, text, error);
}

/* ---- Sentences about progress ---- */

static void set_hint(NsPhasePage *page, const char *sentence, bool error)
{
    ns_text_label_set(page->hint, sentence);
    ns_set_css_class(page->hint, "error", error);
}

static NsStudyWorkProgress progress_of(const NsPhasePage *page)
{
    return page->work ? ns_study_work_progress(page->work) : (NsStudyWorkProgress){0};
}

static bool has_begun(const NsPhasePage *page)
{
    return page->phases[0] && !page->planned;
}

static void show_hint(NsPhasePage *page)
{
    if (has_begun(page)) {
        set_hint(page,
                 _("Click a cell, or move to it with the arrows and press Enter: the "
                   "selected lane takes its two settings."),
                 false);
        return;
    }
    /* Each cell is trained with every seed. */
    int64_t seeds = page->phases[0] ? page->phases[0]->study->seeds : 1;
    size_t cells = progress_of(page).cells / (size_t)MAX(seeds, 1);
    g_autofree char *n = ns_group_digits((int64_t)cells);
    g_autofree char *start =
        cells ? g_strdup_printf(
                    ns_plural("Start trains %s cell, a short run with these two settings.",
                              "Start trains the %s cells, each a short run with its "
                              "two settings.",
                              cells),
                    n)
              : g_strdup(_("Start trains each cell, a short run with its two settings."));
    g_autofree char *hint =
        g_strdup_printf(_("%s Values: a list (1, 10, 100) or a range, from:to:count."), start);
    set_hint(page, hint, false);
}

/* "12 of 35 runs, 40 s left". */
static char *queue_words(const NsStudyWorkProgress *progress, bool stopped)
{
    g_autofree char *done = ns_group_digits((int64_t)progress->ended),
                    *all = ns_group_digits((int64_t)progress->cells);
    if (progress->ended == progress->cells) return g_strdup_printf(_("All %s runs are done"), all);
    if (!progress->going || stopped)
        return g_strdup_printf(_("Stopped after %s of %s runs"), done, all);
    if (isnan(progress->seconds_left)) return g_strdup_printf(_("%s of %s runs"), done, all);
    int64_t left = llround(ceil(progress->seconds_left));
    if (left >= 120)
        return g_strdup_printf(_("%s of %s runs, %" PRId64 " min left"), done, all,
                               (left + 30) / 60);
    return g_strdup_printf(_("%s of %s runs, %" PRId64 " s left"), done, all, left);
}

static void sync_controls(NsPhasePage *page)
{
    NsStudyWorkProgress progress = progress_of(page);
    gtk_widget_set_visible(page->side, page->session->experiment.n > 1);
    bool going = progress.going && !page->stopped && progress.ended < progress.cells;
    gtk_button_set_label(GTK_BUTTON(page->start), going ? _("Stop") : _("Start"));
    ns_set_css_class(page->start, "suggested-action", !going);
    gtk_widget_set_sensitive(page->export_, progress.ended > 0);
    gtk_widget_set_visible(page->queue, has_begun(page));
    /* A small window has room for one of the two sentences. */
    gtk_widget_set_visible(page->words, has_begun(page) && progress.ended < progress.cells);
    gtk_widget_set_visible(page->hint, !going || gtk_widget_has_css_class(page->hint, "error"));
    if (!has_begun(page)) return;
    g_autofree char *words = queue_words(&progress, page->stopped);
    gtk_label_set_text(GTK_LABEL(page->words), words);
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(page->queue),
                                  (double)progress.ended / (double)progress.cells);
}

static NsFigureInput input_of(NsPhasePage *page, size_t i)
{
    /* The lane whose settings a sweep has. */
    size_t lane = page->n > 1 ? i : page->session->active;
    NsFigureInput input = {.phase = page->phases[i], .log = page->session->view->log, .step = -1};
    if (lane < page->session->experiment.n) input.settings = &page->session->experiment.lane[lane];
    if (page->n < 2) return input;
    input.alongside = page->phases[i ? 0 : 1];
    input.n_lanes = 1;
    input.lanes[0].name = ns_lane_letter(lane);
    return input;
}

static void update_chart(NsPhasePage *page)
{
    for (size_t i = 0; i < page->n; i++) {
        NsFigureInput input = input_of(page, i);
        if (ns_chart_view_update(page->charts[i], &input)) ns_chart_view_describe(page->charts[i]);
    }
}

static gboolean on_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NsPhasePage *page = NS_PHASE_PAGE(widget);
    gint64 now = g_get_monotonic_time();
    bool going = progress_of(page).going;
    if (going && now - page->redrawn < REDRAW_EVERY_US) return G_SOURCE_CONTINUE;
    page->redrawn = now;
    update_chart(page);
    sync_controls(page);
    if (going) return G_SOURCE_CONTINUE;
    page->tick = 0;
    g_autoptr(GError) failure = page->work ? ns_study_work_take_failure(page->work) : NULL;
    NsStudyWorkProgress progress = progress_of(page);
    if (failure)
        set_hint(page, failure->message, true);
    else if (progress.ended == progress.cells)
        ns_session_report(page->session, _("The sweep is complete."));
    return G_SOURCE_REMOVE;
}

/* ---- Sweeps ---- */

/* Stops the sweep and gives up its cells. */
static void drop_work(NsPhasePage *page)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) g_clear_pointer(&page->phases[i], ns_phase_unref);
    if (page->work) ns_study_work_stop(page->work);
    g_clear_pointer(&page->work, ns_study_work_unref);
}

/* Shows so many charts side by side. */
static void show_charts(NsPhasePage *page, size_t n)
{
    page->n = n;
    for (size_t i = 0; i < NS_LANES_MAX; i++)
        gtk_widget_set_visible(GTK_WIDGET(page->charts[i]), i < n);
}

/* Shows a study of two axes, which is taken. */
static void show_work(NsPhasePage *page, NsStudyWork *work, char *asked)
{
    size_t n = ns_study_work_study(work)->experiment.n;
    drop_work(page);
    page->work = work;
    for (size_t i = 0; i < n; i++) page->phases[i] = ns_phase_new(work, i, 0, 1, NULL);
    show_charts(page, n);
    g_free(page->asked);
    page->asked = asked;
}

/* The values of the controls as text, and the lanes that they ask for; free with g_free. */
static char *read_controls(NsPhasePage *page, const NsStudyAxis *x, const NsStudyAxis *y,
                           const NsSettings **lanes, size_t *n)
{
    bool side = gtk_check_button_get_active(GTK_CHECK_BUTTON(page->side));
    int64_t steps = gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(page->steps));
    GString *asked = g_string_new(NULL);
    *n = side ? page->session->experiment.n : 1;
    for (size_t i = 0; i < *n; i++) {
        size_t lane = *n > 1 ? i : page->session->active;
        /* The values of the controls, as a text to compare.  The lane's own values of the two axes
         * do not count, so that opening a cell does not ask for another sweep. */
        g_autofree char *a = ns_study_axis_text(x), *b = ns_study_axis_text(y);
        NsSettings rest;
        ns_settings_copy(&rest, &page->session->experiment.lane[lane]);
        ns_settings_set(&rest, x->param->key, x->param->default_text, NULL);
        ns_settings_set(&rest, y->param->key, y->param->default_text, NULL);
        g_autofree char *line = ns_settings_line(&rest, true);
        ns_settings_clear(&rest);
        g_autofree char *words = g_strdup_printf("%s %s %" PRId64 " %s", a, b, steps, line);
        lanes[i] = &page->session->experiment.lane[lane];
        g_string_append_printf(asked, "%s\n", words);
    }
    return g_string_free(asked, FALSE);
}

/* The sweep that the controls ask for: the present one where it is not done, else a new one. */
static bool prepare(NsPhasePage *page, GError **error)
{
    g_auto(NsStudyAxis) x = {0}, y = {0};
    g_auto(NsStudy) study;
    const NsSettings *lanes[NS_LANES_MAX];
    size_t n;
    ns_study_init(&study);
    if (!read_axis(page, 0, &x, error) || !read_axis(page, 1, &y, error)) return false;
    int64_t steps = gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(page->steps));
    g_autofree char *asked = read_controls(page, &x, &y, lanes, &n);
    NsStudyWorkProgress progress = progress_of(page);
    if (g_strcmp0(asked, page->asked) == 0 && progress.ended < progress.cells) return true;
    if (!ns_phase_study(&study, lanes, n, &x, &y, steps, error)) return false;
    show_work(page, ns_study_work_new(&study, NULL, NULL), g_steal_pointer(&asked));
    return true;
}

/* Until the first sweep has begun the chart has the cells that the controls ask for. */
static void plan(NsPhasePage *page)
{
    if (!has_begun(page) && prepare(page, NULL)) {
        page->planned = true;
        show_hint(page); /* an error stays while the values are wrong */
    }
    update_chart(page);
}

static bool is_going(const NsPhasePage *page)
{
    return !page->stopped && progress_of(page).going;
}

/* Continues the sweep that the controls describe, or starts it in place of another one. */
static void start(NsPhasePage *page)
{
    g_autoptr(GError) error = NULL;
    if (prepare(page, &error) && (is_going(page) || ns_study_work_start(page->work, 0, &error))) {
        page->stopped = page->planned = false;
        if (!page->tick)
            page->tick = gtk_widget_add_tick_callback(GTK_WIDGET(page), on_tick, NULL, NULL);
        show_hint(page);
    } else {
        set_hint(page, error->message, true);
    }
    update_chart(page);
    sync_controls(page);
}

bool ns_phase_page_set_axes(NsPhasePage *page, const char *x, const char *y, int64_t steps,
                            GError **error)
{
    const char *const texts[] = {x, y};
    g_auto(NsStudyAxis) first = {0}, second = {0};
    NsStudyAxis *const axes[] = {&first, &second};
    for (int i = 0; i < 2; i++)
        if (!ns_study_axis_read(axes[i], texts[i], error)) return false;
    for (int i = 0; i < 2; i++) {
        g_autofree char *values = g_strjoinv(", ", axes[i]->values);
        set_key(page, i, key_index(page, axes[i]->param->key));
        set_values(page, i, axes[i]->param, values);
    }
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(page->steps), (double)steps);
    show_hint(page);
    return true;
}

bool ns_phase_page_show_study(NsPhasePage *page, NsStudyWork *work, GError **error)
{
    g_autoptr(NsPhase) first = ns_phase_new(work, 0, 0, 1, error);
    if (!first) return false;
    const NsStudyAxis *x = first->x, *y = first->y;
    g_autofree char *x_text = ns_study_axis_text(x), *y_text = ns_study_axis_text(y);
    const NsSettings *lanes[NS_LANES_MAX];
    size_t n = ns_study_work_study(work)->experiment.n;
    ns_phase_page_set_axes(page, x_text, y_text, first->settings->steps, NULL);
    gtk_check_button_set_active(GTK_CHECK_BUTTON(page->side), n > 1);
    show_work(page, ns_study_work_ref(work), read_controls(page, x, y, lanes, &n));
    page->stopped = page->planned = false;
    show_hint(page);
    update_chart(page);
    sync_controls(page);
    return true;
}

/* Takes both settings of the cell in a column and a row over into the active lane. */
static void open_cell(NsPhasePage *page, size_t column, size_t row)
{
    if (!page->phases[0]) return;
    const NsStudyAxis *x = page->phases[0]->x, *y = page->phases[0]->y;
    if (column >= x->n || row >= y->n) return;
    NsSession *session = page->session;
    bool set = ns_session_set(session, x->param->key, x->values[column]) &&
               ns_session_set(session, y->param->key, y->values[row]);
    if (!set) {
        ns_session_report(page->session, session->problem);
        return;
    }
    const char *lane = ns_lane_letter(session->active);
    const NsSettings *settings = ns_session_settings(session);
    g_autofree char *at = ns_settings_value_words(settings, x->param);
    g_autofree char *and = ns_settings_value_words(settings, y->param);
    const char *first = _(x->param->label), *second = _(y->param->label);
    g_autofree char *sentence =
        ns_session_pending(session) > 0
            ? g_strdup_printf(_("Lane %s now has %s %s and %s %s; press Restart to run it."), lane,
                              first, at, second, and)
            : g_strdup_printf(_("Lane %s now has %s %s and %s %s; press Run to start it."), lane,
                              first, at, second, and);
    ns_session_report(page->session, sentence);
}

/* ---- Pointer and keyboard on the chart, before its own ---- */

/* Opens the cell that is read.  The lane of the chart becomes the active one. */
static bool open_reading(NsPhasePage *page, NsChartView *chart)
{
    const NsReading *reading = ns_chart_view_reading(chart);
    if (!reading || isnan(reading->row)) return false;
    for (size_t i = 0; page->n > 1 && i < page->n; i++)
        if (page->charts[i] == chart) ns_session_set_active(page->session, i);
    open_cell(page, (size_t)MAX(reading->x, 0), (size_t)reading->row);
    return true;
}

static void on_pressed(GtkGestureClick *click, int presses, double x, double y, NsPhasePage *page)
{
    NsChartView *chart =
        NS_CHART_VIEW(gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(click)));
    const NsPlotLayout *layout = ns_chart_view_layout(chart);
    if (!layout || !page->phases[0]) return;
    NsBox area = ns_plot_area(layout);
    bool inside =
        x >= area.x && x <= area.x + area.width && y >= area.y && y <= area.y + area.height;
    if (!inside) return;
    gtk_gesture_set_state(GTK_GESTURE(click), GTK_EVENT_SEQUENCE_CLAIMED);
    gtk_widget_grab_focus(GTK_WIDGET(chart));
    ns_chart_view_hover(chart, x, y);
    if (presses == 1) open_reading(page, chart);
}

static gboolean on_key(GtkEventControllerKey *keys, guint keyval, guint code, GdkModifierType state,
                       NsPhasePage *page)
{
    (void)code;
    bool enter = keyval == GDK_KEY_Return || keyval == GDK_KEY_KP_Enter;
    if (!enter || state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK))
        return GDK_EVENT_PROPAGATE;
    return open_reading(page,
                        NS_CHART_VIEW(gtk_event_controller_get_widget(GTK_EVENT_CONTROLLER(keys))));
}

/* ---- A range in fields: from, to, count, equal factors ---- */

typedef struct {
    NsPhasePage *page;
    int axis;
    GtkWidget *entry; /* that is written to */
    GtkWidget *from, *to, *count, *log;
    bool syncing;
} Range;

static void on_range(Range *range)
{
    const char *from = gtk_editable_get_text(GTK_EDITABLE(range->from));
    const char *to = gtk_editable_get_text(GTK_EDITABLE(range->to));
    bool log = gtk_check_button_get_active(GTK_CHECK_BUTTON(range->log));
    if (range->syncing || !*from || !*to) return;
    g_autofree char *text = g_strdup_printf(
        "%s:%s:%d:%s", from, to, gtk_spin_button_get_value_as_int(GTK_SPIN_BUTTON(range->count)),
        log ? "log" : "linear");
    gtk_editable_set_text(GTK_EDITABLE(range->entry), text);
}

/* A range as it is; of a list its ends and its length. */
static void on_range_shown(Range *range)
{
    const char *text = gtk_editable_get_text(GTK_EDITABLE(range->entry));
    bool list = !strchr(text, ':');
    g_auto(GStrv) words = g_strsplit(text, list ? "," : ":", -1);
    guint n = g_strv_length(words);
    if (n < 2) return;
    guint chosen = gtk_drop_down_get_selected(GTK_DROP_DOWN(range->page->key[range->axis]));
    const NsParam *param = param_at(range->page, chosen);
    g_autofree char *from = replaced(words[0], ns_param_none_word(param), ns_param_none(param));
    range->syncing = true;
    gtk_editable_set_text(GTK_EDITABLE(range->from), from);
    gtk_editable_set_text(GTK_EDITABLE(range->to), g_strstrip(words[list ? n - 1 : 1]));
    double count = list ? n : n > 2 ? g_ascii_strtod(words[2], NULL) : 5.0;
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(range->count), count);
    bool linear = !list && n > 3 && g_str_equal(g_strstrip(words[3]), "linear");
    gtk_check_button_set_active(GTK_CHECK_BUTTON(range->log),
                                !linear && g_ascii_strtod(from, NULL) > 0.0);
    range->syncing = false;
}

static void add_field(GtkWidget *grid, int row, const char *label, GtkWidget *field)
{
    GtkWidget *name = gtk_label_new(label);
    gtk_label_set_xalign(GTK_LABEL(name), 0.0F);
    gtk_accessible_update_relation(GTK_ACCESSIBLE(field), GTK_ACCESSIBLE_RELATION_LABELLED_BY, name,
                                   NULL, -1);
    gtk_grid_attach(GTK_GRID(grid), name, 0, row, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), field, 1, row, 1, 1);
}

static GtkWidget *new_number(Range *range)
{
    GtkWidget *entry = gtk_entry_new();
    gtk_editable_set_width_chars(GTK_EDITABLE(entry), RANGE_CHARS);
    g_signal_connect_swapped(entry, "changed", G_CALLBACK(on_range), range);
    return entry;
}

/* A button that opens the fields, which write the range into the entry of an axis as
 * "1e-4:1e-1:7:log" (ns_study_axis_read) and show what it has when they come up. */
static GtkWidget *new_range_button(NsPhasePage *page, int axis)
{
    GtkWidget *button = gtk_menu_button_new(), *popover = gtk_popover_new();
    GtkWidget *grid = ns_grid_new(6, 12);
    Range *range = g_new0(Range, 1);
    range->page = page;
    range->axis = axis;
    range->entry = page->values[axis];
    range->from = new_number(range);
    range->to = new_number(range);
    range->count = gtk_spin_button_new_with_range(2, NS_STUDY_VALUES, 1);
    range->log = gtk_check_button_new_with_label(_("Logarithmic spacing"));
    g_signal_connect_swapped(range->count, "value-changed", G_CALLBACK(on_range), range);
    g_signal_connect_swapped(range->log, "toggled", G_CALLBACK(on_range), range);
    add_field(grid, 0, _("From"), range->from);
    add_field(grid, 1, _("To"), range->to);
    add_field(grid, 2, _("Count"), range->count);
    gtk_grid_attach(GTK_GRID(grid), range->log, 0, 3, 2, 1);
    gtk_popover_set_child(GTK_POPOVER(popover), grid);
    g_signal_connect_swapped(popover, "show", G_CALLBACK(on_range_shown), range);
    ns_accessible_name(button, _("Range"));
    gtk_menu_button_set_popover(GTK_MENU_BUTTON(button), popover);
    gtk_widget_set_tooltip_text(
        button, _("Enter the first value, the last value and the number of values"));
    g_object_set_data_full(G_OBJECT(button), "ns-range", range, g_free);
    return button;
}

/* ---- Controls ---- */

static void on_key_chosen(NsPhasePage *page, GParamSpec *pspec, GtkWidget *drop_down)
{
    (void)pspec;
    int axis = drop_down == page->key[1];
    set_key(page, axis, gtk_drop_down_get_selected(GTK_DROP_DOWN(drop_down)));
    show_hint(page);
}

static void on_start(NsPhasePage *page)
{
    if (is_going(page)) {
        ns_study_work_stop(page->work);
        page->stopped = true;
        show_hint(page);
        update_chart(page);
        sync_controls(page);
    } else {
        start(page);
    }
    ns_end_typing(GTK_WIDGET(page));
}

/* Enter in a field starts a sweep and never stops one. */
static void on_values(NsPhasePage *page)
{
    start(page);
    ns_end_typing(GTK_WIDGET(page));
}

static void on_path(const char *path, gpointer owner)
{
    NsPhasePage *page = owner;
    size_t i = page->n; /* with several sweeps, the focused one, or else the first */
    while (--i > 0 && !gtk_widget_has_focus(GTK_WIDGET(page->charts[i]))) continue;
    NsFigureInput input = input_of(page, i);
    g_auto(NsProvenance) provenance;
    ns_phase_provenance(page->phases[i], &provenance);
    provenance.axes = g_strdup(input.log ? "log" : "linear");
    g_autoptr(NsFigure) figure = ns_figure_create(&ns_phase_kind);
    const NsPlot *plot = ns_figure_update(figure, &input);
    ns_save_plots(page->session, &plot, 1, &provenance, path);
}

static void on_export(NsPhasePage *page)
{
    GtkWindow *window = GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(page)));
    ns_file_dialog_save(window, _("Export the sweep"), "phase.pdf", on_path, page);
}

/* Beside each other, or below each other where the page is narrow.  Tab would stay at one in which
 * nothing can have the focus. */
static GtkWidget *make_pair(GtkWidget *first, GtkWidget *second)
{
    GtkWidget *flow =
        g_object_new(GTK_TYPE_FLOW_BOX, "selection-mode", GTK_SELECTION_NONE, "homogeneous", TRUE,
                     "max-children-per-line", 2, "column-spacing", 12, "row-spacing", 6, NULL);
    gtk_flow_box_append(GTK_FLOW_BOX(flow), first);
    gtk_flow_box_append(GTK_FLOW_BOX(flow), second);
    gtk_widget_set_focusable(gtk_widget_get_parent(first), FALSE);
    gtk_widget_set_focusable(gtk_widget_get_parent(second), FALSE);
    return flow;
}

/* `settings` makes the settings of both axes equally wide. */
static GtkWidget *make_axis(NsPhasePage *page, int axis, const char *title, GtkSizeGroup *settings)
{
    GtkWidget *grid = gtk_grid_new(), *label = ns_text_label_new(title, "hint");
    GtkWidget *values = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    g_autoptr(GtkStringList) keys = gtk_string_list_new(NULL);
    for (guint i = 0; i < page->params->len; i++)
        gtk_string_list_append(keys, _(param_at(page, i)->label));
    page->key[axis] = gtk_drop_down_new(G_LIST_MODEL(g_steal_pointer(&keys)), NULL);
    page->values[axis] =
        ns_entry_new(axis ? _("Values of the rows") : _("Values of the columns"), CHARS);
    gtk_widget_set_hexpand(page->values[axis], TRUE);
    ns_name_control(page->key[axis], axis ? _("Setting of the rows") : _("Setting of the columns"),
                    axis ? _("The setting that differs from row to row")
                         : _("The setting that differs from column to column"));
    gtk_widget_set_tooltip_text(
        page->values[axis],
        _("A list such as 1, 10, 100, or a range from:to:count such as 1e-4:1e-1:7"));
    page->range[axis] = new_range_button(page, axis);
    gtk_size_group_add_widget(settings, page->key[axis]);
    gtk_widget_add_css_class(values, "linked");
    ns_box_append(values, page->values[axis], page->range[axis], NULL);
    gtk_grid_set_column_spacing(GTK_GRID(grid), 6);
    gtk_grid_attach(GTK_GRID(grid), label, 0, 0, 2, 1);
    gtk_grid_attach(GTK_GRID(grid), page->key[axis], 0, 1, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), values, 1, 1, 1, 1);
    ns_connect(page->key[axis], "notify::selected", G_CALLBACK(on_key_chosen), page);
    ns_connect(page->values[axis], "activate", G_CALLBACK(on_values), page);
    ns_connect(page->values[axis], "changed", G_CALLBACK(plan), page);
    return grid;
}

static GtkWidget *make_buttons(NsPhasePage *page)
{
    GtkWidget *steps = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    GtkWidget *rest = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    page->steps = gtk_spin_button_new_with_range(1, MOST_STEPS, 50);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(page->steps), STEPS);
    ns_name_control(page->steps, _("Steps per run"), _("Steps per run"));
    ns_connect(gtk_editable_get_delegate(GTK_EDITABLE(page->steps)), "activate",
               G_CALLBACK(ns_end_typing), page->steps);
    ns_connect(page->steps, "value-changed", G_CALLBACK(plan), page);
    page->start = ns_button_new(_("Start"), _("Train every cell, or stop; finished cells are kept"),
                                G_CALLBACK(on_start), page);
    page->export_ = ns_button_new(_("Export…"), _("Save the sweep as PDF, SVG, PNG, CSV or TeX"),
                                  G_CALLBACK(on_export), page);
    page->side = gtk_check_button_new_with_label(_("Lanes side by side"));
    gtk_widget_set_tooltip_text(page->side, _("One sweep for each lane, on a common color scale"));
    ns_connect(page->side, "toggled", G_CALLBACK(plan), page);
    page->queue = gtk_progress_bar_new();
    ns_name_control(page->queue, _("Finished cells"), NULL);
    gtk_widget_set_hexpand(page->queue, TRUE);
    gtk_widget_set_valign(page->queue, GTK_ALIGN_CENTER);
    ns_box_append(steps, gtk_label_new(_("Steps")), page->steps, NULL);
    ns_box_append(rest, page->start, page->export_, page->side, page->queue, NULL);
    return make_pair(steps, rest);
}

static void build(NsPhasePage *page)
{
    gtk_widget_add_css_class(GTK_WIDGET(page), "study");
    page->hint = ns_text_label_new(NULL, "hint");
    page->words = ns_text_label_new(NULL, "hint");
    gtk_widget_add_css_class(page->words, "numeric");
    page->row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 8);
    gtk_box_set_homogeneous(GTK_BOX(page->row), TRUE);
    gtk_widget_set_vexpand(page->row, TRUE);
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        GtkWidget *chart = ns_chart_view_new(&ns_phase_kind);
        page->charts[i] = NS_CHART_VIEW(chart);
        gtk_widget_set_hexpand(chart, TRUE);
        GtkGesture *click = gtk_gesture_click_new();
        gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(click), GTK_PHASE_CAPTURE);
        g_signal_connect(click, "pressed", G_CALLBACK(on_pressed), page);
        gtk_widget_add_controller(chart, GTK_EVENT_CONTROLLER(click));
        GtkEventController *keys = gtk_event_controller_key_new();
        gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
        g_signal_connect(keys, "key-pressed", G_CALLBACK(on_key), page);
        gtk_widget_add_controller(chart, keys);
        gtk_box_append(GTK_BOX(page->row), chart);
    }
    show_charts(page, 1);
    g_autoptr(GtkSizeGroup) settings = gtk_size_group_new(GTK_SIZE_GROUP_HORIZONTAL);
    GtkWidget *columns = make_axis(page, 0, _("Columns"), settings);
    GtkWidget *rows = make_axis(page, 1, _("Rows"), settings);
    ns_box_append(GTK_WIDGET(page), make_pair(columns, rows), make_buttons(page), page->row,
                  page->words, page->hint, NULL);
}

/* ---- The page ---- */

static bool page_refresh(NsPage *page)
{
    plan(NS_PHASE_PAGE(page));
    return false;
}

static void page_save(NsPage *page)
{
    NsPhasePage *self = NS_PHASE_PAGE(page);
    if (has_begun(self))
        on_export(self);
    else
        ns_session_report(self->session, _("There is no sweep to export yet: press Start first."));
}

static void implement_page(NsPageInterface *page)
{
    page->save = page_save;
    page->refresh = page_refresh;
}

static void ns_phase_page_finalize(GObject *object)
{
    NsPhasePage *page = NS_PHASE_PAGE(object);
    drop_work(page);
    g_ptr_array_unref(page->params);
    g_free(page->asked);
    G_OBJECT_CLASS(ns_phase_page_parent_class)->finalize(object);
}

static void ns_phase_page_class_init(NsPhasePageClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_phase_page_finalize;
}

static void ns_phase_page_init(NsPhasePage *page)
{
    page->params = g_ptr_array_new();
    for (size_t i = 0; ns_param(i); i++)
        if (ns_study_can_vary(ns_param(i)))
            g_ptr_array_add(page->params, (gpointer)(guintptr)ns_param(i));
}

GtkWidget *ns_phase_page_new(NsSession *session)
{
    NsPhasePage *page = g_object_new(NS_TYPE_PHASE_PAGE, "orientation", GTK_ORIENTATION_VERTICAL,
                                     "spacing", 8, NULL);
    page->session = ns_session_hold(session, page);
    build(page);
    set_key(page, 0, key_index(page, "lr"));
    set_key(page, 1, key_index(page, "warmup"));
    show_hint(page);
    update_chart(page);
    sync_controls(page);
    return GTK_WIDGET(page);
}
