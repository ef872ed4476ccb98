/* SPDX-License-Identifier: MIT */
#include "core/base/tensor_init.h"

#include "core/base/rng.h"
#include "core/base/share.h"

#include <math.h>
#include <string.h>

typedef struct {
    const NsTensorTable *table;
    ns_real *arena;
    uint64_t seed;
} Init;

static void init_share(void *data, const NsMember *member)
{
    const Init *init = data;
    NsShare share = ns_share(init->table, member->index, member->size);
    NsBlock block;
    while (ns_share_next(&share, &block)) {
        const NsTensor *t = &init->table->tensors[block.tensor];
        ns_real *x = init->arena + block.offset;
        size_t n = block.n, first = block.offset - t->offset;
        switch (t->init) {
        case NS_INIT_ZERO:
            break;
        case NS_INIT_ONE:
            for (size_t i = 0; i < n; i++) x[i] = 1;
            break;
        case NS_INIT_CONSTANT:
            for (size_t i = 0; i < n; i++) x[i] = (ns_real)t->std;
            break;
        case NS_INIT_NORMAL:
            ns_rng_fill_normal(x, n, first, t->std, init->seed, ns_rng_stream(t->name));
            break;
        case NS_INIT_UNIFORM:
            ns_rng_fill_uniform(x, n, first, t->std * sqrt(3), init->seed, ns_rng_stream(t->name));
            break;
        }
    }
}

void ns_tensor_table_init(const NsTensorTable *table, ns_real *arena, uint64_t seed, NsTeam *team)
{
    memset(arena, 0, table->size * sizeof *arena);
    ns_team_run(team, ns_share_most(table), init_share, &(Init){table, arena, seed});
}
