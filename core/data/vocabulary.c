/* SPDX-License-Identifier: MIT */
#include "core/data/vocabulary.h"

#include "core/base/error.h"
#include "core/data/sampler.h"
#include "core/data/subwords.h"

#include <string.h>

#define CHARACTERS "characters\n"
#define SUBWORDS "subwords\n"
#define SOURCE "source "

static char *write_one(const NsCorpus *corpus)
{
    if (corpus->subwords) {
        g_autofree char *table = ns_subwords_table(corpus->subwords);
        return g_strconcat(SUBWORDS, table, NULL);
    }
    GString *text = g_string_new(CHARACTERS);
    for (size_t i = 0; i < corpus->V; i++) g_string_append_unichar(text, corpus->symbols[i]);
    return g_string_free(text, FALSE);
}

char *ns_vocabulary_write(const NsCorpus *corpus)
{
    if (corpus->sampler != &ns_pairs_sampler) return NULL;
    g_autofree char *own = write_one(corpus);
    if (!corpus->source) return g_steal_pointer(&own);
    g_autofree char *source = write_one(corpus->source);
    return g_strdup_printf(SOURCE "%zu\n%s%s", strlen(source), source, own);
}

/* Reads a vocabulary of characters, which must be ascending and contain the line end. */
static NsCorpus *of_characters(const char *text, const char *name)
{
    glong n = 0;
    g_autofree gunichar *symbols = g_utf8_to_ucs4_fast(text, -1, &n);
    bool ends = false;
    for (glong i = 0; i < n; i++) {
        if (i > 0 && symbols[i] <= symbols[i - 1]) return NULL;
        ends |= symbols[i] == '\n';
    }
    if (!ends || (size_t)n > NS_TOKENS_MAX) return NULL;
    NsCorpus *corpus = ns_corpus_new(name, &ns_pairs_sampler, (size_t)n);
    corpus->symbols = g_steal_pointer(&symbols);
    return corpus;
}

static NsCorpus *read_one(const char *text, const char *name)
{
    if (g_str_has_prefix(text, CHARACTERS)) return of_characters(text + strlen(CHARACTERS), name);
    if (g_str_has_prefix(text, SUBWORDS)) {
        NsSubwords *subwords = ns_subwords_new_from_table(text + strlen(SUBWORDS));
        if (!subwords) return NULL;
        NsCorpus *corpus = ns_corpus_new(name, &ns_pairs_sampler, ns_subwords_size(subwords));
        corpus->subwords = subwords;
        corpus->words = g_new(char *, corpus->V);
        for (size_t i = 0; i < corpus->V; i++) corpus->words[i] = ns_subwords_text(subwords, i);
        return corpus;
    }
    return NULL;
}

static NsCorpus *read_both(const char *text, const char *name)
{
    char *begin;
    guint64 bytes = g_ascii_strtoull(text + strlen(SOURCE), &begin, 10);
    if (*begin != '\n' || bytes >= strlen(begin + 1)) return NULL;
    g_autofree char *first = g_strndup(begin + 1, bytes);
    if (!g_utf8_validate(first, -1, NULL)) return NULL;
    g_autoptr(NsCorpus) source = read_one(first, name);
    NsCorpus *corpus = source ? read_one(begin + 1 + bytes, name) : NULL;
    if (corpus) corpus->source = g_steal_pointer(&source);
    return corpus;
}

NsCorpus *ns_vocabulary_read(const char *text, const char *name, GError **error)
{
    NsCorpus *corpus = NULL;
    if (g_utf8_validate(text, -1, NULL))
        corpus = g_str_has_prefix(text, SOURCE) ? read_both(text, name) : read_one(text, name);
    if (!corpus)
        ns_refuse(error, NS_ERROR_TEXT,
                  "The vocabulary in “%s” is damaged; use an intact copy of the file.", name);
    return corpus;
}
