/* Controls, each for one setting of a session.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/settings/controls.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "core/model/wiring.h"
#include "core/settings/choices.h"
#include "ui/figures/settings_caption.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"

#include <math.h>

/* A control of one setting.  Each kind of control has only some of these widgets. */
typedef struct {
    NsSession *session;
    const NsParam *param;
    GtkWidget *entry;
    GtkRange *range;
    double least, most; /* of the range */
    bool syncing;       /* the range follows the session, or the session the range */
    GPtrArray *buttons; /* toggles, one for each of the registry's first rows */
    GtkWidget *others;  /* drop-down of the rows without a button, or NULL */
    GtkWidget *label;   /* formula, or file name */
    GtkWidget *clear;
} NsControl;

static void control_free(gpointer data)
{
    NsControl *control = data;
    g_clear_pointer(&control->buttons, g_ptr_array_unref);
    g_free(control);
}

/* The widget owns it; `sync` is called with the widget when the setting changes. */
static NsControl *control_new(NsSession *session, const NsParam *param, GtkWidget *widget,
                              GCallback sync)
{
    NsControl *control = g_new0(NsControl, 1);
    control->session = ns_session_hold(session, widget);
    control->param = param;
    g_object_set_data_full(G_OBJECT(widget), "ns-control", control, control_free);
    ns_session_follow(session, param, sync, widget);
    return control;
}

static NsControl *control_of(GtkWidget *widget)
{
    return g_object_get_data(G_OBJECT(widget), "ns-control");
}

/* ---- Choices ---- */

#define BUTTONS_A_ROW 3

/* A registry with more rows than this shows the first ones as buttons, the others in a drop-down.
 */
#define BUTTONS_MOST 5

static guint chosen(const NsControl *choice)
{
    return (guint)ns_settings_get_number(ns_session_settings(choice->session), choice->param);
}

/* Whether something else decides in place of the choice: a mixture in place of the placement. */
static bool is_idle(const NsControl *choice)
{
    return ns_settings_is_idle(ns_session_settings(choice->session), choice->param);
}

/* The formula of the row; for placements, the mixture that replaces them; for an automatic norm,
 * its kind. */
static char *words_below(const NsControl *choice, guint row)
{
    const NsSettings *settings = ns_session_settings(choice->session);
    const char *mixture = settings->mixture;
    if (*mixture && choice->param == ns_param_find("placement"))
        return ns_settings_placement_words(settings);
    if (choice->param == ns_param_find("norm") && row == NS_NORM_AUTO) {
        if (ns_settings_are_mixed(settings))
            return g_strdup(_("Each placement of the mixture has its own norm."));
        const NsChoice *kind = &ns_norm_kind(settings, ns_placement_at(settings, 0, 1))->choice;
        return g_strdup_printf("%s: %s", _(kind->label), _(kind->formula));
    }
    const char *formula = choice->param->choices(row)->formula;
    return g_strdup(formula ? _(formula) : "");
}

static void sync_toggles(GtkWidget *widget)
{
    NsControl *choice = control_of(widget);
    guint row = chosen(choice), buttons = choice->buttons->len;
    for (guint i = 0; i < buttons; i++)
        gtk_toggle_button_set_active(g_ptr_array_index(choice->buttons, i),
                                     i == row && !is_idle(choice));
    if (choice->others)
        gtk_drop_down_set_selected(GTK_DROP_DOWN(choice->others),
                                   row < buttons ? 0 : row - buttons + 1);
    g_autofree char *below = words_below(choice, row), *whole = ns_text_unbroken(below);
    g_autofree char *markup = ns_text_markup(whole, NS_LABEL_SIZE);
    gtk_label_set_markup(GTK_LABEL(choice->label), markup);
}

static void on_toggled(GtkToggleButton *button, gpointer widget)
{
    NsControl *choice = control_of(widget);
    guint row = 0;
    g_ptr_array_find(choice->buttons, button, &row);
    if (gtk_toggle_button_get_active(button) && (row != chosen(choice) || is_idle(choice)))
        ns_session_set(choice->session, choice->param->key, choice->param->choices(row)->key);
}

/* Item 0 names the drop-down and chooses nothing. */
static void on_other(GtkDropDown *drop_down, GParamSpec *pspec, gpointer widget)
{
    (void)pspec;
    NsControl *choice = control_of(widget);
    guint item = gtk_drop_down_get_selected(drop_down), row = choice->buttons->len + item - 1;
    if (item == 0)
        sync_toggles(widget);
    else if (row != chosen(choice))
        ns_session_set(choice->session, choice->param->key, choice->param->choices(row)->key);
}

