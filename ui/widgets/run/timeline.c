/* A timeline of the steps and events of a run.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/timeline.h"

#include "core/base/words.h"
#include "ui/plot/painter.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"

#include <math.h>

#define LEAST_WIDTH 90
#define HEIGHT 34
#define MARGIN 9.0 /* left and right of the line: half a handle */
#define TRACK 5.0
#define HANDLE 6.5     /* its radius */
#define LABEL_GAP 10.0 /* from the end of the line: more than half a handle */
#define MARK 4.0       /* half the size of a mark */
#define NEAR 6.0       /* distance in pixels within which the tooltip describes a mark */

#define LEAST_SPAN 100 /* least number of steps of the line */
#define FAR 10         /* steps of Page Up, and of an arrow with Shift */
#define MOST_LISTED 12 /* marks in the description */

struct _NsTimeline {
    GtkWidget parent;
    NsSession *session;
    int64_t first, newest, end;
    int64_t shown;   /* negative while it is the newest */
    double rendered; /* position of the newest step when it was drawn */
    size_t n_marks;
    PangoLayout *label; /* the last step of the line */
    double drag_from, scrub_to;
    guint scrub_tick;
};

G_DEFINE_FINAL_TYPE(NsTimeline, ns_timeline, GTK_TYPE_WIDGET)

static double line_width(NsTimeline *timeline)
{
    int label = 0, width = gtk_widget_get_width(GTK_WIDGET(timeline));
    pango_layout_get_pixel_size(timeline->label, &label, NULL);
    return MAX(width - 2 * MARGIN - (label + LABEL_GAP), 1.0);
}

double ns_timeline_x_of(NsTimeline *timeline, int64_t step)
{
    double share = (double)(step - timeline->first) / (double)(timeline->end - timeline->first);
    return MARGIN + share * line_width(timeline);
}

int64_t ns_timeline_step_at(NsTimeline *timeline, double x)
{
    double share = (x - MARGIN) / line_width(timeline);
    double step = (double)timeline->first + share * (double)(timeline->end - timeline->first);
    return (int64_t)llround(CLAMP(step, (double)timeline->first, (double)timeline->newest));
}

static void show_step(NsTimeline *timeline, int64_t step)
{
    bool live = step >= timeline->newest;
    ns_session_show_step(timeline->session, live ? -1 : MAX(step, timeline->first));
}

static gboolean on_scrub_tick(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    NsTimeline *timeline = NS_TIMELINE(widget);
    timeline->scrub_tick = 0;
    show_step(timeline, ns_timeline_step_at(timeline, timeline->scrub_to));
    ns_timeline_sync(timeline);
    return G_SOURCE_REMOVE;
}

void ns_timeline_scrub(NsTimeline *timeline, double x)
{
    timeline->scrub_to = x;
    if (!timeline->scrub_tick)
        timeline->scrub_tick =
            gtk_widget_add_tick_callback(GTK_WIDGET(timeline), on_scrub_tick, NULL, NULL);
}

static void on_drag_begin(NsTimeline *timeline, double x)
{
    gtk_widget_grab_focus(GTK_WIDGET(timeline));
    timeline->drag_from = x;
    ns_timeline_scrub(timeline, x);
}

static void on_drag_update(NsTimeline *timeline, double dx)
{
    ns_timeline_scrub(timeline, timeline->drag_from + dx);
}

static gboolean on_key(NsTimeline *timeline, guint keyval, guint code, GdkModifierType modifiers)
{
    (void)code;
    if (modifiers & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SUPER_MASK)) return GDK_EVENT_PROPAGATE;
    int64_t shown = ns_session_shown_step(timeline->session);
    int64_t by = modifiers & GDK_SHIFT_MASK ? FAR : 1;
    switch (keyval) {
    case GDK_KEY_Left:
    case GDK_KEY_Down:
        show_step(timeline, shown - by);
        return GDK_EVENT_STOP;
    case GDK_KEY_Right:
    case GDK_KEY_Up:
        show_step(timeline, shown + by);
        return GDK_EVENT_STOP;
    case GDK_KEY_Page_Up:
        show_step(timeline, shown - FAR);
        return GDK_EVENT_STOP;
    case GDK_KEY_Page_Down:
        show_step(timeline, shown + FAR);
        return GDK_EVENT_STOP;
    case GDK_KEY_Home:
        show_step(timeline, timeline->first);
        return GDK_EVENT_STOP;
    case GDK_KEY_End:
        ns_session_show_step(timeline->session, -1);
        return GDK_EVENT_STOP;
    default:
        return GDK_EVENT_PROPAGATE;
    }
}

