/* SPDX-License-Identifier: MIT */
#include "core/base/tensor.h"

#include "core/base/rng.h"

#include <math.h>
#include <string.h>

/* Tensors start on multiples of this many reals: a cache line in single precision. */
#define LINE 16

size_t ns_tensor_size(const NsTensor *tensor)
{
    return tensor->cols ? tensor->rows * tensor->cols : tensor->rows;
}

size_t ns_tensor_table_add(NsTensorTable *table, NsTensor tensor, bool joined)
{
    /* Room doubles at every power of two. */
    if ((table->n & (table->n - 1)) == 0)
        table->tensors = g_renew(NsTensor, table->tensors, table->n ? 2 * table->n : 1);
    if (!joined) table->size = (table->size + LINE - 1) / LINE * LINE;
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

const NsTensor *ns_tensor_find(const NsTensorTable *table, const char *name)
{
    for (size_t i = 0; i < table->n; i++)
        if (g_str_equal(table->tensors[i].name, name)) return &table->tensors[i];
    return NULL;
}

void ns_tensor_table_init(const NsTensorTable *table, ns_real *arena, uint64_t seed)
{
    memset(arena, 0, table->size * sizeof *arena);
    for (size_t i = 0; i < table->n; i++) {
        const NsTensor *t = &table->tensors[i];
        ns_real *x = arena + t->offset;
        size_t n = ns_tensor_size(t);
        NsRng rng;
        switch (t->init) {
        case NS_INIT_ZERO:
            break;
        case NS_INIT_ONE:
            for (size_t j = 0; j < n; j++) x[j] = 1;
            break;
        case NS_INIT_CONSTANT:
            for (size_t j = 0; j < n; j++) x[j] = (ns_real)t->std;
            break;
        case NS_INIT_NORMAL:
            ns_rng_init(&rng, seed, ns_rng_stream(t->name));
            for (size_t j = 0; j < n; j++) x[j] = (ns_real)(t->std * ns_rng_normal(&rng));
            break;
        case NS_INIT_UNIFORM:
            ns_rng_init(&rng, seed, ns_rng_stream(t->name));
            for (size_t j = 0; j < n; j++)
                x[j] = (ns_real)(t->std * sqrt(3) * (2 * ns_rng_uniform(&rng) - 1));
            break;
        }
    }
}
