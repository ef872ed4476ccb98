/* SPDX-License-Identifier: MIT */
#include "tests/reference/fixture.h"

#include <string.h>

void fixture_open(Fixture *fixture, const char *name)
{
    g_autofree char *file = g_strconcat(name, ".safetensors", NULL);
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, "fixtures", file, NULL);
    g_autoptr(GError) error = NULL;
    gsize length = 0;
    g_file_get_contents(path, &fixture->bytes, &length, &error);
    g_assert_no_error(error);

    guint64 header_length = 0;
    g_assert_cmpuint(length, >, sizeof header_length);
    memcpy(&header_length, fixture->bytes, sizeof header_length);
    header_length = GUINT64_FROM_LE(header_length);
    g_assert_cmpuint(header_length, <=, length - sizeof header_length);

    fixture->parser = json_parser_new();
    json_parser_load_from_data(fixture->parser, fixture->bytes + sizeof header_length,
                               (gssize)header_length, &error);
    g_assert_no_error(error);
    fixture->header = json_node_get_object(json_parser_get_root(fixture->parser));
    fixture->data = fixture->bytes + sizeof header_length + header_length;
}

void fixture_clear(Fixture *fixture)
{
    g_clear_object(&fixture->parser);
    g_clear_pointer(&fixture->bytes, g_free);
}

static JsonObject *metadata(const Fixture *fixture)
{
    return json_object_get_object_member(fixture->header, "__metadata__");
}

G_GNUC_PRINTF(1, 0) static char *make_name(const char *format, va_list arguments)
{
    return g_strdup_vprintf(format, arguments);
}

/* The name that a format and the arguments after it make. */
#define MAKE_NAME(name, format)                                                                    \
    va_list arguments;                                                                             \
    va_start(arguments, format);                                                                   \
    g_autofree char *name = make_name(format, arguments);                                          \
    va_end(arguments)

bool fixture_has(const Fixture *fixture, const char *format, ...)
{
    MAKE_NAME(name, format);
    return json_object_has_member(fixture->header, name);
}

bool fixture_has_text(const Fixture *fixture, const char *format, ...)
{
    MAKE_NAME(name, format);
    return json_object_has_member(metadata(fixture), name);
}

const char *fixture_text(const Fixture *fixture, const char *format, ...)
{
    MAKE_NAME(name, format);
    if (!json_object_has_member(metadata(fixture), name))
        g_error("the fixture has no text %s", name);
    return json_object_get_string_member(metadata(fixture), name);
}

static double *read_elements(const Fixture *fixture, const char *name, size_t n, bool exactly)
{
    if (!json_object_has_member(fixture->header, name))
        g_error("the fixture has no tensor %s", name);
    JsonObject *entry = json_object_get_object_member(fixture->header, name);
    const char *type = json_object_get_string_member(entry, "dtype");
    JsonArray *ends = json_object_get_array_member(entry, "data_offsets");
    const gint64 begin = json_array_get_int_element(ends, 0);
    const gint64 end = json_array_get_int_element(ends, 1);
    const bool single = g_str_equal(type, "F32");
    const size_t stored = (size_t)(end - begin) / (single ? sizeof(float) : sizeof(double));
    if (exactly ? stored != n : stored < n)
        g_error("%s has %zu elements, not %zu", name, stored, n);

    double *elements = g_new(double, n);
    const char *data = fixture->data + begin;
    for (size_t i = 0; i < n; i++) {
        if (single) {
            float value;
            memcpy(&value, data + i * sizeof value, sizeof value);
            elements[i] = (double)value;
        } else if (g_str_equal(type, "F64")) {
            memcpy(&elements[i], data + i * sizeof elements[i], sizeof elements[i]);
        } else {
            gint64 value;
            memcpy(&value, data + i * sizeof value, sizeof value);
            elements[i] = (double)value;
        }
    }
    return elements;
}

double *fixture_elements(const Fixture *fixture, size_t n, const char *format, ...)
{
    MAKE_NAME(name, format);
    return read_elements(fixture, name, n, true);
}

double *fixture_first_elements(const Fixture *fixture, size_t n, const char *format, ...)
{
    MAKE_NAME(name, format);
    return read_elements(fixture, name, n, false);
}
