/* Toggles, drop-downs and the file button.  SPDX-License-Identifier: MIT */
#include "ui/widgets/common/accessible.h"
#include "ui/widgets/settings/control.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/model/wiring.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/file_dialog.h"
#include "ui/widgets/common/text_label.h"

#define BUTTONS_A_ROW 3

/* A registry with more rows than this shows the first ones as buttons, the others in a drop-down.
 */
#define BUTTONS_MOST 5

static guint chosen(const NsControl *choice)
{
    return (guint)ns_settings_get_number(ns_session_settings(choice->session), choice->param);
}

/* The formula of the row; for placements, what a mixture has put in their place; for an automatic
 * norm, what it is. */
static char *words_below(const NsControl *choice, guint row)
{
    const NsSettings *settings = ns_session_settings(choice->session);
    const char *mixture = settings->mixture;
    if (*mixture && choice->param == ns_param_find("placement"))
        return g_strdup_printf(_("Not used: the mixture %s places every norm."), mixture);
    if (choice->param == ns_param_find("norm") && row == NS_NORM_AUTO) {
        if (*mixture) return g_strdup(_("Each placement of the mixture has its own."));
        const NsChoice *kind = &ns_norm_kind(settings, ns_placement(settings->placement))->choice;
        return g_strdup_printf("%s: %s", _(kind->label), _(kind->formula));
    }
    const char *formula = choice->param->choices(row)->formula;
    return g_strdup(formula ? _(formula) : "");
}

static void sync_toggles(GtkWidget *widget)
{
    NsControl *choice = ns_control_of(widget);
    guint row = chosen(choice), buttons = choice->buttons->len;
    choice->syncing = true;
    for (guint i = 0; i < buttons; i++)
        gtk_toggle_button_set_active(g_ptr_array_index(choice->buttons, i), i == row);
    if (choice->others)
        gtk_drop_down_set_selected(GTK_DROP_DOWN(choice->others),
                                   row < buttons ? 0 : row - buttons + 1);
    choice->syncing = false;
    g_autofree char *below = words_below(choice, row);
    g_autofree char *markup = ns_text_markup(below, NS_LABEL_SIZE);
    gtk_label_set_markup(GTK_LABEL(choice->label), markup);
}

/* A second press on the chosen button leaves it pressed. */
static void on_toggled(GtkToggleButton *button, gpointer widget)
{
    NsControl *choice = ns_control_of(widget);
    if (choice->syncing) return;
    guint row = 0;
    if (gtk_toggle_button_get_active(button) && g_ptr_array_find(choice->buttons, button, &row))
        ns_session_set(choice->session, choice->param->key, choice->param->choices(row)->key);
    else
        sync_toggles(widget);
}

/* Item 0 names the drop-down and chooses nothing. */
static void on_other(GtkDropDown *drop_down, GParamSpec *pspec, gpointer widget)
{
    (void)pspec;
    NsControl *choice = ns_control_of(widget);
    if (choice->syncing) return;
    guint item = gtk_drop_down_get_selected(drop_down);
    const NsChoice *row = item ? choice->param->choices(choice->buttons->len + item - 1) : NULL;
    if (row)
        ns_session_set(choice->session, choice->param->key, row->key);
    else
        sync_toggles(widget);
}

GtkWidget *ns_toggle_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    NsControl *choice = ns_control_new(session, param, box, G_CALLBACK(sync_toggles));
    choice->buttons = g_ptr_array_new();
    GtkWidget *line = NULL;
    for (guint i = 0; i < BUTTONS_MOST && param->choices(i); i++) {
        const NsChoice *row = param->choices(i);
        if (i % BUTTONS_A_ROW == 0) {
            line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
            gtk_box_set_homogeneous(GTK_BOX(line), TRUE);
            gtk_widget_add_css_class(line, "linked");
            gtk_box_append(GTK_BOX(box), line);
        }
        GtkWidget *button = gtk_toggle_button_new_with_label(_(row->label));
        /* The purpose, formula and source of a choice, as markup for its tooltip. */
        g_autofree char *purpose =
            g_markup_escape_text(_(row->purpose ? row->purpose : row->label), -1);
        g_autofree char *formula =
            ns_text_markup(row->formula ? _(row->formula) : "", NS_LABEL_SIZE);
        g_autofree char *source = g_markup_escape_text(row->reference ? row->reference : "", -1);
        g_autofree char *tip = g_strjoin("", purpose, *formula ? "\n" : "", formula,
                                         *source ? "\n" : "", source, NULL);
        gtk_widget_set_tooltip_markup(button, tip);
        gtk_widget_add_css_class(button, "choice");
        g_ptr_array_add(choice->buttons, button);
        g_signal_connect(button, "toggled", G_CALLBACK(on_toggled), box);
        gtk_box_append(GTK_BOX(line), button);
    }
    if (param->choices(choice->buttons->len)) {
        g_autoptr(GtkStringList) labels = gtk_string_list_new(NULL);
        g_autofree char *title = g_strdup_printf(_("%s: more"), _(choice->param->label));
        bool placement = g_str_equal(choice->param->key, "placement");
        gtk_string_list_append(labels, placement ? _("More placements…") : _("More…"));
        for (guint k = choice->buttons->len; choice->param->choices(k); k++)
            gtk_string_list_append(labels, _(choice->param->choices(k)->label));
        GtkWidget *others = gtk_drop_down_new(G_LIST_MODEL(g_steal_pointer(&labels)), NULL);
        ns_accessible_name(others, title);
        g_signal_connect(others, "notify::selected", G_CALLBACK(on_other), box);
        choice->others = others;
        gtk_box_append(GTK_BOX(box), choice->others);
    }
    choice->label = ns_text_label_new(NULL, "formula");
    gtk_box_append(GTK_BOX(box), choice->label);
    sync_toggles(box);
    return box;
}

