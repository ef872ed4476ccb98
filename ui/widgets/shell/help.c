/* Help: its topics and its window.  SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/help.h"

#include "core/base/words.h"
#include "core/data/task.h"
#include "core/experiment/param.h"
#include "core/model/init.h"
#include "core/model/placement.h"
#include "core/ops/activation.h"
#include "core/ops/norm.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"
#include "core/probe/quantity.h"
#include "ui/figures/figures.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/common/windows.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Topics ---- */

#define MANUAL "/org/normscope/Normscope/help"

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_topic(gpointer data)
{
    NsHelpTopic *topic = data;
    g_free(topic->key);
    g_free(topic->section);
    g_free(topic->title);
    g_ptr_array_unref(topic->paragraphs);
    g_free(topic);
}

static NsHelpTopic *add(GPtrArray *topics, const char *section, const char *key, const char *title)
{
    NsHelpTopic *topic = g_new0(NsHelpTopic, 1);
    topic->key = g_strdup(key);
    topic->section = g_strdup(section);
    topic->title = g_strdup(title);
    topic->paragraphs = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(topics, topic);
    return topic;
}

/* Takes a paragraph, which may be NULL or empty. */
static void add_paragraph(NsHelpTopic *topic, char *paragraph)
{
    if (paragraph && *paragraph)
        g_ptr_array_add(topic->paragraphs, paragraph);
    else
        g_free(paragraph);
}

/* Whether a block of the manual is code. */
static gboolean is_code(const char *block)
{
    return g_str_has_prefix(block, "    ");
}

/* A list is translated line by line; code stays as it is. */
static char *translated(const char *block)
{
    if (is_code(block)) return g_strdup(block);
    if (!g_str_has_prefix(block, "- ")) return g_strdup(_(block));
    g_auto(GStrv) lines = g_strsplit(block, "\n", -1);
    GString *list = g_string_new(NULL);
    for (char **line = lines; *line; line++)
        g_string_append_printf(list, "%s- %s", list->len ? "\n" : "", _(*line + 2));
    return g_string_free(list, FALSE);
}

/* Adds the topics of a page: blocks between empty lines, of which "# " is the title of the page and
 * "## " that of a topic.  resources/po/text_words.py finds the messages by the same rules. */
static void add_page(GPtrArray *topics, const char *text)
{
    g_auto(GStrv) blocks = g_strsplit(text, "\n\n", -1);
    const char *section = "";
    NsHelpTopic *topic = NULL;
    for (char **block = blocks; *block; block++) {
        g_strchomp(*block);
        if (g_str_has_prefix(*block, "# ")) {
            section = _(*block + 2);
        } else if (g_str_has_prefix(*block, "## ")) {
            g_autofree char *key = g_strdup_printf("%u", topics->len + 1);
            topic = add(topics, section, key, _(*block + 3));
            topic->manual = TRUE;
        } else if (topic && **block) {
            char **last = topic->paragraphs->len
                              ? (char **)&topic->paragraphs->pdata[topic->paragraphs->len - 1]
                              : NULL;
            if (last && is_code(*last) && is_code(*block)) {
                char *joined = g_strconcat(*last, "\n\n", *block, NULL); /* code with empty lines */
                g_free(*last);
                *last = joined;
            } else {
                add_paragraph(topic, translated(*block));
            }
        }
    }
}

