/* The list of charts in a figure, and an editor of the selected one.  SPDX-License-Identifier: MIT
 */
#include "ui/widgets/shell/export_charts.h"

#include "core/base/error.h"
#include "core/base/words.h"
#include "ui/plot/text.h"
#include "ui/widgets/charts/limits_popover.h"
#include "ui/widgets/charts/tile_controls.h"
#include "ui/widgets/common/helpers.h"

#include <math.h>
#include <string.h>

#define TITLE_CHARS 16
#define ROW_CHARS 18
#define LABEL_CHARS 12

G_DEFINE_FINAL_TYPE(NsExportCharts, ns_export_charts, GTK_TYPE_BOX)

static void sync_list(NsExportCharts *charts);
static void find_facts(NsExportCharts *charts);

void ns_export_charts_leave(NsExportCharts *charts)
{
    charts->view = NULL;
}

/* The selected chart; the list must not be empty. */
static NsSheetChart *current(NsExportCharts *charts)
{
    return ns_sheet_chart(charts->sheet, charts->current);
}

static void forget_problems(NsExportCharts *charts)
{
    for (int i = 0; i < NS_EXPORT_EDITS; i++) g_clear_pointer(&charts->problems[i], g_free);
}

/* Shows the first problem of all entries and reports a change.  `words` names the entry that is
 * wrong; without `problem` the edit was made. */
static void show_problem(NsExportCharts *charts, int edit, const char *words, const char *problem)
{
    const char *first = NULL;
    g_free(charts->problems[edit]);
    charts->problems[edit] = problem ? g_strdup_printf("%s: %s", words, problem) : NULL;
    for (int i = NS_EXPORT_EDITS; i-- > 0;)
        first = charts->problems[i] ? charts->problems[i] : first;
    gtk_label_set_text(charts->problem, first ? first : "");
    g_signal_emit_by_name(charts, "changed");
}

/* The editor is built again, and its entries with it. */
static void charts_changed(NsExportCharts *charts)
{
    sync_list(charts);
    forget_problems(charts);
    find_facts(charts);
    show_problem(charts, 0, NULL, NULL);
}

bool ns_export_charts_is_wrong(NsExportCharts *charts)
{
    return *gtk_label_get_text(charts->problem);
}

static char *chart_words(const NsSheetChart *chart)
{
    const NsFigureSpec *spec = &chart->spec;
    const char *label = _(spec->kind->choice.label);
    if (chart->title) return g_strdup(chart->title);
    bool chosen = spec->kind->subject == NS_SUBJECT_SIMILARITY ||
                  (spec->kind->subject == NS_SUBJECT_PLACE && spec->layer) ||
                  spec->quantity != spec->kind->initial;
    g_autofree char *marked =
        chosen ? ns_tile_choice_label(spec->kind, ns_tile_choice_of(spec)) : NULL;
    g_autofree char *what = marked ? ns_text_plain(marked) : NULL;
    g_autofree char *words = what ? g_strdup_printf("%s: %s", label, what) : g_strdup(label);
    if (chart->lane < 0) return g_steal_pointer(&words);
    return g_strdup_printf("%s · %s", words, ns_lane_letter((size_t)chart->lane));
}

/* ---- The list ---- */

static void move(NsExportCharts *charts, guint from, guint to)
{
    if (from == to || to >= charts->sheet->charts->len) return;
    ns_sheet_move(charts->sheet, from, to);
    charts->current = to;
    charts_changed(charts);
}

static void on_row_action(GtkWidget *button, NsExportCharts *charts)
{
    GtkWidget *row = gtk_widget_get_ancestor(button, GTK_TYPE_LIST_BOX_ROW);
    guint i = (guint)gtk_list_box_row_get_index(GTK_LIST_BOX_ROW(row));
    int by = GPOINTER_TO_INT(g_object_get_data(G_OBJECT(button), "ns-by"));
    if (by) {
        move(charts, i, (guint)((int)i + by));
        GtkListBoxRow *moved =
            gtk_list_box_get_row_at_index(GTK_LIST_BOX(charts->list), (int)charts->current);
        gtk_widget_grab_focus(GTK_WIDGET(moved));
        return;
    }
    g_array_remove_index(charts->sheet->charts, i);
    if (charts->current > i || charts->current == charts->sheet->charts->len)
        charts->current -= charts->current > 0;
    charts_changed(charts);
}

