/* SPDX-License-Identifier: MIT */
#include "tests/gradient/case.h"

#include "core/base/squares.h"
#include "core/experiment/assignment.h"
#include "tests/gradient/check.h"

#include <string.h>

const NsPlacement *ns_placement_named(const char *key)
{
    int row = ns_choices_find(ns_placement_choice, key);
    g_assert_cmpint(row, >=, 0);
    return ns_placement((size_t)row);
}

static void assign(NsSettings *settings, const char *assignments)
{
    g_auto(GStrv) list = g_strsplit(assignments, " ", -1);
    for (size_t i = 0; list[i]; i++) {
        g_autoptr(GError) error = NULL;
        if (!*list[i]) continue;
        ns_settings_assign(settings, list[i], &error);
        g_assert_no_error(error);
    }
}

static void draw(int32_t *tokens, const int32_t *length, size_t B, size_t T, NsRng *rng)
{
    for (size_t i = 0; i < B * T; i++) {
        tokens[i] = (int32_t)ns_rng_below(rng, NS_CASE_VOCAB);
        if (i % T >= (size_t)length[i / T]) tokens[i] = 0;
    }
}

void ns_case_init(NsCase *c, const char *assignments, const NsPlacement *placement)
{
    *c = (NsCase){0};
    ns_settings_init(&c->settings);
    assign(&c->settings, NS_TINY);
    assign(&c->settings, assignments);
    g_autoptr(GError) error = NULL;
    bool segments = strstr(assignments, "task=mlm");
    const NsVocab vocab = {.in = NS_CASE_VOCAB,
                           .out = NS_CASE_VOCAB,
                           .segments = segments ? 2 : 0,
                           .classes = segments ? 3 : 0};
    c->model = ns_model_new_placed(&c->settings, placement, vocab, &error);
    g_assert_no_error(error);
    NsBatch *batch = &c->batch;
    ns_batch_init(batch, (size_t)c->settings.batch, (size_t)c->settings.seq,
                  (size_t)ns_settings_source_seq(&c->settings));
    NsRng rng;
    ns_rng_init(&rng, 5, 0);
    for (size_t b = 0; b < batch->B; b++) {
        batch->length[b] = (int32_t)(batch->T - b % 3);
        if (batch->S > 0) batch->source_length[b] = (int32_t)(batch->S - (b + 1) % 3);
        if (segments) batch->second[b] = (int32_t)(b + 2);
        if (segments && b > 0) batch->labels[b] = (int32_t)(b % 3);
    }
    draw(batch->tokens, batch->length, batch->B, batch->T, &rng);
    if (batch->S > 0) draw(batch->source, batch->source_length, batch->B, batch->S, &rng);
    draw(batch->targets, batch->length, batch->B, batch->T, &rng);
    for (size_t i = 0; i < batch->B * batch->T; i++)
        if (i == 1 || i % batch->T >= (size_t)batch->length[i / batch->T])
            batch->targets[i] = NS_NO_TARGET;
}

void ns_case_clear(NsCase *c)
{
    ns_model_free(c->model);
    ns_batch_clear(&c->batch);
    ns_settings_clear(&c->settings);
}

void ns_case_fill(NsCase *c)
{
    NsBatch *batch = &c->batch;
    for (size_t b = 0; b < batch->B; b++) {
        batch->length[b] = (int32_t)batch->T;
        if (batch->S > 0) batch->source_length[b] = (int32_t)batch->S;
    }
    for (size_t i = 0; i < batch->B * batch->T; i++)
        if (batch->targets[i] < 0) batch->targets[i] = 1;
}

void ns_case_stir(NsCase *c, double std)
{
    const NsTensorTable *table = ns_model_tensors(c->model);
    ns_real *w = ns_model_weights(c->model);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        g_autofree ns_real *noise = g_new(ns_real, ns_tensor_size(t));
        ns_fill_normal(noise, ns_tensor_size(t), std, i);
        for (size_t j = 0; j < ns_tensor_size(t); j++) w[t->offset + j] += noise[j];
    }
}

NsMeasure ns_case_measure(NsCase *c)
{
    return ns_model_measure(c->model, &c->batch, &c->noise);
}

static double loss(void *data)
{
    return ns_case_measure(data).loss;
}

void ns_case_check(NsCase *c, int directions)
{
    const NsTensorTable *table = ns_model_tensors(c->model);
    ns_real *w = ns_model_weights(c->model);
    ns_case_measure(c);
    g_autofree ns_real *g = g_memdup2(ns_model_gradients(c->model), table->size * sizeof *g);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        ns_check_gradient(t->name, w + t->offset, g + t->offset, ns_tensor_size(t), directions,
                          loss, c);
    }
}

static const NsTensor *named(NsCase *c, const char *name)
{
    const NsTensor *t = ns_tensor_find(ns_model_tensors(c->model), name);
    g_assert_nonnull(t);
    return t;
}

double ns_case_along(NsCase *c, const char *name)
{
    const NsTensor *t = named(c, name);
    return ns_dot(ns_model_gradients(c->model) + t->offset, ns_model_weights(c->model) + t->offset,
                  ns_tensor_size(t));
}

double ns_case_gradient(NsCase *c, const char *name)
{
    const NsTensor *t = named(c, name);
    return ns_real_norm(ns_model_gradients(c->model) + t->offset, ns_tensor_size(t));
}

void ns_case_wire_everything(NsWiring *w, const NsPosition *p)
{
    *w = (NsWiring){.in = true,
                    .branch = true,
                    .out = true,
                    .mid = true,
                    .qk = true,
                    .v = p->kind != NS_FFN,
                    .head_scale = p->kind != NS_FFN,
                    .s = 0.7 + 0.1 * p->sublayer,
                    .b = 1.3,
                    .a = 0.9 - 0.05 * p->sublayer,
                    .gain = p->layer == 0 ? NS_GAIN_VECTOR : NS_GAIN_LAYER,
                    .gain_start = 0.5,
                    .stream_gain = p->layer == 1,
                    .skip_layer = p->kind == NS_FFN,
                    .init = 0.8,
                    .lr = 1,
                    .eps = 1};
}
