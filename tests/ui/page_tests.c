/* Pages of charts, and charts of several lanes.  SPDX-License-Identifier: MIT */
#include "tests/ui/driver.h"

#include "ui/widgets/charts/export_job.h"
#include "ui/widgets/charts/tile_controls.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* Post-LN against Pre-LN, ten steps on, at rest. */
static NsWindow *open_lanes(const char *assignments)
{
    NsWindow *window = ui_open(assignments);
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    ns_session_set_lanes(session, 2);
    ns_session_set_lane(session, 1, "placement", "pre");
    UI_UNTIL(session->view->started.n == 2 && session->state == NS_TRAINER_READY);
    ns_session_step(session, 10);
    UI_UNTIL(ns_session_steps(session) >= 10);
    UI_WAIT(window, ui_is_paused);
    return window;
}

/* The charts of the page Attention, after one map for each lane. */
enum { HEADS = NS_LANES_MAX, FIRST_KEY, CROSS };

/* The button that offers more measurements; NULL where none is to be seen. */
static GtkWidget *probe_button(NsWindow *window)
{
    GtkWidget *tile = GTK_WIDGET(ui_tile(window, 0));
    GtkWidget *overlay = gtk_widget_get_first_child(tile);
    for (GtkWidget *child = gtk_widget_get_first_child(overlay); child;
         child = gtk_widget_get_next_sibling(child))
        if (gtk_widget_get_visible(child) &&
            ui_find_tip(child, "Sets “Measure attention every”") == child)
            return child;
    return NULL;
}

static void show_page(NsWindow *window, const char *key)
{
    g_action_group_change_action_state(G_ACTION_GROUP(window), "page", g_variant_new_string(key));
    UI_UNTIL(ns_window_dashboard(window) && ns_chart_view_layout(ui_chart(window, 0)));
}

static const NsPlot *plot_at(NsWindow *window, size_t i)
{
    return ui_chart(window, i)->plot;
}

static bool has_series(const NsPlot *plot, const char *label)
{
    for (size_t i = 0; plot && i < plot->n_series; i++)
        if (g_strcmp0(plot->series[i].label, label) == 0) return true;
    return false;
}

static void test_pages(void)
{
    static const struct {
        const char *page, *figures[3];
    } pages[] = {{"profile", {"profile"}},
                 {"heatmap", {"heatmap"}},
                 {"curves", {"loss", "steps", "schedule"}},
                 {"layers", {"profile", "profile", "gradient-norm"}},
                 {"similarity", {"similarity", "similarity"}},
                 {"attention", {"attention", "attention"}},
                 {"dashboard", {"loss", "gradient-norm", "hidden-norm"}}};
    NsWindow *window = open_lanes("probe-every=5");
    for (size_t p = 0; p < G_N_ELEMENTS(pages); p++) {
        g_test_message("%s", pages[p].page);
        show_page(window, pages[p].page);
        for (size_t i = 0; i < 3 && pages[p].figures[i]; i++) {
            NsChartTile *tile = ui_tile(window, i);
            g_assert_cmpstr(tile->own.kind->choice.key, ==, pages[p].figures[i]);
            UI_UNTIL(ns_chart_view_layout(tile->chart));
            /* The page Layers measures once the page is on view. */
            UI_UNTIL(plot_at(window, i)->n_series > 0 || plot_at(window, i)->heatmap);
        }
    }
    ui_close(window);
}

static void test_lanes(void)
{
    NsWindow *window = open_lanes("");
    NsSession *session = window->session;
    UI_UNTIL(has_series(plot_at(window, GRADIENT), "A Post-LN"));
    g_assert_true(has_series(plot_at(window, GRADIENT), "B Pre-LN"));
    g_assert_nonnull(plot_at(window, GRADIENT)->lower);
    UI_UNTIL(plot_at(window, HEATMAP)->heatmap && plot_at(window, HEATMAP)->heatmap->n_panels == 2);
    /* Lanes that go take their curves along. */
    ns_session_set_lanes(session, 1);
    ns_session_restart(session);
    UI_UNTIL(!has_series(plot_at(window, GRADIENT), "B Pre-LN"));
    g_assert_null(plot_at(window, GRADIENT)->lower);
    ui_close(window);
}

