/* Functions that every widget uses: names, hiding, boxes, labels, the keyboard, signals, places.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/common/helpers.h"

#include "core/base/words.h"

#include <glib.h>
#include <string.h>

/* ---- Names for screen readers ---- */

void ns_accessible_name(GtkWidget *widget, const char *name)
{
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

void ns_tooltip(GtkWidget *widget, const char *words)
{
    if (g_strcmp0(gtk_widget_get_tooltip_text(widget), words) == 0) return;
    bool hides = gtk_widget_get_visible(widget) && !gtk_widget_get_mapped(widget);
    if (hides) gtk_widget_set_visible(widget, FALSE);
    gtk_widget_set_tooltip_text(widget, words);
    if (hides) gtk_widget_set_visible(widget, TRUE);
}

void ns_accessible_tooltip(GtkWidget *widget, const char *words)
{
    ns_tooltip(widget, words);
    ns_accessible_name(widget, words);
}

void ns_name_control(GtkWidget *control, const char *name, const char *tooltip)
{
    ns_accessible_name(control, name);
    gtk_widget_set_tooltip_text(control, tooltip);
}

/* ---- Hiding ---- */

#define REASONS "ns-hidden-by" /* of the object: a set of NsHiddenBy */

void ns_hide(GtkWidget *widget, NsHiddenBy reason, bool hidden)
{
    unsigned reasons = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(widget), REASONS));
    reasons = hidden ? reasons | (unsigned)reason : reasons & ~(unsigned)reason;
    g_object_set_data(G_OBJECT(widget), REASONS, GUINT_TO_POINTER(reasons));
    gtk_widget_set_visible(widget, reasons == 0);
}

GtkWidget *ns_linked_new(void)
{
    GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    gtk_widget_add_css_class(box, "linked");
    return box;
}

GtkWidget *ns_add_toggle(GtkWidget *box, GtkWidget *group, const char *label, const char *tip)
{
    GtkWidget *toggle = gtk_toggle_button_new_with_label(label);
    gtk_widget_add_css_class(toggle, "choice");
    if (group) gtk_toggle_button_set_group(GTK_TOGGLE_BUTTON(toggle), GTK_TOGGLE_BUTTON(group));
    gtk_widget_set_tooltip_text(toggle, tip);
    gtk_box_append(GTK_BOX(box), toggle);
    return toggle;
}

void ns_set_css_class(GtkWidget *widget, const char *css_class, bool on)
{
    if (on)
        gtk_widget_add_css_class(widget, css_class);
    else
        gtk_widget_remove_css_class(widget, css_class);
}

/* ---- Motion ---- */

#define MOTION_MS 200

double ns_motion(gint64 since)
{
    double t = (double)(g_get_monotonic_time() - since) / (1e-3 * MOTION_MS * G_USEC_PER_SEC);
    gboolean animations = TRUE;
    g_object_get(gtk_settings_get_default(), "gtk-enable-animations", &animations, NULL);
    return !animations || t >= 1 ? 1 : t * t * (3 - 2 * t);
}

GtkWidget *ns_revealer_new(GtkWidget *child, GtkRevealerTransitionType transition)
{
    return g_object_new(GTK_TYPE_REVEALER, "child", child, "transition-type", transition,
                        "transition-duration", MOTION_MS, NULL);
}

/* ---- Boxes and buttons ---- */

void ns_box_append(GtkWidget *box, ...)
{
    GtkWidget *child;
    va_list children;
    va_start(children, box);
    while ((child = va_arg(children, GtkWidget *))) gtk_box_append(GTK_BOX(box), child);
    va_end(children);
}

GtkWidget *ns_grid_new(int row_spacing, int column_spacing)
{
    return g_object_new(GTK_TYPE_GRID, "row-spacing", row_spacing, "column-spacing", column_spacing,
                        NULL);
}

GtkWidget *ns_scrolled_new(GtkWidget *child)
{
    GtkWidget *scroller = gtk_scrolled_window_new();
    gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroller), GTK_POLICY_NEVER,
                                   GTK_POLICY_AUTOMATIC);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scroller), child);
    gtk_widget_set_vexpand(scroller, TRUE);
    return scroller;
}

