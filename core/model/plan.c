/* What a run will take, counted by the code that later allocates it.  SPDX-License-Identifier: MIT
 */
#include "core/model/gradients.h"

#include "core/base/error.h"
#include "core/base/memory.h"
#include "core/train/optimizer.h"

/* Multiply-adds of the matrix products in one forward pass of a sub-layer over B sequences. */
static double sublayer_work(const NsStack *stack, const NsSublayer *s, const NsTower *tower,
                            double B)
{
    double D = (double)stack->D, F = (double)stack->F, T = (double)tower->T;
    double S = s->kind == NS_CROSS_ATTENTION ? (double)tower->S : T;
    if (s->kind == NS_FFN) return B * T * D * F * (s->activation->gated ? 3 : 2);
    if (s->uniform) return B * (S * D * D + T * S * D);
    return B * (2 * (T + S) * D * D + 2 * T * S * D);
}

static double forward_work(const NsStack *stack, double B)
{
    const NsTower *top = &stack->towers[stack->n_towers - 1];
    double work = B * (double)top->T * (double)stack->D * (double)stack->V;
    for (size_t i = 0; i < stack->n_towers; i++)
        for (size_t k = 0; k < stack->towers[i].n; k++)
            work += sublayer_work(stack, &stack->sublayers[stack->towers[i].first + k],
                                  &stack->towers[i], B);
    return work;
}

NsPlan ns_model_plan(const NsSettings *settings, NsVocab vocab)
{
    NsStack stack;
    ns_stack_init(&stack, settings, NULL, vocab);
    NsPlan plan = {.parameters = stack.table.elements, .threads = (unsigned)stack.shards};

    size_t arena = stack.table.size * sizeof(ns_real);
    plan.weight_bytes = stack.standardize ? 2 * arena : arena;
    plan.gradient_bytes =
        arena * (settings->probe_every > 0 ? 2 : 1) + ns_gradients_reals(&stack) * sizeof(ns_real);
    plan.moment_bytes =
        ns_optimizer_bytes(ns_optimizer(settings->optimizer), &stack.table, plan.threads);
    plan.activation_bytes = (stack.room.gradients + stack.room.beside) * sizeof(ns_real);
    plan.total_bytes =
        plan.weight_bytes + plan.gradient_bytes + plan.moment_bytes + plan.activation_bytes;

    /* Two operations a multiply-add; backward takes twice what forward takes. */
    plan.gflop_per_step = 6e-9 * forward_work(&stack, (double)settings->batch);
    ns_stack_clear(&stack);
    return plan;
}

bool ns_plan_check(const NsPlan *plan, GError **error)
{
    size_t available = ns_memory_available();
    if (!available || plan->total_bytes <= available) return true;
    g_autofree char *needs = g_format_size_full(plan->total_bytes, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *has = g_format_size_full(available, G_FORMAT_SIZE_IEC_UNITS);
    g_autofree char *activations =
        g_format_size_full(plan->activation_bytes, G_FORMAT_SIZE_IEC_UNITS);
    g_set_error(error, NS_ERROR, NS_ERROR_MEMORY,
                "This run needs %s of memory (%s of it for activations) and %s are free; choose "
                "fewer layers or a smaller width, sequence or batch.",
                needs, activations, has);
    return false;
}
