/* The choices, controls and menu of the tile of a chart. SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/tile_controls.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/figures/figures.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/popovers.h"

#include <math.h>

/* ---- Choices ---- */

/* The whole model, the whole layer and the six weight matrices come before whatever else there
 * is. */
static const NsQuantity USUAL[] = {
    NS_QUANTITY_GRAD_TOTAL, NS_QUANTITY_GRAD_LAYER, NS_QUANTITY_GRAD_WQ, NS_QUANTITY_GRAD_WK,
    NS_QUANTITY_GRAD_WV,    NS_QUANTITY_GRAD_WO,    NS_QUANTITY_GRAD_W1, NS_QUANTITY_GRAD_W2,
};

static void add_choice(GArray *choices, int choice)
{
    g_array_append_val(choices, choice);
}

/* If there are more places than this, layers are skipped at equal distances; figures show the
 * nearest listed place. */
#define PLACES 64

GArray *ns_tile_choices(const NsFigureKind *kind, const NsView *view, int shown)
{
    const NsHistory *history = view->history, *closer = view->closer[view->active];
    GArray *choices = g_array_new(FALSE, FALSE, sizeof(int));
    if (kind->subject == NS_SUBJECT_SIMILARITY)
        for (int i = 0; i < NS_SIMILARITY_COUNT; i++) add_choice(choices, i);
    bool places = kind->subject == NS_SUBJECT_PLACE && history;
    size_t layers = places ? ns_history_layout(history)->layers : 0;
    size_t heads = places && kind->of_head ? ns_history_layout(history)->heads : 1;
    size_t n = MIN(MAX(PLACES / MAX(heads, 1), 2), layers);
    for (size_t i = 0; i < n; i++) {
        size_t layer = n < 2 ? layers : 1 + i * (layers - 1) / (n - 1);
        for (size_t head = 1; head <= heads; head++)
            add_choice(choices, NS_TILE_PLACE(layer, kind->of_head ? head : 0));
    }
    for (size_t i = 0; i < G_N_ELEMENTS(USUAL) + NS_QUANTITY_COUNT; i++) {
        bool first = i < G_N_ELEMENTS(USUAL), usual = first;
        NsQuantity q = first ? USUAL[i] : (NsQuantity)(i - G_N_ELEMENTS(USUAL));
        for (size_t k = 0; k < G_N_ELEMENTS(USUAL); k++) usual |= USUAL[k] == q;
        bool fits = kind->domains & 1u << ns_quantity(q)->domain;
        /* A run of this program could have measured these; the log of another has what it has. */
        bool possible = usual || q == kind->initial ||     /* stays listed when another is chosen */
                        q == NS_QUANTITY_LAYER_ABLATION || /* the tile offers to measure it */
                        q == NS_QUANTITY_LOGIT_LENS;
        bool there = !history || ns_history_layout(history)->count[q] > 0 ||
                     (closer && ns_history_layout(closer)->count[q] > 0) || (int)q == shown ||
                     (possible && !ns_view_is_outside(view));
        if (fits && there && first == usual) add_choice(choices, (int)q);
    }
    return choices;
}

int ns_tile_choice_of(const NsFigureSpec *spec)
{
    if (spec->kind->subject == NS_SUBJECT_SIMILARITY) return (int)spec->similarity;
    if (spec->kind->subject == NS_SUBJECT_PLACE) return NS_TILE_PLACE(spec->layer, spec->head);
    return (int)spec->quantity;
}

void ns_tile_choose(NsFigureSpec *spec, int choice)
{
    if (spec->kind->subject == NS_SUBJECT_SIMILARITY) {
        spec->similarity = (NsSimilarityKind)choice;
    } else if (spec->kind->subject == NS_SUBJECT_PLACE) {
        spec->layer = NS_TILE_LAYER(choice);
        spec->head = NS_TILE_HEAD(choice);
    } else {
        spec->quantity = (NsQuantity)choice;
    }
}

char *ns_tile_choice_label(const NsFigureKind *kind, int choice)
{
    if (kind->subject == NS_SUBJECT_SIMILARITY)
        return g_strdup(_(ns_similarity_choice((size_t)choice)->label));
    if (kind->subject != NS_SUBJECT_PLACE)
        return g_strdup(_(ns_quantity((NsQuantity)choice)->choice.label));
    unsigned layer = NS_TILE_LAYER(choice), head = NS_TILE_HEAD(choice);
    return head ? g_strdup_printf(_("Layer %u, head %u"), layer, head)
                : g_strdup_printf(_("Layer %u"), layer);
}

