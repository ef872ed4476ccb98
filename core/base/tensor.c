/* SPDX-License-Identifier: MIT */
#include "core/base/tensor.h"

#include "core/base/rng.h"
#include "core/base/share.h"

#include <math.h>
#include <string.h>

size_t ns_tensor_size(const NsTensor *tensor)
{
    return tensor->cols ? tensor->rows * tensor->cols : tensor->rows;
}

size_t ns_tensor_table_add(NsTensorTable *table, NsTensor tensor, bool joined)
{
    /* The array is full when n is a power of two; its capacity then doubles. */
    if ((table->n & (table->n - 1)) == 0)
        table->tensors = g_renew(NsTensor, table->tensors, table->n ? 2 * table->n : 1);
    if (!joined) table->size = ns_real_lines(table->size);
    tensor.offset = table->size;
    table->tensors[table->n] = tensor;
    table->size += ns_tensor_size(&tensor);
    table->elements += ns_tensor_size(&tensor);
    return table->n++;
}

void ns_tensor_table_clear(NsTensorTable *table)
{
    g_free(table->tensors);
    *table = (NsTensorTable){0};
}

bool ns_tensor_in_layer(const NsTensor *t, size_t layer)
{
    return t->layer >= 0 && layer >= (size_t)t->layer && layer < (size_t)t->layer + t->layers;
}

const NsTensor *ns_tensor_find(const NsTensorTable *table, const char *name)
{
    for (size_t i = 0; i < table->n; i++)
        if (g_str_equal(table->tensors[i].name, name)) return &table->tensors[i];
    return NULL;
}

/* ---- Initial values ---- */

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
