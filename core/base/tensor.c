/* SPDX-License-Identifier: MIT */
#include "core/base/tensor.h"

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
