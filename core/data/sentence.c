/* SPDX-License-Identifier: MIT */
#include "core/data/sentence.h"

#include "core/data/subwords.h"

#include <stdlib.h>
#include <string.h>

int32_t ns_sentence_end(const NsCorpus *corpus)
{
    int32_t i = 0;
    while (corpus->symbols ? corpus->symbols[i] != '\n' : !g_str_equal(corpus->words[i], "\n")) i++;
    return i;
}

static int compare(const void *a, const void *b)
{
    gunichar x = *(const gunichar *)a, y = *(const gunichar *)b;
    return (x > y) - (x < y);
}

static void encode_characters(const NsCorpus *corpus, const char *line, GArray *tokens,
                              size_t *left_out)
{
    for (const char *p = line; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        const gunichar *symbol = bsearch(&c, corpus->symbols, corpus->V, sizeof c, compare);
        uint16_t token = symbol ? (uint16_t)(symbol - corpus->symbols) : 0;
        if (symbol)
            g_array_append_val(tokens, token);
        else
            (*left_out)++;
    }
}

GArray *ns_sentence_encode(const NsCorpus *corpus, const char *line, size_t *left_out)
{
    GArray *tokens = g_array_new(FALSE, FALSE, sizeof(uint16_t));
    *left_out = 0;
    if (corpus->subwords) {
        g_autofree char *known = ns_subwords_keep_known(corpus->subwords, line, left_out);
        ns_subwords_encode(corpus->subwords, known, strlen(known), tokens);
    } else {
        encode_characters(corpus, line, tokens, left_out);
    }
    uint16_t end = (uint16_t)ns_sentence_end(corpus);
    g_array_append_val(tokens, end);
    return tokens;
}

char *ns_sentence_text(const NsCorpus *corpus, const int32_t *tokens, size_t n)
{
    GString *text = g_string_new(NULL);
    bool space = false;
    for (size_t i = 0; i < n; i++) {
        if (!corpus->subwords) {
            g_string_append_unichar(text, corpus->symbols[tokens[i]]);
            continue;
        }
        if (space) g_string_append_c(text, ' ');
        space = ns_subwords_append(corpus->subwords, (size_t)tokens[i], text);
    }
    return g_string_free(text, FALSE);
}