static GtkWidget *row_button(NsExportCharts *charts, const char *icon, const char *words, int by)
{
    GtkWidget *button = ns_icon_button_new(icon, words);
    g_object_set_data(G_OBJECT(button), "ns-by", GINT_TO_POINTER(by));
    g_signal_connect(button, "clicked", G_CALLBACK(on_row_action), charts);
    return button;
}

static int row_at(NsExportCharts *charts, double y)
{
    GtkListBoxRow *row = gtk_list_box_get_row_at_y(GTK_LIST_BOX(charts->list), (int)y);
    return row ? gtk_list_box_row_get_index(row) : -1;
}

static void on_drag_begin(GtkGestureDrag *drag, double x, double y, NsExportCharts *charts)
{
    (void)drag, (void)x;
    charts->dragged = row_at(charts, y);
}

/* A dragged chart moves to the row under the pointer. */
static void on_drag_update(GtkGestureDrag *drag, double dx, double dy, NsExportCharts *charts)
{
    double x, y;
    (void)dx;
    gtk_gesture_drag_get_start_point(drag, &x, &y);
    int to = row_at(charts, y + dy);
    if (charts->dragged < 0 || to < 0 || to == charts->dragged) return;
    gtk_gesture_set_state(GTK_GESTURE(drag), GTK_EVENT_SEQUENCE_CLAIMED);
    move(charts, (guint)charts->dragged, (guint)to);
    charts->dragged = to;
}

static GtkWidget *make_row(NsExportCharts *charts, guint i)
{
    guint n = charts->sheet->charts->len;
    GtkWidget *row = gtk_list_box_row_new(), *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    g_autofree char *words = chart_words(ns_sheet_chart(charts->sheet, i));
    GtkWidget *label = ns_line_label_new(words, NULL);
    GtkWidget *up = row_button(charts, "go-up-symbolic", _("Move up"), -1);
    GtkWidget *down = row_button(charts, "go-down-symbolic", _("Move down"), 1);
    gtk_label_set_max_width_chars(GTK_LABEL(label), ROW_CHARS);
    gtk_widget_set_hexpand(label, TRUE);
    gtk_widget_set_tooltip_text(label, words);
    gtk_widget_set_sensitive(up, i > 0);
    gtk_widget_set_sensitive(down, i + 1 < n);
    ns_box_append(box, label, up, down,
                  row_button(charts, "list-remove-symbolic", _("Remove chart"), 0), NULL);
    gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), box);
    return row;
}

static void sync_list(NsExportCharts *charts)
{
    GtkListBox *list = GTK_LIST_BOX(charts->list);
    GtkListBoxRow *row;
    charts->syncing = true;
    while ((row = gtk_list_box_get_row_at_index(list, 0)))
        gtk_list_box_remove(list, GTK_WIDGET(row));
    for (guint i = 0; i < charts->sheet->charts->len; i++)
        gtk_list_box_append(list, make_row(charts, i));
    row = gtk_list_box_get_row_at_index(list, (int)charts->current);
    if (row) gtk_list_box_select_row(list, row);
    charts->syncing = false;
}

static void on_selected(GtkListBox *list, GtkListBoxRow *row, NsExportCharts *charts)
{
    (void)list;
    if (charts->syncing || !row) return;
    charts->current = (guint)gtk_list_box_row_get_index(row);
    forget_problems(charts);
    find_facts(charts);
    show_problem(charts, 0, NULL, NULL);
}

static void on_add(GtkWidget *widget, const char *name, GVariant *key)
{
    (void)name;
    NsExportCharts *charts = NS_EXPORT_CHARTS(widget);
    const NsFigureKind *kind = ns_figure_find(g_variant_get_string(key, NULL));
    if (!kind) return;
    ns_sheet_add(charts->sheet, ns_figure_spec(kind), -1);
    charts->current = charts->sheet->charts->len - 1;
    charts_changed(charts);
}

/* ---- Editor of the selected chart ---- */

static void add_words(NsExportCharts *charts, const char *words, GtkWidget *control)
{
    GtkWidget *label = ns_line_label_new(words, NULL);
    gtk_label_set_max_width_chars(GTK_LABEL(label), LABEL_CHARS);
    gtk_widget_set_tooltip_text(label, words);
    gtk_widget_set_hexpand(control, TRUE);
    ns_accessible_name(control, words);
    gtk_grid_attach(GTK_GRID(charts->editor), label, 0, charts->rows, 1, 1);
    gtk_grid_attach(GTK_GRID(charts->editor), control, 1, charts->rows++, 1, 1);
}

