/* The dialog that exports figures.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/export_dialog.h"

#include "core/base/words.h"

#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"
#include "ui/widgets/shell/export_charts.h"

#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

#define PREVIEW_PIXELS 1100.0      /* of the longer side */
#define MOST_PREVIEW_PIXELS 2200.0 /* of an image that is shown as it is saved */

/* The range of the entries for sizes in points. */
#define LEAST_TEXT 4
#define MOST_TEXT 72
#define LEAST_LINE 0.25
#define MOST_LINE 10

/* The first one is chosen at first. */
static const struct {
    NsFormat format;
    const char *label, *hint;
} FORMATS[] = {
    {NS_FORMAT_PDF, "PDF", N_("Vector, fonts embedded, text searchable. Best for a paper.")},
    {NS_FORMAT_SVG, "SVG", N_("Vector, text stays text. Best for the web and drawing programs.")},
    {NS_FORMAT_PNG, "PNG", N_("Pixels. 300 dots per inch or more for print.")},
    {NS_FORMAT_CSV, N_("CSV, data only"), N_("Every value of every series, in full precision.")},
    {NS_FORMAT_TEX, N_("TeX, for pgfplots"),
     N_("Typeset by TeX in the document’s fonts; includes the data.")},
    {NS_FORMAT_GIF, N_("Animation, GIF"),
     N_("The run up to the step that is shown, for slides and web pages; the preview is its last "
        "frame.")},
};

enum { FILM = G_N_ELEMENTS(FORMATS) - 1 };

static const char *const WHAT[] = {N_("This chart"), N_("All charts, one figure"),
                                   N_("All charts, one file each")};

static const int DPI[] = {96, 150, 300, 600};

/* The rows of the choices that are switches. */
static const char *const SWITCHES[] = {"title", "note", "caption", "experiment"};

/* The last choices while the program runs.  Charts and names of lanes are restored if the dialog is
 * opened for the same charts of the same lanes. */
static struct {
    bool used;
    guint format;
    NsExportChoices choices;
    char *begun, *figure, *names;
} memory;

struct _NsExportDialog {
    GtkWindow parent;
    NsWindow *window; /* weak; the dialog is closed with it */
    NsView *view;     /* as it was when the dialog opened */
    NsSheet sheet;
    guint current; /* the chart that the dialog was opened with */
    char *begun;   /* the charts and lanes that the dialog was opened with, as text */
    NsExportChoices choices;
    NsExportWhat *content; /* remembers it; NULL: not remembered */
    GtkWidget *preview, *grid, *hint, *save, *command, *gap, *copy;
    GtkWidget *charts_box, *charts, *problem;
    GtkWidget *options, *progress, *failure;
    GtkWidget *film, *seconds;
    GtkWidget *what, *format, *size, *custom, *width, *height, *unit, *style, *dpi, *font;
    GtkWidget *text_size, *line_width, *legend, *transparent;
    GtkWidget *switches[G_N_ELEMENTS(SWITCHES)];
    GPtrArray *for_figures;      /* widgets that have no meaning for data */
    char *preview_path, *remark; /* of the preview that is being made */
    NsExportWatch watch;         /* of the film that is being saved */
    guint tick;                  /* while a file is being saved */
    int rows;
    bool previewing, preview_again, syncing;
};

G_DEFINE_FINAL_TYPE(NsExportDialog, ns_export_dialog, GTK_TYPE_WINDOW)

static guint selected(GtkWidget *drop_down)
{
    return gtk_drop_down_get_selected(GTK_DROP_DOWN(drop_down));
}

static void choose(GtkWidget *drop_down, guint i)
{
    gtk_drop_down_set_selected(GTK_DROP_DOWN(drop_down), i);
}

NsExportRequest ns_export_dialog_request(NsExportDialog *dialog)
{
    return (NsExportRequest){
        .what = (NsExportWhat)selected(dialog->what),
        .sheet = &dialog->sheet,
        .current = dialog->charts ? NS_EXPORT_CHARTS(dialog->charts)->current : dialog->current,
        .format = FORMATS[selected(dialog->format)].format,
        .choices = dialog->choices,
    };
}

/* Writes a sentence below the preview; NULL: nothing. */
static void report(NsExportDialog *dialog, const char *sentence, bool error)
{
    gtk_label_set_text(GTK_LABEL(dialog->failure), sentence ? sentence : "");
    gtk_widget_set_visible(dialog->failure, sentence != NULL);
    ns_set_css_class(dialog->failure, "error", error);
}

/* ---- writing ---- */

static void set_saving(NsExportDialog *dialog, bool saving)
{
    gtk_widget_set_sensitive(dialog->options, !saving);
    gtk_widget_set_sensitive(dialog->save, !saving);
    gtk_widget_set_visible(dialog->progress, saving && dialog->choices.seconds > 0);
    if (dialog->tick) gtk_widget_remove_tick_callback(dialog->progress, dialog->tick);
    dialog->tick = 0;
}

