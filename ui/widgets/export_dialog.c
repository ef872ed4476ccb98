/* Asks what to export, how, and where to.  SPDX-License-Identifier: MIT */
#include "ui/widgets/export_dialog.h"

#include "ui/widgets/file_dialog.h"

#include <glib/gstdio.h>
#include <math.h>
#include <unistd.h>

#define POINTS_PER_INCH 72.0
#define POINTS_PER_MM (POINTS_PER_INCH / 25.4)
#define CHART_ASPECT 0.66 /* height over width of one chart */
#define SHEET_ASPECT 0.72 /* of all of them */
#define SLIDE_ASPECT (9.0 / 16.0)
#define PREVIEW_PIXELS 1100.0 /* of the longer side */

static const struct {
    const char *label;
    double width; /* points */
    bool slide;
} SIZES[] = {
    {"One column, 88 mm", 88 * POINTS_PER_MM, false},
    {"Text width, 140 mm", 140 * POINTS_PER_MM, false},
    {"Two columns, 180 mm", 180 * POINTS_PER_MM, false},
    {"Slide, 16 : 9", 960, true},
};

static const double DPI[] = {96, 150, 300, 600};

static const struct {
    NsFormat format;
    const char *label;
} FORMATS[] = {
    {NS_FORMAT_PDF, "PDF"},
    {NS_FORMAT_SVG, "SVG"},
    {NS_FORMAT_PNG, "PNG"},
    {NS_FORMAT_CSV, "CSV, data only"},
    {NS_FORMAT_TEX, "TeX, for pgfplots"},
};

static const char *const WHAT[] = {"This chart", "All charts, one figure",
                                   "All charts, a file each"};

struct _NsExportDialog {
    GtkWindow parent;
    NsWindow *window;
    const NsFigureKind *kind;
    NsView *view; /* as it was when the dialog opened */
    GtkWidget *preview, *grid, *hint, *save;
    GtkWidget *what, *format, *style, *size, *dpi;
    GtkWidget *style_label, *size_label, *dpi_label;
    char *preview_path;
    bool previewing, preview_again;
};

G_DEFINE_FINAL_TYPE(NsExportDialog, ns_export_dialog, GTK_TYPE_WINDOW)

static guint selected(GtkWidget *drop_down)
{
    return gtk_drop_down_get_selected(GTK_DROP_DOWN(drop_down));
}

NsExportRequest ns_export_dialog_request(NsExportDialog *dialog)
{
    guint size = selected(dialog->size);
    NsExportWhat what = (NsExportWhat)selected(dialog->what);
    double aspect = SIZES[size].slide         ? SLIDE_ASPECT
                    : what == NS_EXPORT_SHEET ? SHEET_ASPECT
                                              : CHART_ASPECT;
    return (NsExportRequest){
        .what = what,
        .kind = dialog->kind,
        .format = FORMATS[selected(dialog->format)].format,
        .style = ns_style(selected(dialog->style)),
        .width = SIZES[size].width,
        .height = round(SIZES[size].width * aspect),
        .dpi = DPI[selected(dialog->dpi)],
    };
}

static void on_written(GObject *source, GAsyncResult *result, gpointer user_data)
{
    (void)source;
    g_autoptr(NsWindow) window = user_data;
    g_autoptr(GError) error = NULL;
    g_autofree char *name = ns_export_finish(result, &error);
    g_autofree char *sentence = name ? g_strdup_printf("Exported %s", name) : NULL;
    ns_window_toast(window, sentence ? sentence : error->message);
}

void ns_export_dialog_write(NsExportDialog *dialog, const char *path)
{
    NsExportRequest request = ns_export_dialog_request(dialog);
    ns_export_async(dialog->view, &request, path, on_written, g_object_ref(dialog->window));
    gtk_window_close(GTK_WINDOW(dialog));
}