static void add_manual(GPtrArray *topics)
{
    g_auto(GStrv) pages =
        g_resources_enumerate_children(MANUAL, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    if (!pages) return;
    qsort(pages, g_strv_length(pages), sizeof *pages, compare_names);
    for (char **page = pages; *page; page++) {
        g_autofree char *path = g_build_path("/", MANUAL, *page, NULL);
        g_autoptr(GBytes) bytes = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
        g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
        add_page(topics, text);
    }
}

/* Moves `at` behind a pair of marks around some text, and adds this text between two tags. */
static bool take_pair(GString *markup, const char **at, const char *mark, const char *tag)
{
    size_t length = strlen(mark);
    const char *end = g_str_has_prefix(*at, mark) ? strstr(*at + length, mark) : NULL;
    if (!end) return false;
    g_autofree char *inside = g_markup_escape_text(*at + length, end - *at - (gssize)length);
    g_string_append_printf(markup, "<%s>%s</%s>", tag, inside, tag);
    *at = end + length;
    return true;
}

char *ns_help_markup(const char *block)
{
    GString *markup = g_string_new(NULL);
    if (is_code(block)) {
        g_auto(GStrv) lines = g_strsplit(block, "\n", -1);
        for (char **line = lines; *line; line++) {
            g_autofree char *code = g_markup_escape_text(*line + MIN(strlen(*line), 4), -1);
            g_string_append_printf(markup, "%s%s", line == lines ? "" : "\n", code);
        }
        return g_string_free(markup, FALSE);
    }
    for (const char *at = block; *at;) {
        bool begins = at == block || at[-1] == '\n';
        if (begins && g_str_has_prefix(at, "- ")) {
            g_string_append(markup, "•  ");
            at += 2;
        } else if (!take_pair(markup, &at, "`", "tt") && !take_pair(markup, &at, "**", "b") &&
                   !take_pair(markup, &at, "*", "i")) {
            const char *next = g_utf8_next_char(at);
            g_autofree char *character = g_markup_escape_text(at, next - at);
            g_string_append(markup, character);
            at = next;
        }
    }
    return g_string_free(markup, FALSE);
}

static char *source_of(const char *reference)
{
    /* Translators: the paper that a statement is taken from. */
    return reference ? g_strdup_printf(_("Source: %s"), reference) : NULL;
}

static void add_choices(GPtrArray *topics, const char *section, NsChoices choices)
{
    const NsChoice *row;
    for (size_t i = 0; (row = choices(i)); i++) {
        NsHelpTopic *topic = add(topics, section, row->key, _(row->label));
        if (row->purpose) add_paragraph(topic, g_strdup(_(row->purpose)));
        add_paragraph(topic, g_strdup(row->formula ? _(row->formula) : NULL));
        add_paragraph(topic,
                      g_strdup_printf(_("In presets and on the command line: %s"), row->key));
        add_paragraph(topic, source_of(row->reference));
        if (row->differs) add_paragraph(topic, g_strdup(_(row->differs)));
    }
}

GPtrArray *ns_help_topics(void)
{
    GPtrArray *topics = g_ptr_array_new_with_free_func(free_topic);
    add_manual(topics);
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)); i++) {
        NsHelpTopic *topic = add(topics, _("Settings"), param->key, _(param->label));
        add_paragraph(topic, g_strdup(_(param->help)));
        if (param->unit) add_paragraph(topic, g_strdup_printf(_("Unit: %s"), _(param->unit)));
        g_autoptr(GString) choices = g_string_new(NULL);
        const NsChoice *row;
        for (size_t k = 0; param->type == NS_PARAM_CHOICE && (row = param->choices(k)); k++)
            g_string_append_printf(choices, "%s%s: %s", k ? "\n" : "", _(row->label),
                                   row->purpose ? _(row->purpose) : "");
        add_paragraph(topic, g_strdup(choices->str));
        const char *effect =
            param->effect == NS_EFFECT_LIVE
                ? _("Live: takes effect in the running model from the next step.")
            : param->effect == NS_EFFECT_RESTART
                ? _("Restart: the model is rebuilt; a fork keeps the tensors that still fit.")
                : _("Fork: a new branch continues with all weights.");
        add_paragraph(topic, g_strdup(effect));
        if (*param->default_text)
            add_paragraph(topic, g_strdup_printf(_("Default: %s"), param->default_text));
        add_paragraph(topic,
                      g_strdup_printf(_("In presets and on the command line: %s"), param->key));
        add_paragraph(topic, source_of(param->source));
    }
    add_choices(topics, _("Norm placements"), ns_placement_choice);
    add_choices(topics, _("Kinds of norm"), ns_norm_choice);
    add_choices(topics, _("Initializations"), ns_init_choice);
    add_choices(topics, _("Optimizers"), ns_optimizer_choice);
    add_choices(topics, _("Schedules"), ns_schedule_choice);
    add_choices(topics, _("Tasks"), ns_task_choice);
    add_choices(topics, _("Figures"), ns_figure_choice);
    for (int i = 0; i < NS_QUANTITY_COUNT; i++) {
        const NsQuantityInfo *info = ns_quantity((NsQuantity)i);
        NsHelpTopic *topic =
            add(topics, _("Measured quantities"), info->choice.key, _(info->choice.label));
        add_paragraph(topic, g_strdup(info->symbol));
        add_paragraph(topic, g_strdup(_(info->choice.purpose)));
        const NsParam *every = info->every ? ns_param_find(info->every) : NULL;
        add_paragraph(topic, every
                                 ? g_strdup_printf(_("Measured only at the “%s”."), _(every->label))
                                 : g_strdup(_("Measured at every step.")));
        add_paragraph(topic, g_strdup_printf(_("On the command line: %s"), info->choice.key));
        add_paragraph(topic, source_of(info->choice.reference));
    }
    return topics;
}