static void test_heat(void)
{
    NsWindow *window = open_lanes("");
    NsSession *session = window->session;
    show_page(window, "heatmap");
    GtkWidget *tile = GTK_WIDGET(ui_tile(window, 0));
    GtkWidget *control = ui_find_tip(tile, "Which lanes");
    g_assert_true(gtk_widget_get_visible(control));
    gtk_drop_down_set_selected(GTK_DROP_DOWN(control), NS_HEAT_RATIO);
    g_assert_cmpint(session->view->heat, ==, NS_HEAT_RATIO);
    UI_UNTIL(plot_at(window, 0)->heatmap->colors == NS_COLORS_DIVERGING);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(control), NS_HEAT_LANE);
    UI_UNTIL(plot_at(window, 0)->heatmap->colors != NS_COLORS_DIVERGING);
    g_assert_cmpuint(plot_at(window, 0)->heatmap->n_panels, ==, 0);
    ns_session_show_heat(session, NS_HEAT_STACKED);
    g_assert_cmpuint(gtk_drop_down_get_selected(GTK_DROP_DOWN(control)), ==, NS_HEAT_STACKED);
    ui_close(window);
}

static void test_select_layer(void)
{
    if (!ui_has_input()) return;
    NsWindow *window = open_lanes("layers=4");
    NsSession *session = window->session;
    NsChartView *chart = ui_chart(window, GRADIENT);
    UI_UNTIL(has_series(plot_at(window, GRADIENT), "B Pre-LN") && ns_chart_view_layout(chart));
    ui_enlarge(chart);
    const NsPlotLayout *layout = ns_chart_view_layout(chart);
    NsBox area = ns_plot_area(layout);
    double x = ns_plot_x_to_pixel(layout, 3);
    ui_click_at(chart, (NsPoint){x, area.y + area.height / 2}, 0);
    g_assert_cmpint(session->view->layer, ==, 3);
    UI_UNTIL(plot_at(window, GRADIENT)->n_spans == 1 && plot_at(window, HEATMAP)->n_spans == 2);
    g_assert_cmpfloat(plot_at(window, GRADIENT)->spans[0].from, ==, 2.5);
    /* The same layer in the lower panel of the heatmap: it was selected, and is not any more. */
    chart = ui_chart(window, HEATMAP);
    UI_UNTIL(ns_chart_view_layout(chart));
    ui_enlarge(chart);
    area = ns_plot_area(ns_chart_view_layout(chart));
    ui_click_at(chart, (NsPoint){area.x + area.width / 4, area.y + area.height * 0.69}, 0);
    g_assert_cmpint(session->view->layer, ==, 0);
    UI_UNTIL(plot_at(window, GRADIENT)->n_spans == 0);
    ui_close(window);
}

/* A texture of a widget, as it is drawn. */
static GdkTexture *drawn(GtkWidget *widget)
{
    g_autoptr(GdkPaintable) paintable = gtk_widget_paintable_new(widget);
    float width = (float)gtk_widget_get_width(widget),
          height = (float)gtk_widget_get_height(widget);
    GskRenderNode *node = NULL;
    do { /* until a frame has been drawn */
        GtkSnapshot *snapshot = gtk_snapshot_new();
        ui_turn();
        gdk_paintable_snapshot(paintable, snapshot, (double)width, (double)height);
        node = gtk_snapshot_free_to_node(snapshot);
    } while (!node);
    GskRenderer *renderer = gtk_native_get_renderer(gtk_widget_get_native(widget));
    GdkTexture *texture =
        gsk_renderer_render_texture(renderer, node, &GRAPHENE_RECT_INIT(0, 0, width, height));
    gsk_render_node_unref(node);
    return texture;
}

/* The ground is the same beside the button below what was measured as it is above the chart. */
static void test_ground_below_chart(void)
{
    enum { IN = 14 }; /* pixels from the edge of the tile, beyond its rounded corner */
    NsWindow *window = ui_open("");
    UI_WAIT(window, ui_is_ready);
    show_page(window, "similarity");
    UI_UNTIL(plot_at(window, 0) && plot_at(window, 0)->heatmap);
    ui_rest(window);
    g_autoptr(GdkTexture) texture = drawn(GTK_WIDGET(ui_tile(window, 0)));
    size_t width = (size_t)gdk_texture_get_width(texture);
    size_t height = (size_t)gdk_texture_get_height(texture);
    g_autofree guint32 *pixels = g_new(guint32, width * height);
    gdk_texture_download(texture, (guchar *)pixels, width * sizeof *pixels);
    g_assert_cmphex(pixels[(height - IN) * width + IN], ==, pixels[2 * width + IN]);
    ui_close(window);
}

