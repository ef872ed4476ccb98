/* SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/setting_help.h"

#include "core/base/words.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/passing_popover.h"
#include "ui/widgets/common/text_label.h"
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

/* A paragraph of css class "heading", "formula", "hint" or none (NULL); nothing without words. */
static void add_text(GtkWidget *box, const char *words, const char *css_class)
{
    bool formula = g_strcmp0(css_class, "formula") == 0;
    if (!words || !*words) return;
    GtkWidget *label = ns_text_label_new(NULL, css_class);
    g_autofree char *markup =
        formula ? ns_text_markup(words, NS_LABEL_SIZE) : g_markup_escape_text(words, -1);
    gtk_label_set_markup(GTK_LABEL(label), markup);
    gtk_label_set_max_width_chars(GTK_LABEL(label), WIDTH_CHARS);
    gtk_box_append(GTK_BOX(box), label);
}

static char *limit(const NsParam *param, double value)
{
    if (param->type == NS_PARAM_INT) return ns_group_digits((int64_t)value);
    return ns_text_input(value, 6);
}

static void add_number(GtkWidget *box, const NsParam *param)
{
    for (size_t i = 0; i < G_N_ELEMENTS(FORMULAS); i++)
        if (g_str_equal(FORMULAS[i].key, param->key))
            add_text(box, _(FORMULAS[i].formula), "formula");
    if (param->type == NS_PARAM_TEXT) return;
    g_autofree char *least = limit(param, param->least), *most = limit(param, param->most);
    g_autofree char *range =
        g_strdup_printf(_("From %s to %s; default %s."), least, most, param->default_text);
    add_text(box, range, "hint");
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
    add_text(box, _(param->label), "heading");
    add_text(box, _(param->help), NULL);
    if (param->type != NS_PARAM_CHOICE) add_number(box, param);
    add_text(box, param->source, "hint");
    if (param->type == NS_PARAM_CHOICE) {
        const NsChoice *chosen =
            param->choices((size_t)ns_settings_get_number(ns_session_settings(session), param));
        add_text(box, _(chosen->label), "heading");
        add_text(box, chosen->purpose ? _(chosen->purpose) : NULL, NULL);
        add_text(box, chosen->formula ? _(chosen->formula) : NULL, "formula");
        add_text(box, chosen->reference, "hint");
        add_text(box, chosen->differs ? _(chosen->differs) : NULL, "hint");
    }
    g_autofree char *key = g_strdup_printf(_("On the command line: --set %s=…"), param->key);
    add_text(box, key, "hint");
    gtk_popover_set_child(GTK_POPOVER(popover), box);
    gtk_popover_set_position(GTK_POPOVER(popover), GTK_POS_RIGHT);
    GdkRectangle place = place_in_window(at);
    ns_popover_pass(popover, at, &place);
}