gboolean ns_help_topic_matches(const NsHelpTopic *topic, const char *question)
{
    g_autoptr(GString) all = g_string_new(topic->title);
    g_string_append_printf(all, "\n%s", topic->key);
    for (guint i = 0; i < topic->paragraphs->len; i++)
        g_string_append_printf(all, "\n%s", (char *)g_ptr_array_index(topic->paragraphs, i));
    g_autofree char *text = g_utf8_casefold(all->str, -1);
    g_autofree char *folded = g_utf8_casefold(question, -1);
    g_auto(GStrv) words = g_strsplit_set(folded, " \t", -1);
    for (char **word = words; *word; word++)
        if (**word && !strstr(text, *word)) return FALSE;
    return TRUE;
}

/* ---- The window ---- */

#define WIDTH 860
#define HEIGHT 620
#define LIST_WIDTH 270

/* The only window of help, and its parts. */
static struct {
    GtkWidget *window;
    GtkWidget *search, *list, *page, *scroller, *nothing;
    GPtrArray *topics; /* NsHelpTopic, made once */
} help;

static const char TOPIC[] = "ns-help-topic";

static const NsHelpTopic *topic_of(GtkListBoxRow *row)
{
    return g_object_get_data(G_OBJECT(row), TOPIC);
}

static void show_topic(const NsHelpTopic *topic)
{
    for (GtkWidget *child; (child = gtk_widget_get_first_child(help.page));)
        gtk_box_remove(GTK_BOX(help.page), child);
    gtk_box_append(GTK_BOX(help.page), ns_text_label_new(topic->title, "title-2"));
    for (guint i = 0; i < topic->paragraphs->len; i++) {
        const char *text = g_ptr_array_index(topic->paragraphs, i);
        bool code = topic->manual && is_code(text);
        GtkWidget *label = ns_text_label_new(text, code ? "help-code" : NULL);
        gtk_label_set_selectable(GTK_LABEL(label), code);
        if (topic->manual) {
            g_autofree char *markup = ns_help_markup(text);
            gtk_label_set_markup(GTK_LABEL(label), markup);
        }
        gtk_box_append(GTK_BOX(help.page), label);
    }
    GtkAdjustment *top = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(help.scroller));
    gtk_adjustment_set_value(top, 0.0);
}

/* An event may keep the list or the entry alive after the window. */
static void on_selected(GtkListBox *list, GtkListBoxRow *row)
{
    (void)list;
    if (row && help.window) show_topic(topic_of(row));
}

static gboolean is_shown(GtkListBoxRow *row, gpointer search)
{
    return ns_help_topic_matches(topic_of(row), gtk_editable_get_text(search));
}

static void on_search(void)
{
    if (!help.window) return;
    const char *question = gtk_editable_get_text(GTK_EDITABLE(help.search));
    GtkListBoxRow *row, *first = NULL, *best = NULL;
    gtk_list_box_invalidate_filter(GTK_LIST_BOX(help.list));
    gtk_list_box_invalidate_headers(GTK_LIST_BOX(help.list));
    /* The first topic with the question in its title, or else the first in whose text it is. */
    for (int i = 0; (row = gtk_list_box_get_row_at_index(GTK_LIST_BOX(help.list), i)); i++) {
        if (best || !is_shown(row, help.search)) continue;
        if (*question && g_str_match_string(question, topic_of(row)->title, TRUE)) best = row;
        if (!first) first = row;
    }
    gtk_widget_set_visible(help.nothing, !first);
    if (first) gtk_list_box_select_row(GTK_LIST_BOX(help.list), best ? best : first);
}

