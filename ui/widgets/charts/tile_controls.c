/* Controls of tiles.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/tile_controls.h"

#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/widgets/common/accessible.h"

/* The words of every mode, in the order of NsHeatMode; they name the lanes. */
static char **heat_words(NsSession *session)
{
    size_t active = session->active;
    char **words = g_new0(char *, 4);
    words[NS_HEAT_STACKED] = g_strdup(_("All lanes"));
    words[NS_HEAT_LANE] = g_strdup_printf(_("Lane %s"), ns_lane_letter(active));
    words[NS_HEAT_RATIO] =
        g_strdup_printf(_("Ratio %s / %s"), ns_lane_letter(MAX(active, 1)), ns_lane_letter(0));
    return words;
}

static void sync_heat(GtkWidget *control, NsSession *session)
{
    GtkDropDown *drop_down = GTK_DROP_DOWN(control);
    GtkStringList *old = GTK_STRING_LIST(gtk_drop_down_get_model(drop_down));
    g_auto(GStrv) words = heat_words(session);
    /* A new list would select another row while it is being set. */
    g_signal_handlers_block_matched(control, G_SIGNAL_MATCH_DATA, 0, 0, NULL, NULL, session);
    for (guint i = 0; words[i]; i++) {
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

/* Sets the interval in all lanes; in a run that has begun it is pending, like every setting that
 * needs a fork. */
static void on_probe(GtkButton *button, NsSession *session)
{
    const char *key = g_object_get_data(G_OBJECT(button), "interval");
    g_autofree char *every = g_strdup_printf("%d", NS_PROBE_EVERY);
    ns_session_set_linked(session, ns_param_find(key), true);
    if (ns_session_set(session, key, every) && ns_session_pending(session))
        ns_session_tell(session, _("Fork measures from this step on, Restart from step 0."));
}

GtkWidget *ns_probe_button_new(NsSession *session)
{
    g_autofree char *words = g_strdup_printf(_("Measure every %d steps"), NS_PROBE_EVERY);
    GtkWidget *button = gtk_button_new_with_label(words);
    gtk_widget_add_css_class(button, "suggested-action");
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