/* If the file cannot be written, all choices stay as they are. */
static void on_written(GObject *source, GAsyncResult *result, gpointer user_data)
{
    (void)source;
    g_autoptr(NsExportDialog) dialog = user_data;
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_task_propagate_pointer(G_TASK(result), &error);
    if (!dialog->preview) return;
    set_saving(dialog, false);
    if (!path) {
        bool stopped = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
        report(dialog, stopped ? NULL : error->message, true);
        return;
    }
    g_autofree char *name = g_filename_display_basename(path);
    NsExportRequest request = ns_export_dialog_request(dialog);
    g_auto(GStrv) paths = ns_export_paths(&request, path);
    guint files = g_strv_length(paths);
    g_autofree char *sentence = files > 1 ? g_strdup_printf(_("Exported %u files"), files)
                                          : g_strdup_printf(_("Exported %s"), name);
    g_signal_emit_by_name(dialog->window, "saved"); /* the run, as far as charts have it */
    ns_window_toast_file(dialog->window, sentence, path);
    gtk_window_close(GTK_WINDOW(dialog));
}

static gboolean show_progress(GtkWidget *progress, GdkFrameClock *clock, gpointer user_data)
{
    (void)clock;
    NsExportWatch *watch = &NS_EXPORT_DIALOG(user_data)->watch;
    int all = g_atomic_int_get(&watch->all);
    double share = all ? g_atomic_int_get(&watch->done) / (double)all : 0;
    gtk_progress_bar_set_fraction(GTK_PROGRESS_BAR(progress), share);
    return G_SOURCE_CONTINUE;
}

/* Keeps the choices for the next dialog. */
static void remember(NsExportDialog *dialog)
{
    memory.used = true;
    memory.format = selected(dialog->format);
    memory.choices = dialog->choices;
    if (dialog->content) *dialog->content = (NsExportWhat)selected(dialog->what);
    g_free(memory.begun);
    g_free(memory.figure);
    g_free(memory.names);
    memory.begun = g_strdup(dialog->begun);
    memory.figure = ns_sheet_text(&dialog->sheet, 0, dialog->sheet.charts->len);
    memory.names = ns_sheet_names_text(&dialog->sheet);
}

/* While an animation is being saved, closing stops it first. */
static gboolean on_close(NsExportDialog *dialog)
{
    if (dialog->tick) {
        g_atomic_int_set(&dialog->watch.stop, 1);
        return TRUE;
    }
    remember(dialog);
    return FALSE;
}

/* An animation that is being saved would be lost with the window; other files take only a moment.
 */
static gboolean on_window_close(NsExportDialog *dialog)
{
    if (!gtk_widget_get_visible(dialog->progress)) return FALSE;
    report(dialog, _("The window stays open until the animation is saved. Cancel stops it."), true);
    gtk_window_present(GTK_WINDOW(dialog));
    return TRUE;
}

static void recall(NsExportDialog *dialog)
{
    g_auto(NsSheet) sheet;
    ns_sheet_init(&sheet);
    if (g_strcmp0(memory.begun, dialog->begun) != 0 || !*memory.figure ||
        !ns_sheet_read(&sheet, memory.figure, NULL) ||
        !ns_sheet_read_names(&sheet, memory.names, 0, NULL))
        return;
    /* Keeps the same chart selected, wherever it is in the list now. */
    const NsSheetChart *asked = ns_sheet_chart(&dialog->sheet, dialog->current);
    g_autofree char *asked_spec = ns_figure_spec_text(&asked->spec);
    dialog->current = MIN(dialog->current, sheet.charts->len - 1);
    for (guint i = sheet.charts->len; i-- > 0;) {
        const NsSheetChart *chart = ns_sheet_chart(&sheet, i);
        g_autofree char *spec = ns_figure_spec_text(&chart->spec);
        if (chart->lane == asked->lane && g_str_equal(spec, asked_spec)) dialog->current = i;
    }
    NsSheet old = dialog->sheet;
    dialog->sheet = sheet;
    sheet = old;
}

void ns_export_dialog_write(NsExportDialog *dialog, const char *path)
{
    NsExportRequest request = ns_export_dialog_request(dialog);
    remember(dialog);
    dialog->watch = (NsExportWatch){0};
    request.watch = &dialog->watch;
    report(dialog, NULL, false);
    set_saving(dialog, true);
    dialog->tick = gtk_widget_add_tick_callback(dialog->progress, show_progress, dialog, NULL);
    ns_export_async(dialog->view, &request, path, on_written, g_object_ref(dialog));
}

static void on_replace(GtkDialog *question, int answer, NsExportDialog *dialog)
{
    g_autofree char *path = g_strdup(g_object_get_data(G_OBJECT(question), "ns-path"));
    gtk_window_destroy(GTK_WINDOW(question));
    if (answer == GTK_RESPONSE_ACCEPT) ns_export_dialog_write(dialog, path);
}

