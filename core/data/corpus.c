/* SPDX-License-Identifier: MIT */
#include "core/data/corpus.h"

#include "core/base/copy.h"
#include "core/data/pair_corpus.h"
#include "core/data/subwords.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

NsCorpus *ns_corpus_new(const char *name, const NsSampler *sampler, size_t V)
{
    NsCorpus *corpus = g_new0(NsCorpus, 1);
    g_atomic_ref_count_init(&corpus->refs);
    corpus->name = g_strdup(name);
    corpus->sampler = sampler;
    corpus->V = V;
    return corpus;
}

NsCorpus *ns_corpus_new_made(const char *name, const NsSampler *sampler, size_t V, bool letters)
{
    NsCorpus *corpus = ns_corpus_new(name, sampler, V);
    corpus->symbols = letters ? g_new(gunichar, V) : NULL;
    for (size_t i = 0; letters && i < V; i++) corpus->symbols[i] = 'a' + (gunichar)i;
    return corpus;
}

NsCorpus *ns_corpus_ref(NsCorpus *corpus)
{
    g_atomic_ref_count_inc(&corpus->refs);
    return corpus;
}

void ns_corpus_unref(NsCorpus *corpus)
{
    if (!g_atomic_ref_count_dec(&corpus->refs)) return;
    g_free(corpus->name);
    g_free(corpus->symbols);
    for (size_t i = 0; corpus->words && i < corpus->V; i++) g_free(corpus->words[i]);
    g_free(corpus->words);
    ns_subwords_free(corpus->subwords);
    g_free(corpus->tokens);
    g_free(corpus->pairs);
    ns_pair_lengths_free(corpus->lengths);
    g_clear_pointer(&corpus->source, ns_corpus_unref);
    g_free(corpus);
}

const NsCorpus *ns_corpus_source(const NsCorpus *corpus)
{
    return corpus->source ? corpus->source : corpus;
}

NsVocab ns_corpus_vocab(const NsCorpus *corpus, const NsSettings *settings)
{
    const NsSampler *sampler = corpus->sampler;
    if (sampler->vocab) return sampler->vocab(corpus, settings);
    return (NsVocab){.in = corpus->V + (sampler->special[settings->arch] ? 1 : 0),
                     .out = corpus->V,
                     .source = corpus->source ? corpus->source->V : 0};
}

/* The visible sign that represents a white space character; NULL for other characters. */
static const char *sign_of(gunichar c)
{
    return c == ' ' ? "␣" : c == '\n' ? "↵" : c == '\t' ? "⇥" : NULL;
}

NsBaselines ns_corpus_baselines(const NsCorpus *corpus, const NsSettings *settings)
{
    NsBaselines baselines = {.uniform = log((double)ns_corpus_vocab(corpus, settings).out),
                             .frequencies = NAN,
                             .letters = corpus->symbols != NULL};
    /* Smoothed labels and z-loss raise the loss. */
    if (!corpus->tokens || corpus->n_pairs || settings->label_smoothing > 0 || settings->z_loss > 0)
        return baselines;
    g_autofree size_t *count = g_new0(size_t, corpus->V);
    for (size_t i = 0; i < corpus->n_train; i++) count[corpus->tokens[i]]++;
    double sum = 0, n = (double)corpus->n_train;
    for (size_t k = 0; k < corpus->V; k++)
        if (count[k]) sum -= (double)count[k] / n * log((double)count[k] / n);
    baselines.frequencies = sum;
    return baselines;
}

void ns_corpus_token_text(const NsCorpus *corpus, int32_t token, char text[NS_TOKEN_TEXT])
{
    const char *special = corpus->sampler->special[corpus->arch];
    size_t further = (size_t)token > corpus->V ? (size_t)token - corpus->V : 0;
    if (corpus->sampler->nameless)
        text[0] = '\0';
    else if (special && (size_t)token == corpus->V)
        g_strlcpy(text, special, NS_TOKEN_TEXT);
    else if (further > 0 && further <= 2 && corpus->sampler->further[further - 1])
        g_strlcpy(text, corpus->sampler->further[further - 1], NS_TOKEN_TEXT);
    else if (corpus->symbols) {
        gunichar c = corpus->symbols[token];
        if (sign_of(c))
            g_strlcpy(text, sign_of(c), NS_TOKEN_TEXT);
        else if (g_unichar_isgraph(c) && !g_unichar_ismark(c))
            text[g_unichar_to_utf8(c, text)] = '\0';
        else
            g_snprintf(text, NS_TOKEN_TEXT, "U+%04X", c);
    } else if (corpus->words) {
        /* As much of the word as fits. */
        g_autoptr(GString) seen = g_string_new(NULL);
        for (const char *p = corpus->words[token]; *p; p++) {
            const char *sign = sign_of((guchar)*p);
            g_string_append_len(seen, sign ? sign : p, sign ? -1 : 1);
        }
        ns_copy_text(text, NS_TOKEN_TEXT, seen->str);
    } else
        g_snprintf(text, NS_TOKEN_TEXT, "%d", token);
}

int32_t ns_sentence_end(const NsCorpus *corpus)
{
    for (size_t i = 0; i < corpus->V; i++)
        if (corpus->symbols ? corpus->symbols[i] == '\n' : g_str_equal(corpus->words[i], "\n"))
            return (int32_t)i;
    return -1;
}

static int compare_characters(const void *a, const void *b)
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
            const gunichar *symbol =
                bsearch(&c, corpus->symbols, corpus->V, sizeof c, compare_characters);
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

static void make_batch(const NsCorpus *corpus, uint64_t seed, uint64_t stream, NsBatch *batch)
{
    NsRng rng;
    ns_rng_init(&rng, seed, stream);
    for (size_t b = 0; b < batch->B; b++) corpus->sampler->make(corpus, &rng, batch, b);
}

void ns_corpus_train_batch(const NsCorpus *corpus, uint64_t data_seed, uint64_t index,
                           NsBatch *batch)
{
    const NsSampler *sampler = corpus->sampler;
    if (sampler->make)
        make_batch(corpus, data_seed, ns_rng_stream(sampler->stream) + index, batch);
    else
        sampler->train(corpus, data_seed, index, batch);
}

void ns_corpus_validation_batch(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch)
{
    const NsSampler *sampler = corpus->sampler;
    if (sampler->make)
        make_batch(corpus, corpus->data_seed, ns_rng_stream(sampler->held_out_stream) + index,
                   batch);
    else
        sampler->validate(corpus, index, count, batch);
}