bool ns_scroll_by_key(GtkWidget *scrolled, guint keyval)
{
    static const struct {
        guint keyval;
        GtkScrollType by;
    } KEYS[] = {
        {GDK_KEY_Page_Up, GTK_SCROLL_PAGE_UP},     {GDK_KEY_KP_Page_Up, GTK_SCROLL_PAGE_UP},
        {GDK_KEY_Page_Down, GTK_SCROLL_PAGE_DOWN}, {GDK_KEY_KP_Page_Down, GTK_SCROLL_PAGE_DOWN},
        {GDK_KEY_Up, GTK_SCROLL_STEP_UP},          {GDK_KEY_KP_Up, GTK_SCROLL_STEP_UP},
        {GDK_KEY_Down, GTK_SCROLL_STEP_DOWN},      {GDK_KEY_KP_Down, GTK_SCROLL_STEP_DOWN},
    };
    GtkAdjustment *place = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
    if (gtk_adjustment_get_upper(place) <= gtk_adjustment_get_page_size(place)) return false;
    gboolean done = FALSE;
    for (size_t i = 0; i < G_N_ELEMENTS(KEYS); i++)
        if (KEYS[i].keyval == keyval)
            g_signal_emit_by_name(scrolled, "scroll-child", KEYS[i].by, FALSE, &done);
    return done;
}

/* A widget that was unfolded has its place at the end of the first frame. */
static gboolean on_shown(GtkWidget *widget, GdkFrameClock *clock, gpointer frames)
{
    (void)clock;
    if (++*(unsigned *)frames < 2) return G_SOURCE_CONTINUE;
    /* Scrolls as little as necessary. */
    GtkWidget *scroller = gtk_widget_get_ancestor(widget, GTK_TYPE_SCROLLED_WINDOW);
    graphene_rect_t bounds;
    if (!scroller || !gtk_widget_compute_bounds(widget, scroller, &bounds)) return G_SOURCE_REMOVE;
    GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scroller));
    double top = gtk_adjustment_get_value(adjustment) + (double)bounds.origin.y;
    gtk_adjustment_clamp_page(adjustment, top - 8, top + (double)bounds.size.height + 8);
    return G_SOURCE_REMOVE;
}

void ns_bring_into_view(GtkWidget *widget)
{
    gtk_widget_add_tick_callback(widget, on_shown, g_new0(unsigned, 1), g_free);
}

GtkWidget *ns_choice_drop_down_new(const char *first, NsChoices choices, size_t from,
                                   const char *last)
{
    GtkStringList *labels = gtk_string_list_new(NULL);
    if (first) gtk_string_list_append(labels, first);
    for (size_t i = from; choices(i); i++) gtk_string_list_append(labels, _(choices(i)->label));
    if (last) gtk_string_list_append(labels, last);
    return gtk_drop_down_new(G_LIST_MODEL(labels), NULL);
}

GtkWidget *ns_button_new(const char *label, const char *tooltip, GCallback clicked, gpointer object)
{
    GtkWidget *button = gtk_button_new_with_label(label);
    /* GTK 4.8 gives a button with a mnemonic no name for screen readers. */
    if (strchr(label, '_')) {
        g_auto(GStrv) parts = g_strsplit(label, "_", -1);
        g_autofree char *name = g_strjoinv("", parts);
        gtk_button_set_use_underline(GTK_BUTTON(button), TRUE);
        ns_accessible_name(button, name);
    }
    gtk_widget_set_tooltip_text(button, tooltip);
    g_signal_connect_swapped(button, "clicked", clicked, object);
    return button;
}

GtkWidget *ns_icon_button_new(const char *icon, const char *words)
{
    GtkWidget *button = gtk_button_new_from_icon_name(icon);
    gtk_widget_add_css_class(button, "flat");
    ns_accessible_tooltip(button, words);
    return button;
}

/* ---- Labels that begin at the left ---- */

/* A line does not end after the hyphen of "Pre-LN". */
static void on_text(GtkLabel *label)
{
    const char *text = gtk_label_get_text(label);
    g_autoptr(PangoAttrList) attributes = pango_attr_list_new();
    for (const char *at = text; (at = strstr(at, "-LN")); at++) {
        PangoAttribute *name = pango_attr_allow_breaks_new(FALSE);
        name->start_index = (guint)(at - text);
        name->end_index = name->start_index + 2;
        pango_attr_list_insert(attributes, name);
    }
    gtk_label_set_attributes(label, attributes);
}

