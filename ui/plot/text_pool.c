/* Texts that are written again and again, kept with their glyphs.  SPDX-License-Identifier: MIT */
#include "ui/plot/text_pool.h"

#include <string.h>

/* A text that was not taken for so many recalls is forgotten. */
#define FORGET 16

typedef struct Entry Entry;
struct Entry {
    char *font, *text;
    double size;
    bool bold;
    PangoLayout *layout;
    unsigned taken; /* the recall after which it was taken last */
    Entry *next;    /* the same text once more, for one that is shown in two places */
};

typedef struct {
    GHashTable *entries; /* Entry, first of its kind -> itself */
    unsigned recalls;
} Pool;

static const char pool_key[] = "ns-text-pool";

static guint entry_hash(gconstpointer data)
{
    const Entry *entry = data;
    return g_str_hash(entry->text) ^ g_double_hash(&entry->size) ^ entry->bold;
}

static gboolean entry_equal(gconstpointer a, gconstpointer b)
{
    const Entry *p = a, *q = b;
    return p->size == q->size && p->bold == q->bold && strcmp(p->text, q->text) == 0 &&
           strcmp(p->font, q->font) == 0;
}

static void entries_free(void *data)
{
    for (Entry *entry = data, *next; entry; entry = next) {
        next = entry->next;
        g_object_unref(entry->layout);
        g_free(entry->font);
        g_free(entry->text);
        g_free(entry);
    }
}

static void pool_free(void *data)
{
    Pool *pool = data;
    g_hash_table_unref(pool->entries);
    g_free(pool);
}

static Pool *pool_of(PangoContext *context)
{
    return g_object_get_data(G_OBJECT(context), pool_key);
}

void ns_text_pool_add(PangoContext *context)
{
    Pool *pool = g_new0(Pool, 1);
    pool->entries = g_hash_table_new_full(entry_hash, entry_equal, NULL, entries_free);
    g_object_set_data_full(G_OBJECT(context), pool_key, pool, pool_free);
}

void ns_text_pool_drop(PangoContext *context)
{
    g_object_set_data(G_OBJECT(context), pool_key, NULL);
}

static gboolean is_forgotten(void *key, void *value, void *data)
{
    (void)value;
    const Pool *pool = data;
    for (const Entry *entry = key; entry; entry = entry->next)
        if (pool->recalls - entry->taken < FORGET) return FALSE;
    return TRUE;
}

void ns_text_pool_recall(PangoContext *context)
{
    Pool *pool = pool_of(context);
    if (!pool) return;
    pool->recalls++;
    if (pool->recalls % FORGET == 0) g_hash_table_foreach_remove(pool->entries, is_forgotten, pool);
}

PangoLayout *ns_text_pool_take(PangoContext *context, const char *font, double size, bool bold,
                               const char *text)
{
    Pool *pool = pool_of(context);
    if (!pool || !text) return NULL;
    Entry key = {.font = (char *)(uintptr_t)font,
                 .text = (char *)(uintptr_t)text,
                 .size = size,
                 .bold = bold};
    Entry *entry = g_hash_table_lookup(pool->entries, &key);
    while (entry && entry->taken == pool->recalls) entry = entry->next;
    if (!entry) return NULL;
    entry->taken = pool->recalls;
    /* As it was before somebody limited it; pango keeps the glyphs where nothing differs. */
    pango_layout_set_width(entry->layout, -1);
    pango_layout_set_height(entry->layout, -1);
    pango_layout_set_ellipsize(entry->layout, PANGO_ELLIPSIZE_NONE);
    pango_layout_set_wrap(entry->layout, PANGO_WRAP_WORD);
    pango_layout_set_alignment(entry->layout, PANGO_ALIGN_LEFT);
    return g_object_ref(entry->layout);
}

void ns_text_pool_put(PangoContext *context, const char *font, double size, bool bold,
                      const char *text, PangoLayout *layout)
{
    Pool *pool = pool_of(context);
    if (!pool || !text) return;
    Entry *entry = g_new(Entry, 1);
    *entry = (Entry){.font = g_strdup(font),
                     .text = g_strdup(text),
                     .size = size,
                     .bold = bold,
                     .layout = g_object_ref(layout),
                     .taken = pool->recalls};
    Entry *first = g_hash_table_lookup(pool->entries, entry);
    if (first) {
        entry->next = first->next;
        first->next = entry;
    } else {
        g_hash_table_add(pool->entries, entry);
    }
}
