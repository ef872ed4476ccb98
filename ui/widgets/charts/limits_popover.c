/* Asks for limits and scales of a chart's axes.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/limits_popover.h"

#include "core/base/words.h"

#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"

#include <math.h>

#define FIELD_CHARS 8

static const struct {
    const char *name;
    const char *otherwise; /* for an axis without a label */
} AXES[NS_VIEW_STATE_AXES] = {{N_("horizontal"), "x"}, {N_("vertical"), "y"}};

/* The items follow NsScaleKind, after the default of the figure. */
static const char *const SCALES[] = {N_("default"), N_("linear"), N_("logarithmic"),
                                     N_("symmetric log"), NULL};

typedef struct {
    NsChartView *chart;
    GtkWidget *hint;
    GtkWidget *lo[NS_VIEW_STATE_AXES], *hi[NS_VIEW_STATE_AXES], *scale[NS_VIEW_STATE_AXES];
} Limits;

static const NsAxis *axis_of(const NsPlot *plot, NsViewStateAxis which)
{
    return which == NS_VIEW_STATE_X ? &plot->x : &plot->left;
}

/* The number in a field; NaN for an empty one.  FALSE for anything else. */
static bool read_field(GtkWidget *field, double *value)
{
    g_autofree char *text = g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(field))));
    char *end = NULL;
    *value = NAN;
    if (!*text) return true;
    *value = g_ascii_strtod(text, &end);
    return !*end && isfinite(*value);
}

