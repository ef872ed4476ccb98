/* SPDX-License-Identifier: MIT */
#include "ui/widgets/learn/prediction.h"
#include "core/base/digits.h"
#include "core/base/words.h"
#include "core/study/statistics.h"
#include "ui/plot/layout.h"
#include "ui/plot/painter.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/style_manager.h"
#include "ui/widgets/learn/learn_list.h"

#include <math.h>

#define VERDICT "ns-verdict"
#define CARD "ns-card"
#define ANSWER "ns-answer"
#define PLACE "ns-place"

#define MOST_CHARS 46

static void on_choice(GtkCheckButton *choice, GtkWidget *question)
{
    if (!gtk_check_button_get_active(choice)) return;
    GtkWidget *verdict = g_object_get_data(G_OBJECT(question), VERDICT);
    const NsCard *card = g_object_get_data(G_OBJECT(question), CARD);
    size_t place = GPOINTER_TO_SIZE(g_object_get_data(G_OBJECT(choice), PLACE));
    const char *why = _(card->why[place]);
    bool right = place == card->right;
    g_autofree char *words =
        right ? g_strdup_printf(_("Yes. %s"), why) : g_strdup_printf(_("Not quite. %s"), why);
    g_autofree char *signed_words = g_strconcat(right ? "✓ " : "✗ ", words, NULL);
    gtk_label_set_text(GTK_LABEL(verdict), signed_words);
    ns_set_css_class(verdict, "success", right);
    ns_set_css_class(verdict, "error", !right);
    gtk_widget_set_visible(verdict, TRUE);
    *(size_t *)g_object_get_data(G_OBJECT(question), ANSWER) = place + 1;
}

GtkWidget *ns_lesson_question_new(const NsCard *card, size_t *answer, GCallback changed,
                                  gpointer data)
{
    GtkWidget *question = gtk_box_new(GTK_ORIENTATION_VERTICAL, 3);
    gtk_widget_add_css_class(question, "question");
    gtk_box_append(GTK_BOX(question), ns_learn_label_new(_(card->ask), "row-title", MOST_CHARS));
    GtkWidget *first = NULL, *verdict = ns_learn_label_new(NULL, NULL, MOST_CHARS);
    g_object_set_data(G_OBJECT(question), VERDICT, verdict);
    g_object_set_data(G_OBJECT(question), CARD, (gpointer)(guintptr)card);
    g_object_set_data(G_OBJECT(question), ANSWER, answer);
    gtk_widget_set_visible(verdict, FALSE);
    for (size_t i = 0; i < card->n_choices; i++) {
        GtkWidget *choice = gtk_check_button_new_with_label(_(card->choices[i]));
        /* The label wraps, so that a long answer does not take space from the chart. */
        GtkLabel *label = GTK_LABEL(gtk_widget_get_last_child(choice));
        gtk_label_set_wrap(label, TRUE);
        gtk_label_set_max_width_chars(label, MOST_CHARS);
        if (first) gtk_check_button_set_group(GTK_CHECK_BUTTON(choice), GTK_CHECK_BUTTON(first));
        if (!first) first = choice;
        g_object_set_data(G_OBJECT(choice), PLACE, GSIZE_TO_POINTER(i));
        g_signal_connect(choice, "toggled", G_CALLBACK(on_choice), question);
        if (*answer == i + 1) gtk_check_button_set_active(GTK_CHECK_BUTTON(choice), TRUE);
        g_signal_connect_data(choice, "toggled", changed, data, NULL,
                              G_CONNECT_SWAPPED | G_CONNECT_AFTER);
        gtk_box_append(GTK_BOX(question), choice);
    }
    gtk_box_append(GTK_BOX(question), verdict);
    return question;
}

#define WIDTH 220
#define HEIGHT 210
#define KEY_STEPS 24.0 /* presses of Up from one end of the axis to the other */