/* The purpose, formula and source of a choice, as markup for its tooltip. */
static char *tip_of(const NsChoice *row)
{
    g_autofree char *purpose =
        g_markup_escape_text(_(row->purpose ? row->purpose : row->label), -1);
    g_autofree char *formula = ns_text_markup(row->formula ? _(row->formula) : "", NS_LABEL_SIZE);
    g_autofree char *source = g_markup_escape_text(row->reference ? row->reference : "", -1);
    return g_strjoin("", purpose, *formula ? NS_TOOLTIP_LINE : "", formula,
                     *source ? NS_TOOLTIP_LINE : "", source, NULL);
}

/* Whether the row of the list of other choices is the chosen one.  Row 0 names the list. */
static gboolean is_chosen(GBinding *binding, const GValue *selected, GValue *visible, gpointer item)
{
    (void)binding;
    guint at = gtk_list_item_get_position(item);
    g_value_set_boolean(visible, at > 0 && g_value_get_uint(selected) == at);
    return TRUE;
}

/* A row has a name, a formula, and a check, which the keyboard does not move. */
static void on_row_made(GtkListItemFactory *factory, GtkListItem *item, const NsControl *choice)
{
    (void)factory;
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *words = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *check = gtk_image_new_from_icon_name("object-select-symbolic");
    gtk_widget_set_hexpand(words, TRUE);
    ns_box_append(words, ns_line_label_new(NULL, NULL), ns_line_label_new(NULL, "formula"), NULL);
    ns_box_append(row, words, check, NULL);
    g_object_bind_property_full(choice->others, "selected", check, "visible", G_BINDING_SYNC_CREATE,
                                is_chosen, NULL, item, NULL);
    gtk_list_item_set_child(item, row);
}

static void on_row_bound(GtkListItemFactory *factory, GtkListItem *item, const NsControl *choice)
{
    (void)factory;
    GtkWidget *row = gtk_list_item_get_child(item);
    GtkWidget *name = gtk_widget_get_first_child(gtk_widget_get_first_child(row));
    GtkWidget *formula = gtk_widget_get_next_sibling(name);
    guint at = gtk_list_item_get_position(item), first = choice->buttons->len;
    const NsChoice *other = at ? choice->param->choices(first + at - 1) : NULL;
    const char *title = gtk_string_object_get_string(gtk_list_item_get_item(item));
    const char *words = other && other->formula ? _(other->formula) : "";
    g_autofree char *tip = other ? tip_of(other) : NULL;
    g_autofree char *markup = ns_text_markup(words, NS_LABEL_SIZE);
    gtk_label_set_text(GTK_LABEL(name), title);
    ns_set_css_class(name, "dim-label", !other);
    gtk_label_set_markup(GTK_LABEL(formula), markup);
    gtk_widget_set_visible(formula, *markup != '\0');
    gtk_widget_set_tooltip_markup(row, tip);
    gtk_widget_set_visible(gtk_widget_get_last_child(row),
                           other &&
                               gtk_drop_down_get_selected(GTK_DROP_DOWN(choice->others)) == at);
}

GtkWidget *ns_toggle_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 4);
    NsControl *choice = control_new(session, param, box, G_CALLBACK(sync_toggles));
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
        g_autofree char *tip = tip_of(row);
        gtk_widget_set_tooltip_markup(button, tip);
        gtk_widget_add_css_class(button, "choice");
        if (i) gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(button), choice->buttons->pdata[0]);
        g_ptr_array_add(choice->buttons, button);
        g_signal_connect(button, "toggled", G_CALLBACK(on_toggled), box);
        gtk_box_append(GTK_BOX(line), button);
    }
    if (param->choices(choice->buttons->len)) {
        g_autofree char *title = g_strdup_printf(_("%s: more"), _(choice->param->label));
        bool placement = g_str_equal(choice->param->key, "placement");
        GtkWidget *others = ns_choice_drop_down_new(placement ? _("More placements…") : _("More…"),
                                                    param->choices, choice->buttons->len, NULL);
        ns_accessible_name(others, title);
        choice->others = others;
        g_autoptr(GtkListItemFactory) rows = gtk_signal_list_item_factory_new();
        g_signal_connect(rows, "setup", G_CALLBACK(on_row_made), choice);
        g_signal_connect(rows, "bind", G_CALLBACK(on_row_bound), choice);
        gtk_drop_down_set_list_factory(GTK_DROP_DOWN(others), rows);
        g_signal_connect(others, "notify::selected", G_CALLBACK(on_other), box);
        gtk_box_append(GTK_BOX(box), others);
    }
    /* With room for two lines where a formula has two, so that the controls below do not move. */
    GtkWidget *space = gtk_stack_new(), *lines = ns_text_label_new(NULL, "formula");
    g_autofree char *two = ns_text_markup(choice->others ? "x^2\nx^2" : "x^2", NS_LABEL_SIZE);
    gtk_label_set_markup(GTK_LABEL(lines), two);
    choice->label = ns_text_label_new(NULL, "formula");
    gtk_widget_set_valign(choice->label, GTK_ALIGN_START);
    gtk_stack_add_child(GTK_STACK(space), choice->label);
    gtk_stack_add_child(GTK_STACK(space), lines);
    gtk_box_append(GTK_BOX(box), space);
    sync_toggles(box);
    return box;
}

