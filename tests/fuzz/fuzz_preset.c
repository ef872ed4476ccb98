/* Any bytes as a preset and as a lecture.  SPDX-License-Identifier: MIT
 *
 * Each is refused with an error of the program's own, or what is written of a preset reads back to
 * the same. */
#include "core/experiment/assignment.h"
#include "core/store/lecture.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_lanes(const NsPreset *a, const NsPreset *b)
{
    require(a->experiment.n == b->experiment.n);
    for (size_t i = 0; i < a->experiment.n; i++) {
        g_autofree char *one = ns_settings_line(&a->experiment.lane[i], true);
        g_autofree char *other = ns_settings_line(&b->experiment.lane[i], true);
        require(g_str_equal(one, other));
    }
}

static void check_round_trip(const NsPreset *preset)
{
    g_autofree char *text = ns_preset_write(preset);
    g_auto(NsPreset) again;
    ns_preset_init(&again);
    require(ns_preset_read(&again, text, strlen(text), NULL));
    check_lanes(preset, &again);
    g_autofree char *second = ns_preset_write(&again);
    require(g_str_equal(text, second));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_auto(NsPreset) preset;
    ns_preset_init(&preset);
    g_autoptr(GError) error = NULL;
    ns_preset_is((const char *)data, size);
    if (ns_preset_read(&preset, (const char *)data, size, &error))
        check_round_trip(&preset);
    else
        require_sentence(error);
    g_autoptr(GError) wrong = NULL;
    g_autoptr(NsLecture) lecture = ns_lecture_new((const char *)data, size, &wrong);
    if (!lecture) require_sentence(wrong);
    for (size_t k = 0; lecture && k < lecture->n; k++) check_round_trip(&lecture->scene[k].preset);
    return 0;
}
