/* The left pane: a row for every setting.  SPDX-License-Identifier: MIT */
#include "ui/widgets/settings_pane.h"

#include "ui/widgets/controls.h"

/* AUTO has buttons for less and more beside a number, PLAIN has not. */
typedef enum { AUTO, PLAIN, TOGGLES, SLIDER, SEED, FILE_BUTTON } Kind;

/* The rows on top, in the order in which they are told. */
static const struct {
    const char *heading; /* above this row, or NULL */
    const char *key;
    Kind kind;
    double least, most; /* of the slider; the entry may go further */
} TOP[] = {
    {"Model", "placement", TOGGLES, 0, 0},
    {NULL, "norm", AUTO, 0, 0},
    {NULL, "layers", SLIDER, 1, 1000},
    {NULL, "d-model", AUTO, 0, 0},
    {NULL, "heads", AUTO, 0, 0},
    {"Training", "warmup", SLIDER, 1, 10000},
    {NULL, "lr", SLIDER, 1e-5, 1},
    {NULL, "batch", AUTO, 0, 0},
    {NULL, "seq", AUTO, 0, 0},
    {NULL, "seed", SEED, 0, 0},
    {"Data", "text", FILE_BUTTON, 0, 0},
};

typedef struct {
    NsLab *lab;
    const NsParam *param;
    GtkWidget *reset;
} Row;

static void row_free(gpointer data)
{
    Row *row = data;
    g_object_unref(row->lab);
    g_free(row);
}

static void sync_row(GtkWidget *widget)
{
    const Row *row = g_object_get_data(G_OBJECT(widget), "ns-row");
    bool changed = !ns_settings_is_default(ns_lab_settings(row->lab), row->param);
    /* Opacity rather than visibility: nothing moves when the button comes or goes. */
    gtk_widget_set_opacity(row->reset, changed ? 1.0 : 0.0);
    gtk_widget_set_sensitive(row->reset, changed);
    gtk_widget_set_can_target(row->reset, changed);
    if (g_strcmp0(ns_lab_problem_key(row->lab), row->param->key) == 0)
        gtk_widget_add_css_class(widget, "refused");
    else
        gtk_widget_remove_css_class(widget, "refused");
}

static void on_reset(GtkWidget *widget)
{
    const Row *row = g_object_get_data(G_OBJECT(widget), "ns-row");
    ns_lab_set_default(row->lab, row->param);
}

static char *tooltip_of(const NsParam *param)
{
    GString *text = g_string_new(param->help);
    if (param->unit) g_string_append_printf(text, "\nIn %s.", param->unit);
    g_string_append(text, param->effect == NS_EFFECT_LIVE
                              ? "\nActs on the running model at once."
                              : "\nStarts a new run; the present one stays as a pale ghost.");
    if (param->source) g_string_append_printf(text, "\n%s", param->source);
    return g_string_free(text, FALSE);
}

static GtkWidget *make_row(NsLab *lab, const NsParam *param, Kind kind, double least, double most)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *label = gtk_label_new(param->label);
    GtkWidget *reset = gtk_button_new_from_icon_name("edit-undo-symbolic");
    Row *row = g_new0(Row, 1);
    row->lab = g_object_ref(lab);
    row->param = param;
    row->reset = reset;
    g_object_set_data_full(G_OBJECT(box), "ns-row", row, row_free);

    g_autofree char *back =
        g_strdup_printf("Back to %s", *param->default_text  ? param->default_text
                                      : kind == FILE_BUTTON ? "the generated text"
                                                            : "nothing");
    g_autofree char *tip = tooltip_of(param);
    gtk_widget_add_css_class(box, "setting");
    gtk_widget_set_tooltip_text(box, tip);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_widget_set_tooltip_text(reset, back);
    gtk_accessible_update_property(GTK_ACCESSIBLE(reset), GTK_ACCESSIBLE_PROPERTY_LABEL, back, -1);
    gtk_widget_add_css_class(reset, "flat");
    gtk_widget_add_css_class(reset, "back");
    gtk_widget_set_valign(reset, GTK_ALIGN_CENTER);
    gtk_widget_set_halign(reset, GTK_ALIGN_START);
    gtk_widget_set_hexpand(reset, TRUE);
    gtk_box_append(GTK_BOX(line), label);
    gtk_box_append(GTK_BOX(line), reset);
    gtk_box_append(GTK_BOX(box), line);

    if (kind == TOGGLES) {
        gtk_box_append(GTK_BOX(box), ns_toggle_control_new(lab, param));
    } else if (kind == SLIDER) {
        gtk_box_append(GTK_BOX(line), ns_entry_control_new(lab, param));
        gtk_box_append(GTK_BOX(box), ns_slider_control_new(lab, param, least, most));
    } else if (kind == SEED) {
        gtk_box_append(GTK_BOX(line), ns_seed_control_new(lab, param));
    } else if (kind == FILE_BUTTON) {
        gtk_box_append(GTK_BOX(box), ns_file_control_new(lab, param));
    } else if (param->type == NS_PARAM_TEXT) {
        GtkWidget *entry = ns_entry_control_new(lab, param);
        gtk_widget_set_hexpand(gtk_widget_get_first_child(entry), TRUE);
        gtk_editable_set_alignment(GTK_EDITABLE(gtk_widget_get_first_child(entry)), 0.0f);
        gtk_editable_set_max_width_chars(GTK_EDITABLE(gtk_widget_get_first_child(entry)), -1);
        gtk_box_append(GTK_BOX(box), entry);
    } else if (param->type == NS_PARAM_CHOICE) {
        gtk_box_append(GTK_BOX(line), ns_choice_control_new(lab, param));
    } else {
        gtk_box_append(GTK_BOX(line), param->type == NS_PARAM_INT && kind == AUTO
                                          ? ns_number_control_new(lab, param)
                                          : ns_entry_control_new(lab, param));
    }
    g_signal_connect_object(reset, "clicked", G_CALLBACK(on_reset), box, G_CONNECT_SWAPPED);
    g_signal_connect_object(lab, "settings-changed", G_CALLBACK(sync_row), box, G_CONNECT_SWAPPED);
    sync_row(box);
    return box;
}