static void on_path(const char *path, gpointer dialog)
{
    NsExportRequest request = ns_export_dialog_request(dialog);
    const char *ending = ns_format_ending(request.format);
    g_autofree char *dotted = g_strconcat(".", ending, NULL);
    g_autofree char *full =
        g_str_has_suffix(path, dotted) ? g_strdup(path) : g_strconcat(path, dotted, NULL);
    ns_export_dialog_write(dialog, full);
}

static void on_save(NsExportDialog *dialog)
{
    NsExportRequest request = ns_export_dialog_request(dialog);
    const char *stem = request.what == NS_EXPORT_ONE ? dialog->kind->choice.key : "normscope";
    g_autofree char *name = g_strconcat(stem, ".", ns_format_ending(request.format), NULL);
    ns_file_dialog_save(GTK_WINDOW(dialog), "Export", name, on_path, dialog);
}

static void show_preview(NsExportDialog *dialog);

/* A preview that cannot be made leaves the one before; saving will say why. */
static void on_previewed(GObject *source, GAsyncResult *result, gpointer user_data)
{
    (void)source;
    g_autoptr(NsExportDialog) dialog = user_data;
    g_autofree char *name = ns_export_finish(result, NULL);
    dialog->previewing = false;
    if (name && dialog->preview) {
        g_autoptr(GdkTexture) texture = gdk_texture_new_from_filename(dialog->preview_path, NULL);
        gtk_picture_set_paintable(GTK_PICTURE(dialog->preview), GDK_PAINTABLE(texture));
    }
    g_unlink(dialog->preview_path);
    if (dialog->preview_again && dialog->preview) show_preview(dialog);
}

/* The preview is the exported file itself, as a PNG: nothing can look different later. */
static void show_preview(NsExportDialog *dialog)
{
    dialog->preview_again = dialog->previewing;
    if (dialog->previewing) return;
    NsExportRequest request = ns_export_dialog_request(dialog);
    if (request.what == NS_EXPORT_SEPARATE) request.what = NS_EXPORT_ONE;
    request.format = NS_FORMAT_PNG;
    request.dpi = POINTS_PER_INCH * PREVIEW_PIXELS / MAX(request.width, request.height);
    dialog->previewing = true;
    ns_export_async(dialog->view, &request, dialog->preview_path, on_previewed,
                    g_object_ref(dialog));
}

static void on_choice(NsExportDialog *dialog)
{
    NsFormat format = FORMATS[selected(dialog->format)].format;
    bool data = format == NS_FORMAT_CSV, png = format == NS_FORMAT_PNG;
    GtkWidget *drawn[] = {dialog->style, dialog->size, dialog->style_label, dialog->size_label};
    for (size_t i = 0; i < G_N_ELEMENTS(drawn); i++) gtk_widget_set_sensitive(drawn[i], !data);
    gtk_widget_set_sensitive(dialog->dpi, png);
    gtk_widget_set_sensitive(dialog->dpi_label, png);
    const char *hint = "";
    switch (format) {
    case NS_FORMAT_PDF:
        hint = "Vector, fonts embedded, text searchable. Best for a paper.";
        break;
    case NS_FORMAT_SVG:
        hint = "Vector, text editable. Best for a web page or a drawing program.";
        break;
    case NS_FORMAT_PNG:
        hint = "Pixels. 300 dpi or more for print.";
        break;
    case NS_FORMAT_CSV:
        hint = "Every value of every series, in full precision.";
        break;
    case NS_FORMAT_TEX:
        hint = "A picture of pgfplots, set in the fonts of the document.";
        break;
    case NS_FORMATS:
        break;
    }
    gtk_label_set_text(GTK_LABEL(dialog->hint), hint);
    show_preview(dialog);
}

