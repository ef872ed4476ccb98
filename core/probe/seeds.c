/* SPDX-License-Identifier: MIT */
#include "core/probe/seeds.h"

#include "core/settings/settings.h"

#include <math.h>

/* Lists the seeds that have a record, with or without those that diverged; returns how many. */
static size_t list_seeds(NsHistory *history, bool diverged, NsHistory *seeds[NS_SEEDS_MAX])
{
    size_t n = 0;
    for (size_t k = 0; k < ns_history_seeds(history); k++) {
        NsHistory *seed = ns_history_seed(history, k);
        bool fits = diverged || !ns_history_divergence(seed);
        if (ns_history_steps(seed) && fits) seeds[n++] = seed;
    }
    return n;
}

/* Lists the seeds that means are taken over. */
static size_t find_seeds(NsHistory *history, NsHistory *seeds[NS_SEEDS_MAX])
{
    size_t n = list_seeds(history, false, seeds);
    return n ? n : list_seeds(history, true, seeds);
}

size_t ns_seeds_records(NsHistory *history)
{
    NsHistory *seeds[NS_SEEDS_MAX];
    size_t n = find_seeds(history, seeds), records = n ? ns_history_steps(seeds[0]) : 0;
    for (size_t k = 1; k < n; k++) records = MIN(records, ns_history_steps(seeds[k]));
    return records;
}

int64_t ns_seeds_record(NsHistory *history, int64_t step)
{
    NsHistory *seeds[NS_SEEDS_MAX];
    if (!find_seeds(history, seeds) || step > ns_history_last_step(seeds[0])) return -1;
    return ns_history_record(seeds[0], step);
}

NsStep ns_seeds_step(NsHistory *history, size_t record)
{
    NsHistory *seeds[NS_SEEDS_MAX];
    size_t n = find_seeds(history, seeds);
    NsStep mean = *ns_history_step(seeds[0], record);
    for (size_t k = 1; k < n; k++) {
        const NsStep *step = ns_history_step(seeds[k], record);
        mean.loss += step->loss;
        mean.grad_norm += step->grad_norm;
    }
    mean.loss /= (double)n;
    mean.grad_norm /= (double)n;
    return mean;
}

NsStep ns_seeds_deviation(NsHistory *history, size_t record)
{
    NsHistory *seeds[NS_SEEDS_MAX];
    size_t n = find_seeds(history, seeds);
    NsStep mean = ns_seeds_step(history, record), squares = mean;
    squares.loss = squares.grad_norm = 0;
    for (size_t k = 0; k < n; k++) {
        const NsStep *step = ns_history_step(seeds[k], record);
        squares.loss += (step->loss - mean.loss) * (step->loss - mean.loss);
        squares.grad_norm +=
            (step->grad_norm - mean.grad_norm) * (step->grad_norm - mean.grad_norm);
    }
    squares.loss = sqrt(squares.loss / (double)MAX(n - 1, 1));
    squares.grad_norm = sqrt(squares.grad_norm / (double)MAX(n - 1, 1));
    return squares;
}
