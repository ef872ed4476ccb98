/* Reference values in a file.  SPDX-License-Identifier: MIT
 *
 * Reads the safetensors files that make_fixtures.py writes.  Anything wrong with a file fails the
 * running test. */
#pragma once

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    char *bytes;
    const char *data;
    JsonParser *parser;
    JsonObject *header; /* borrowed from the parser */
} Fixture;

/* Opens fixtures/NAME.safetensors beside this source. */
void fixture_open(Fixture *fixture, const char *name);
void fixture_clear(Fixture *fixture);

/* A text of the metadata; borrowed. */
const char *fixture_metadata(const Fixture *fixture, const char *key);

/* Tensors whose name begins with a prefix. */
size_t fixture_count(const Fixture *fixture, const char *prefix);

/* A tensor of any type as n reals; it must have n elements.  Free with g_free. */
double *fixture_reals(const Fixture *fixture, const char *name, size_t n);