static void test_probe(void)
{
    NsWindow *window = ui_open("");
    NsSession *session = window->session;
    UI_WAIT(window, ui_is_ready);
    show_page(window, "similarity");
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(ui_tile(window, 1))));
    /* The step that is shown is measured at once. */
    UI_UNTIL(plot_at(window, 0) && plot_at(window, 0)->heatmap);
    g_assert_cmpint(ns_session_settings(session)->probe_every, ==, 0);
    GtkWidget *button = probe_button(window);
    g_assert_nonnull(button);
    g_signal_emit_by_name(button, "clicked");
    g_assert_cmpint(ns_session_settings(session)->probe_every, ==, NS_PROBE_EVERY);
    g_assert_null(probe_button(window));
    UI_UNTIL(plot_at(window, 0) && plot_at(window, 0)->heatmap);
    ui_close(window);
}

/* Of a run that has begun it waits, in all lanes: nothing is forked that nobody asked for. */
static void test_probe_of_begun(void)
{
    for (int waits = 0; waits < 2; waits++) {
        NsWindow *window = open_lanes("");
        NsSession *session = window->session;
        ns_session_set_linked(session, ns_param_find("probe-every"), false);
        show_page(window, "attention");
        /* Both lanes were measured at this step, and the run is what it was. */
        UI_UNTIL(session->view->closer_step == 10);
        for (size_t lane = 0; lane < 2; lane++) {
            NsTokenSnapshot *snapshot = g_new(NsTokenSnapshot, 1);
            g_assert_true(ns_history_token_snapshot(session->view->closer[lane], snapshot));
            g_assert_cmpint(snapshot->step, ==, 10);
            g_free(snapshot);
        }
        g_assert_cmpfloat(ns_history_step(session->view->closer[0], 0)->loss, ==,
                          ns_history_step(session->view->histories[0], 10)->loss);
        UI_UNTIL(plot_at(window, 0)->heatmap);
        size_t runs;
        ns_session_runs(session, &runs);
        g_assert_cmpuint(runs, ==, 1);
        if (waits) g_assert_true(ns_session_set(session, "layers", "5"));
        g_assert_cmpuint(ns_session_pending(session), ==, (size_t)waits);
        GtkWidget *button = probe_button(window);
        g_signal_emit_by_name(button, "clicked");
        g_assert_cmpuint(ns_session_pending(session), ==, 1 + (size_t)waits);
        for (size_t lane = 0; lane < 2; lane++)
            g_assert_cmpint(session->experiment.lane[lane].probe_every, ==, NS_PROBE_EVERY);
        ns_session_fork(session);
        UI_UNTIL(ns_history_layout(session->view->history)->probe_every == NS_PROBE_EVERY);
        g_assert_cmpint(session->fork_step, ==, 10);
        UI_UNTIL(plot_at(window, 0)->heatmap);
        ui_close(window);
    }
}

/* Where the run pauses, the page Layers measures what each layer is worth; after another page,
 * whose quantities were measured before at this step, too.  The logit lens of the last layer is the
 * loss of the model. */
static void test_layers(void)
{
    NsWindow *window = open_lanes("layers=3");
    NsSession *session = window->session;
    ns_session_run(session);
    show_page(window, "attention");
    UI_UNTIL(g_strcmp0(plot_at(window, 0)->empty, "Pause to measure this.") == 0);
    ns_session_pause(session);
    UI_UNTIL(ns_view_looked(session->view, "probe-every"));
    g_assert_false(ns_view_looked(session->view, "ablation-every"));
    show_page(window, "layers");
    UI_UNTIL(ns_view_looked(session->view, "ablation-every"));
    g_assert_true(ns_view_looked(session->view, "probe-every"));
    UI_UNTIL(has_series(plot_at(window, 0), "B Pre-LN") &&
             has_series(plot_at(window, 1), "B Pre-LN"));
    size_t step = (size_t)ns_session_steps(session);
    for (size_t lane = 0; lane < 2; lane++) {
        const NsSeries *lens = &plot_at(window, 1)->series[lane];
        double loss = ns_history_step(session->view->histories[lane], step)->loss;
        g_assert_cmpuint(lens->n, ==, 3);
        g_assert_cmpfloat_with_epsilon(lens->y[2], loss, 1e-5);
    }
    ui_close(window);
}