static void sync_drop_down(GtkWidget *widget)
{
    gtk_drop_down_set_selected(GTK_DROP_DOWN(widget), chosen(control_of(widget)));
}

static void on_selected(GtkDropDown *drop_down)
{
    NsControl *choice = control_of(GTK_WIDGET(drop_down));
    guint row = gtk_drop_down_get_selected(drop_down);
    if (row != chosen(choice))
        ns_session_set(choice->session, choice->param->key, choice->param->choices(row)->key);
}

GtkWidget *ns_choice_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *drop_down = ns_choice_drop_down_new(NULL, param->choices, 0, NULL);
    ns_accessible_name(drop_down, _(param->label));
    control_new(session, param, drop_down, G_CALLBACK(sync_drop_down));
    sync_drop_down(drop_down);
    g_signal_connect(drop_down, "notify::selected", G_CALLBACK(on_selected), NULL);
    return drop_down;
}

static void sync_switch(GtkWidget *widget)
{
    gtk_switch_set_active(GTK_SWITCH(widget), chosen(control_of(widget)) == NS_TOGGLE_ON);
}

static void on_switched(GtkSwitch *turned)
{
    NsControl *choice = control_of(GTK_WIDGET(turned));
    guint row = gtk_switch_get_active(turned) ? NS_TOGGLE_ON : NS_TOGGLE_OFF;
    if (row != chosen(choice))
        ns_session_set(choice->session, choice->param->key, ns_toggle_choice(row)->key);
}

GtkWidget *ns_switch_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *turned = gtk_switch_new();
    gtk_widget_set_valign(turned, GTK_ALIGN_CENTER);
    ns_accessible_name(turned, _(param->label));
    control_new(session, param, turned, G_CALLBACK(sync_switch));
    sync_switch(turned);
    g_signal_connect(turned, "notify::active", G_CALLBACK(on_switched), NULL);
    return turned;
}

static void sync_file(GtkWidget *widget)
{
    NsControl *choice = control_of(widget);
    g_autofree char *path = ns_settings_get(ns_session_settings(choice->session), choice->param);
    g_autofree char *name = *path ? g_path_get_basename(path) : g_strdup(_("Choose a file…"));
    gtk_label_set_text(GTK_LABEL(choice->label), name);
    gtk_widget_set_visible(choice->clear, *path != '\0');
}

static void on_file(const char *path, gpointer user_data)
{
    NsControl *choice = control_of(user_data);
    ns_session_set(choice->session, choice->param->key, path);
}

static void on_choose(GtkWidget *widget)
{
    ns_file_dialog_open(GTK_WINDOW(gtk_widget_get_root(widget)), _("Choose a text"), on_file,
                        widget);
}

static void on_clear(GtkWidget *widget)
{
    NsControl *choice = control_of(widget);
    ns_session_set_default(choice->session, choice->param);
}

GtkWidget *ns_file_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_add_css_class(box, "linked");
    NsControl *choice = control_new(session, param, box, G_CALLBACK(sync_file));
    choice->label = gtk_label_new(NULL);
    gtk_label_set_ellipsize(GTK_LABEL(choice->label), PANGO_ELLIPSIZE_MIDDLE);
    GtkWidget *open = gtk_button_new();
    gtk_button_set_child(GTK_BUTTON(open), choice->label);
    gtk_widget_set_hexpand(open, TRUE);
    ns_connect(open, "clicked", G_CALLBACK(on_choose), box);
    choice->clear = gtk_button_new_from_icon_name("edit-clear-symbolic");
    ns_accessible_tooltip(choice->clear, _("Back to the generated text"));
    ns_connect(choice->clear, "clicked", G_CALLBACK(on_clear), box);
    ns_box_append(box, open, choice->clear, NULL);
    sync_file(box);
    return box;
}