char *ns_timeline_tip(NsTimeline *timeline, double x)
{
    /* An event takes precedence over a checkpoint. */
    size_t n = 0;
    const NsSessionMark *marks = ns_session_marks(timeline->session, &n), *mark = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < n; i++) {
        double away = fabs(ns_timeline_x_of(timeline, marks[i].step) - x);
        if (away > NEAR) continue;
        if (marks[i].kind == NS_SESSION_MARK_CHECKPOINT) away += NEAR;
        if (away >= least) continue;
        mark = &marks[i];
        least = away;
    }
    int64_t at = mark ? mark->step : ns_timeline_step_at(timeline, x);
    g_autofree char *step = ns_group_digits(at);
    if (mark && mark->text && mark->seed)
        return g_strdup_printf(_("Step %s, seed %d: %s"), step, mark->seed, mark->text);
    if (mark && mark->text) return g_strdup_printf(_("Step %s: %s"), step, mark->text);
    if (mark) return g_strdup_printf(_("Step %s: a fork can begin here"), step);
    return g_strdup_printf(_("Step %s"), step);
}

static gboolean on_query_tooltip(NsTimeline *timeline, int x, int y, gboolean keyboard,
                                 GtkTooltip *tooltip)
{
    (void)y;
    double at = keyboard ? ns_timeline_x_of(timeline, ns_session_shown_step(timeline->session)) : x;
    g_autofree char *tip = ns_timeline_tip(timeline, at);
    gtk_tooltip_set_text(tooltip, tip);
    return TRUE;
}

void ns_timeline_sync(NsTimeline *timeline)
{
    int64_t first = ns_session_first_step(timeline->session),
            newest = ns_session_steps(timeline->session);
    int64_t end = ns_session_end_step(timeline->session), shown = -1;
    /* The line of a run without an end grows in leaps, to 1, 2 or 5 times a power of ten. */
    static const int64_t leading[] = {1, 2, 5};
    int64_t steps = MAX(newest - first, LEAST_SPAN);
    for (int64_t power = 1; end <= first; power *= 10)
        for (size_t i = 0; i < G_N_ELEMENTS(leading) && end <= first; i++)
            if (steps <= leading[i] * power) end = first + leading[i] * power;
    if (ns_session_is_behind(timeline->session)) shown = ns_session_shown_step(timeline->session);
    size_t n_marks = 0;
    ns_session_marks(timeline->session, &n_marks);
    bool rescaled = first != timeline->first || end != timeline->end;
    timeline->first = first;
    timeline->newest = newest;
    timeline->end = end;
    double at = floor(2.0 * ns_timeline_x_of(timeline, newest)); /* in half pixels */
    if (!rescaled && at == timeline->rendered && shown == timeline->shown &&
        n_marks == timeline->n_marks)
        return;
    timeline->rendered = at;
    timeline->shown = shown;
    timeline->n_marks = n_marks;
    if (rescaled) {
        g_autofree char *words = ns_group_digits(end);
        pango_layout_set_text(timeline->label, words, -1);
    }
    gtk_widget_queue_draw(GTK_WIDGET(timeline));
}