void ns_export_dialog_save(NsExportDialog *dialog, const char *path)
{
    const char *dot = strrchr(path, '.');
    for (guint i = 0; dot && i < G_N_ELEMENTS(FORMATS); i++)
        if (g_ascii_strcasecmp(dot + 1, ns_format_ending(FORMATS[i].format)) == 0)
            choose(dialog->format, i);
    const char *ending = ns_format_ending(ns_export_dialog_request(dialog).format);
    bool ended = dot && g_ascii_strcasecmp(dot + 1, ending) == 0;
    g_autofree char *full = ended ? g_strdup(path) : g_strconcat(path, ".", ending, NULL);
    /* The file dialog asked about this path alone. */
    NsExportRequest request = ns_export_dialog_request(dialog);
    g_auto(GStrv) paths = ns_export_paths(&request, full);
    g_autoptr(GString) names = g_string_new(NULL);
    guint there = 0;
    for (guint i = 0; paths[i]; i++) {
        if (g_str_equal(paths[i], path) || !g_file_test(paths[i], G_FILE_TEST_EXISTS)) continue;
        g_autofree char *name = g_filename_display_basename(paths[i]);
        g_string_append_printf(names, "%s%s", there++ ? "\n" : "", name);
    }
    if (!there) {
        ns_export_dialog_write(dialog, full);
        return;
    }
    g_autofree char *many =
        g_strdup_printf(_("These %u files exist already. Replace them?"), there);
    GtkWidget *question = gtk_message_dialog_new(
        GTK_WINDOW(dialog), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, GTK_MESSAGE_QUESTION,
        GTK_BUTTONS_NONE, "%s", there > 1 ? many : _("This file exists already. Replace it?"));
    gtk_message_dialog_format_secondary_text(GTK_MESSAGE_DIALOG(question), "%s", names->str);
    gtk_dialog_add_button(GTK_DIALOG(question), _("Cancel"), GTK_RESPONSE_CANCEL);
    GtkWidget *replace =
        gtk_dialog_add_button(GTK_DIALOG(question), _("Replace"), GTK_RESPONSE_ACCEPT);
    gtk_widget_add_css_class(replace, "destructive-action");
    gtk_dialog_set_default_response(GTK_DIALOG(question), GTK_RESPONSE_CANCEL);
    g_object_set_data_full(G_OBJECT(question), "ns-path", g_steal_pointer(&full), g_free);
    g_signal_connect_object(question, "response", G_CALLBACK(on_replace), dialog, 0);
    gtk_window_present(GTK_WINDOW(question));
}

static void on_path(const char *path, gpointer dialog)
{
    ns_export_dialog_save(dialog, path);
}

/* The name that is proposed: "loss.pdf", "normscope.pdf". */
static char *file_name(NsExportDialog *dialog)
{
    NsExportRequest request = ns_export_dialog_request(dialog);
    bool one = request.what == NS_EXPORT_ONE && dialog->sheet.charts->len;
    const char *stem =
        one ? ns_sheet_chart(&dialog->sheet, request.current)->spec.kind->choice.key : "normscope";
    return g_strconcat(stem, ".", ns_format_ending(request.format), NULL);
}

static void on_save(NsExportDialog *dialog)
{
    g_autofree char *name = file_name(dialog);
    ns_file_dialog_save(GTK_WINDOW(dialog), _("Export"), name, on_path, dialog);
}

static void on_copy(NsExportDialog *dialog)
{
    gdk_clipboard_set_text(gtk_widget_get_clipboard(GTK_WIDGET(dialog)),
                           ns_export_dialog_command(dialog));
    gtk_button_set_label(GTK_BUTTON(dialog->copy), _("Copied"));
}

/* ---- preview ---- */

static void show_preview(NsExportDialog *dialog);

/* A figure that cannot be made says why beside the preview before it; others say what they had no
 * space for, which data do not need. */
static void on_previewed(GObject *source, GAsyncResult *result, gpointer user_data)
{
    (void)source;
    g_autoptr(NsExportDialog) dialog = user_data;
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_task_propagate_pointer(G_TASK(result), &error);
    g_autofree char *remark = g_steal_pointer(&dialog->remark);
    bool data = FORMATS[selected(dialog->format)].format == NS_FORMAT_CSV;
    dialog->previewing = false;
    if (dialog->preview)
        report(dialog, error ? error->message : data ? NULL : remark, error != NULL);
    if (path && dialog->preview) {
        g_autoptr(GdkTexture) texture = gdk_texture_new_from_filename(path, NULL);
        gtk_picture_set_paintable(GTK_PICTURE(dialog->preview), GDK_PAINTABLE(texture));
    }
    g_unlink(dialog->preview_path);
    if (dialog->preview_again && dialog->preview) show_preview(dialog);
}

/* The preview is exported like the file, as a PNG, so that both look the same.  The preview of an
 * animation is its last frame. */