static void add_header(GtkListBoxRow *row, GtkListBoxRow *before, gpointer data)
{
    (void)data;
    const char *section = topic_of(row)->section;
    bool first = !before || !g_str_equal(topic_of(before)->section, section);
    if (!first) {
        gtk_list_box_row_set_header(row, NULL);
        return;
    }
    GtkWidget *label = ns_line_label_new(section, "heading");
    gtk_widget_add_css_class(label, "help-section");
    gtk_list_box_row_set_header(row, label);
}

static GtkWidget *make_side(void)
{
    GtkWidget *side = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
    help.search = ns_search_entry_new(_("Search the help"));
    help.list = gtk_list_box_new();
    help.nothing = gtk_label_new(_("No topic matches."));
    ns_accessible_name(help.list, _("Topics"));
    gtk_widget_add_css_class(help.search, "help-search");
    gtk_widget_add_css_class(help.list, "navigation-sidebar");
    gtk_widget_add_css_class(help.nothing, "hint");
    gtk_widget_set_visible(help.nothing, FALSE);
    gtk_list_box_set_header_func(GTK_LIST_BOX(help.list), add_header, NULL, NULL);
    for (guint i = 0; i < help.topics->len; i++) {
        NsHelpTopic *topic = g_ptr_array_index(help.topics, i);
        GtkWidget *row = gtk_list_box_row_new(), *label = ns_line_label_new(topic->title, NULL);
        gtk_widget_set_tooltip_text(row, topic->title);
        gtk_widget_add_css_class(row, "help-topic");
        gtk_list_box_row_set_child(GTK_LIST_BOX_ROW(row), label);
        ns_accessible_name(row, topic->title);
        g_object_set_data(G_OBJECT(row), TOPIC, topic);
        gtk_list_box_append(GTK_LIST_BOX(help.list), row);
    }
    gtk_list_box_set_filter_func(GTK_LIST_BOX(help.list), is_shown, g_object_ref(help.search),
                                 g_object_unref);
    ns_box_append(side, help.search, help.nothing, ns_scrolled_new(help.list), NULL);
    gtk_widget_set_size_request(side, LIST_WIDTH, -1);
    g_signal_connect(help.search, "search-changed", G_CALLBACK(on_search), NULL);
    g_signal_connect(help.list, "row-selected", G_CALLBACK(on_selected), NULL);
    return side;
}

static void open_window(GtkWindow *parent)
{
    if (!help.topics) help.topics = ns_help_topics();
    help.page = gtk_box_new(GTK_ORIENTATION_VERTICAL, 10);
    gtk_widget_add_css_class(help.page, "help-page");
    help.scroller = ns_scrolled_new(help.page);
    GtkWidget *paned = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL);
    gtk_paned_set_start_child(GTK_PANED(paned), make_side());
    gtk_paned_set_end_child(GTK_PANED(paned), help.scroller);
    gtk_paned_set_resize_start_child(GTK_PANED(paned), FALSE);
    gtk_paned_set_shrink_start_child(GTK_PANED(paned), FALSE);
    gtk_paned_set_shrink_end_child(GTK_PANED(paned), FALSE);
    gtk_paned_set_position(GTK_PANED(paned), LIST_WIDTH);
    ns_side_window_open(parent, _("Help"), WIDTH, HEIGHT, paned);
    g_set_weak_pointer(&help.window, GTK_WIDGET(gtk_widget_get_root(paned)));
    gtk_search_entry_set_key_capture_widget(GTK_SEARCH_ENTRY(help.search), help.window);
    on_search();
}

void ns_help_present(GtkWindow *parent, const char *topic)
{
    if (!help.window) open_window(parent);
    /* It closes with the window that opened it last. */
    gtk_window_set_transient_for(GTK_WINDOW(help.window), parent);
    if (topic) gtk_editable_set_text(GTK_EDITABLE(help.search), "");
    for (guint i = 0; topic && i < help.topics->len; i++) {
        const NsHelpTopic *at = g_ptr_array_index(help.topics, i);
        if (!g_str_equal(at->key, topic)) continue;
        GtkListBoxRow *row = gtk_list_box_get_row_at_index(GTK_LIST_BOX(help.list), (int)i);
        gtk_list_box_select_row(GTK_LIST_BOX(help.list), row);
        gtk_widget_grab_focus(GTK_WIDGET(row));
        break;
    }
    gtk_window_present(GTK_WINDOW(help.window));
}