static void add_heading(NsExportCharts *charts, const char *words)
{
    GtkWidget *label = ns_line_label_new(words, "heading");
    gtk_grid_attach(GTK_GRID(charts->editor), label, 0, charts->rows++, 2, 1);
}

static void on_title(NsExportCharts *charts)
{
    g_autoptr(GError) error = NULL;
    const char *text = gtk_editable_get_text(GTK_EDITABLE(charts->title));
    bool good = ns_sheet_set_title(current(charts), text, &error);
    if (good) sync_list(charts);
    ns_set_css_class(charts->title, "error", !good);
    show_problem(charts, NS_EXPORT_EDIT_TITLE, _("Title"), error ? error->message : NULL);
}

static GtkWidget *make_entry(NsExportCharts *charts, const char *text, GCallback changed)
{
    GtkWidget *entry = gtk_entry_new();
    gtk_editable_set_width_chars(GTK_EDITABLE(entry), TITLE_CHARS);
    gtk_editable_set_max_width_chars(GTK_EDITABLE(entry), TITLE_CHARS);
    gtk_editable_set_text(GTK_EDITABLE(entry), text ? text : "");
    g_signal_connect_swapped(entry, "changed", changed, charts);
    return entry;
}

/* The limits of one axis stay as they are if one of them is wrong. */
static void on_limits(NsExportCharts *charts)
{
    NsViewState *view = &current(charts)->view;
    const char *problem = NULL, *words = NULL;
    for (int i = 0; i < NS_VIEW_STATE_AXES; i++) {
        GtkWidget *const *field = charts->limits[i];
        NsScaleKind kind = view->rescaled[i] ? view->scale[i] : charts->facts->scale[i];
        NsRange range;
        const char *wrong = field[0] ? ns_limits_read(field[0], field[1], kind, &range) : NULL;
        if (field[0] && !wrong) view->range[i] = range;
        if (!wrong || problem) continue;
        problem = wrong;
        words = charts->facts->axis[i];
    }
    show_problem(charts, NS_EXPORT_EDIT_LIMITS, words, problem);
}

static GtkWidget *make_limit(NsExportCharts *charts, double value, const char *words)
{
    GtkWidget *field = ns_limit_field_new(words, value);
    gtk_widget_set_hexpand(field, TRUE);
    g_signal_connect_swapped(field, "changed", G_CALLBACK(on_limits), charts);
    return field;
}

static void on_curve(GtkCheckButton *check, NsExportCharts *charts)
{
    uint64_t bit = UINT64_C(1) << GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(check), "ns-curve"));
    NsSheetChart *chart = current(charts);
    chart->hidden = gtk_check_button_get_active(check) ? chart->hidden & ~bit : chart->hidden | bit;
    g_signal_emit_by_name(charts, "changed");
}

/* Another quantity or lane is another plot, to which hidden curves and limits do not apply. */
static void begin_again(NsExportCharts *charts)
{
    NsSheetChart *chart = current(charts);
    chart->hidden = 0;
    ns_view_state_init(&chart->view);
    charts_changed(charts);
}

static void on_choice(GtkDropDown *drop_down, GParamSpec *spec, NsExportCharts *charts)
{
    (void)spec;
    guint i = gtk_drop_down_get_selected(drop_down);
    if (i >= charts->choices->len) return;
    ns_tile_choose(&current(charts)->spec, g_array_index(charts->choices, int, i));
    begin_again(charts);
}

static void add_choice(NsExportCharts *charts)
{
    const NsFigureSpec *spec = &current(charts)->spec;
    g_autoptr(GPtrArray) labels = g_ptr_array_new_with_free_func(g_free);
    g_clear_pointer(&charts->choices, g_array_unref);
    charts->choices = ns_tile_choices(spec->kind, charts->view, (int)spec->quantity);
    guint shown = GTK_INVALID_LIST_POSITION;
    for (guint i = 0; i < charts->choices->len; i++) {
        int choice = g_array_index(charts->choices, int, i);
        if (choice == ns_tile_choice_of(spec)) shown = i;
        g_autofree char *marked = ns_tile_choice_label(spec->kind, choice);
        g_ptr_array_add(labels, ns_text_plain(marked));
    }
    if (!labels->len) return;
    g_ptr_array_add(labels, NULL);
    GtkWidget *drop_down = gtk_drop_down_new_from_strings((const char *const *)labels->pdata);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(drop_down), shown);
    g_signal_connect(drop_down, "notify::selected", G_CALLBACK(on_choice), charts);
    add_words(charts, _("Shows"), drop_down);
}