GtkWidget *ns_text_label_new(const char *text, const char *css_class)
{
    GtkWidget *label = gtk_label_new(NULL);
    g_signal_connect(label, "notify::label", G_CALLBACK(on_text), NULL);
    gtk_label_set_text(GTK_LABEL(label), text);
    gtk_label_set_wrap(GTK_LABEL(label), TRUE);
    gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0F);
    if (css_class) gtk_widget_add_css_class(label, css_class);
    return label;
}

GtkWidget *ns_line_label_new(const char *text, const char *css_class)
{
    GtkWidget *label = gtk_label_new(text);
    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_label_set_xalign(GTK_LABEL(label), 0.0F);
    if (css_class) gtk_widget_add_css_class(label, css_class);
    return label;
}

void ns_text_label_set(GtkWidget *label, const char *text)
{
    if (!g_str_equal(gtk_label_get_text(GTK_LABEL(label)), text))
        gtk_label_set_text(GTK_LABEL(label), text);
}

void ns_text_label_set_sentence(GtkWidget *label, const char *sentence)
{
    g_autofree char *escaped = g_markup_escape_text(sentence, -1);
    g_autoptr(GString) markup = g_string_new(NULL);
    for (const char *at = escaped; *at; at++) {
        size_t length = *at == '_' ? strspn(at + 1, G_CSET_A_2_Z G_CSET_a_2_z) : 0;
        if (length == 0)
            g_string_append_c(markup, *at);
        else
            g_string_append_printf(markup, "<sub>%.*s</sub>", (int)length, at + 1);
        at += length;
    }
    gtk_label_set_markup(GTK_LABEL(label), markup->str);
}

#define FEW_LINES 140 /* bytes */

GtkWidget *ns_details_new(void)
{
    GtkWidget *details = gtk_expander_new(_("Details"));
    gtk_expander_set_child(GTK_EXPANDER(details), ns_text_label_new(NULL, NULL));
    return details;
}

void ns_sentences_set(GtkWidget *label, GtkWidget *details, const char *text)
{
    const char *end = strstr(text, ". "), *wide = strstr(text, "。");
    if (end) end++;
    if (wide && (!end || wide < end)) end = wide + strlen("。");
    if (!end || strlen(text) <= FEW_LINES) end = text + strlen(text);
    g_autofree char *first = g_strndup(text, (gsize)(end - text));
    while (*end == ' ') end++;
    ns_text_label_set_sentence(label, first);
    ns_text_label_set_sentence(gtk_expander_get_child(GTK_EXPANDER(details)), end);
    gtk_widget_set_visible(details, *end != '\0');
}

/* ---- The keyboard after typing ---- */

void ns_end_typing(GtkWidget *widget)
{
    GtkRoot *root = gtk_widget_get_root(widget);
    if (root) gtk_root_set_focus(root, NULL);
}

GtkWidget *ns_entry_new(const char *name, int chars)
{
    GtkWidget *entry = gtk_entry_new();
    gtk_editable_set_width_chars(GTK_EDITABLE(entry), chars);
    gtk_editable_set_max_width_chars(GTK_EDITABLE(entry), chars);
    ns_accessible_name(entry, name);
    return entry;
}

static void on_stop_search(GtkWidget *search)
{
    GtkRoot *root = gtk_widget_get_root(search);
    if (*gtk_editable_get_text(GTK_EDITABLE(search)))
        gtk_editable_set_text(GTK_EDITABLE(search), "");
    else if (gtk_window_get_transient_for(GTK_WINDOW(root)))
        gtk_window_close(GTK_WINDOW(root));
    else
        ns_end_typing(search);
}

GtkWidget *ns_search_entry_new(const char *name)
{
    GtkWidget *search = gtk_search_entry_new();
    ns_accessible_name(search, name);
    g_signal_connect(search, "stop-search", G_CALLBACK(on_stop_search), NULL);
    return search;
}

/* ---- Signals ---- */

void ns_connect(gpointer source, const char *signal, GCallback callback, gpointer object)
{
    g_signal_connect_object(source, signal, callback, object, G_CONNECT_SWAPPED);
}

