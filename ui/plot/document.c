/* SPDX-License-Identifier: MIT */
#include "ui/plot/document.h"

#include "ui/plot/painter.h"
#include "ui/plot/plot-private.h"
#include "ui/plot/text.h"

#define WIDTH 595.0 /* points */
#define HEIGHT 842.0
#define MARGIN 56.0
#define PLOT_HEIGHT 300.0
#define LOWER_HEIGHT 220.0 /* if there are several plots */
#define TITLE_SIZE 15.0
#define TEXT_SIZE 9.0
#define GAP 10.0

typedef struct {
    cairo_t *cr;
    const NsStyle *style;
    PangoContext *context;
    unsigned page; /* from 1; 0 before the first page */
    double y;      /* the position of the next item on the page */
} Document;

static void end_page(Document *document)
{
    if (!document->page) return;
    g_autofree char *number = g_strdup_printf("%u", document->page);
    g_autoptr(PangoLayout) text =
        ns_text_new(document->context, document->style, TEXT_SIZE, false, number);
    cairo_move_to(document->cr, WIDTH / 2, HEIGHT - MARGIN * 0.6);
    ns_set_color(document->cr, document->style->faint_text);
    pango_cairo_show_layout(document->cr, text);
    cairo_show_page(document->cr);
}

static void begin_page(Document *document)
{
    end_page(document);
    document->page++;
    document->y = MARGIN;
}

/* A line that does not fit is written on the next page. */
static void show_text(Document *document, PangoLayout *text)
{
    pango_layout_set_width(text, (int)((WIDTH - 2 * MARGIN) * PANGO_SCALE));
    pango_layout_set_wrap(text, PANGO_WRAP_WORD_CHAR);
    for (int i = 0; i < pango_layout_get_line_count(text); i++) {
        PangoLayoutLine *line = pango_layout_get_line_readonly(text, i);
        PangoRectangle box;
        pango_layout_line_get_extents(line, NULL, &box);
        double height = (double)box.height / PANGO_SCALE;
        if (document->y + height > HEIGHT - MARGIN) begin_page(document);
        cairo_move_to(document->cr, MARGIN, document->y - (double)box.y / PANGO_SCALE);
        ns_set_color(document->cr, document->style->text);
        pango_cairo_show_layout_line(document->cr, line);
        document->y += height;
    }
    document->y += GAP;
}

static void show_part(Document *document, const NsDocumentPart *part)
{
    begin_page(document);
    g_autoptr(PangoLayout) title =
        ns_text_new(document->context, document->style, TITLE_SIZE, true, part->title);
    show_text(document, title);
    for (size_t i = 0; i < part->n_plots; i++) {
        /* The title of the first plot is already the title of the part. */
        NsPlot plot = *part->plots[i];
        double height = part->n_plots > 1 ? LOWER_HEIGHT : PLOT_HEIGHT;
        if (i == 0) plot.title = NULL;
        g_autoptr(NsPlotLayout) layout =
            ns_plot_layout(&plot, WIDTH - 2 * MARGIN, height, document->style);
        cairo_save(document->cr);
        cairo_translate(document->cr, MARGIN, document->y);
        ns_plot_draw(layout, document->cr);
        cairo_restore(document->cr);
        document->y += height + GAP;
    }
    g_autoptr(PangoLayout) words =
        ns_text_new(document->context, document->style, TEXT_SIZE, false, "");
    pango_layout_set_attributes(words, NULL);
    pango_layout_set_text(words, part->words, -1);
    show_text(document, words);
}

bool ns_document_write(const NsDocumentPart *parts, size_t n, const char *title, const char *path,
                       GError **error)
{
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    cairo_surface_t *surface = ns_pdf_new(bytes, WIDTH, HEIGHT);
    ns_pdf_describe(surface, title, NULL, NULL);
    Document document = {.cr = cairo_create(surface),
                         .style = ns_style_find("paper"),
                         .context = ns_text_context_new()};
    for (size_t i = 0; i < n; i++) show_part(&document, &parts[i]);
    end_page(&document);
    g_object_unref(document.context);
    return ns_save_drawing(ns_end_drawing(document.cr, surface), bytes, path, error);
}