static void sync_drop_down(GtkWidget *widget)
{
    NsControl *choice = ns_control_of(widget);
    choice->syncing = true;
    gtk_drop_down_set_selected(GTK_DROP_DOWN(widget), chosen(choice));
    choice->syncing = false;
}

static void on_selected(GtkDropDown *drop_down)
{
    NsControl *choice = ns_control_of(GTK_WIDGET(drop_down));
    const NsChoice *row = choice->param->choices(gtk_drop_down_get_selected(drop_down));
    if (!choice->syncing && row) ns_session_set(choice->session, choice->param->key, row->key);
}

GtkWidget *ns_choice_control_new(NsSession *session, const NsParam *param)
{
    g_autoptr(GtkStringList) labels = gtk_string_list_new(NULL);
    for (guint i = 0; param->choices(i); i++)
        gtk_string_list_append(labels, _(param->choices(i)->label));
    GtkWidget *drop_down = gtk_drop_down_new(G_LIST_MODEL(g_steal_pointer(&labels)), NULL);
    ns_accessible_name(drop_down, _(param->label));
    ns_control_new(session, param, drop_down, G_CALLBACK(sync_drop_down));
    sync_drop_down(drop_down);
    g_signal_connect(drop_down, "notify::selected", G_CALLBACK(on_selected), NULL);
    return drop_down;
}

static void sync_file(GtkWidget *widget)
{
    NsControl *choice = ns_control_of(widget);
    g_autofree char *path = ns_settings_get(ns_session_settings(choice->session), choice->param);
    g_autofree char *name = *path ? g_path_get_basename(path) : g_strdup(_("Choose a file…"));
    gtk_label_set_text(GTK_LABEL(choice->label), name);
    gtk_widget_set_visible(choice->clear, *path != '\0');
}

static void on_file(const char *path, gpointer user_data)
{
    NsControl *choice = ns_control_of(user_data);
    ns_session_set(choice->session, choice->param->key, path);
}

static void on_choose(GtkWidget *widget)
{
    ns_file_dialog_open(GTK_WINDOW(gtk_widget_get_root(widget)), _("Choose a text"), on_file,
                        widget);
}

static void on_clear(GtkWidget *widget)
{
    NsControl *choice = ns_control_of(widget);
    ns_session_set_default(choice->session, choice->param);
}

GtkWidget *ns_file_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_add_css_class(box, "linked");
    NsControl *choice = ns_control_new(session, param, box, G_CALLBACK(sync_file));
    choice->label = gtk_label_new(NULL);
    gtk_label_set_ellipsize(GTK_LABEL(choice->label), PANGO_ELLIPSIZE_MIDDLE);
    GtkWidget *open = gtk_button_new();
    gtk_button_set_child(GTK_BUTTON(open), choice->label);
    gtk_widget_set_hexpand(open, TRUE);
    g_signal_connect_object(open, "clicked", G_CALLBACK(on_choose), box, G_CONNECT_SWAPPED);
    gtk_box_append(GTK_BOX(box), open);
    choice->clear = gtk_button_new_from_icon_name("edit-clear-symbolic");
    ns_accessible_tooltip(choice->clear, _("Back to the generated text"));
    g_signal_connect_object(choice->clear, "clicked", G_CALLBACK(on_clear), box, G_CONNECT_SWAPPED);
    gtk_box_append(GTK_BOX(box), choice->clear);
    sync_file(box);
    return box;
}
