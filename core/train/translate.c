/* SPDX-License-Identifier: MIT */
#include "core/train/translate.h"

#include "core/data/bleu.h"
#include "core/model/beam.h"

#include <stdlib.h>

typedef struct {
    const NsCorpus *corpus;
    const NsTranslating *how;
    const NsSentence *sentences;
    const NsSentence **sorted; /* [n] the shortest first, to have little padding */
    size_t n, together;
    char **lines;
    NsDecoder **decoders; /* [members] */
} Translation;

static int compare(const void *a, const void *b)
{
    const NsSentence *x = *(const NsSentence *const *)a, *y = *(const NsSentence *const *)b;
    if (x->length != y->length) return x->length < y->length ? -1 : 1;
    return (x > y) - (x < y);
}

static void translate_batch(void *data, size_t i, unsigned member)
{
    const Translation *t = data;
    NsDecoder *decoder = t->decoders[member];
    const NsSentence *const *sentences = t->sorted + i * t->together;
    size_t n = MIN(t->together, t->n - i * t->together);
    size_t S = MIN(sentences[n - 1]->length, ns_decoder_size(decoder).source);
    size_t limit = MIN(S + NS_TRANSLATION_MORE, ns_decoder_size(decoder).positions);
    g_autofree int32_t *tokens = g_new0(int32_t, n * S), *length = g_new(int32_t, n);
    g_autofree int32_t *written = g_new(int32_t, n * limit);
    g_autofree NsHypothesis *best = g_new(NsHypothesis, n);
    for (size_t j = 0; j < n; j++) {
        size_t own = MIN(sentences[j]->length, S);
        for (size_t k = 0; k < own; k++) tokens[j * S + k] = sentences[j]->tokens[k];
        length[j] = (int32_t)own;
        best[j].tokens = written + j * limit;
    }
    ns_decoder_begin(decoder, &(NsSourceBatch){n, S, tokens, length});
    ns_beam_search(decoder,
                   &(NsBeamSearch){.length_penalty = t->how->length_penalty,
                                   .limit = limit,
                                   .begin = (int32_t)t->corpus->V,
                                   .end = ns_sentence_end(t->corpus)},
                   best);
    for (size_t j = 0; j < n; j++)
        t->lines[sentences[j] - t->sentences] =
            ns_sentence_text(t->corpus, best[j].tokens, best[j].length);
}

bool ns_translate(NsModel *model, const NsCorpus *corpus, const NsTranslating *how,
                  const NsSentence *sentences, size_t n, char **lines, GError **error)
{
    NsTeam *team = ns_model_team(model);
    unsigned members = ns_team_threads(team), made = 0;
    g_autofree const NsSentence **sorted = g_new(const NsSentence *, MAX(n, 1));
    g_autofree NsDecoder **decoders = g_new0(NsDecoder *, members);
    for (size_t i = 0; i < n; i++) sorted[i] = &sentences[i];
    qsort(sorted, n, sizeof *sorted, compare);
    size_t together = ns_decoder_together(ns_model_source(model));
    Translation t = {corpus, how, sentences, sorted, n, together, lines, decoders};
    while (made < members && (decoders[made] = ns_decoder_new(model, together, how->beam, error)))
        made++;
    if (made == members) ns_team_each(team, (n + together - 1) / together, translate_batch, &t);
    for (unsigned i = 0; i < made; i++) ns_decoder_free(decoders[i]);
    return made == members;
}

static const NsTranslating greedy = {.beam = 1};

bool ns_translate_held_out(NsModel *model, const NsCorpus *corpus, size_t most, double *bleu,
                           GError **error)
{
    const NsPair *held_out = corpus->pairs + corpus->n_train_pairs;
    size_t all = corpus->n_pairs - corpus->n_train_pairs, n = MIN(most, all);
    g_autofree NsSentence *sentences = g_new(NsSentence, n);
    g_auto(GStrv) lines = g_new0(char *, n + 1);
    const uint16_t *source = ns_corpus_source(corpus)->tokens;
    for (size_t i = 0; i < n; i++) {
        const NsPair *pair = &held_out[i * all / n];
        sentences[i] = (NsSentence){source + pair->source, pair->source_length};
    }
    if (!ns_translate(model, corpus, &greedy, sentences, n, lines, error)) return false;
    NsBleu sum = {0};
    for (size_t i = 0; i < n; i++) {
        const NsPair *pair = &held_out[i * all / n];
        /* The last token is the sentence end. */
        g_autofree int32_t *tokens = g_new(int32_t, pair->target_length);
        for (size_t k = 0; k < pair->target_length; k++)
            tokens[k] = corpus->tokens[pair->target + k];
        g_autofree char *reference = ns_sentence_text(corpus, tokens, pair->target_length - 1);
        ns_bleu_add(&sum, lines[i], (const char *const[]){reference}, 1);
    }
    *bleu = ns_bleu_score(&sum).score;
    return true;
}

char *ns_translate_sentence(NsModel *model, const NsCorpus *corpus, const int32_t *tokens,
                            size_t length)
{
    g_autofree uint16_t *own = g_new(uint16_t, length);
    for (size_t i = 0; i < length; i++) own[i] = (uint16_t)tokens[i];
    char *line = NULL;
    const NsSentence sentence = {own, length};
    ns_translate(model, corpus, &greedy, &sentence, 1, &line, NULL);
    return line;
}