G_DEFINE_FINAL_TYPE(NsPrediction, ns_prediction, GTK_TYPE_WIDGET)

/* ---- The picture ---- */

static void describe(NsPrediction *p)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < p->n; i++) {
        if (isnan(p->guess[i])) continue;
        g_autofree char *value = ns_text_input(p->guess[i], 3);
        g_string_append_printf(text, "%s%d: %s", text->len ? ", " : "", (int)p->layer[i], value);
    }
    gtk_accessible_update_property(GTK_ACCESSIBLE(p), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                   text->len ? text->str : _("Nothing drawn yet."), -1);
}

static void redraw(NsPrediction *p)
{
    size_t n = 0;
    g_clear_pointer(&p->layout, ns_plot_layout_free);
    for (size_t i = 0; i < p->n; i++) {
        if (isnan(p->guess[i])) continue;
        p->sketched_layer[n] = p->layer[i];
        p->sketched[n++] = p->guess[i];
    }
    p->series[0].n = n;
    p->plot.n_series = p->compared ? 2 : n ? 1 : 0;
    p->plot.version++;
    gtk_widget_queue_draw(GTK_WIDGET(p));
    describe(p);
}

static void lay_out(NsPrediction *p)
{
    if (!p->style) p->style = ns_chart_style_for(GTK_WIDGET(p));
    if (p->layout) return;
    p->layout = ns_plot_layout(&p->plot, gtk_widget_get_width(GTK_WIDGET(p)),
                               gtk_widget_get_height(GTK_WIDGET(p)), p->style);
}

static void ns_prediction_snapshot(GtkWidget *widget, GtkSnapshot *snapshot)
{
    NsPrediction *p = NS_PREDICTION(widget);
    graphene_rect_t bounds = GRAPHENE_RECT_INIT(0, 0, (float)gtk_widget_get_width(widget),
                                                (float)gtk_widget_get_height(widget));
    lay_out(p);
    cairo_t *cr = gtk_snapshot_append_cairo(snapshot, &bounds);
    ns_plot_draw(p->layout, cr);
    if (gtk_widget_has_focus(widget) && !p->compared) {
        /* A line under the layer that keys move. */
        NsBox area = ns_plot_area(p->layout);
        double x = ns_plot_x_to_pixel(p->layout, p->layer[p->at]);
        ns_set_color(cr, ns_with_alpha(p->style->text, 0.35));
        cairo_rectangle(cr, x - 1, area.y, 2, area.height);
        cairo_fill(cr);
    }
    cairo_destroy(cr);
}

/* ---- Drawing on it ---- */

static void put(NsPrediction *p, size_t i, double value)
{
    p->guess[i] = CLAMP(value, p->lo, p->hi);
    p->at = i;
}

void ns_prediction_set(NsPrediction *p, size_t i, double value)
{
    if (p->compared || i >= p->n || !(value > 0)) return;
    put(p, i, value);
    redraw(p);
    g_signal_emit_by_name(p, "changed");
}

/* A fast stroke skips layers; their points are interpolated. */
static void stroke_to(NsPrediction *p, double px, double py)
{
    lay_out(p);
    double x = ns_plot_pixel_to_x(p->layout, px) - p->layer[0];
    int i = (int)CLAMP(lround(x), 0, (long)p->n - 1);
    NsBox area = ns_plot_area(p->layout);
    double share = CLAMP((area.y + area.height - py) / area.height, 0, 1);
    double value = p->lo * pow(p->hi / p->lo, share);
    double from = p->last >= 0 ? p->guess[p->last] : value;
    int begin = p->last >= 0 ? p->last : i, step = i > begin ? 1 : -1;
    for (int k = begin; k != i; k += step)
        put(p, (size_t)k, from * pow(value / from, (double)(k - begin) / (double)(i - begin)));
    put(p, (size_t)i, value);
    p->last = i;
    redraw(p);
    g_signal_emit_by_name(p, "changed");
}

