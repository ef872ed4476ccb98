/* SPDX-License-Identifier: MIT */
#include "core/data/pair_lengths.h"

/* A group has pairs for at least this many batches, if there are enough pairs.  Larger groups have
 * more padding: on Multi30k with 2,048 tokens a batch, 8% with 8 batches and 14% with 32. */
#define GROUP_BATCHES 8

/* Statistics of the pairs of one length. */
typedef struct {
    size_t n;
    size_t source, target; /* the largest number of tokens on each side */
    double tokens;         /* the sum over all pairs and both sides */
} SameLength;

struct NsPairLengths {
    size_t n, longest;
    guint32 *order;   /* [n] indices of the pairs, sorted by length */
    SameLength *same; /* [longest + 1] by length */
};

static size_t length_of(const NsPair *pair)
{
    return MAX(pair->source_length, pair->target_length);
}

NsPairLengths *ns_pair_lengths_new(const NsPair *pairs, size_t n)
{
    NsPairLengths *lengths = g_new0(NsPairLengths, 1);
    lengths->n = n;
    for (size_t i = 0; i < n; i++) lengths->longest = MAX(lengths->longest, length_of(&pairs[i]));
    lengths->order = g_new(guint32, n);
    lengths->same = g_new0(SameLength, lengths->longest + 1);
    for (size_t i = 0; i < n; i++) {
        SameLength *same = &lengths->same[length_of(&pairs[i])];
        same->n++;
        same->source = MAX(same->source, pairs[i].source_length);
        same->target = MAX(same->target, pairs[i].target_length);
        same->tokens += (double)(pairs[i].source_length + pairs[i].target_length);
    }
    g_autofree size_t *next = g_new0(size_t, lengths->longest + 1);
    for (size_t k = 1; k <= lengths->longest; k++) next[k] = next[k - 1] + lengths->same[k - 1].n;
    for (size_t i = 0; i < n; i++) lengths->order[next[length_of(&pairs[i])]++] = (guint32)i;
    return lengths;
}

void ns_pair_lengths_free(NsPairLengths *lengths)
{
    if (!lengths) return;
    g_free(lengths->order);
    g_free(lengths->same);
    g_free(lengths);
}

size_t ns_pair_lengths_pair(const NsPairLengths *lengths, size_t i)
{
    return lengths->order[i];
}

static size_t pairs_of(size_t tokens, size_t length)
{
    return MAX(tokens / length, 1);
}

/* The state of an iteration over the groups, from the shortest pairs to the longest. */
typedef struct {
    size_t length; /* length of the shortest pairs of the next group */
    double tokens; /* sum over the pairs of the current group */
    NsPairGroup group;
} Walk;

static bool next_group(const NsPairLengths *lengths, size_t tokens, Walk *walk)
{
    NsPairGroup *group = &walk->group;
    *group = (NsPairGroup){.first = group->first + group->n};
    walk->tokens = 0;
    for (; walk->length <= lengths->longest; walk->length++) {
        size_t rest = lengths->n - group->first - group->n;
        size_t enough = GROUP_BATCHES * pairs_of(tokens, walk->length);
        bool others = rest >= GROUP_BATCHES * pairs_of(tokens, lengths->longest);
        if (group->n >= enough && others) break;
        const SameLength *same = &lengths->same[walk->length];
        group->n += same->n;
        group->S = MAX(group->S, same->source);
        group->T = MAX(group->T, same->target);
        walk->tokens += same->tokens;
    }
    if (group->n > 0) group->B = pairs_of(tokens, MAX(group->S, group->T));
    return group->n > 0;
}

/* The number of batches in which every pair of a group occurs once. */
static double batches_of(const NsPairGroup *group)
{
    return (double)group->n / (double)group->B;
}

NsPairGroup ns_pair_lengths_draw(const NsPairLengths *lengths, size_t tokens, NsRng *rng)
{
    double batches = 0;
    for (Walk walk = {.length = 1}; next_group(lengths, tokens, &walk);)
        batches += batches_of(&walk.group);
    double at = batches * ns_rng_uniform(rng);
    Walk walk = {.length = 1};
    next_group(lengths, tokens, &walk);
    NsPairGroup draw = walk.group;
    while ((at -= batches_of(&draw)) > 0 && next_group(lengths, tokens, &walk)) draw = walk.group;
    return draw;
}

double ns_pair_lengths_padding(const NsPairLengths *lengths, const NsBatch *batch)
{
    double positions = 0, used = 0;
    for (Walk walk = {.length = 1}; next_group(lengths, MAX(batch->capacity, 1), &walk);) {
        size_t each = batch->capacity ? walk.group.S + walk.group.T : batch->S + batch->T;
        positions += (double)(walk.group.n * each);
        used += walk.tokens;
    }
    return 1 - used / positions;
}