static void show_preview(NsExportDialog *dialog)
{
    dialog->preview_again = dialog->previewing;
    if (dialog->previewing || !dialog->sheet.charts->len) return;
    NsExportRequest request = ns_export_dialog_request(dialog);
    if (request.what == NS_EXPORT_SEPARATE) request.what = NS_EXPORT_ONE;
    bool pixels = request.format == NS_FORMAT_PNG || request.format == NS_FORMAT_GIF;
    request.format = NS_FORMAT_PNG;
    NsStyle style;
    NsExport options = {0};
    guint n = request.what == NS_EXPORT_ONE ? 1 : dialog->sheet.charts->len;
    ns_export_choices_apply(&request.choices, n, &style, &options);
    double side = MAX(options.width, options.height) / 72;
    if (!pixels || side * options.dpi > MOST_PREVIEW_PIXELS)
        request.choices.dpi = MAX(1, (int)floor(PREVIEW_PIXELS / side));
    if (request.choices.seconds > 0) request.choices.seconds = 0.02 * NS_FRAME_TIME;
    request.remark = &dialog->remark;
    dialog->previewing = true;
    ns_export_async(dialog->view, &request, dialog->preview_path, on_previewed,
                    g_object_ref(dialog));
}

/* ---- controls and choices ---- */

/* Brings the controls in line with the choices. */
static void sync_controls(NsExportDialog *dialog)
{
    const NsExportChoices *choices = &dialog->choices;
    NsStyle style;
    NsExport options = {0};
    dialog->syncing = true;
    ns_export_choices_apply(choices, 1, &style, &options);
    guint pages = 0, dpi = 0, looks = 0;
    while (ns_page_choice(pages)) pages++;
    choose(dialog->size, choices->page == NS_PAGE_CUSTOM ? pages + 1 : (guint)(choices->page + 1));
    while (dpi < G_N_ELEMENTS(DPI) && DPI[dpi] != choices->dpi) dpi++;
    choose(dialog->dpi, dpi == G_N_ELEMENTS(DPI) ? 0 : dpi + 1);
    if (choices->style)
        for (looks = 1; ns_style(looks - 1) != choices->style; looks++)
            ;
    choose(dialog->style, looks);
    choose(dialog->legend, choices->legend);
    if (choices->seconds > 0)
        gtk_spin_button_set_value(GTK_SPIN_BUTTON(dialog->seconds), choices->seconds);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(dialog->text_size), style.text_size);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(dialog->line_width), style.line_width);
    gtk_switch_set_active(GTK_SWITCH(dialog->transparent), choices->transparent);
    for (guint i = 0; i < G_N_ELEMENTS(SWITCHES); i++) {
        g_autofree char *text = ns_export_choices_get(choices, SWITCHES[i]);
        gtk_switch_set_active(GTK_SWITCH(dialog->switches[i]), g_str_equal(text, "on"));
    }
    GListModel *fonts = gtk_drop_down_get_model(GTK_DROP_DOWN(dialog->font));
    guint font = *choices->font ? g_list_model_get_n_items(fonts) : 1;
    while (--font > 0)
        if (g_str_equal(gtk_string_list_get_string(GTK_STRING_LIST(fonts), font), choices->font))
            break;
    choose(dialog->font, font);
    if (choices->page == NS_PAGE_CUSTOM) {
        gtk_spin_button_set_value(GTK_SPIN_BUTTON(dialog->width), choices->width);
        gtk_spin_button_set_value(GTK_SPIN_BUTTON(dialog->height), choices->height);
        choose(dialog->unit, choices->unit);
    }
    dialog->syncing = false;
}

/* A size that equals that of the style is left to the style. */
static void take_points(GtkWidget *spin, double *points, double usual)
{
    double value = gtk_spin_button_get_value(GTK_SPIN_BUTTON(spin));
    *points = fabs(value - usual) < 1e-9 ? 0 : value;
}