static void on_lane(GtkDropDown *drop_down, GParamSpec *spec, NsExportCharts *charts)
{
    (void)spec;
    current(charts)->lane = (int)gtk_drop_down_get_selected(drop_down) - 1;
    begin_again(charts);
}

/* ---- Names of lanes ---- */

/* If one is wrong, all stay as they are. */
static void on_names(NsExportCharts *charts)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    g_auto(NsSheet) tried = {0};
    const char *problem = NULL, *words = NULL;
    size_t n = charts->view->started.n;
    for (size_t i = 0; i < n; i++) {
        const char *name = gtk_editable_get_text(GTK_EDITABLE(charts->names[i]));
        g_string_append_printf(text, "%s%s", i ? ";" : "", name);
        ns_set_css_class(charts->names[i], "error", false);
        if (problem) continue;
        if (strchr(name, ';'))
            problem = _("The name of a lane cannot contain “;”.");
        else if (!ns_sheet_read_names(&tried, text->str, n, &error))
            problem = error->message;
        if (!problem) continue;
        words = ns_lane_letter(i);
        ns_set_css_class(charts->names[i], "error", true);
    }
    if (!problem) ns_sheet_read_names(charts->sheet, text->str, n, NULL);
    show_problem(charts, NS_EXPORT_EDIT_NAMES, words, problem);
}

/* ---- The editor ---- */

static void build_editor(NsExportCharts *charts)
{
    GtkWidget *child;
    while ((child = gtk_widget_get_first_child(charts->editor)))
        gtk_grid_remove(GTK_GRID(charts->editor), child);
    size_t n = charts->view->started.n;
    charts->rows = 0;
    memset(charts->limits, 0, sizeof charts->limits);
    if (charts->sheet->charts->len) {
        add_heading(charts, _("This chart"));
        charts->title = make_entry(charts, current(charts)->title, G_CALLBACK(on_title));
        gtk_entry_set_placeholder_text(GTK_ENTRY(charts->title), charts->facts->title);
        add_words(charts, _("Title"), charts->title);
        add_choice(charts);
        const char *lanes[NS_LANES_MAX + 2] = {_("All lanes")};
        for (size_t i = 0; i < n; i++) lanes[i + 1] = ns_lane_letter(i);
        if (n > 1) {
            GtkWidget *drop_down = gtk_drop_down_new_from_strings(lanes);
            gtk_drop_down_set_selected(GTK_DROP_DOWN(drop_down),
                                       (guint)(current(charts)->lane + 1));
            g_signal_connect(drop_down, "notify::selected", G_CALLBACK(on_lane), charts);
            add_words(charts, _("Lanes"), drop_down);
        }
        for (int i = 0; i < NS_VIEW_STATE_AXES; i++)
            if (charts->facts->axis[i]) {
                const char *label = charts->facts->axis[i];
                NsRange range = current(charts)->view.range[i];
                GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
                g_autofree char *from = g_strdup_printf(_("%s from"), label);
                g_autofree char *to = g_strdup_printf(_("%s to"), label);
                charts->limits[i][0] = make_limit(charts, range.lo, from);
                charts->limits[i][1] = make_limit(charts, range.hi, to);
                ns_box_append(box, charts->limits[i][0], gtk_label_new("–"), charts->limits[i][1],
                              NULL);
                g_autofree char *words =
                    g_strconcat(i == NS_VIEW_STATE_X ? "x: " : "y: ", label, NULL);
                add_words(charts, words, box);
            }
        const GPtrArray *curves = charts->facts->curves;
        if (curves->len > 1) add_heading(charts, _("Curves"));
        for (guint k = 0; curves->len > 1 && k < curves->len; k++) {
            GtkWidget *check = gtk_check_button_new_with_label(curves->pdata[k]);
            bool hidden = current(charts)->hidden & UINT64_C(1) << k;
            gtk_check_button_set_active(GTK_CHECK_BUTTON(check), !hidden);
            g_object_set_data(G_OBJECT(check), "ns-curve", GUINT_TO_POINTER(k));
            g_signal_connect(check, "toggled", G_CALLBACK(on_curve), charts);
            gtk_grid_attach(GTK_GRID(charts->editor), check, 0, charts->rows++, 2, 1);
        }
    }
    g_autofree char *text = ns_sheet_names_text(charts->sheet);
    g_auto(GStrv) names = g_strsplit(text ? text : "", ";", -1);
    if (n < 2) return;
    add_heading(charts, _("Names of lanes"));
    for (size_t i = 0; i < n; i++) {
        const char *name = i < g_strv_length(names) ? names[i] : NULL;
        const char *letter = ns_lane_letter(i);
        g_autofree char *words = ns_experiment_lane_words(&charts->view->started, i);
        charts->names[i] = make_entry(charts, name, G_CALLBACK(on_names));
        gtk_entry_set_placeholder_text(GTK_ENTRY(charts->names[i]), letter);
        gtk_widget_set_tooltip_text(charts->names[i], words);
        add_words(charts, letter, charts->names[i]);
    }
}