static void on_begin(GtkGestureDrag *drag, double x, double y, NsPrediction *p)
{
    if (p->compared) {
        gtk_gesture_set_state(GTK_GESTURE(drag), GTK_EVENT_SEQUENCE_DENIED);
        return;
    }
    gtk_widget_grab_focus(GTK_WIDGET(p));
    p->begin_x = x;
    p->begin_y = y;
    p->last = -1;
    stroke_to(p, x, y);
}

static void on_update(GtkGestureDrag *drag, double dx, double dy, NsPrediction *p)
{
    (void)drag;
    if (!p->compared) stroke_to(p, p->begin_x + dx, p->begin_y + dy);
}

/* The first key press places the missing points in the middle. */
static void move(NsPrediction *p, double steps)
{
    for (size_t i = 0; i < p->n; i++)
        if (isnan(p->guess[i])) p->guess[i] = sqrt(p->lo * p->hi);
    ns_prediction_set(p, p->at, p->guess[p->at] * pow(p->hi / p->lo, steps / KEY_STEPS));
}

static gboolean on_key(NsPrediction *p, guint keyval, guint code, GdkModifierType modifiers)
{
    (void)code;
    if (p->compared || modifiers & (GDK_CONTROL_MASK | GDK_ALT_MASK)) return GDK_EVENT_PROPAGATE;
    switch (keyval) {
    case GDK_KEY_Left:
        p->at -= p->at > 0;
        break;
    case GDK_KEY_Right:
        p->at += p->at + 1 < p->n;
        break;
    case GDK_KEY_Up:
        move(p, 1);
        break;
    case GDK_KEY_Down:
        move(p, -1);
        break;
    default:
        return GDK_EVENT_PROPAGATE;
    }
    gtk_widget_queue_draw(GTK_WIDGET(p));
    return GDK_EVENT_STOP;
}

/* ---- The result ---- */

size_t ns_prediction_missing(NsPrediction *p)
{
    return p->n - p->series[0].n;
}

char *ns_prediction_compare(NsPrediction *p, const double *measured, size_t n)
{
    NsScore score;
    if (n != p->n || ns_prediction_missing(p) || !ns_score(&score, p->guess, measured, p->n))
        return NULL;
    for (size_t i = 0; i < p->n; i++) p->measured[i] = measured[i];
    p->compared = true;
    p->plot.legend = NS_LEGEND_ABOVE;
    redraw(p);
    g_signal_emit_by_name(p, "changed");
    char rank[G_ASCII_DTOSTR_BUF_SIZE], factor[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(factor, sizeof factor, "%.1f", score.factor);
    if (isnan(score.rank))
        return g_strdup_printf(_("A flat curve does not rank the layers. Its values are off by a "
                                 "factor of %s on average."),
                               factor);
    g_ascii_formatd(rank, sizeof rank, "%.2f", score.rank);
    g_autofree char *grouped = ns_group_plain(rank);
    const char *order = score.rank > 0.9999 ? _("Your curve puts the layers in the measured order")
                        : score.rank > 0.5
                            ? _("Your curve puts the layers in roughly the measured order")
                            : _("Your curve does not put the layers in the measured order");
    return g_strdup_printf(_("%s (rank correlation %s). Its values are off by a factor of %s on "
                             "average."),
                           order, grouped, factor);
}

/* ---- The widget ---- */

static void ns_prediction_size_allocate(GtkWidget *widget, int width, int height, int baseline)
{
    (void)width, (void)height, (void)baseline;
    g_clear_pointer(&NS_PREDICTION(widget)->layout, ns_plot_layout_free);
}

static void ns_prediction_css_changed(GtkWidget *widget, GtkCssStyleChange *change)
{
    GTK_WIDGET_CLASS(ns_prediction_parent_class)->css_changed(widget, change);
    NsPrediction *p = NS_PREDICTION(widget);
    p->style = NULL;
    if (p->n) redraw(p);
}

static void ns_prediction_finalize(GObject *object)
{
    NsPrediction *p = NS_PREDICTION(object);
    g_clear_pointer(&p->layout, ns_plot_layout_free);
    g_free(p->layer);
    g_free(p->guess);
    g_free(p->measured);
    g_free(p->sketched_layer);
    g_free(p->sketched);
    G_OBJECT_CLASS(ns_prediction_parent_class)->finalize(object);
}

static void ns_prediction_class_init(NsPredictionClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->finalize = ns_prediction_finalize;
    widget_class->snapshot = ns_prediction_snapshot;
    widget_class->size_allocate = ns_prediction_size_allocate;
    widget_class->css_changed = ns_prediction_css_changed;
    gtk_widget_class_set_css_name(widget_class, "chart");
    gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_IMG);
    ns_signal_new(NS_TYPE_PREDICTION, "changed", 0);
}