static bool is_quantity(const NsFigureKind *kind)
{
    return kind->subject != NS_SUBJECT_SIMILARITY && kind->subject != NS_SUBJECT_PLACE;
}

const char *ns_tile_choice_symbol(const NsFigureKind *kind, int choice)
{
    if (!is_quantity(kind)) return NULL;
    if (choice == NS_QUANTITY_GRAD_LAYER) return _("‖∇‖ whole layer");
    return ns_quantity((NsQuantity)choice)->symbol;
}

const char *ns_tile_choice_purpose(const NsFigureKind *kind, int choice)
{
    if (kind->subject == NS_SUBJECT_PLACE) return NULL;
    const char *purpose = is_quantity(kind) ? ns_quantity((NsQuantity)choice)->choice.purpose
                                            : ns_similarity_choice((size_t)choice)->purpose;
    return purpose ? _(purpose) : NULL;
}

/* ---- Smoothing ---- */

#define CONTROL "ns-smoothing" /* of the object */

#define MOST 0.99
#define STEP 0.01
#define WIDTH 150 /* pixels */

typedef struct {
    NsSession *session; /* of the tile that the control belongs to */
    GtkWidget *scale, *words;
    bool syncing;
    guint tick;
} Control;

static void show(Control *control)
{
    NsFigureInput input = ns_view_input(control->session->view);
    NsSmoothing smoothing = ns_figure_smoothing(&input);
    g_autofree char *words = ns_smoothing_words(input.smoothing);
    control->syncing = true;
    if (!control->tick)
        gtk_range_set_value(GTK_RANGE(control->scale),
                            smoothing.kind == NS_SMOOTH_EMA ? smoothing.amount : 0);
    control->syncing = false;
    gtk_label_set_text(GTK_LABEL(control->words), words ? words : _("off"));
}

static void on_view(GtkWidget *box)
{
    show(g_object_get_data(G_OBJECT(box), CONTROL));
}

static gboolean act(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
    (void)widget, (void)clock;
    Control *control = data;
    double amount = round(gtk_range_get_value(GTK_RANGE(control->scale)) / STEP) * STEP;
    control->tick = 0;
    ns_session_show_smoothing(
        control->session,
        (NsSmoothing){amount > 0 ? NS_SMOOTH_EMA : NS_SMOOTH_NONE, amount > 0 ? amount : 0});
    return G_SOURCE_REMOVE;
}

static void on_value(Control *control)
{
    if (control->syncing || control->tick) return;
    control->tick = gtk_widget_add_tick_callback(control->scale, act, control, NULL);
}

GtkWidget *ns_smoothing_control_new(NsSession *session)
{
    Control *control = g_new0(Control, 1);
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    GtkWidget *line = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *label = gtk_label_new(_("Smoothing"));
    control->session = session;
    control->scale = gtk_scale_new_with_range(GTK_ORIENTATION_HORIZONTAL, 0, MOST, STEP);
    control->words = gtk_label_new(NULL);
    gtk_widget_add_css_class(box, "smoothing");
    gtk_widget_add_css_class(control->words, "numeric");
    gtk_widget_set_hexpand(label, TRUE);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0F);
    gtk_widget_set_size_request(control->scale, WIDTH, -1);
    gtk_widget_set_tooltip_text(control->scale,
                                _("Exponential moving average of curves over steps: weight of the "
                                  "past. The measured curve stays visible behind it. (S)"));
    ns_accessible_name(control->scale, _("Smoothing, weight of the past"));
    ns_box_append(line, label, control->words, NULL);
    ns_box_append(box, line, control->scale, NULL);
    g_object_set_data_full(G_OBJECT(box), CONTROL, control, g_free);
    g_signal_connect_swapped(control->scale, "value-changed", G_CALLBACK(on_value), control);
    ns_session_listen(session, "view-changed", G_CALLBACK(on_view), box);
    g_signal_connect(box, "map", G_CALLBACK(on_view), NULL);
    return box;
}

/* ---- Controls ---- */