/* What is measured of one seed at the step where a run pauses says so, and the other lane is chosen
 * on the chart. */
static void test_one_lane(void)
{
    NsWindow *window = open_lanes("layers=2 seeds=2");
    NsSession *session = window->session;
    show_page(window, "attention");
    UI_UNTIL(plot_at(window, HEADS)->heatmap);
    g_assert_true(g_str_has_prefix(plot_at(window, HEADS)->subtitle, "A Post-LN"));
    g_assert_true(g_str_has_suffix(plot_at(window, HEADS)->subtitle, "step 10, seed 1 of 2"));
    GtkWidget *lanes = ui_tile(window, HEADS)->lanes;
    UI_UNTIL(gtk_widget_get_mapped(lanes));
    GtkWidget *second = gtk_widget_get_next_sibling(gtk_widget_get_first_child(lanes));
    gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(second), TRUE);
    g_assert_cmpuint(session->active, ==, 1);
    UI_UNTIL(g_str_has_prefix(plot_at(window, HEADS)->subtitle, "B Pre-LN"));
    g_assert_true(g_str_has_suffix(plot_at(window, HEADS)->subtitle, "step 10, seed 1 of 2"));
    ui_close(window);
}

/* Where the run pauses, the page Curves measures how large a step the next update may make, once
 * its chart is enlarged.  The run is what it was. */
static void test_curvature(void)
{
    NsWindow *window = open_lanes("layers=2");
    NsSession *session = window->session;
    show_page(window, "curves");
    ui_settle(GTK_WIDGET(window));
    g_assert_false(ns_view_looked(session->view, "curvature-every"));
    /* What is not measured has no thumbnail of its own. */
    g_assert_false(gtk_widget_get_visible(GTK_WIDGET(ui_tile(window, 3))));
    g_assert_cmpstr(plot_at(window, 4)->empty, ==, "Enlarge this chart to measure it.");
    ns_dashboard_set_stage(NS_DASHBOARD(ns_window_page(window)), ui_tile(window, 4));
    UI_UNTIL(ns_view_looked(session->view, "curvature-every"));
    UI_UNTIL(plot_at(window, 4)->n_series == 1);
    for (size_t lane = 0; lane < 2; lane++) {
        NsLossAlong along;
        g_assert_true(ns_history_along(session->view->curved[lane], &along));
        g_assert_cmpint(along.step, ==, 11);
        double loss = ns_history_step(session->view->histories[lane], 10)->loss;
        g_assert_cmpfloat_with_epsilon(along.loss[0], loss, 1e-5);
    }
    g_assert_cmpint(ns_view_newest_step(session->view), ==, 10);
    ui_close(window);
}

/* Cross-attention has its chart where a lane is an encoder-decoder.  The other charts of the page,
 * and quantities to choose from, are there where the run pauses. */
static void test_attention(void)
{
    for (int crosses = 0; crosses < 2; crosses++) {
        NsWindow *window = open_lanes(crosses ? "arch=encoder-decoder task=reverse" : "");
        show_page(window, "attention");
        UI_UNTIL(has_series(plot_at(window, FIRST_KEY), "B Pre-LN"));
        g_assert_true(ui_tile(window, CROSS) != NULL);
        g_assert_cmpint(gtk_widget_get_visible(GTK_WIDGET(ui_tile(window, CROSS))), ==, crosses);
        GtkWidget *choice = ui_first(GTK_WIDGET(ui_tile(window, FIRST_KEY)), GTK_TYPE_DROP_DOWN);
        GListModel *labels = gtk_drop_down_get_model(GTK_DROP_DOWN(choice));
        bool offered = false;
        for (guint i = 0; i < g_list_model_get_n_items(labels); i++)
            offered = offered || g_str_equal(gtk_string_list_get_string(GTK_STRING_LIST(labels), i),
                                             "Stable rank of W_2");
        g_assert_true(offered);
        ui_close(window);
    }
}