static void ns_prediction_init(NsPrediction *p)
{
    GtkWidget *widget = GTK_WIDGET(p);
    p->last = -1;
    gtk_widget_set_size_request(widget, WIDTH, HEIGHT);
    gtk_widget_set_focusable(widget, TRUE);
    GtkGesture *drag = gtk_gesture_drag_new();
    g_signal_connect(drag, "drag-begin", G_CALLBACK(on_begin), p);
    g_signal_connect(drag, "drag-update", G_CALLBACK(on_update), p);
    gtk_widget_add_controller(widget, GTK_EVENT_CONTROLLER(drag));
    ns_connect_keys(widget, G_CALLBACK(on_key), p);
    GtkEventController *focus = gtk_event_controller_focus_new();
    g_signal_connect_swapped(focus, "enter", G_CALLBACK(gtk_widget_queue_draw), p);
    g_signal_connect_swapped(focus, "leave", G_CALLBACK(gtk_widget_queue_draw), p);
    gtk_widget_add_controller(widget, focus);
}

static NsAxis axis(const char *label, double lo, double hi)
{
    return (NsAxis){.label = label, .lo = lo, .hi = hi};
}

GtkWidget *ns_prediction_new(NsQuantity quantity, unsigned lane, size_t n, int first, double lo,
                             double hi)
{
    NsPrediction *p = g_object_new(NS_TYPE_PREDICTION, NULL);
    const NsQuantityInfo *info = ns_quantity(quantity);
    p->n = n;
    p->lo = lo;
    p->hi = hi;
    p->layer = g_new(double, n);
    p->guess = g_new(double, n);
    p->measured = g_new(double, n);
    p->sketched_layer = g_new(double, n);
    p->sketched = g_new(double, n);
    for (size_t i = 0; i < n; i++) {
        p->layer[i] = first + (double)i;
        p->guess[i] = (double)NAN;
    }
    p->series[0] = (NsSeries){.label = _("your drawing"),
                              .kind = NS_SERIES_POINTS,
                              .style = NS_LANES_MAX - 1, /* no lane of a lesson with a drawing */
                              .x = p->sketched_layer,
                              .y = p->sketched};
    p->series[1] = (NsSeries){.label = _("measured"),
                              .kind = NS_SERIES_POINTS,
                              .style = lane,
                              .n = n,
                              .x = p->layer,
                              .y = p->measured};
    p->plot = (NsPlot){.x = axis(first ? _("layer") : _("layer (0: embedding)"), first - 0.5,
                                 first + (double)n - 0.5),
                       .left = axis(info->symbol, lo, hi),
                       .series = p->series,
                       .legend = NS_LEGEND_NONE,
                       .empty = _("Draw here, from left to right.")};
    p->plot.x.integer = true;
    p->plot.left.scale = NS_SCALE_LOG;
    g_autofree char *label = g_strdup_printf(_("Your prediction: %s"), _(info->choice.label));
    ns_accessible_name(GTK_WIDGET(p), label);
    describe(p);
    return GTK_WIDGET(p);
}
