/* Texts that are written again and again, kept with their glyphs.  SPDX-License-Identifier: MIT
 *
 * Shaping a word takes longer than drawing it, and a chart that follows a run writes the same ones
 * in every frame. */
#pragma once

#include "ui/plot/style.h"

#include <pango/pangocairo.h>

/* Gives a context a pool, and takes it away: the texts hold the context, so that it would live as
 * long as they. */
void ns_text_pool_add(PangoContext *context);
void ns_text_pool_drop(PangoContext *context);

/* All texts that were taken are given back: they may be taken again, and changed. */
void ns_text_pool_recall(PangoContext *context);

/* A text that was put there with the same arguments, neither limited nor aligned, or NULL.  Nobody
 * else has it until the next recall.  Free with g_object_unref. */
PangoLayout *ns_text_pool_take(PangoContext *context, const char *font, double size, bool bold,
                               const char *text);

/* Does nothing for a context without a pool. */
void ns_text_pool_put(PangoContext *context, const char *font, double size, bool bold,
                      const char *text, PangoLayout *layout);