static void sync_heat(GtkWidget *control, NsSession *session)
{
    GtkDropDown *drop_down = GTK_DROP_DOWN(control);
    GtkStringList *old = GTK_STRING_LIST(gtk_drop_down_get_model(drop_down));
    const char *active = ns_lane_letter(session->active), *reference = ns_lane_letter(0);
    const char *other = ns_lane_letter(MAX(session->active, 1));
    g_autofree char *lane = g_strdup_printf(_("Lane %s"), active);
    g_autofree char *ratio = g_strdup_printf(_("Ratio %s / %s"), other, reference);
    const char *const words[] = {
        [NS_HEAT_STACKED] = _("All lanes"), [NS_HEAT_LANE] = lane, [NS_HEAT_RATIO] = ratio};
    /* A new list would select another row while it is being set. */
    g_signal_handlers_block_matched(control, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, session);
    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
        if (g_strcmp0(gtk_string_list_get_string(old, i), words[i]) == 0) continue;
        const char *one[] = {words[i], NULL};
        bool there = i < g_list_model_get_n_items(G_LIST_MODEL(old));
        gtk_string_list_splice(old, i, there ? 1 : 0, one);
    }
    gtk_drop_down_set_selected(drop_down, session->view->heat);
    g_signal_handlers_unblock_matched(control, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, session);
}

static void on_heat(GtkDropDown *drop_down, GParamSpec *property, NsSession *session)
{
    (void)property;
    guint selected = gtk_drop_down_get_selected(drop_down);
    if (selected <= NS_HEAT_RATIO) ns_session_show_heat(session, (NsHeatMode)selected);
}

GtkWidget *ns_heat_control_new(NsSession *session)
{
    GtkStringList *list = gtk_string_list_new(NULL);
    GtkWidget *control = gtk_drop_down_new(G_LIST_MODEL(list), NULL);
    ns_accessible_tooltip(control, _("Which lanes the heatmaps show"));
    g_signal_connect_object(control, "notify::selected", G_CALLBACK(on_heat), session, 0);
    ns_session_listen(session, "view-changed", G_CALLBACK(sync_heat), control);
    sync_heat(control, session);
    return control;
}

static void on_tab(GtkToggleButton *tab, NsSession *session)
{
    if (!gtk_toggle_button_get_active(tab)) return;
    ns_session_set_active(session, ns_lane_find(gtk_button_get_label(GTK_BUTTON(tab))));
}

static void sync_tabs(GtkWidget *tabs, NsSession *session)
{
    GtkWidget *tab = gtk_widget_get_first_child(tabs);
    for (size_t i = 0; tab; i++, tab = gtk_widget_get_next_sibling(tab)) {
        gtk_widget_set_visible(tab, i < session->experiment.n);
        if (i == session->active) gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(tab), TRUE);
    }
}

GtkWidget *ns_lane_tabs_new(NsSession *session)
{
    GtkWidget *tabs = ns_linked_new(), *first = NULL;
    gtk_widget_set_valign(tabs, GTK_ALIGN_CENTER);
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        g_autofree char *tip = g_strdup_printf(_("Lane %s"), ns_lane_letter(i));
        GtkWidget *tab = ns_add_toggle(tabs, first, ns_lane_letter(i), tip);
        first = first ? first : tab;
        if (i == session->active) gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(tab), TRUE);
        g_signal_connect_object(tab, "toggled", G_CALLBACK(on_tab), session, 0);
    }
    ns_session_listen(session, "settings-changed", G_CALLBACK(sync_tabs), tabs);
    sync_tabs(tabs, session);
    return tabs;
}

/* Sets the interval in all lanes; in a run that has begun it is pending, like every setting that
 * needs a fork. */
static void on_probe(GtkButton *button, NsSession *session)
{
    /* The button may get another key while the settings change. */
    g_autofree char *key = g_strdup(g_object_get_data(G_OBJECT(button), "interval"));
    g_autofree char *every = g_strdup_printf("%d", NS_PROBE_EVERY);
    ns_session_set_linked(session, ns_param_find(key), true);
    if (ns_session_set(session, key, every) && ns_session_pending(session))
        ns_session_report(session, _("Fork measures from this step on, Restart from step 0."));
}

GtkWidget *ns_probe_button_new(NsSession *session)
{
    g_autofree char *words = g_strdup_printf(_("Measure every %d steps"), NS_PROBE_EVERY);
    GtkWidget *button = gtk_button_new_with_label(words);
    gtk_widget_set_halign(button, GTK_ALIGN_CENTER);
    gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
    ns_probe_button_set_interval(button, "probe-every");
    g_signal_connect_object(button, "clicked", G_CALLBACK(on_probe), session, 0);
    return button;
}

