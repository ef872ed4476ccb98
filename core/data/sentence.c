/* SPDX-License-Identifier: MIT */
#include "core/data/sentence.h"

#include "core/data/subwords.h"

#include <stdlib.h>
#include <string.h>

int32_t ns_sentence_end(const NsCorpus *corpus)
{
    for (size_t i = 0; i < corpus->V; i++)
        if (corpus->symbols ? corpus->symbols[i] == '\n' : g_str_equal(corpus->words[i], "\n"))
            return (int32_t)i;
    return -1;
}

static int compare(const void *a, const void *b)
{
    gunichar x = *(const gunichar *)a, y = *(const gunichar *)b;
    return (x > y) - (x < y);
}

GArray *ns_text_encode(const NsCorpus *corpus, const char *text, size_t *left_out)
{
    GArray *tokens = g_array_new(FALSE, FALSE, sizeof(uint16_t));
    *left_out = 0;
    if (corpus->subwords) {
        g_autofree char *known = ns_subwords_keep_known(corpus->subwords, text, left_out);
        ns_subwords_encode(corpus->subwords, known, strlen(known), tokens);
    } else {
        const char *special = corpus->sampler->special[corpus->arch];
        for (const char *p = text; *p; p = g_utf8_next_char(p)) {
            gunichar c = g_utf8_get_char(p);
            const gunichar *symbol = bsearch(&c, corpus->symbols, corpus->V, sizeof c, compare);
            bool is_special = !symbol && special && g_str_has_prefix(p, special);
            uint16_t token = (uint16_t)(symbol ? (size_t)(symbol - corpus->symbols) : corpus->V);
            if (is_special) p += strlen(special) - 1;
            if (symbol || is_special)
                g_array_append_val(tokens, token);
            else
                (*left_out)++;
        }
    }
    return tokens;
}

GArray *ns_sentence_encode(const NsCorpus *corpus, const char *line, size_t *left_out)
{
    GArray *tokens = ns_text_encode(corpus, line, left_out);
    uint16_t end = (uint16_t)ns_sentence_end(corpus);
    g_array_append_val(tokens, end);
    return tokens;
}

void ns_tokens_append(const NsCorpus *corpus, const int32_t *tokens, size_t n, bool *space,
                      GString *text)
{
    const char *special = corpus->sampler->special[corpus->arch];
    for (size_t i = 0; i < n; i++) {
        size_t token = (size_t)tokens[i];
        if (token >= corpus->V) {
            g_string_append(text, special ? special : "");
        } else if (corpus->symbols) {
            g_string_append_unichar(text, corpus->symbols[token]);
        } else if (!corpus->subwords || token == 0) { /* of subwords, 0 is the line end */
            g_string_append(text, corpus->words[token]);
            *space = false;
        } else {
            if (*space) g_string_append_c(text, ' ');
            *space = ns_subwords_append(corpus->subwords, token, text);
        }
    }
}

char *ns_sentence_text(const NsCorpus *corpus, const int32_t *tokens, size_t n)
{
    GString *text = g_string_new(NULL);
    bool space = false;
    ns_tokens_append(corpus, tokens, n, &space, text);
    return g_string_free(text, FALSE);
}