const char *ns_limits_read(GtkWidget *lo, GtkWidget *hi, NsScaleKind kind, NsRange *range)
{
    bool wrong_lo = !read_field(lo, &range->lo), wrong_hi = !read_field(hi, &range->hi);
    const char *problem = NULL;
    if (wrong_lo || wrong_hi)
        problem = _("Enter a number, such as 0.05 or 1e-4, or leave it empty.");
    else if ((wrong_lo = wrong_hi = range->lo >= range->hi))
        problem = _("The lower limit must be below the upper limit.");
    else if (kind == NS_SCALE_LOG) {
        wrong_lo = range->lo <= 0;
        wrong_hi = range->hi <= 0;
        if (wrong_lo || wrong_hi)
            problem = _("A logarithmic axis needs positive limits; symmetric log takes any.");
    }
    ns_set_css_class(lo, "error", wrong_lo);
    ns_set_css_class(hi, "error", wrong_hi);
    return problem;
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void apply(Limits *limits)
{
    NsViewState *view_state = &limits->chart->view_state;
    const NsPlot *plot = limits->chart->plot;
    const char *problem = NULL;
    bool changed = false;
    if (!plot) return;
    for (NsViewStateAxis which = 0; which < NS_VIEW_STATE_AXES; which++) {
        if (!limits->lo[which]) continue;
        NsRange range;
        guint choice = gtk_drop_down_get_selected(GTK_DROP_DOWN(limits->scale[which]));
        NsScaleKind kind = choice ? (NsScaleKind)(choice - 1) : axis_of(plot, which)->scale;
        const char *wrong = ns_limits_read(limits->lo[which], limits->hi[which], kind, &range);
        problem = problem ? problem : wrong;
        if (wrong) continue;
        bool rescaled = choice > 0;
        changed |= !same(range.lo, view_state->range[which].lo) ||
                   !same(range.hi, view_state->range[which].hi);
        changed |= rescaled != view_state->rescaled[which] ||
                   (rescaled && kind != view_state->scale[which]);
        ns_view_state_set_range(view_state, which, range);
        view_state->rescaled[which] = rescaled;
        view_state->scale[which] = kind;
    }
    gtk_label_set_text(GTK_LABEL(limits->hint), problem ? problem : "");
    gtk_widget_set_visible(limits->hint, problem != NULL);
    view_state->typed |= changed;
    if (changed) ns_chart_view_state_changed(limits->chart);
}

GtkWidget *ns_limit_field_new(const char *name, double value)
{
    GtkWidget *field = ns_entry_new(name, FIELD_CHARS);
    g_autofree char *digits = isnan(value) ? g_strdup("") : ns_text_input(value, 6);
    gtk_editable_set_text(GTK_EDITABLE(field), digits);
    gtk_entry_set_placeholder_text(GTK_ENTRY(field), _("auto"));
    return field;
}

static GtkWidget *make_field(Limits *limits, const char *name, double value)
{
    GtkWidget *field = ns_limit_field_new(name, value);
    g_signal_connect_swapped(field, "activate", G_CALLBACK(apply), limits);
    GtkEventController *focus = gtk_event_controller_focus_new();
    g_signal_connect_swapped(focus, "leave", G_CALLBACK(apply), limits);
    gtk_widget_add_controller(field, focus);
    return field;
}

static GtkWidget *make_label(const char *text)
{
    GtkWidget *label = ns_line_label_new(text, NULL);
    gtk_label_set_max_width_chars(GTK_LABEL(label), 20);
    return label;
}

static void add_row(Limits *limits, GtkGrid *grid, NsViewStateAxis which)
{
    const NsPlot *plot = limits->chart->plot;
    const NsViewState *view_state = &limits->chart->view_state;
    const char *label = axis_of(plot, which)->label;
    g_autofree char *plain = ns_text_plain(label && *label ? label : _(AXES[which].otherwise));
    g_autofree char *least = g_strdup_printf(_("Lower limit of the %s axis"), _(AXES[which].name));
    g_autofree char *most = g_strdup_printf(_("Upper limit of the %s axis"), _(AXES[which].name));
    g_autofree char *scale = g_strdup_printf(_("Scale of the %s axis"), _(AXES[which].name));
    int row = (int)which + 1;
    limits->lo[which] = make_field(limits, least, view_state->range[which].lo);
    limits->hi[which] = make_field(limits, most, view_state->range[which].hi);
    const char *words[G_N_ELEMENTS(SCALES)] = {NULL};
    for (size_t i = 0; SCALES[i]; i++) words[i] = _(SCALES[i]);
    limits->scale[which] = gtk_drop_down_new_from_strings(words);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(limits->scale[which]),
                               view_state->rescaled[which] ? 1 + (guint)view_state->scale[which]
                                                           : 0);
    ns_accessible_name(limits->scale[which], scale);
    /* Rows and columns of a heatmap are counted, so their axes are linear. */
    gtk_widget_set_sensitive(limits->scale[which], !plot->heatmap);
    g_signal_connect_swapped(limits->scale[which], "notify::selected", G_CALLBACK(apply), limits);
    gtk_grid_attach(grid, make_label(plain), 0, row, 1, 1);
    gtk_grid_attach(grid, limits->lo[which], 1, row, 1, 1);
    gtk_grid_attach(grid, limits->hi[which], 2, row, 1, 1);
    gtk_grid_attach(grid, limits->scale[which], 3, row, 1, 1);
}

GtkWidget *ns_limits_popover_new(NsChartView *chart)
{
    Limits *limits = g_new0(Limits, 1);
    GtkWidget *popover = gtk_popover_new(), *grid = ns_grid_new(6, 6);
    const NsPlot *plot = chart->plot;
    limits->chart = chart;
    g_object_set_data_full(G_OBJECT(popover), "ns-limits", limits, g_free);
    gtk_widget_add_css_class(grid, "limits");
    gtk_grid_attach(GTK_GRID(grid), make_label(C_("axis", "from")), 1, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), make_label(C_("axis", "to")), 2, 0, 1, 1);
    gtk_grid_attach(GTK_GRID(grid), make_label(C_("axis", "scale")), 3, 0, 1, 1);
    limits->hint = ns_text_label_new(NULL, "error");
    gtk_label_set_max_width_chars(GTK_LABEL(limits->hint), 40);
    gtk_widget_set_visible(limits->hint, FALSE);
    for (NsViewStateAxis which = 0; plot && which < NS_VIEW_STATE_AXES; which++)
        if (ns_plot_has_axis(plot, which)) add_row(limits, GTK_GRID(grid), which);
    gtk_grid_attach(GTK_GRID(grid), limits->hint, 0, NS_VIEW_STATE_AXES + 1, 4, 1);
    gtk_popover_set_child(GTK_POPOVER(popover), grid);
    return popover;
}