static void take_choices(NsExportDialog *dialog)
{
    NsExportChoices *choices = &dialog->choices;
    choices->seconds = selected(dialog->format) == FILM
                           ? gtk_spin_button_get_value(GTK_SPIN_BUTTON(dialog->seconds))
                           : 0;
    NsExportChoices bare = *choices;
    guint row = selected(dialog->size);
    bool custom = !ns_page_choice(row ? row - 1 : 0);
    choices->page = custom ? NS_PAGE_CUSTOM : (int)row - 1;
    if (custom) {
        choices->unit = (NsUnit)selected(dialog->unit);
        choices->width = gtk_spin_button_get_value(GTK_SPIN_BUTTON(dialog->width));
        choices->height = gtk_spin_button_get_value(GTK_SPIN_BUTTON(dialog->height));
    }
    choices->style = selected(dialog->style) ? ns_style(selected(dialog->style) - 1) : NULL;
    choices->dpi = selected(dialog->dpi) ? DPI[selected(dialog->dpi) - 1] : 0;
    choices->legend = (NsLegendPlace)selected(dialog->legend);
    choices->transparent = gtk_switch_get_active(GTK_SWITCH(dialog->transparent));
    for (guint i = 0; i < G_N_ELEMENTS(SWITCHES); i++)
        ns_export_choices_set(choices, SWITCHES[i],
                              gtk_switch_get_active(GTK_SWITCH(dialog->switches[i])) ? "on" : "off",
                              NULL);
    GListModel *fonts = gtk_drop_down_get_model(GTK_DROP_DOWN(dialog->font));
    guint font = selected(dialog->font);
    ns_export_choices_set(choices, "font",
                          font ? gtk_string_list_get_string(GTK_STRING_LIST(fonts), font) : "auto",
                          NULL);
    bool restyled = bare.style != choices->style || bare.page != choices->page;
    NsStyle style;
    NsExport options = {0};
    bare = *choices;
    bare.text_size = bare.line_width = 0;
    ns_export_choices_apply(&bare, 1, &style, &options);
    if (restyled && choices->text_size <= 0)
        gtk_spin_button_set_value(GTK_SPIN_BUTTON(dialog->text_size), style.text_size);
    if (restyled && choices->line_width <= 0)
        gtk_spin_button_set_value(GTK_SPIN_BUTTON(dialog->line_width), style.line_width);
    take_points(dialog->text_size, &choices->text_size, style.text_size);
    take_points(dialog->line_width, &choices->line_width, style.line_width);
}

static void sync_rest(NsExportDialog *dialog)
{
    gtk_widget_set_sensitive(dialog->what, dialog->sheet.charts->len > 1);
    NsExportRequest request = ns_export_dialog_request(dialog);
    bool data = request.format == NS_FORMAT_CSV, png = request.format == NS_FORMAT_PNG;
    bool tex = request.format == NS_FORMAT_TEX, film = request.format == NS_FORMAT_GIF;
    bool sized = request.choices.page >= 0
                     ? g_str_equal(ns_page_choice((size_t)request.choices.page)->key, "slide")
                     : request.choices.page == NS_PAGE_CUSTOM && request.choices.unit == NS_UNIT_PX;
    for (guint i = 0; i < dialog->for_figures->len; i++)
        gtk_widget_set_sensitive(g_ptr_array_index(dialog->for_figures, i), !data);
    gtk_widget_set_sensitive(dialog->dpi, (png || film) && !sized);
    gtk_widget_set_sensitive(dialog->transparent, !data && !film);
    gtk_widget_set_sensitive(dialog->font, !data && !tex);
    gtk_widget_set_visible(dialog->custom, request.choices.page == NS_PAGE_CUSTOM);
    gtk_widget_set_visible(dialog->film, film);
    gtk_label_set_text(GTK_LABEL(dialog->hint), _(FORMATS[selected(dialog->format)].hint));
    bool any = dialog->sheet.charts->len > 0;
    /* A file is never without an edit that its entry shows. */
    bool wrong = dialog->charts && ns_export_charts_is_wrong(NS_EXPORT_CHARTS(dialog->charts));
    gtk_widget_set_sensitive(dialog->save, any && !wrong);
    gtk_widget_set_sensitive(dialog->copy, any && !wrong);
    if (!any) {
        report(dialog, NULL, false);
        gtk_picture_set_paintable(GTK_PICTURE(dialog->preview), NULL);
        gtk_label_set_text(GTK_LABEL(dialog->command), "");
        gtk_label_set_text(GTK_LABEL(dialog->gap), _("The figure has no charts: add one."));
        gtk_widget_set_visible(dialog->gap, TRUE);
        return;
    }
    g_autofree char *name = file_name(dialog);
    g_autofree char *command = ns_export_command(dialog->view, &request, name);
    gtk_label_set_text(GTK_LABEL(dialog->command), command);
    /* A line does not end after the hyphens of an option. */
    g_autoptr(PangoAttrList) attributes = pango_attr_list_new();
    for (const char *at = command; (at = strstr(at, "--")); at += strcspn(at, " ")) {
        PangoAttribute *option = pango_attr_allow_breaks_new(FALSE);
        option->start_index = (guint)(at - command);
        option->end_index = option->start_index + (guint)strcspn(at, " ");
        pango_attr_list_insert(attributes, option);
    }
    gtk_label_set_attributes(GTK_LABEL(dialog->command), attributes);
    const char *gap = dialog->window->session->wants_run
                          ? _("The run continues: the file shows the step at which it is saved.")
                          : ns_export_command_gap(dialog->view, &request);
    gtk_label_set_text(GTK_LABEL(dialog->gap), gap ? gap : "");
    gtk_widget_set_visible(dialog->gap, gap != NULL);
    gtk_button_set_label(GTK_BUTTON(dialog->copy), _("Copy"));
    show_preview(dialog);
}

