/* SPDX-License-Identifier: MIT */
#include "ui/plot/document.h"

#include "ui/plot/export.h"
#include "ui/plot/painter.h"
#include "ui/plot/text.h"

#define WIDTH 595.0 /* of the page */
#define HEIGHT 842.0
#define MARGIN ((WIDTH - NS_DOCUMENT_WIDTH) / 2)
#define NUMBER_SIZE 9.0
#define GAP 10.0

struct NsDocument {
    GByteArray *bytes;
    cairo_surface_t *surface;
    cairo_t *cr;
    PangoContext *context;
    const NsStyle *style;
    unsigned page; /* from 1 */
    double y;      /* where the next part begins */
};

NsDocument *ns_document_new(const char *title, const char *subject)
{
    NsDocument *document = g_new0(NsDocument, 1);
    document->bytes = g_byte_array_new();
    document->surface = ns_pdf_new(document->bytes, WIDTH, HEIGHT);
    document->cr = cairo_create(document->surface);
    document->context = ns_text_context_new();
    document->style = ns_style_find("paper");
    document->page = 1;
    document->y = MARGIN;
    ns_pdf_describe(document->surface, title, NULL, subject);
    return document;
}

static void end_page(NsDocument *document)
{
    g_autofree char *number = g_strdup_printf("%u", document->page);
    g_autoptr(PangoLayout) text =
        ns_text_new(document->context, document->style, NUMBER_SIZE, false, number);
    cairo_move_to(document->cr, WIDTH / 2, HEIGHT - MARGIN * 0.6);
    ns_set_color(document->cr, document->style->faint_text);
    pango_cairo_show_layout(document->cr, text);
    cairo_show_page(document->cr);
}

void ns_document_begin_page(NsDocument *document)
{
    end_page(document);
    document->page++;
    document->y = MARGIN;
}

void ns_document_need(NsDocument *document, double height)
{
    if (document->y + height > HEIGHT - MARGIN) ns_document_begin_page(document);
}

void ns_document_write(NsDocument *document, const char *text, double size, bool bold,
                       double indent)
{
    g_autoptr(PangoLayout) layout =
        ns_text_new(document->context, document->style, size, bold, text);
    pango_layout_set_width(layout, (int)((NS_DOCUMENT_WIDTH - indent) * PANGO_SCALE));
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    for (int i = 0; i < pango_layout_get_line_count(layout); i++) {
        PangoLayoutLine *line = pango_layout_get_line_readonly(layout, i);
        PangoRectangle box;
        pango_layout_line_get_extents(line, NULL, &box);
        double height = (double)box.height / PANGO_SCALE;
        ns_document_need(document, height);
        cairo_move_to(document->cr, MARGIN + indent, document->y - (double)box.y / PANGO_SCALE);
        ns_set_color(document->cr, document->style->text);
        pango_cairo_show_layout_line(document->cr, line);
        document->y += height;
    }
    document->y += 0.45 * size;
}

cairo_t *ns_document_area(NsDocument *document, double height)
{
    ns_document_need(document, height);
    cairo_save(document->cr);
    cairo_translate(document->cr, MARGIN, document->y);
    document->y += height + GAP;
    return document->cr;
}

void ns_document_plot(NsDocument *document, const NsPlot *plot, double height)
{
    g_autoptr(NsPlotLayout) layout =
        ns_plot_layout(plot, NS_DOCUMENT_WIDTH, height, document->style);
    ns_plot_draw(layout, ns_document_area(document, height));
    cairo_restore(document->cr);
}

bool ns_document_end(NsDocument *document, const char *path, GError **error)
{
    end_page(document);
    cairo_status_t status = ns_end_drawing(document->cr, document->surface);
    bool good = !path || ns_save_drawing(status, document->bytes, path, error);
    g_byte_array_unref(document->bytes);
    g_object_unref(document->context);
    g_free(document);
    return good;
}