/* ---- Numbers and texts ---- */

static char *write_number(const NsControl *number, double value)
{
    bool whole = number->param->type == NS_PARAM_INT;
    return whole ? g_strdup_printf("%.0f", value) : ns_text_input(value, 2);
}

static void set_number(NsControl *number, double value)
{
    g_autofree char *text = write_number(number, value);
    ns_session_set(number->session, number->param->key, text);
}

/* Whether the session refused the text that was typed. */
static bool is_blamed(const NsControl *number)
{
    return g_strcmp0(number->session->problem_key, number->param->key) == 0;
}

/* The text of the entry: the value, or the word for it. */
static char *shown_value(const NsControl *number)
{
    char *value = ns_settings_get(ns_session_settings(number->session), number->param);
    const char *word = ns_param_word(number->param, value);
    if (!word) return value;
    g_free(value);
    return g_strdup(word);
}

static void sync_entry(GtkWidget *widget)
{
    NsControl *number = control_of(widget);
    /* A refused text stays, so that it can be corrected. */
    if (is_blamed(number)) return;
    g_autofree char *text = shown_value(number);
    if (!g_str_equal(text, gtk_editable_get_text(GTK_EDITABLE(number->entry))))
        gtk_editable_set_text(GTK_EDITABLE(number->entry), text);
}

static void commit(NsControl *number)
{
    g_autofree char *typed =
        g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(number->entry))));
    g_autofree char *current = shown_value(number);
    if (g_str_equal(typed, current) && !is_blamed(number)) return;
    const char *word = ns_param_none_word(number->param);
    bool named = word && g_str_equal(typed, word);
    ns_session_set(number->session, number->param->key,
                   named ? ns_param_none(number->param) : typed);
}

/* Restores the value of the setting, which also ends the problem of a refused text. */
static void take_back(NsControl *number)
{
    g_autofree char *current = shown_value(number);
    gtk_editable_set_text(GTK_EDITABLE(number->entry), current);
    commit(number);
}

/* Enter sets the number; the focus stays on one that was refused. */
static void on_activate(GtkWidget *widget)
{
    NsControl *number = control_of(widget);
    commit(number);
    if (!is_blamed(number)) ns_end_typing(widget);
}

/* An empty field gets its number back when it loses the focus. */
static void on_leave(GtkWidget *widget)
{
    NsControl *number = control_of(widget);
    if (number->param->type != NS_PARAM_TEXT &&
        !*gtk_editable_get_text(GTK_EDITABLE(number->entry)))
        take_back(number);
    else
        commit(number);
}

/* Escape restores the value and moves the focus to the window. */
static gboolean on_escape(GtkWidget *widget, guint keyval)
{
    if (keyval != GDK_KEY_Escape) return GDK_EVENT_PROPAGATE;
    take_back(control_of(widget));
    ns_end_typing(widget);
    return GDK_EVENT_STOP;
}

GtkWidget *ns_entry_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    GtkWidget *entry = ns_entry_new(_(param->label), 8);
    control_new(session, param, box, G_CALLBACK(sync_entry))->entry = entry;
    gtk_editable_set_alignment(GTK_EDITABLE(entry), 1.0f);
    gtk_widget_add_css_class(entry, "numeric");
    ns_connect(entry, "activate", G_CALLBACK(on_activate), box);
    GtkEventController *focus = gtk_event_controller_focus_new();
    ns_connect(focus, "leave", G_CALLBACK(on_leave), box);
    gtk_widget_add_controller(entry, focus);
    ns_connect_keys(entry, G_CALLBACK(on_escape), box);
    gtk_box_append(GTK_BOX(box), entry);
    sync_entry(box);
    return box;
}

static void move(NsControl *number, bool up)
{
    commit(number);
    double value = ns_settings_get_number(ns_session_settings(number->session), number->param);
    double next = value + (up ? 1.0 : -1.0);
    if (number->param->scale == NS_SLIDER_LOG) { /* the next power of two */
        double power = log2(value);
        next = value < 1.0 ? up : exp2(up ? floor(power + 1e-9) + 1.0 : ceil(power - 1e-9) - 1.0);
        if (next < 1.0) next = 0.0;
    }
    set_number(number, CLAMP(next, number->param->least, number->param->most));
}