static void on_choice(NsExportDialog *dialog)
{
    if (dialog->syncing) return;
    dialog->syncing = true;
    take_choices(dialog);
    dialog->syncing = false;
    sync_rest(dialog);
}

const char *ns_export_dialog_command(NsExportDialog *dialog)
{
    return gtk_label_get_text(GTK_LABEL(dialog->command));
}

/* ---- building ---- */

static void add_row(NsExportDialog *dialog, const char *words, GtkWidget *control, bool for_figures)
{
    GtkWidget *label = gtk_label_new(words);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    /* The words of a switch extend beside it, so that they do not widen all rows. */
    bool narrow = GTK_IS_SWITCH(control);
    gtk_widget_set_halign(control, narrow ? GTK_ALIGN_END : GTK_ALIGN_FILL);
    gtk_widget_set_hexpand(control, !narrow);
    ns_accessible_name(control, words);
    gtk_grid_attach(GTK_GRID(dialog->grid), label, 0, dialog->rows, 1 + narrow, 1);
    gtk_grid_attach(GTK_GRID(dialog->grid), control, 1, dialog->rows++, 1, 1);
    if (for_figures) g_ptr_array_add(dialog->for_figures, control);
}

static GtkWidget *add_drop_down(NsExportDialog *dialog, const char *words, GtkWidget *drop_down,
                                bool for_figures)
{
    add_row(dialog, words, drop_down, for_figures);
    ns_connect(drop_down, "notify::selected", G_CALLBACK(on_choice), dialog);
    return drop_down;
}

static GtkWidget *make_spin(NsExportDialog *dialog, double least, double most, double step,
                            const char *words)
{
    guint digits = step < 0.5 ? 2 : step < 1 ? 1 : 0;
    GtkWidget *spin = gtk_spin_button_new_with_range(least, most, step);
    gtk_spin_button_set_digits(GTK_SPIN_BUTTON(spin), digits);
    gtk_editable_set_width_chars(GTK_EDITABLE(spin), 5);
    ns_accessible_name(spin, words);
    ns_connect(spin, "value-changed", G_CALLBACK(on_choice), dialog);
    return spin;
}

static GtkWidget *add_switch(NsExportDialog *dialog, const char *words, bool for_figures)
{
    GtkWidget *widget = gtk_switch_new();
    gtk_widget_set_valign(widget, GTK_ALIGN_CENTER);
    add_row(dialog, words, widget, for_figures);
    ns_connect(widget, "notify::active", G_CALLBACK(on_choice), dialog);
    return widget;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    return g_utf8_collate(*(const char *const *)a, *(const char *const *)b);
}

static void add_custom_size(NsExportDialog *dialog)
{
    const char *units[NS_UNITS + 1] = {NULL};
    for (int i = 0; i < NS_UNITS; i++) units[i] = ns_unit_key((NsUnit)i);
    dialog->custom = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    dialog->width = make_spin(dialog, 1, 14400, 0.5, _("Width"));
    dialog->height = make_spin(dialog, 1, 14400, 0.5, _("Height"));
    dialog->unit = gtk_drop_down_new_from_strings(units);
    ns_accessible_name(dialog->unit, _("Unit"));
    ns_connect(dialog->unit, "notify::selected", G_CALLBACK(on_choice), dialog);
    ns_box_append(dialog->custom, dialog->width, gtk_label_new("×"), dialog->height, dialog->unit,
                  NULL);
    gtk_grid_attach(GTK_GRID(dialog->grid), dialog->custom, 0, dialog->rows++, 2, 1);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(dialog->width), 120);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(dialog->height), 80);
    choose(dialog->unit, NS_UNIT_MM);
    g_ptr_array_add(dialog->for_figures, dialog->custom);
}

