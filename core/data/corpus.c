/* SPDX-License-Identifier: MIT */
#include "core/data/corpus.h"

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
    g_free(corpus->tokens);
    g_free(corpus);
}

NsVocab ns_corpus_vocab(const NsCorpus *corpus, const NsSettings *settings)
{
    return corpus->sampler->vocab(corpus, settings);
}

void ns_corpus_train_batch(const NsCorpus *corpus, uint64_t data_seed, uint64_t index,
                           NsBatch *batch)
{
    corpus->sampler->train(corpus, data_seed, index, batch);
}

void ns_corpus_validation_batch(const NsCorpus *corpus, size_t index, size_t count, NsBatch *batch)
{
    corpus->sampler->validate(corpus, index, count, batch);
}