static void on_less(GtkWidget *widget)
{
    move(control_of(widget), false);
}

static void on_more(GtkWidget *widget)
{
    move(control_of(widget), true);
}

static gboolean on_arrow(GtkWidget *widget, guint keyval)
{
    if (keyval != GDK_KEY_Up && keyval != GDK_KEY_Down) return GDK_EVENT_PROPAGATE;
    move(control_of(widget), keyval == GDK_KEY_Up);
    return GDK_EVENT_STOP;
}

static GtkWidget *make_button(GtkWidget *owner, const char *icon, const char *words,
                              const NsParam *param, GCallback callback)
{
    g_autofree char *label = g_strdup_printf(_("%s: %s"), _(param->label), words);
    GtkWidget *button = gtk_button_new_from_icon_name(icon);
    ns_accessible_name(button, label);
    ns_connect(button, "clicked", callback, owner);
    return button;
}

GtkWidget *ns_number_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *box = ns_entry_control_new(session, param), *entry = control_of(box)->entry;
    gtk_widget_add_css_class(box, "linked");
    gtk_editable_set_width_chars(GTK_EDITABLE(entry), 5);
    ns_connect_keys(entry, G_CALLBACK(on_arrow), box);
    ns_box_append(
        box, make_button(box, "list-remove-symbolic", _("less"), param, G_CALLBACK(on_less)),
        make_button(box, "list-add-symbolic", _("more"), param, G_CALLBACK(on_more)), NULL);
    return box;
}

static void on_new_seed(GtkWidget *widget)
{
    set_number(control_of(widget), g_random_int_range(1, 100000));
}

GtkWidget *ns_seed_control_new(NsSession *session, const NsParam *param)
{
    GtkWidget *box = ns_entry_control_new(session, param);
    gtk_widget_add_css_class(box, "linked");
    GtkWidget *button = make_button(box, "media-playlist-shuffle-symbolic", _("draw a new one"),
                                    param, G_CALLBACK(on_new_seed));
    gtk_widget_set_tooltip_text(button, _("Draw a new seed"));
    gtk_box_append(GTK_BOX(box), button);
    return box;
}

static void value_words(NsControl *number)
{
    g_autofree char *text = shown_value(number);
    gtk_accessible_update_property(GTK_ACCESSIBLE(number->range),
                                   GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void sync_slider(GtkWidget *widget)
{
    NsControl *number = control_of(widget);
    if (number->syncing) return;
    double value = ns_settings_get_number(ns_session_settings(number->session), number->param);
    double inside = CLAMP(value, number->least, number->most);
    number->syncing = true;
    gtk_range_set_value(number->range,
                        log(inside / number->least) / log(number->most / number->least));
    number->syncing = false;
    value_words(number);
}

static void on_slide(GtkRange *range, gpointer user_data)
{
    NsControl *number = user_data;
    if (number->syncing) return;
    double t = gtk_range_get_value(range);
    /* The handle stays where the user puts it, even between two whole values. */
    number->syncing = true;
    /* A movement of the slider is one step of undo. */
    g_autofree char *text =
        write_number(number, number->least * pow(number->most / number->least, t));
    ns_session_slide(number->session, number->param->key, text);
    number->syncing = false;
    value_words(number);
}

GtkWidget *ns_slider_control_new(NsSession *session, const NsParam *param, double least,
                                 double most)
{
    GtkWidget *scale = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0.0, 1.0, 0.01);
    gtk_scale_set_draw_value(GTK_SCALE(scale), FALSE);
    gtk_range_set_increments(GTK_RANGE(scale), 0.01, 0.1);
    gtk_widget_set_hexpand(scale, TRUE);
    /* The mouse wheel scrolls the pane; it must not change a setting under the pointer. */
    g_autoptr(GListModel) controllers = gtk_widget_observe_controllers(scale);
    for (guint i = g_list_model_get_n_items(controllers); i-- > 0;) {
        g_autoptr(GtkEventController) controller = g_list_model_get_item(controllers, i);
        if (GTK_IS_EVENT_CONTROLLER_SCROLL(controller))
            gtk_widget_remove_controller(scale, controller);
    }
    ns_accessible_name(scale, _(param->label));
    NsControl *number = control_new(session, param, scale, G_CALLBACK(sync_slider));
    number->range = GTK_RANGE(scale);
    number->least = least;
    number->most = most;
    g_signal_connect(scale, "value-changed", G_CALLBACK(on_slide), number);
    sync_slider(scale);
    return scale;
}
