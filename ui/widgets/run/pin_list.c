/* The readings that are pinned, as text.  SPDX-License-Identifier: MIT */
#include "ui/widgets/run/pin_list.h"

#include "core/base/words.h"
#include "ui/plot/pins.h"
#include "ui/plot/text.h"
#include "ui/widgets/common/accessible.h"
#include "ui/widgets/common/text_label.h"
#include "ui/widgets/run/reading_table.h"

struct _NsPinList {
    GtkBox parent;
    GPtrArray *texts; /* of char *, as shown */
};

G_DEFINE_FINAL_TYPE(NsPinList, ns_pin_list, GTK_TYPE_BOX)

static const char TILE[] = "ns-pin-tile", NUMBER[] = "ns-pin-number";

typedef struct {
    NsChartTile *tile;
    unsigned number;
} Pinned;

/* What a pin reads now: "Loss and learning rate, step 20\ntraining: 3.2"; NULL where there is
 * nothing to read. */
static char *words_of(NsChartTile *tile, const NsPin *pin)
{
    NsChartView *chart = ns_chart_tile_chart(tile);
    const NsPlotLayout *layout = ns_chart_view_layout(chart);
    const NsPlot *plot = ns_chart_view_plot(chart);
    if (!layout || !plot) return NULL;
    NsReading reading;
    if (!ns_plot_read_pin(layout, pin, &reading)) return NULL;
    g_autofree char *title = ns_text_label(plot->title ? plot->title : "");
    g_autofree char *text = ns_text_label(reading.text);
    char *words = g_strdup_printf("%u  %s, %s", pin->number, title, text);
    ns_reading_clear(&reading);
    return words;
}

static void on_removed(GtkWidget *button)
{
    NsChartTile *tile = g_object_get_data(G_OBJECT(button), TILE);
    unsigned number = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), NUMBER));
    NsChartView *chart = ns_chart_tile_chart(tile);
    if (ns_view_state_unpin(ns_chart_view_state(chart), number)) ns_chart_view_state_changed(chart);
}

static GtkWidget *make_row(const char *words, const Pinned *pinned)
{
    GtkWidget *row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 4);
    GtkWidget *label = ns_text_label_new(words, "numeric");
    GtkWidget *button = gtk_button_new_from_icon_name("window-close-symbolic");
    g_autofree char *tip = g_strdup_printf(_("Remove pin %u"), pinned->number);
    gtk_widget_set_focusable(label, FALSE);
    gtk_widget_set_hexpand(label, TRUE);
    gtk_widget_add_css_class(button, "flat");
    gtk_widget_set_valign(button, GTK_ALIGN_START);
    ns_accessible_tooltip(button, tip);
    g_object_set_data_full(G_OBJECT(button), TILE, g_object_ref(pinned->tile), g_object_unref);
    g_object_set_data(G_OBJECT(button), NUMBER, GUINT_TO_POINTER(pinned->number));
    g_signal_connect(button, "clicked", G_CALLBACK(on_removed), NULL);
    gtk_box_append(GTK_BOX(row), label);
    gtk_box_append(GTK_BOX(row), button);
    return row;
}

static bool same_texts(const GPtrArray *a, const GPtrArray *b)
{
    if (a->len != b->len) return false;
    for (guint i = 0; i < a->len; i++)
        if (!g_str_equal(a->pdata[i], b->pdata[i])) return false;
    return true;
}

bool ns_pin_list_sync(NsPinList *list, NsDashboard *dashboard)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GArray) pinned = g_array_new(FALSE, FALSE, sizeof(Pinned));
    NsChartTile *tile;
    for (size_t i = 0; dashboard && (tile = ns_dashboard_tile(dashboard, i)); i++) {
        const NsViewState *view_state = ns_chart_view_state(ns_chart_tile_chart(tile));
        for (size_t k = 0; k < view_state->n_pins; k++) {
            char *words = words_of(tile, &view_state->pins[k]);
            if (!words) continue;
            Pinned one = {tile, view_state->pins[k].number};
            g_ptr_array_add(texts, words);
            g_array_append_val(pinned, one);
        }
    }
    bool same = same_texts(texts, list->texts);
    g_ptr_array_unref(list->texts);
    list->texts = texts;
    for (GtkWidget *row; !same && (row = gtk_widget_get_first_child(GTK_WIDGET(list)));)
        gtk_box_remove(GTK_BOX(list), row);
    for (guint i = 0; !same && i < texts->len; i++)
        gtk_box_append(GTK_BOX(list), make_row(texts->pdata[i], &g_array_index(pinned, Pinned, i)));
    return texts->len > 0;
}

static void ns_pin_list_finalize(GObject *object)
{
    g_ptr_array_unref(NS_PIN_LIST(object)->texts);
    G_OBJECT_CLASS(ns_pin_list_parent_class)->finalize(object);
}

static void ns_pin_list_class_init(NsPinListClass *klass)
{
    G_OBJECT_CLASS(klass)->finalize = ns_pin_list_finalize;
}

static void ns_pin_list_init(NsPinList *list)
{
    list->texts = g_ptr_array_new_with_free_func(g_free);
}

GtkWidget *ns_pin_list_new(void)
{
    return g_object_new(NS_TYPE_PIN_LIST, "orientation", GTK_ORIENTATION_VERTICAL, "spacing", 4,
                        NULL);
}