static void add_choices(NsExportDialog *dialog)
{
    const char *what[G_N_ELEMENTS(WHAT) + 1] = {_(WHAT[0]), _(WHAT[1]), _(WHAT[2])};
    const char *formats[G_N_ELEMENTS(FORMATS) + 1] = {NULL};
    const char *const dpi[] = {_("Automatic"), "96", "150", "300", "600", NULL};
    const char *const legends[] = {_("Outside"), C_("legend", "Above"), _("Inside"), _("None"),
                                   NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(FORMATS); i++) formats[i] = _(FORMATS[i].label);
    GtkWidget *pages = ns_choice_drop_down_new(_("Automatic"), ns_page_choice, 0, _("Custom"));
    GtkWidget *styles = ns_choice_drop_down_new(_("Automatic"), ns_style_choice, 0, NULL);
    dialog->syncing = true;
    dialog->what = add_drop_down(dialog, _("Content"), gtk_drop_down_new_from_strings(what), false);
    dialog->format =
        add_drop_down(dialog, _("Format"), gtk_drop_down_new_from_strings(formats), false);
    dialog->film = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    dialog->seconds = make_spin(dialog, 0.5, NS_LONGEST_FILM, 0.5, _("Duration in seconds"));
    gtk_widget_set_hexpand(dialog->seconds, TRUE);
    gtk_widget_set_halign(dialog->seconds, GTK_ALIGN_END);
    ns_box_append(dialog->film, gtk_label_new(_("Duration in seconds")), dialog->seconds, NULL);
    gtk_grid_attach(GTK_GRID(dialog->grid), dialog->film, 0, dialog->rows++, 2, 1);
    gtk_spin_button_set_value(GTK_SPIN_BUTTON(dialog->seconds), 8);
    dialog->size = add_drop_down(dialog, _("Size"), pages, true);
    gtk_widget_set_tooltip_text(pages, _("Automatic: one column, or two for several charts"));
    add_custom_size(dialog);
    dialog->dpi =
        add_drop_down(dialog, _("Dots per inch"), gtk_drop_down_new_from_strings(dpi), true);
    dialog->style = add_drop_down(dialog, _("Style"), styles, true);
    PangoFontFamily **families = NULL;
    int n = 0;
    pango_context_list_families(gtk_widget_get_pango_context(GTK_WIDGET(dialog)), &families, &n);
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (int i = 0; i < n; i++)
        g_ptr_array_add(names, (gpointer)(guintptr)pango_font_family_get_name(families[i]));
    g_ptr_array_sort(names, by_name);
    g_ptr_array_insert(names, 0, (gpointer)(guintptr)_("Automatic"));
    g_ptr_array_add(names, NULL);
    dialog->font = add_drop_down(
        dialog, _("Font"), gtk_drop_down_new_from_strings((const char *const *)names->pdata), true);
    g_autoptr(GtkExpression) word =
        gtk_property_expression_new(GTK_TYPE_STRING_OBJECT, NULL, "string");
    gtk_drop_down_set_expression(GTK_DROP_DOWN(dialog->font), word);
    gtk_drop_down_set_enable_search(GTK_DROP_DOWN(dialog->font), TRUE);
    g_free(families);
    dialog->text_size = make_spin(dialog, LEAST_TEXT, MOST_TEXT, 0.5, _("Text size"));
    add_row(dialog, _("Text size (pt)"), dialog->text_size, true);
    dialog->line_width = make_spin(dialog, LEAST_LINE, MOST_LINE, 0.25, _("Line width"));
    add_row(dialog, _("Line width (pt)"), dialog->line_width, true);
    dialog->legend =
        add_drop_down(dialog, _("Legend"), gtk_drop_down_new_from_strings(legends), true);
    dialog->switches[0] = add_switch(dialog, _("Title"), true);
    dialog->switches[1] = add_switch(dialog, _("Notes"), true);
    dialog->switches[2] = add_switch(dialog, _("Caption with settings"), true);
    dialog->transparent = add_switch(dialog, _("Transparent background"), true);
    dialog->switches[3] = add_switch(dialog, _("Embed the experiment"), false);
    gtk_widget_set_tooltip_text(dialog->switches[3],
                                _("Settings, seed, step and version: opening the file, or dropping "
                                  "it on the window, restores the experiment"));
    dialog->syncing = false;
}

static void take_tile(NsExportDialog *dialog, NsChartTile *tile)
{
    NsFigureInput input = ns_chart_tile_input(tile);
    NsFigureSpec spec = ns_figure_spec_of(tile->own.kind, &input);
    const NsViewState *view_state = &tile->chart->view_state;
    const NsPlot *plot = tile->chart->plot;
    /* A chart of one model is the one on view, not one of every lane. */
    bool active = spec.kind->one_model && input.n_lanes > 1 && tile->lane < 0;
    int lane = active ? (int)dialog->view->active : tile->lane;
    NsSheetChart *chart = ns_sheet_add(&dialog->sheet, spec, lane);
    const char *name;
    for (unsigned i = 0; plot && (name = ns_plot_curve(plot, i)) && i < 64; i++)
        if (ns_view_state_hides(view_state, name)) chart->hidden |= UINT64_C(1) << i;
    for (int i = 0; i < NS_VIEW_STATE_AXES; i++) {
        chart->view.range[i] = view_state->range[i];
        chart->view.rescaled[i] = view_state->rescaled[i];
        chart->view.scale[i] = view_state->scale[i];
    }
    chart->view.no_grid = view_state->no_grid;
    chart->view.all = view_state->all;
}

static void ns_export_dialog_dispose(GObject *object)
{
    NsExportDialog *dialog = NS_EXPORT_DIALOG(object);
    /* A task may keep the charts longer than the view exists. */
    if (dialog->charts) ns_export_charts_leave(NS_EXPORT_CHARTS(dialog->charts));
    dialog->charts = NULL;
    G_OBJECT_CLASS(ns_export_dialog_parent_class)->dispose(object);
    dialog->preview = NULL;
    g_atomic_int_set(&dialog->watch.stop, 1);
    g_clear_weak_pointer(&dialog->window);
    g_clear_pointer(&dialog->view, ns_view_free);
}