/* A share is never on a logarithmic axis, and nothing offers it. */
static void test_log_of_share(void)
{
    NsWindow *window = open_lanes("probe-every=5");
    show_page(window, "attention");
    GtkWidget *log = ui_find_tip(GTK_WIDGET(ui_tile(window, HEADS)), "Logarithmic axis");
    g_assert_false(gtk_widget_get_visible(log));
    ui_close(window);
}

/* Each lane has its map, all of the same head, and all charts are large. */
static void test_place(void)
{
    NsWindow *window = open_lanes("probe-every=5 layers=3");
    show_page(window, "attention");
    NsChartTile *tile = ui_tile(window, 0);
    UI_UNTIL(plot_at(window, 0)->heatmap);
    g_assert_nonnull(strstr(plot_at(window, 0)->title, "layer\u00a03, head\u00a01"));
    UI_UNTIL(plot_at(window, 1)->heatmap);
    g_assert_true(g_str_has_prefix(plot_at(window, 0)->subtitle, "A Post-LN"));
    g_assert_true(g_str_has_prefix(plot_at(window, 1)->subtitle, "B Pre-LN"));
    UI_UNTIL(!ui_tile(window, HEADS)->compact && !ui_tile(window, FIRST_KEY)->compact);
    g_assert_false(gtk_widget_get_visible(tile->lanes));
    graphene_rect_t tabs; /* as far from the edge of the card as everything else */
    NsChartTile *heads = ui_tile(window, HEADS);
    ui_rest(window);
    g_assert_true(gtk_widget_compute_bounds(heads->lanes, GTK_WIDGET(heads), &tabs));
    g_assert_cmpfloat(tabs.origin.x, >=, 10);
    GtkWidget *choice = ui_first(GTK_WIDGET(tile), GTK_TYPE_DROP_DOWN);
    GListModel *places = gtk_drop_down_get_model(GTK_DROP_DOWN(choice));
    g_assert_cmpuint(g_list_model_get_n_items(places), ==, 6);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(choice), 3);
    for (size_t lane = 0; lane < 2; lane++)
        UI_UNTIL(strstr(plot_at(window, lane)->title, "layer\u00a02, head\u00a02"));
    ui_close(window);
}

/* A figure of two lanes says how it can be drawn again. */
static void test_export(void)
{
    NsWindow *window = open_lanes("");
    const NsView *view = window->session->view;
    g_auto(NsSheet) sheet;
    NsFigureInput input = ns_chart_tile_input(ui_tile(window, GRADIENT));
    ns_sheet_init(&sheet);
    ns_sheet_add(&sheet, ns_figure_spec_of(ui_tile(window, GRADIENT)->own.kind, &input), -1);
    NsExportRequest request = {.what = NS_EXPORT_ONE, .sheet = &sheet, .format = NS_FORMAT_PDF};
    ns_export_choices_init(&request.choices);
    g_autofree char *command = ns_export_command(view, &request, "a.pdf");
    g_assert_nonnull(strstr(command, " --figure gradient-norm "));
    g_assert_nonnull(strstr(command, " --lane placement=post --lane placement=pre "));
    g_assert_null(ns_export_command_gap(view, &request));
    /* A profile draws pinned runs, and so does the loss. */
    NsView pinned = *view;
    pinned.n_pinned = 1;
    g_assert_nonnull(ns_export_command_gap(&pinned, &request));
    g_assert_null(ns_export_command_gap(view, &request));
    ns_sheet_add(&sheet, ns_figure_spec_of(ui_tile(window, LOSS)->own.kind, &input), -1);
    request.what = NS_EXPORT_SHEET;
    g_assert_nonnull(ns_export_command_gap(&pinned, &request));
    g_assert_null(ns_export_command_gap(view, &request));
    g_auto(NsProvenance) provenance;
    ns_export_provenance(view, &request, &provenance);
    g_assert_cmpuint(provenance.experiment.n, ==, 2);
    ui_close(window);
}

static void on_exported(GObject *object, GAsyncResult *result, gpointer data)
{
    (void)object;
    g_autofree char *path = g_task_propagate_pointer(G_TASK(result), NULL);
    g_assert_nonnull(path);
    *(bool *)data = true;
}

/* The command makes the same file: of runs that ended, or at an earlier step; of several lanes or
 * seeds; and where a lane diverged. */