static void on_facts(GObject *source, GAsyncResult *result, gpointer data)
{
    (void)source;
    g_autoptr(NsExportCharts) charts = data;
    NsExportFacts *facts = g_task_propagate_pointer(G_TASK(result), NULL);
    bool again = charts->facts_again;
    charts->asked = charts->facts_again = false;
    if (!charts->view || again) {
        ns_export_facts_free(facts);
        if (charts->view) find_facts(charts);
        return;
    }
    g_clear_pointer(&charts->facts, ns_export_facts_free);
    charts->facts = facts;
    build_editor(charts);
}

/* Finds the axes and curves of the chart in a thread, then builds its editor. */
static void find_facts(NsExportCharts *charts)
{
    charts->facts_again = charts->asked;
    if (charts->asked) return;
    if (!charts->sheet->charts->len) {
        build_editor(charts);
        return;
    }
    const NsExportRequest request = {.sheet = charts->sheet, .current = charts->current};
    charts->asked = true;
    ns_export_facts_async(charts->view, &request, on_facts, g_object_ref(charts));
}

/* ---- Making ---- */

static void ns_export_charts_dispose(GObject *object)
{
    NsExportCharts *charts = NS_EXPORT_CHARTS(object);
    charts->view = NULL;
    forget_problems(charts);
    g_clear_pointer(&charts->facts, ns_export_facts_free);
    g_clear_pointer(&charts->choices, g_array_unref);
    G_OBJECT_CLASS(ns_export_charts_parent_class)->dispose(object);
}

static void ns_export_charts_class_init(NsExportChartsClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->dispose = ns_export_charts_dispose;
    ns_signal_new(NS_TYPE_EXPORT_CHARTS, "changed", 0);
    gtk_widget_class_install_action(widget_class, "charts.add", "s", on_add);
}

static void ns_export_charts_init(NsExportCharts *charts)
{
    gtk_orientable_set_orientation(GTK_ORIENTABLE(charts), GTK_ORIENTATION_VERTICAL);
    gtk_box_set_spacing(GTK_BOX(charts), 8);
}

GtkWidget *ns_export_charts_new(const NsView *view, NsSheet *sheet, guint first, GtkLabel *problem)
{
    NsExportCharts *charts = g_object_new(NS_TYPE_EXPORT_CHARTS, NULL);
    charts->view = view;
    charts->sheet = sheet;
    charts->current = first;
    charts->list = gtk_list_box_new();
    charts->editor = ns_grid_new(8, 12);
    charts->problem = problem;
    gtk_widget_add_css_class(charts->list, "charts");
    ns_accessible_name(charts->list, _("Charts of the figure, in order"));
    GtkWidget *button = gtk_menu_button_new();
    g_autoptr(GMenu) menu = g_menu_new();
    for (size_t i = 0; ns_figure_kind(i); i++) {
        const NsFigureKind *kind = ns_figure_kind(i);
        if (kind->two_runs && view->started.n < 2) continue;
        g_autoptr(GMenuItem) item = g_menu_item_new(_(kind->choice.label), NULL);
        g_menu_item_set_action_and_target(item, "charts.add", "s", kind->choice.key);
        g_menu_append_item(menu, item);
    }
    gtk_menu_button_set_label(GTK_MENU_BUTTON(button), _("Add chart"));
    gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(button), G_MENU_MODEL(menu));
    gtk_widget_set_halign(button, GTK_ALIGN_START);
    ns_box_append(GTK_WIDGET(charts), charts->list, button, charts->editor, NULL);
    GtkGesture *drag = gtk_gesture_drag_new();
    g_signal_connect(drag, "drag-begin", G_CALLBACK(on_drag_begin), charts);
    g_signal_connect(drag, "drag-update", G_CALLBACK(on_drag_update), charts);
    gtk_widget_add_controller(charts->list, GTK_EVENT_CONTROLLER(drag));
    g_signal_connect(charts->list, "row-selected", G_CALLBACK(on_selected), charts);
    sync_list(charts);
    find_facts(charts);
    return GTK_WIDGET(charts);
}