static void ns_export_dialog_finalize(GObject *object)
{
    NsExportDialog *dialog = NS_EXPORT_DIALOG(object);
    ns_sheet_clear(&dialog->sheet);
    g_free(dialog->begun);
    g_ptr_array_unref(dialog->for_figures);
    g_free(dialog->preview_path);
    G_OBJECT_CLASS(ns_export_dialog_parent_class)->finalize(object);
}

static void ns_export_dialog_class_init(NsExportDialogClass *klass)
{
    GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);
    G_OBJECT_CLASS(klass)->dispose = ns_export_dialog_dispose;
    G_OBJECT_CLASS(klass)->finalize = ns_export_dialog_finalize;
    gtk_widget_class_set_template_from_resource(widget_class,
                                                "/org/normscope/Normscope/export-dialog.ui");
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, preview);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, options);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, progress);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, failure);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, grid);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, hint);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, command);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, gap);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, copy);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, save);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, charts_box);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, problem);
    gtk_widget_class_add_binding_action(widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void ns_export_dialog_init(NsExportDialog *dialog)
{
    gtk_widget_init_template(GTK_WIDGET(dialog));
    ns_sheet_init(&dialog->sheet);
    dialog->for_figures = g_ptr_array_new();
    ns_export_choices_init(&dialog->choices);
    g_autofree char *name =
        g_strdup_printf("normscope-preview-%d-%p.png", (int)getpid(), (gpointer)dialog);
    dialog->preview_path = g_build_filename(g_get_tmp_dir(), name, NULL);
}

/* A task may keep the dialog for longer, and GTK would still use the window. */
static void on_window_gone(NsExportDialog *dialog)
{
    gtk_window_set_transient_for(GTK_WINDOW(dialog), NULL);
}

GtkWidget *ns_export_dialog_new(NsWindow *window, NsChartTile *tile, NsExportWhat *content)
{
    NsExportDialog *dialog = g_object_new(NS_TYPE_EXPORT_DIALOG, "transient-for", window, NULL);
    g_set_weak_pointer(&dialog->window, window);
    /* A large window has a large preview. */
    int width, height;
    gtk_window_get_default_size(GTK_WINDOW(dialog), &width, &height);
    gtk_window_set_default_size(
        GTK_WINDOW(dialog), MAX(width, gtk_widget_get_width(GTK_WIDGET(dialog->window)) * 3 / 4),
        MAX(height, gtk_widget_get_height(GTK_WIDGET(dialog->window)) * 3 / 4));
    dialog->view = ns_view_copy(window->session->view);
    /* All visible charts of a dashboard; of another page its current one. */
    NsDashboard *dashboard = ns_window_dashboard(window);
    NsChartTile *each;
    if (!dashboard) take_tile(dialog, tile);
    for (size_t i = 0; dashboard && (each = ns_dashboard_tile(dashboard, i)); i++) {
        if (!gtk_widget_get_visible(GTK_WIDGET(each))) continue;
        if (each == tile) dialog->current = dialog->sheet.charts->len;
        take_tile(dialog, each);
    }
    /* If this text is the same, the charts and names of the previous dialog are used. */
    GString *text = g_string_new(NULL);
    g_autofree char *charts = ns_sheet_text(&dialog->sheet, 0, dialog->sheet.charts->len);
    g_string_append(text, charts);
    for (size_t i = 0; i < dialog->view->started.n; i++) {
        g_autofree char *lane = ns_experiment_lane_words(&dialog->view->started, i);
        g_string_append_printf(text, "\n%s", lane);
    }
    dialog->begun = g_string_free(text, FALSE);
    recall(dialog);
    add_choices(dialog);
    if (memory.used) dialog->choices = memory.choices;
    sync_controls(dialog);
    bool several = dialog->sheet.charts->len > 1;
    dialog->content = several ? content : NULL;
    choose(dialog->what, dialog->content ? *content : NS_EXPORT_ONE);
    choose(dialog->format, memory.format);
    dialog->charts = ns_export_charts_new(dialog->view, &dialog->sheet, dialog->current,
                                          GTK_LABEL(dialog->problem));
    gtk_box_append(GTK_BOX(dialog->charts_box), dialog->charts);
    ns_connect(dialog->charts, "changed", G_CALLBACK(sync_rest), dialog);
    g_signal_connect(dialog, "close-request", G_CALLBACK(on_close), NULL);
    ns_connect(window, "close-request", G_CALLBACK(on_window_close), dialog);
    ns_connect(window, "destroy", G_CALLBACK(on_window_gone), dialog);
    ns_connect(dialog->save, "clicked", G_CALLBACK(on_save), dialog);
    ns_connect(dialog->copy, "clicked", G_CALLBACK(on_copy), dialog);
    sync_rest(dialog);
    gtk_window_set_focus(GTK_WINDOW(dialog), several ? dialog->what : dialog->format);
    return GTK_WIDGET(dialog);
}