static void test_export_of_runs(void)
{
    static const struct {
        const char *settings, *key, *values[NS_LANES_MAX]; /* a setting of lanes after the first */
        int steps, shown;                                  /* shown: negative for the newest */
    } table[] = {
        {"steps=7 eval-every=5", "placement", {"pre"}, 7, -1},
        {"steps=7 eval-every=0", "placement", {"pre", "sandwich", "deepnorm"}, 7, 3},
        {"steps=4 seeds=3", "placement", {NULL}, 4, -1},
        {"steps=20 lr=100", "lr", {"1e-3"}, 20, -1},
        {"steps=0 eval-every=5", "warmup", {"3"}, 6, -1},
    };
    g_autofree char *folder = g_dir_make_tmp("normscope-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "window", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        NsWindow *window = ui_open(table[i].settings);
        NsSession *session = window->session;
        UI_WAIT(window, ui_is_ready);
        size_t lanes = 1;
        while (table[i].values[lanes - 1]) lanes++;
        if (lanes > 1) ns_session_set_lanes(session, lanes);
        for (size_t k = 1; k < lanes; k++)
            ns_session_set_lane(session, k, table[i].key, table[i].values[k - 1]);
        UI_UNTIL(session->view->started.n == lanes && session->state == NS_TRAINER_READY);
        ns_session_set_pause_on_trouble(session, false);
        ns_session_step(session, table[i].steps);
        UI_UNTIL(ns_session_steps(session) == table[i].steps &&
                 session->state != NS_TRAINER_RUNNING);
        if (table[i].shown >= 0) ns_session_show_step(session, table[i].shown);
        ui_rest(window);
        g_auto(NsSheet) sheet;
        ns_sheet_init(&sheet);
        for (size_t k = LOSS; k < TILES; k++) {
            NsFigureInput input = ns_chart_tile_input(ui_tile(window, k));
            ns_sheet_add(&sheet, ns_figure_spec_of(ui_tile(window, k)->own.kind, &input), -1);
        }
        NsExportRequest request = {.what = NS_EXPORT_SHEET,
                                   .sheet = &sheet,
                                   .format = i % 2 ? NS_FORMAT_CSV : NS_FORMAT_SVG};
        ns_export_choices_init(&request.choices);
        g_autofree char *command =
            ns_export_command(session->view, &request, i % 2 ? "a.csv" : "a.svg");
        g_test_message("%s", command);
        bool done = false;
        ns_export_async(session->view, &request, path, on_exported, &done);
        UI_UNTIL(done);
        ui_assert_command(command, path);
        ui_close(window);
    }
    g_rmdir(folder);
}

/* The window has only the newest attention, which the command does not draw for an earlier step. */
static void test_export_of_newest(void)
{
    NsWindow *window = open_lanes("probe-every=4");
    g_auto(NsSheet) sheet;
    ns_sheet_init(&sheet);
    g_assert_true(ns_sheet_read(&sheet, "attention", NULL));
    NsExportRequest request = {.sheet = &sheet, .format = NS_FORMAT_PDF};
    ns_export_choices_init(&request.choices);
    for (int step = 6; step < 10; step++) {
        ns_session_show_step(window->session, step);
        const char *gap = ns_export_command_gap(window->session->view, &request);
        g_assert_cmpint(gap && strstr(gap, "not the newest one"), ==, step < 8);
    }
    ui_close(window);
}

void ui_add_page_tests(void)
{
    g_test_add_func("/ui/page/pages", test_pages);
    g_test_add_func("/ui/page/lanes", test_lanes);
    g_test_add_func("/ui/page/heat", test_heat);
    g_test_add_func("/ui/page/select-layer", test_select_layer);
    g_test_add_func("/ui/page/ground-below-chart", test_ground_below_chart);
    g_test_add_func("/ui/page/probe", test_probe);
    g_test_add_func("/ui/page/probe-of-begun", test_probe_of_begun);
    g_test_add_func("/ui/page/layers", test_layers);
    g_test_add_func("/ui/page/one-lane", test_one_lane);
    g_test_add_func("/ui/page/attention", test_attention);
    g_test_add_func("/ui/page/curvature", test_curvature);
    g_test_add_func("/ui/page/log-of-share", test_log_of_share);
    g_test_add_func("/ui/page/place", test_place);
    g_test_add_func("/ui/page/export", test_export);
    g_test_add_func("/ui/page/export-of-runs", test_export_of_runs);
    g_test_add_func("/ui/page/export-of-newest", test_export_of_newest);
}
