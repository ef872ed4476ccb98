/* SPDX-License-Identifier: MIT */
#include "core/model/plan.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/base/thread.h"
#include "core/base/words.h"
#include "core/data/task.h"
#include "core/model/decode.h"
#include "core/model/gradients.h"
#include "core/model/model-private.h"
#include "core/optim/optimizer.h"

#define RESERVE ((size_t)16 << 20)

/* Multiply-adds of the matrix products in one forward pass of a sub-layer over B sequences. */
static double sublayer_work(const NsModelLayout *layout, const NsSublayer *s, const NsStack *stack,
                            double B)
{
    double D = (double)layout->D, F = (double)layout->F, T = (double)stack->T;
    double S = s->kind == NS_CROSS_ATTENTION ? (double)stack->S : T;
    if (s->kind == NS_FFN) return B * T * D * F * (s->activation->gated ? 3 : 2);
    if (s->uniform) return B * (S * D * D + T * S * D);
    return B * (2 * (T * D + S * (double)layout->KV) * D + 2 * T * S * D);
}

static double forward_work(const NsModelLayout *layout, double B)
{
    const NsStack *top = &layout->stacks[layout->n_stacks - 1];
    double work = B * (double)top->T * (double)layout->D * (double)layout->V;
    for (size_t i = 0; i < layout->n_stacks; i++)
        for (size_t k = 0; k < layout->stacks[i].n; k++)
            work += sublayer_work(layout, &layout->sublayers[layout->stacks[i].first + k],
                                  &layout->stacks[i], B);
    return work;
}

/* Every thread decodes held-out sentences for BLEU, and one to display; otherwise one decoder
 * continues the prompt. */
static size_t decoder_elements(const NsSettings *settings, const NsModelLayout *layout)
{
    bool scored = settings->bleu_sentences > 0 && settings->eval_every > 0;
    if (!ns_task_translates(settings) || !(scored || settings->probe_every > 0))
        return settings->sample_every > 0 && settings->arch != NS_ARCH_ENCODER
                   ? ns_decoder_elements(layout, 1, 1)
                   : 0;
    size_t together = ns_decoder_together(layout->stacks[layout->n_stacks - 1].S);
    return layout->shards * ns_decoder_elements(layout, together, 1);
}

size_t ns_plan_gates(const NsSettings *settings)
{
    if (ns_activation(settings->activation)->keeps) return 0;
    int64_t layers = ns_settings_encoder_layers(settings) + ns_settings_decoder_layers(settings);
    int64_t positions =
        ns_settings_batch(settings) * MAX(settings->seq, ns_settings_source_seq(settings));
    return (size_t)(layers * MAX(positions, settings->batch_tokens) * ns_settings_d_ff(settings));
}

NsPlan ns_model_plan(const NsSettings *settings, NsVocab vocab)
{
    NsModelLayout layout;
    ns_model_layout_init(&layout, settings, NULL, vocab);
    NsPlan plan = {.parameters = layout.table.elements, .threads = (unsigned)layout.shards};

    size_t arena = layout.table.size * sizeof(ns_real);
    plan.weight_bytes = layout.standardize ? 2 * arena : arena;
    bool curved = settings->curvature_every > 0 || settings->sharpness_every > 0;
    size_t arenas =
        1u + (settings->probe_every > 0 ? 1u : 0u) + (curved ? (size_t)NS_CURVATURE_ARENAS : 0u);
    plan.gradient_bytes = arenas * arena + ns_gradients_elements(&layout) * sizeof(ns_real);
    plan.moment_bytes =
        ns_optimizer_bytes(ns_optimizer(settings->optimizer), &layout.table, plan.threads);
    plan.activation_bytes =
        (layout.arena_plan.size + layout.arena_plan.outside + decoder_elements(settings, &layout)) *
        sizeof(ns_real);
    if (curved) plan.activation_bytes += ns_plan_gates(settings);
    plan.total_bytes =
        plan.weight_bytes + plan.gradient_bytes + plan.moment_bytes + plan.activation_bytes;

    /* A multiply-add is two operations; backward takes twice as many as forward. */
    plan.gflop_per_step = 6e-9 * forward_work(&layout, (double)ns_settings_batch(settings));
    ns_model_layout_clear(&layout);
    return plan;
}

static bool fits(const NsPlan *plan, NsMemoryLimit limit, GError **error)
{
    /* Memory that a run needs besides its plan, such as thread stacks, batches and records.  It
     * matters under limits that count allocated address space, used or not. */
    bool counts = limit == NS_MEMORY_ADDRESS || limit == NS_MEMORY_DATA;
    size_t left = ns_memory_left(limit),
           needed = plan->total_bytes + (counts ? RESERVE + plan->threads * NS_THREAD_STACK : 0);
    if (needed <= left) return true;
    g_autofree char *needs = g_format_size_full(needed, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *has = g_format_size_full(left, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *activations =
        g_format_size_full(plan->activation_bytes, G_FORMAT_SIZE_IEC_UNITS);
    return ns_refuse(
        error, NS_ERROR_MEMORY,
        limit == NS_MEMORY_MACHINE
            ? N_("This run needs %s of memory (%s of it for activations), and %s are free; choose "
                 "fewer layers or a smaller width, sequence or batch.")
        : limit == NS_MEMORY_GROUP
            ? N_("This run needs %s of memory (%s of it for activations), and the memory limit of "
                 "its control group leaves %s; choose fewer layers or a smaller width, sequence "
                 "or batch.")
        : limit == NS_MEMORY_ADDRESS
            ? N_("This run needs %s of memory (%s of it for activations), and the limit of its "
                 "address space (ulimit -v) leaves %s; choose fewer layers or a smaller width, "
                 "sequence or batch.")
            : N_("This run needs %s of memory (%s of it for activations), and the limit of its "
                 "data (ulimit -d) leaves %s; choose fewer layers or a smaller width, sequence or "
                 "batch."),
        needs, activations, has);
}

void ns_plan_add(NsPlan *sum, const NsPlan *plan, size_t times)
{
    sum->parameters += times * plan->parameters;
    sum->weight_bytes += times * plan->weight_bytes;
    sum->gradient_bytes += times * plan->gradient_bytes;
    sum->moment_bytes += times * plan->moment_bytes;
    sum->activation_bytes += times * plan->activation_bytes;
    sum->total_bytes += times * plan->total_bytes;
    sum->gflop_per_step += (double)times * plan->gflop_per_step;
    sum->threads += (unsigned)times * plan->threads;
}

bool ns_plan_check(const NsPlan *plan, GError **error)
{
    for (NsMemoryLimit limit = 0; limit < NS_MEMORY_LIMITS; limit++)
        if (!fits(plan, limit, error)) return false;
    return true;
}
