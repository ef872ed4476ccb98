/* SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/setting_help.h"

#include "core/base/words.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/passing_popover.h"
#include "ui/widgets/settings/controls.h"

#define WIDTH_CHARS 38

/* Of numbers; a choice has one for each of its rows. */
static const struct {
    const char *key, *formula;
} FORMULAS[] = {
    {"norm-eps", "N(x) = (x − mean) / √(var + ε)"},
    {"heads", "d_k = d / heads"},
    {"init-scale", "W ← scale · W"},
    {"dropout", N_("y = m x / (1 − p),  m = 0 with probability p")},
    {"drop-path", "p_l = p l / L"},
    {"label-smoothing", "q = (1 − s) onehot + s / V"},
    {"weight-decay", "w ← w − lr λ w"},
    {"clip", "g ← g min(1, c / ||g||)"},
    {"lr", "lr_t = lr min(1, t / T_w) f(t)"},
    {"warmup", "lr_t = lr min(1, t / T_w) f(t)"},
    {"decay-start", "f(t) = 1,  t ≤ S"},
    {"momentum", "v ← μ v + g,  w ← w − lr v"},
    {"beta1", "m ← β_1 m + (1 − β_1) g"},
    {"beta2", "v ← β_2 v + (1 − β_2) g^2"},
    {"eps", "w ← w − lr m / (√v + ε)"},
};

static void add_text(GtkWidget *box, const char *words, bool formula)
{
    if (!words || !*words) return;
    GtkWidget *label = gtk_label_new(NULL);
    g_autofree char *markup =
        formula ? ns_text_markup(words, NS_LABEL_SIZE) : g_markup_escape_text(words, -1);
    gtk_label_set_markup(GTK_LABEL(label), markup);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(label), WIDTH_CHARS);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    if (formula) gtk_widget_add_css_class(label, "formula");
    gtk_box_append(GTK_BOX(box), label);
}

static void add_heading(GtkWidget *box, const char *words)
{
    GtkWidget *label = gtk_label_new(words);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    gtk_widget_add_css_class(label, "heading");
    gtk_box_append(GTK_BOX(box), label);
}

static void add_source(GtkWidget *box, const char *source)
{
    if (!source) return;
    GtkWidget *label = gtk_label_new(source);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_max_width_chars(GTK_LABEL(label), WIDTH_CHARS);
    gtk_widget_add_css_class(label, "hint");
    gtk_box_append(GTK_BOX(box), label);
}

static void add_chosen(GtkWidget *box, const NsChoice *chosen)
{
    add_heading(box, _(chosen->label));
    add_text(box, chosen->purpose ? _(chosen->purpose) : NULL, false);
    add_text(box, chosen->formula ? _(chosen->formula) : NULL, true);
    add_source(box, chosen->reference);
    add_source(box, chosen->differs ? _(chosen->differs) : NULL);
}

static char *limit(const NsParam *param, double value)
{
    if (param->type == NS_PARAM_INT) return ns_group_digits((int64_t)value);
    return ns_text_input(value, 6);
}

static void add_number(GtkWidget *box, const NsParam *param)
{
    for (size_t i = 0; i < G_N_ELEMENTS(FORMULAS); i++)
        if (g_str_equal(FORMULAS[i].key, param->key)) add_text(box, _(FORMULAS[i].formula), true);
    if (param->type == NS_PARAM_TEXT) return;
    g_autofree char *least = limit(param, param->least), *most = limit(param, param->most);
    g_autofree char *range =
        g_strdup_printf(_("From %s to %s; default %s."), least, most, param->default_text);
    add_source(box, range);
}

/* A row that has the keyboard may be scrolled away; the popover then stands at the edge of the
 * window that is nearest to it, for GTK finds no monitor for one that points beyond the screen. */
static GdkRectangle place_in_window(GtkWidget *at)
{
    GdkRectangle place = {.width = gtk_widget_get_width(at), .height = gtk_widget_get_height(at)};
    GtkWidget *window = GTK_WIDGET(gtk_widget_get_root(at));
    graphene_rect_t bounds;
    if (!window || !gtk_widget_compute_bounds(at, window, &bounds)) return place;
    int x = (int)bounds.origin.x, y = (int)bounds.origin.y;
    int right = gtk_widget_get_width(window) - place.width;
    int bottom = gtk_widget_get_height(window) - place.height;
    place.x = CLAMP(x, 0, MAX(0, right)) - x;
    place.y = CLAMP(y, 0, MAX(0, bottom)) - y;
    return place;
}

void ns_setting_help_show(NsSession *session, const NsParam *param, GtkWidget *at)
{
    GtkWidget *popover = gtk_popover_new();
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6);
    gtk_widget_add_css_class(popover, "setting-help");
    add_heading(box, _(param->label));
    add_text(box, _(param->help), false);
    if (param->type != NS_PARAM_CHOICE) add_number(box, param);
    add_source(box, param->source);
    if (param->type == NS_PARAM_CHOICE)
        add_chosen(box, param->choices(
                            (size_t)ns_settings_get_number(ns_session_settings(session), param)));
    g_autofree char *key = g_strdup_printf(_("On the command line: --set %s=…"), param->key);
    add_source(box, key);
    gtk_popover_set_child(GTK_POPOVER(popover), box);
    gtk_popover_set_position(GTK_POPOVER(popover), GTK_POS_RIGHT);
    GdkRectangle place = place_in_window(at);
    ns_popover_pass(popover, at, &place);
}