void ns_probe_button_set_interval(GtkWidget *button, const char *key)
{
    g_autofree char *tip =
        g_strdup_printf(_("Sets “%s” in all lanes"), _(ns_param_find(key)->label));
    gtk_widget_set_tooltip_text(button, tip);
    g_object_set_data_full(G_OBJECT(button), "interval", g_strdup(key), g_free);
}

static gboolean resize(GtkWidget *tools, GdkFrameClock *clock, gpointer data)
{
    (void)clock, (void)data;
    gtk_widget_queue_resize(tools);
    return G_SOURCE_REMOVE;
}

void ns_tile_fold(GtkWidget *tool, bool shown)
{
    if (gtk_widget_get_child_visible(tool) == shown) return;
    gtk_widget_set_child_visible(tool, shown);
    gtk_widget_add_tick_callback(gtk_widget_get_parent(tool), resize, NULL, NULL);
}

/* ---- The menu ---- */

#define SMOOTHING "smoothing" /* the place of the control */

static void add_section(GMenu *menu, GMenu *section)
{
    g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
    g_object_unref(section);
}

static void add_item(GMenu *menu, const char *label, const char *action, const char *accelerator)
{
    g_autoptr(GMenuItem) item = g_menu_item_new(label, action);
    if (accelerator) g_menu_item_set_attribute(item, "accel", "s", accelerator);
    g_menu_append_item(menu, item);
}

static GMenuModel *make_model(bool maximized, bool smoothing)
{
    GMenu *menu = g_menu_new();
    g_autoptr(GMenu) all = g_menu_new();
    for (size_t i = 0; ns_figure_kind(i); i++) {
        const NsChoice *choice = &ns_figure_kind(i)->choice;
        g_autoptr(GMenuItem) item = g_menu_item_new(_(choice->label), NULL);
        g_menu_item_set_action_and_target(item, "tile.kind", "s", choice->key);
        g_menu_append_item(all, item);
    }
    GMenu *show = g_menu_new(), *copy = g_menu_new(), *view = g_menu_new();
    g_menu_append_submenu(show, _("Show"), G_MENU_MODEL(all));
    add_section(menu, show);
    if (smoothing) {
        GMenu *section = g_menu_new();
        g_autoptr(GMenuItem) item = g_menu_item_new(NULL, NULL);
        g_menu_item_set_attribute(item, "custom", "s", SMOOTHING);
        g_menu_append_item(section, item);
        add_section(menu, section);
    }
    add_item(view, _("Set limits…"), "tile.limits", NULL);
    add_item(view, _("Reset view"), "tile.reset", NULL);
    add_item(view, _("Remove pins"), "tile.unpin", NULL);
    add_item(view, maximized ? _("Back to all charts") : _("Fill the window"), "win.maximize", "m");
    add_section(menu, view);
    add_item(copy, _("Copy image"), "tile.copy-image", "<Control><Shift>c");
    add_item(copy, _("Copy data"), "tile.copy-data", "<Control>c");
    add_item(copy, _("Export this chart…"), "win.export-chart", NULL);
    add_section(menu, copy);
    return G_MENU_MODEL(menu);
}

GtkWidget *ns_tile_menu_new(bool maximized, GtkWidget *smoothing)
{
    /* All charts share them: GTK 4.8 keeps a reference to every section that it has ever shown. */
    static GMenuModel *models[2][2];
    GMenuModel **model = &models[maximized][smoothing != NULL];
    if (!*model) *model = make_model(maximized, smoothing != NULL);
    GtkWidget *popover = gtk_popover_menu_new_from_model_full(*model, GTK_POPOVER_MENU_NESTED);
    if (smoothing) gtk_popover_menu_add_child(GTK_POPOVER_MENU(popover), smoothing, SMOOTHING);
    return popover;
}

void ns_tile_pop_up(GtkWidget *over, GtkWidget **slot, GtkWidget *popover,
                    const GdkRectangle *place)
{
    if (*slot) gtk_popover_popdown(GTK_POPOVER(*slot));
    g_set_weak_pointer(slot, popover);
    ns_popover_pass(popover, over, place);
}