void ns_timeline_describe(NsTimeline *timeline)
{
    int64_t shown = ns_session_shown_step(timeline->session),
            newest = ns_session_steps(timeline->session);
    g_autofree char *at = ns_group_digits(shown), *last = ns_group_digits(newest);
    g_autofree char *value = ns_session_is_behind(timeline->session)
                                 ? g_strdup_printf(_("step %s of %s"), at, last)
                                 : g_strdup_printf(_("step %s, the newest"), at);
    size_t n = 0, listed = 0;
    const NsSessionMark *marks = ns_session_marks(timeline->session, &n);
    GString *words = g_string_new(NULL);
    for (size_t i = n; i-- > 0 && listed < MOST_LISTED;) {
        if (!marks[i].text || marks[i].kind == NS_SESSION_MARK_CHECKPOINT) continue;
        g_autofree char *step = ns_group_digits(marks[i].step);
        g_string_append_printf(words, listed++ ? "; " : "%s", "");
        g_string_append_printf(words, _("step %s: %s"), step, marks[i].text);
    }
    gtk_accessible_update_property(GTK_ACCESSIBLE(timeline), GTK_ACCESSIBLE_PROPERTY_VALUE_MIN,
                                   (double)timeline->first, GTK_ACCESSIBLE_PROPERTY_VALUE_MAX,
                                   (double)newest, GTK_ACCESSIBLE_PROPERTY_VALUE_NOW, (double)shown,
                                   GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, value,
                                   GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, words->str, -1);
    g_string_free(words, TRUE);
}

static void append_bar(GtkSnapshot *snapshot, double from, double to, double middle, NsColor color)
{
    GskRoundedRect bar;
    float left = (float)from, width = (float)MAX(to - from, 0.0);
    graphene_rect_t box = GRAPHENE_RECT_INIT(left, (float)(middle - TRACK / 2), width, TRACK);
    gsk_rounded_rect_init_from_rect(&bar, &box, (float)(TRACK / 2));
    GdkRGBA rgba = {(float)color.r, (float)color.g, (float)color.b, (float)color.a};
    gtk_snapshot_push_rounded_clip(snapshot, &bar);
    gtk_snapshot_append_color(snapshot, &rgba, &box);
    gtk_snapshot_pop(snapshot);
}

/* Each kind has its own shape, so that kinds can be distinguished without color. */
static void draw_mark(cairo_t *cr, NsSessionMarkKind kind, double x, double y)
{
    switch (kind) {
    case NS_SESSION_MARK_CHECKPOINT:
        cairo_rectangle(cr, floor(x), y, 1, MARK);
        cairo_fill(cr);
        break;
    case NS_SESSION_MARK_SPIKE:
    case NS_SESSION_MARK_STUCK:
        cairo_move_to(cr, x - MARK, y + MARK);
        cairo_line_to(cr, x, y - MARK);
        cairo_line_to(cr, x + MARK, y + MARK);
        cairo_close_path(cr);
        cairo_fill(cr);
        break;
    case NS_SESSION_MARK_DIVERGED:
        cairo_move_to(cr, x - MARK, y - MARK);
        cairo_line_to(cr, x + MARK, y + MARK);
        cairo_move_to(cr, x + MARK, y - MARK);
        cairo_line_to(cr, x - MARK, y + MARK);
        cairo_stroke(cr);
        break;
    case NS_SESSION_MARK_SETTING:
        cairo_move_to(cr, x, y - MARK);
        cairo_line_to(cr, x + MARK, y);
        cairo_line_to(cr, x, y + MARK);
        cairo_line_to(cr, x - MARK, y);
        cairo_close_path(cr);
        cairo_stroke(cr);
        break;
    case NS_SESSION_MARK_FORK:
        cairo_move_to(cr, x, y + MARK);
        cairo_line_to(cr, x, y);
        cairo_line_to(cr, x - MARK, y - MARK);
        cairo_move_to(cr, x, y);
        cairo_line_to(cr, x + MARK, y - MARK);
        cairo_stroke(cr);
        break;
    }
}