/* What the model takes, under the row of its depth. */
static void sync_size(GtkWidget *label)
{
    NsLab *lab = g_object_get_data(G_OBJECT(label), "ns-lab");
    g_autofree char *size = ns_lab_size(lab);
    if (size) gtk_label_set_text(GTK_LABEL(label), size);
}

static void add_size(NsLab *lab, GtkWidget *row)
{
    GtkWidget *label = gtk_label_new(NULL);
    g_object_set_data_full(G_OBJECT(label), "ns-lab", g_object_ref(lab), g_object_unref);
    gtk_widget_add_css_class(label, "hint");
    gtk_widget_add_css_class(label, "size");
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_widget_set_tooltip_text(label,
                                "Weights, gradients, moments and what backward needs of all "
                                "threads; the time is that of one forward and backward pass.");
    gtk_box_append(GTK_BOX(row), label);
    g_signal_connect_object(lab, "status-changed", G_CALLBACK(sync_size), label, G_CONNECT_SWAPPED);
    sync_size(label);
}

static void add_heading(GtkWidget *box, const char *words)
{
    GtkWidget *label = gtk_label_new(words);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    gtk_widget_add_css_class(label, "heading");
    gtk_box_append(GTK_BOX(box), label);
}

static bool on_top(const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(TOP); i++)
        if (g_str_equal(TOP[i].key, key)) return true;
    return false;
}

static void add_row(GtkWidget *pane, GtkWidget *box, GtkWidget *row, const NsParam *param)
{
    g_autofree char *name = g_strconcat("ns-row-", param->key, NULL);
    g_object_set_data(G_OBJECT(pane), name, row);
    gtk_box_append(GTK_BOX(box), row);
}

GtkWidget *ns_settings_pane_new(NsLab *lab)
{
    GtkWidget *pane = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    gtk_widget_add_css_class(pane, "settings");
    for (size_t i = 0; i < G_N_ELEMENTS(TOP); i++) {
        const NsParam *param = ns_param_find(TOP[i].key);
        if (TOP[i].heading) add_heading(pane, TOP[i].heading);
        add_row(pane, pane, make_row(lab, param, TOP[i].kind, TOP[i].least, TOP[i].most), param);
    }
    add_size(lab, ns_settings_pane_row(pane, "layers"));
    GtkWidget *more = gtk_box_new(GTK_ORIENTATION_VERTICAL, 8);
    for (size_t i = 0; ns_param(i); i++)
        if (!on_top(ns_param(i)->key))
            add_row(pane, more, make_row(lab, ns_param(i), PLAIN, 0, 0), ns_param(i));
    GtkWidget *expander = gtk_expander_new("More settings");
    gtk_expander_set_child(GTK_EXPANDER(expander), more);
    gtk_box_append(GTK_BOX(pane), expander);
    return pane;
}

GtkWidget *ns_settings_pane_row(GtkWidget *pane, const char *key)
{
    g_autofree char *name = g_strconcat("ns-row-", key, NULL);
    return g_object_get_data(G_OBJECT(pane), name);
}
