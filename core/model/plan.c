/* What a run will take, counted by the code that later allocates it.  SPDX-License-Identifier: MIT
 */
#include "core/model/stack.h"

#include "core/base/error.h"

#include <string.h>
#include <unistd.h>

NsPlan ns_model_plan(const NsSettings *settings, size_t vocab)
{
    NsStack stack;
    ns_stack_init(&stack, settings, ns_placement(settings->placement), vocab);
    NsPlan plan = {.parameters = stack.table.elements, .threads = ns_stack_shards(settings)};

    size_t arena = stack.table.size * sizeof(ns_real);
    plan.weight_bytes = arena;
    plan.gradient_bytes = arena * plan.threads;
    plan.moment_bytes = 2 * arena;
    g_autofree NsActivations *room = g_new(NsActivations, 2 * stack.L);
    for (unsigned i = 0; i < plan.threads; i++) {
        size_t first, n;
        ns_stack_shard_range(settings, i, &first, &n);
        NsShard shard = {.sublayers = room};
        NsCursor cursor = {0};
        ns_shard_take(&shard, &stack, first, n, &cursor);
        plan.activation_bytes += cursor.used * sizeof(ns_real);
    }
    plan.total_bytes =
        plan.weight_bytes + plan.gradient_bytes + plan.moment_bytes + plan.activation_bytes;

    /* Two operations a multiply-add; backward takes twice what forward takes. */
    double tokens = (double)settings->batch * (double)stack.T, D = (double)stack.D;
    double layer = 4 * D * D + 2 * D * (double)stack.F + 2 * (double)stack.T * D;
    plan.gflop_per_step = 6e-9 * tokens * ((double)stack.L * layer + D * (double)stack.V);
    ns_stack_clear(&stack);
    return plan;
}

/* Memory that could be had without swapping; 0 where the system does not say. */
static size_t available_bytes(void)
{
    g_autofree char *text = NULL;
    if (g_file_get_contents("/proc/meminfo", &text, NULL, NULL)) {
        const char *line = strstr(text, "MemAvailable:");
        if (line) return (size_t)g_ascii_strtoull(line + strlen("MemAvailable:"), NULL, 10) * 1024;
    }
    long pages = sysconf(_SC_AVPHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (size_t)pages * (size_t)size : 0;
}

bool ns_plan_check(const NsPlan *plan, GError **error)
{
    size_t available = available_bytes();
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