static GtkWidget *add_choice(NsExportDialog *dialog, const char *words, const char *const *labels,
                             GtkWidget **kept_label, int row)
{
    GtkWidget *label = gtk_label_new(words);
    GtkWidget *drop_down = gtk_drop_down_new_from_strings(labels);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
    gtk_widget_set_hexpand(drop_down, TRUE);
    gtk_accessible_update_property(GTK_ACCESSIBLE(drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL, words,
                                   -1);
    gtk_grid_attach(GTK_GRID(dialog->grid), label, 0, row, 1, 1);
    gtk_grid_attach(GTK_GRID(dialog->grid), drop_down, 1, row, 1, 1);
    if (kept_label) *kept_label = label;
    return drop_down;
}

static void add_choices(NsExportDialog *dialog)
{
    const char *what[G_N_ELEMENTS(WHAT) + 1] = {dialog->kind->choice.label, WHAT[1], WHAT[2], NULL};
    const char *formats[G_N_ELEMENTS(FORMATS) + 1] = {NULL};
    const char *sizes[G_N_ELEMENTS(SIZES) + 1] = {NULL};
    static const char *const dpi[] = {"96", "150", "300", "600", NULL};
    g_autoptr(GPtrArray) styles = g_ptr_array_new();
    guint paper = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(FORMATS); i++) formats[i] = FORMATS[i].label;
    for (size_t i = 0; i < G_N_ELEMENTS(SIZES); i++) sizes[i] = SIZES[i].label;
    for (guint i = 0; ns_style(i); i++) {
        g_ptr_array_add(styles, (gpointer)(guintptr)ns_style(i)->choice.label);
        if (g_str_equal(ns_style(i)->choice.key, "paper")) paper = i;
    }
    g_ptr_array_add(styles, NULL);
    dialog->what = add_choice(dialog, "What", what, NULL, 0);
    dialog->format = add_choice(dialog, "Format", formats, NULL, 1);
    dialog->style =
        add_choice(dialog, "Style", (const char *const *)styles->pdata, &dialog->style_label, 2);
    dialog->size = add_choice(dialog, "Size", sizes, &dialog->size_label, 3);
    dialog->dpi = add_choice(dialog, "Dots per inch", dpi, &dialog->dpi_label, 4);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(dialog->style), paper);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(dialog->size), 1);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(dialog->dpi), 2);
}

static void ns_export_dialog_dispose(GObject *object)
{
    NsExportDialog *dialog = NS_EXPORT_DIALOG(object);
    G_OBJECT_CLASS(ns_export_dialog_parent_class)->dispose(object);
    dialog->preview = NULL;
    g_clear_object(&dialog->window);
    g_clear_pointer(&dialog->view, ns_view_free);
}

static void ns_export_dialog_finalize(GObject *object)
{
    g_free(NS_EXPORT_DIALOG(object)->preview_path);
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
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, grid);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, hint);
    gtk_widget_class_bind_template_child(widget_class, NsExportDialog, save);
    gtk_widget_class_add_binding_action(widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void ns_export_dialog_init(NsExportDialog *dialog)
{
    gtk_widget_init_template(GTK_WIDGET(dialog));
    g_autofree char *name =
        g_strdup_printf("normscope-preview-%d-%p.png", (int)getpid(), (gpointer)dialog);
    dialog->preview_path = g_build_filename(g_get_tmp_dir(), name, NULL);
}

GtkWidget *ns_export_dialog_new(NsWindow *window, const NsFigureKind *kind, bool one)
{
    NsExportDialog *dialog = g_object_new(NS_TYPE_EXPORT_DIALOG, "transient-for", window, NULL);
    dialog->window = g_object_ref(window);
    dialog->kind = kind;
    dialog->view = ns_view_copy(ns_lab_view(ns_window_lab(window)));
    add_choices(dialog);
    gtk_drop_down_set_selected(GTK_DROP_DOWN(dialog->what), one ? NS_EXPORT_ONE : NS_EXPORT_SHEET);
    GtkWidget *choices[] = {dialog->what, dialog->format, dialog->style, dialog->size, dialog->dpi};
    for (size_t i = 0; i < G_N_ELEMENTS(choices); i++)
        g_signal_connect_object(choices[i], "notify::selected", G_CALLBACK(on_choice), dialog,
                                G_CONNECT_SWAPPED);
    g_signal_connect_object(dialog->save, "clicked", G_CALLBACK(on_save), dialog,
                            G_CONNECT_SWAPPED);
    on_choice(dialog);
    return GTK_WIDGET(dialog);
}
