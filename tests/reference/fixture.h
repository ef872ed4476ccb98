/* Reference values in a file.  SPDX-License-Identifier: MIT
 *
 * Reads the safetensors files that make_fixtures.py writes.  Anything wrong with a file fails the
 * running test. */
#pragma once

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

/* Whether there is a tensor, or a text of the metadata, of the name that a format makes. */
bool fixture_has(const Fixture *fixture, const char *format, ...) G_GNUC_PRINTF(2, 3);
bool fixture_has_text(const Fixture *fixture, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A text of the metadata; borrowed. */
const char *fixture_text(const Fixture *fixture, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* A tensor of any type as n elements; it must have n elements.  Free with g_free. */
double *fixture_elements(const Fixture *fixture, size_t n, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* The first n of a tensor's elements, which may be more.  Free with g_free. */
double *fixture_first_elements(const Fixture *fixture, size_t n, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
