/* What the drop-down of a tile offers.  SPDX-License-Identifier: MIT
 *
 * A choice is a number: an NsQuantity, an NsSimilarityKind or a place (NS_TILE_PLACE), as the
 * subject of the figure has it. */
#pragma once

#include "ui/figures/spec.h"

/* A layer, and a head where the figure is of one; from 1. */
#define NS_TILE_PLACE(layer, head) ((int)((layer) << 10 | (head)))
#define NS_TILE_LAYER(place) ((unsigned)(place) >> 10)
#define NS_TILE_HEAD(place) ((unsigned)(place)&1023)

/* An array of int: those that the figure can show of the history (NULL for none yet), the usual
 * ones first; `shown` is there whatever it is.  Empty where there is nothing to choose.  Free with
 * g_array_unref. */
GArray *ns_tile_choices(const NsFigureKind *kind, const NsHistory *history, int shown);

/* The choice that a spec has made; and makes another. */
int ns_tile_choice_of(const NsFigureSpec *spec);
void ns_tile_choose(NsFigureSpec *spec, int choice);

/* The words of a choice, and its symbol, which has _ and ^ (NULL for none). */
char *ns_tile_choice_label(const NsFigureKind *kind, int choice); /* free with g_free */
const char *ns_tile_choice_symbol(const NsFigureKind *kind, int choice);
const char *ns_tile_choice_purpose(const NsFigureKind *kind, int choice);