void ns_connect_keys(GtkWidget *widget, GCallback pressed, gpointer object)
{
    GtkEventController *keys = gtk_event_controller_key_new();
    ns_connect(keys, "key-pressed", pressed, object);
    gtk_widget_add_controller(widget, keys);
}

void ns_add_command(GActionMap *map, const char *name, GCallback run, gpointer object)
{
    g_autoptr(GSimpleAction) action = g_simple_action_new(name, NULL);
    ns_connect(action, "activate", run, object);
    g_action_map_add_action(map, G_ACTION(action));
}

void ns_signal_new(GType type, const char *name, guint n, ...)
{
    va_list types;
    va_start(types, n);
    g_signal_new_valist(name, type, G_SIGNAL_RUN_LAST, NULL, NULL, NULL, NULL, G_TYPE_NONE, n,
                        types);
    va_end(types);
}

/* ---- Preferences ---- */

#define SCHEMA "org.normscope.Normscope"

GSettings *ns_preferences(void)
{
    static gsize once;
    static GSettings *preferences;
    if (g_once_init_enter(&once)) {
        /* The schema of the build folder is preferred to that of an installed version, which may
         * lack a key. */
        GSettingsSchemaSource *all = g_settings_schema_source_get_default();
        g_autofree char *folder = ns_installed_folder("resources", "share/glib-2.0/schemas");
        g_autoptr(GSettingsSchemaSource) own =
            folder ? g_settings_schema_source_new_from_directory(folder, all, TRUE, NULL) : NULL;
        GSettingsSchemaSource *source = own ? own : all;
        g_autoptr(GSettingsSchema) schema =
            source ? g_settings_schema_source_lookup(source, SCHEMA, TRUE) : NULL;
        if (schema) preferences = g_settings_new_full(schema, NULL, NULL);
        g_once_init_leave(&once, 1);
    }
    return preferences;
}

/* ---- Places of the program's files ---- */

#define UP_MOST 2 /* programs lie in build/app, tests in build/tests/ui, installed ones in bin */

char *ns_installed_folder(const char *in_build, const char *installed)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    if (!program) return NULL;
    g_autofree char *place = g_path_get_dirname(program);
    for (int up = 0; up < UP_MOST; up++) {
        char *above = g_path_get_dirname(place);
        g_free(place);
        place = above;
        const char *const below[] = {in_build, installed};
        for (size_t i = 0; i < G_N_ELEMENTS(below); i++) {
            g_autofree char *folder = g_build_filename(place, below[i], NULL);
            if (g_file_test(folder, G_FILE_TEST_IS_DIR)) return g_steal_pointer(&folder);
        }
    }
    return NULL;
}

#define GAP 6 /* pixels between two buttons, as in a header bar */

static void measure_row(GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                        int *natural, int *minimum_baseline, int *natural_baseline)
{
    (void)for_size;
    bool across = orientation == GTK_ORIENTATION_HORIZONTAL;
    *minimum = *natural = 0;
    *minimum_baseline = *natural_baseline = -1;
    for (GtkWidget *child = gtk_widget_get_first_child(widget); child;
         child = gtk_widget_get_next_sibling(child)) {
        int least, usual;
        if (!gtk_widget_should_layout(child)) continue;
        gtk_widget_measure(child, orientation, -1, &least, &usual, NULL, NULL);
        *minimum = across ? 0 : MAX(*minimum, least);
        *natural = across ? *natural + least + (*natural ? GAP : 0) : MAX(*natural, usual);
    }
}

static void allocate_row(GtkWidget *widget, int width, int height, int baseline)
{
    int right = width;
    bool fits = true;
    for (GtkWidget *child = gtk_widget_get_last_child(widget); child;
         child = gtk_widget_get_prev_sibling(child)) {
        if (!gtk_widget_should_layout(child)) continue;
        int least = 0;
        gtk_widget_measure(child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
        fits = fits && least <= right;
        gtk_widget_set_child_visible(child, fits);
        if (!fits) continue;
        GtkAllocation place = {right - least, 0, least, height};
        if (gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL) place.x = width - right;
        gtk_widget_size_allocate(child, &place, baseline);
        right -= least + GAP;
    }
}

void ns_fold_buttons(GtkWidget *box)
{
    gtk_widget_set_layout_manager(box, gtk_custom_layout_new(NULL, measure_row, allocate_row));
}