static void ns_timeline_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    NsTimeline *timeline = NS_TIMELINE(widget);
    int width = gtk_widget_get_width(widget), height = gtk_widget_get_height(widget);
    const NsStyle *style = ns_chart_style_for(widget);
    double middle = height / 2.0 + 2, newest = ns_timeline_x_of(timeline, timeline->newest);
    double right = ns_timeline_x_of(timeline, timeline->end);
    bool live = timeline->shown < 0;
    double shown = live ? newest : ns_timeline_x_of(timeline, timeline->shown);
    append_bar(snapshot, MARGIN, right, middle, style->previous);
    append_bar(snapshot, MARGIN, newest, middle, style->axis);
    append_bar(snapshot, MARGIN, shown, middle, style->series[0].color);
    graphene_rect_t area = GRAPHENE_RECT_INIT(0, 0, (float)width, (float)height);
    cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &area);
    /* Of several marks of a kind at the same pixel one is drawn. */
    size_t n = 0;
    const NsSessionMark *marks = ns_session_marks(timeline->session, &n);
    double last[NS_SESSION_MARK_CHECKPOINT + 1];
    for (size_t i = 0; i < G_N_ELEMENTS(last); i++) last[i] = -1.0;
    cairo_set_line_width(cr, 1.8);
    for (size_t i = 0; i < n; i++) {
        double x = round(ns_timeline_x_of(timeline, marks[i].step));
        bool below = marks[i].kind == NS_SESSION_MARK_CHECKPOINT;
        if (x == last[marks[i].kind]) continue;
        last[marks[i].kind] = x;
        ns_set_color(cr, below ? style->axis
                         : marks[i].lane >= 0
                             ? style->series[marks[i].lane % NS_SERIES_STYLES].color
                             : style->text);
        draw_mark(cr, marks[i].kind, x, below ? middle + TRACK : middle - TRACK - MARK - 1);
    }
    cairo_arc(cr, shown, middle, HANDLE, 0, 2 * G_PI);
    ns_set_color(cr, live ? style->text : style->series[0].color);
    cairo_fill_preserve(cr);
    cairo_set_line_width(cr, 1.5);
    ns_set_color(cr, style->background);
    cairo_stroke(cr);
    cairo_destroy(cr);
    int text_height = 0;
    pango_layout_get_pixel_size(timeline->label, NULL, &text_height);
    gtk_snapshot_save(snapshot);
    gtk_snapshot_translate(snapshot, &GRAPHENE_POINT_INIT((float)(right + LABEL_GAP),
                                                          (float)(middle - text_height / 2.0)));
    NsColor faint = style->faint_text;
    GdkRGBA rgba = {(float)faint.r, (float)faint.g, (float)faint.b, 1.0F};
    gtk_snapshot_append_layout(snapshot, timeline->label, &rgba);
    gtk_snapshot_restore(snapshot);
}

static void ns_timeline_finalize(GObject *object)
{
    g_object_unref(NS_TIMELINE(object)->label);
    G_OBJECT_CLASS(ns_timeline_parent_class)->finalize(object);
}

static void ns_timeline_class_init(NsTimelineClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->finalize = ns_timeline_finalize;
    widget_class->snapshot = ns_timeline_snapshot;
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_SLIDER);
    gtk_widget_class_set_css_name(widget_class, "timeline");
}

static void ns_timeline_init(NsTimeline *timeline)
{
    GtkWidget *widget = GTK_WIDGET(timeline);
    timeline->label = gtk_widget_create_pango_layout(widget, NULL);
    gtk_widget_set_size_request(widget, LEAST_WIDTH, HEIGHT);
    gtk_widget_set_focusable(widget, TRUE);
    gtk_widget_set_has_tooltip(widget, TRUE);
    ns_accessible_name(widget, _("Timeline"));
    g_signal_connect(widget, "query-tooltip", G_CALLBACK(on_query_tooltip), NULL);

    GtkGesture *drag = gtk_gesture_drag_new();
    g_signal_connect_swapped(drag, "drag-begin", G_CALLBACK(on_drag_begin), timeline);
    g_signal_connect_swapped(drag, "drag-update", G_CALLBACK(on_drag_update), timeline);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(drag));

    ns_connect_keys(widget, G_CALLBACK(on_key), timeline);
}

GtkWidget *ns_timeline_new(NsSession *session)
{
    NsTimeline *timeline = g_object_new(NS_TYPE_TIMELINE, NULL);
    timeline->session = ns_session_hold(session, timeline);
    ns_timeline_sync(timeline);
    return GTK_WIDGET(timeline);
}
