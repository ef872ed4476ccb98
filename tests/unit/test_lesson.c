/* Lessons and what their cards wait for: reading and refusing.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/optim/schedule.h"
#include "core/store/bundled.h"
#include "core/store/lecture.h"
#include "core/store/lesson.h"

#include <math.h>
#include <string.h>

#define HEAD "title = T\nsummary = S\n"
#define CARD "[card]\ntitle = C\ntext = X\n"

static NsLesson *read_lesson(const char *text)
{
    g_autoptr(GError) error = NULL;
    NsLesson *lesson = ns_lesson_new(text, strlen(text), &error);
    g_assert_no_error(error);
    return lesson;
}

static void assert_setting(const NsExperiment *lanes, size_t lane, const char *key,
                           const char *value)
{
    g_autofree char *is = ns_settings_get(&lanes->lane[lane], ns_param_find(key));
    g_assert_cmpstr(is, ==, value);
}

static void test_read(void)
{
    g_autoptr(NsLesson) lesson = read_lesson(
        HEAD "[card]\ntitle = One\ntext = First.\ntext = Second.\n"
             "setup = layers=3\nsetup-b = placement=pre\npage = profile\n"
             "highlight = layers\nstart = 2\ntheory = on\nask = Which?\nchoice = a\nwhy = "
             "No.\nright = b\nwhy = So.\n"
             "wait = answered\nclaim = 1 < 2\nclaim = 2 < 3\n"
             "[card]\ntitle = Two\ntext = T\ndo = warmup=7\ndo-a = layers=4\nrun = 30\nfit = all\n"
             "[card]\ntitle = Three\ntext = T\ndraw = grad-w2\ndraw-lane = b\n"
             "draw-step = 5\ntry = placement clip\ntried = Good.\n" CARD);
    g_assert_cmpuint(lesson->n, ==, 4);
    g_assert_cmpuint(g_strv_length(lesson->card[2].tries), ==, 2);
    g_assert_cmpstr(lesson->card[2].tries[1], ==, "clip");
    g_assert_cmpstr(lesson->card[2].tried, ==, "Good.");
    g_assert_null(lesson->card[1].tries);
    const NsCard *one = &lesson->card[0], *two = &lesson->card[1], *three = &lesson->card[2];
    g_assert_cmpuint(g_strv_length(one->texts), ==, 2);
    g_assert_cmpstr(one->page, ==, "profile");
    g_assert_cmpstr(one->highlight, ==, "layers");
    g_assert_true(one->theory);
    g_assert_true(two->fit_all && !one->fit_all);
    g_assert_cmpuint(one->n_choices, ==, 2);
    g_assert_cmpuint(one->right, ==, 1);
    g_assert_cmpstr(one->why[0], ==, "No.");
    g_assert_cmpstr(one->why[1], ==, "So.");
    g_assert_cmpuint(one->conditions.n, ==, 1);
    g_assert_cmpuint(g_strv_length(one->claims), ==, 2);
    g_assert_cmpuint(one->begin.n, ==, 2);
    assert_setting(&one->begin, 0, "placement", "post");
    assert_setting(&one->begin, 1, "placement", "pre");
    g_assert_false(one->asks_for_settings);
    /* What was done stays done on the cards that follow. */
    g_assert_cmpuint(two->begin.n, ==, 0);
    g_assert_true(two->asks_for_settings);
    g_assert_cmpint(two->run, ==, 30);
    g_assert_true(one->data == SIZE_MAX && two->data == SIZE_MAX);
    g_assert_cmpuint(three->data, ==, 1);
    g_assert_cmpuint(lesson->card[3].data, ==, 1);
    g_assert_cmpint(one->start, ==, 2);
    assert_setting(&two->end, 0, "layers", "4");
    assert_setting(&two->end, 1, "layers", "3");
    assert_setting(&three->end, 0, "layers", "4");
    assert_setting(&three->end, 1, "warmup", "7");
    g_assert_true(three->draws);
    g_assert_cmpuint(three->draw_lane, ==, 1);
    g_assert_cmpint(three->draw_step, ==, 5);
}

/* The cards that follow a setup are about the step to which it is trained. */
static void test_start(void)
{
    g_autoptr(NsLesson) lesson =
        read_lesson(HEAD CARD "setup = layers=2\nstart = 3\n" CARD CARD "do = layers=4\n" CARD);
    static const int64_t STEPS[] = {3, 3, 0, 0};
    for (size_t i = 0; i < G_N_ELEMENTS(STEPS); i++)
        g_assert_cmpint(ns_lesson_data_step(lesson, i), ==, STEPS[i]);
}

/* What a card changes acts at the end of the run before, and stays on the cards that follow. */
static void test_change(void)
{
    g_autoptr(NsLesson) lesson = read_lesson(HEAD CARD "setup = layers=2\nrun = 3\n" CARD CARD
                                                       "change = lr=1\nrun = 5\n" CARD);
    const NsCard *card = lesson->card;
    g_assert_true(card[0].change == 0 && card[1].change == 0 && card[3].change == 0);
    g_assert_cmpint(card[2].change, ==, 3);
    g_assert_false(card[2].asks_for_settings);
    g_assert_cmpuint(card[2].data, ==, 0);
    g_assert_cmpuint(card[3].data, ==, 2);
    assert_setting(&card[1].end, 0, "lr", "0.003");
    assert_setting(&card[2].end, 0, "lr", "1");
    assert_setting(&card[3].end, 0, "lr", "1");
}

static void assert_refused(const char *text, const char *words)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(ns_lesson_new(text, strlen(text), &error));
    g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, words));
    g_assert_true(g_str_has_suffix(error->message, ".") || g_str_has_suffix(error->message, "?"));
}

static void test_refused(void)
{
    assert_refused("", "not a lesson");
    assert_refused(HEAD CARD CARD CARD, "4 to 7");
    assert_refused(HEAD CARD CARD CARD CARD CARD CARD CARD CARD, "at most 7");
    assert_refused("title = T\n" CARD CARD CARD CARD, "summary");
    assert_refused("color = red\n", "Line 1: There is no key “color”; there are title, summary.");
    assert_refused("titel = red\n", "Line 1: There is no key “titel”; did you mean “title”?");
    assert_refused(HEAD "[other]\n", "Line 3: ");
    assert_refused(HEAD "[card]\ntitle = C\n[card]\n", "Line 3: ");
    assert_refused(HEAD CARD "color = red\n", "Line 6: ");
    assert_refused(HEAD CARD "setup = placement=pre mixture=post*3\n" CARD,
                   "Line 6: placement=pre");
    assert_refused(HEAD CARD "setup = layers=x\n" CARD, "Line 6: ");
    assert_refused(HEAD CARD "setup = heads=5\n" CARD, "Line 3: ");
    assert_refused(HEAD CARD "setup-e = heads=5\n" CARD, "Line 6: ");
    assert_refused(HEAD CARD "setup-a = layers=2\ndo-b = layers=3\n" CARD, "Line 7: ");
    assert_refused(HEAD CARD "do-a = layers=2\n" CARD, "Line 6: ");
    assert_refused(HEAD CARD "run = soon\n", "Line 6: ");
#define RUN CARD "setup = layers=2\nrun = 3\n"
    assert_refused(HEAD CARD "change = lr=1\n" CARD, "Line 3: A change needs the run");
    assert_refused(HEAD CARD "run = 3\n" CARD "change = lr=1\n" CARD, "Line 7: A change needs");
    assert_refused(HEAD RUN CARD "setup = layers=2\nchange = lr=1\n" CARD, "Line 8: A change");
    assert_refused(HEAD RUN CARD "do = warmup=2\nchange = lr=1\n" CARD, "Line 8: A change");
    assert_refused(HEAD RUN CARD "change-b = lr=1\n" CARD, "Line 11: There is no such lane.");
    assert_refused(HEAD RUN CARD "change = lr=1 layers=3\n" CARD,
                   "Line 8: “layers” does not act on a running model");
    assert_refused(HEAD CARD "wait = soon\n", "Line 6: ");
    assert_refused(HEAD CARD "ask = Which?\nchoice = a\nchoice = b\n" CARD, "Line 3: ");
    assert_refused(HEAD CARD "ask = Which?\nright = b\n" CARD, "Line 3: ");
    assert_refused(HEAD CARD "right = a\nright = b\n", "Line 7: ");
    assert_refused(HEAD CARD "choice = a\nchoice = b\nchoice=c\nchoice=d\nchoice=e\nchoice=f\n",
                   "Line 11: ");
    assert_refused(HEAD CARD "ask = Which?\nchoice = a\nright = b\nwhy = So.\n" CARD,
                   "Line 3: Each answer");
    assert_refused(HEAD CARD "why = So.\nchoice = a\n", "Line 6: ");
    assert_refused(HEAD CARD "try = placement\n" CARD, "tried");
    assert_refused(HEAD CARD "tried = Good.\n" CARD, "try");
    assert_refused(HEAD CARD "try = place\ntried = Good.\n" CARD, "is no setting");
    assert_refused(HEAD CARD "choice = a\nwhy = So.\nwhy = So.\n", "Line 8: ");
    assert_refused(HEAD CARD "draw = loss\n", "Line 6: ");
    assert_refused(HEAD CARD "setup = seed=1\ndraw = grad-w2\ndraw-lane = b\n" CARD, "Line 3: ");
    assert_refused(HEAD CARD "draw-lane = e\n", "Line 6: ");
}

/* Sixty words are the most, over all paragraphs of a card. */
static void test_words(void)
{
    g_autoptr(GString) text = g_string_new(HEAD "[card]\ntitle = C\ntext =");
    for (size_t i = 0; i < NS_CARD_WORDS - 1; i++) g_string_append(text, " word");
    g_autofree char *most = g_strconcat(text->str, "\ntext = last\n" CARD CARD CARD, NULL);
    g_autofree char *more = g_strconcat(text->str, "\ntext = last one\n" CARD CARD CARD, NULL);
    ns_lesson_free(read_lesson(most));
    assert_refused(more, "60 words");
}

static void test_conditions(void)
{
    NsLessonConditions conditions;
    g_autoptr(GError) error = NULL;
    ns_lesson_conditions_read(&conditions, "", &error);
    g_assert_no_error(error);
    g_assert_cmpuint(conditions.n, ==, 0);
    ns_lesson_conditions_read(
        &conditions,
        "setting B warmup >= 100  and setting A placement = pre and applied and "
        "step > 3 and page = profile and loss A < 2.5 and diverged D and "
        "setting A text = a.txt",
        &error);
    g_assert_no_error(error);
    g_assert_cmpuint(conditions.n, ==, 8);
    g_assert_cmpint(conditions.term[0].kind, ==, NS_CONDITION_SETTING);
    g_assert_cmpuint(conditions.term[0].lane, ==, 1);
    g_assert_cmpint(conditions.term[6].kind, ==, NS_CONDITION_DIVERGED);
    g_assert_cmpuint(conditions.term[6].lane, ==, 3);
    g_assert_cmpstr(conditions.term[4].word, ==, "profile");
    NsSettings settings;
    ns_settings_init(&settings);
    g_assert_false(ns_lesson_condition_setting(&conditions.term[0], &settings));
    g_assert_false(ns_lesson_condition_setting(&conditions.term[1], &settings));
    g_assert_false(ns_lesson_condition_setting(&conditions.term[7], &settings));
    ns_settings_assign_all(&settings, "warmup=100 placement=pre text=a.txt", &error);
    g_assert_no_error(error);
    g_assert_true(ns_lesson_condition_setting(&conditions.term[0], &settings));
    g_assert_true(ns_lesson_condition_setting(&conditions.term[1], &settings));
    g_assert_true(ns_lesson_condition_setting(&conditions.term[7], &settings));
    ns_settings_clear(&settings);
    ns_lesson_conditions_clear(&conditions);
}

static void test_relations(void)
{
    static const struct {
        const char *text;
        bool below, at, above;
    } table[] = {{"step = 3", false, true, false},
                 {"step >= 3", false, true, true},
                 {"step <= 3", true, true, false},
                 {"step > 3", false, false, true},
                 {"step < 3", true, false, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        NsLessonConditions conditions;
        g_assert_true(ns_lesson_conditions_read(&conditions, table[i].text, NULL));
        g_assert_cmpint(ns_lesson_condition_compare(conditions.term, 2), ==, table[i].below);
        g_assert_cmpint(ns_lesson_condition_compare(conditions.term, 3), ==, table[i].at);
        g_assert_cmpint(ns_lesson_condition_compare(conditions.term, 4), ==, table[i].above);
        g_assert_false(ns_lesson_condition_compare(conditions.term, (double)NAN));
        ns_lesson_conditions_clear(&conditions);
    }
}

static void test_conditions_refused(void)
{
    static const char *const texts[] = {"soon",
                                        "step",
                                        "step >= many",
                                        "step ~ 3",
                                        "step >= 3 and",
                                        "and step >= 3",
                                        "step >= 3 4",
                                        "step >= inf",
                                        "setting E layers = 3",
                                        "setting A none-such = 3",
                                        "setting A placement = none-such",
                                        "setting A placement >= pre",
                                        "page >= profile",
                                        "layer 3"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        NsLessonConditions conditions;
        g_autoptr(GError) error = NULL;
        g_test_message("%s", texts[i]);
        g_assert_false(ns_lesson_conditions_read(&conditions, texts[i], &error));
        g_assert_error(error, NS_ERROR, NS_ERROR_SETTING);
        g_assert_cmpuint(conditions.n, ==, 0);
    }
}

/* The first look, twelve lessons, fourteen presets and two lectures, each with a title and a line
 * on what it is for. */
static void test_bundled(void)
{
    size_t lessons = 0, presets = 0;
    for (; ns_lesson_choice(lessons); lessons++) {
        g_assert_nonnull(ns_lesson_choice(lessons)->label);
        g_assert_nonnull(ns_lesson_choice(lessons)->purpose);
    }
    for (; ns_preset_choice(presets); presets++) {
        g_assert_nonnull(ns_preset_choice(presets)->label);
        g_assert_nonnull(ns_preset_choice(presets)->purpose);
    }
    g_assert_cmpuint(lessons, ==, 13);
    g_assert_cmpstr(ns_lesson_choice(0)->key, ==, "first-look");
    g_assert_cmpuint(presets, ==, 14);
    g_assert_cmpstr(ns_lesson_choice(4)->key, ==, "warm-up");
    g_assert_cmpstr(ns_preset_choice(8)->key, ==, "sgd-adam");
    g_assert_cmpstr(ns_lecture_choice(1)->key, ==, "depth");
    g_assert_nonnull(ns_lecture_choice(0)->purpose);
    g_assert_null(ns_lecture_choice(2));
}

/* ---- What lessons and presets compare ---- */

/* Settings in which the lanes of a lesson or preset differ, where it is not the placement alone;
 * its texts name each of them. */
static const struct {
    const char *key, *settings;
} compared[] = {
    {"final-norm", "final-norm"},
    {"sgd-and-adam", "optimizer lr"},
    {"other-remedies", "lr clip optimizer placement"}, /* four, one to a lane */
    {"what-broke-first", "clip"},
    {"depth-ladder", "layers"},
    {"sgd-adam", "placement optimizer lr"},
    {"Pre-LN needs none", "placement warmup"}, /* scenes by their titles */
    {"A ladder of depths", "layers"},
};

static void assert_one_change(const char *key, const NsExperiment *experiment)
{
    const char *settings = "placement";
    for (size_t i = 0; i < G_N_ELEMENTS(compared); i++)
        if (g_str_equal(compared[i].key, key)) settings = compared[i].settings;
    g_auto(GStrv) allowed = g_strsplit(settings, " ", -1);
    for (size_t lane = 1; lane < experiment->n; lane++)
        for (size_t i = 0; ns_param(i); i++) {
            if (ns_settings_same(&experiment->lane[0], &experiment->lane[lane], ns_param(i)))
                continue;
            g_test_message("%s: lane %zu has another %s", key, lane, ns_param(i)->key);
            g_assert_true(g_strv_contains((const char *const *)allowed, ns_param(i)->key));
        }
}

/* From the end of its warm-up on the rate of every lane is its peak, so that lanes and runs with
 * different warm-ups differ in nothing afterwards. */
static void assert_no_decay(const char *key, const NsExperiment *experiment)
{
    for (size_t lane = 0; lane < experiment->n; lane++) {
        const NsSettings *settings = &experiment->lane[lane];
        g_test_message("%s: lane %zu", key, lane);
        for (int64_t step = settings->warmup; step <= settings->warmup + 10000; step += 50)
            g_assert_cmpfloat(ns_schedule_lr(settings, step), ==, settings->lr);
    }
}

/* "with 5 seeds:" and "with 4 of 5 seeds:" are 5, no such words are 1. */
static gint64 seeds_of(const char *claim)
{
    const char *seeds = strstr(claim, " seeds:");
    if (!seeds) return 1;
    while (seeds > claim && g_ascii_isdigit(seeds[-1])) seeds--;
    return g_ascii_strtoll(seeds, NULL, 10);
}

/* Whether a claim is about a loss after training has begun: that of step 0 is written "(A, 0)". */
static bool is_about_learning(const char *claim)
{
    for (const char *at = strstr(claim, "loss("); at; at = strstr(at + 1, "loss("))
        if (g_ascii_strtoll(strchr(at, ',') + 1, NULL, 10) > 0) return true;
    return false;
}

static void assert_seeds(const char *key, char **claims)
{
    for (char **claim = claims; claim && *claim; claim++) {
        g_test_message("%s: %s", key, *claim);
        if (is_about_learning(*claim)) g_assert_cmpint(seeds_of(*claim), >=, 5);
    }
}

static void test_lesson_compares(void)
{
    for (size_t i = 0; ns_lesson_choice(i); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(NsLesson) lesson = ns_lesson_open(i, &error);
        g_assert_no_error(error);
        const char *key = ns_lesson_choice(i)->key;
        for (size_t c = 0; c < lesson->n; c++) {
            assert_one_change(key, &lesson->card[c].end);
            assert_no_decay(key, &lesson->card[c].end);
            assert_seeds(key, lesson->card[c].claims);
        }
    }
}

/* The one lane of a published model has its schedule, and ends with it. */
static bool is_published(const char *key, const NsExperiment *experiment)
{
    static const char *const models[] = {"gpt-2",       "bert",          "llama-like",
                                         "olmo-2-like", "nanochat-like", NULL};
    if (!g_strv_contains(models, key)) return false;
    const NsSettings *settings = &experiment->lane[0];
    g_assert_cmpuint(experiment->n, ==, 1);
    g_assert_cmpfloat(ns_schedule_lr(settings, settings->decay_start), ==, settings->lr);
    g_assert_cmpfloat(ns_schedule_lr(settings, settings->steps), ==, 0);
    return true;
}

static void test_preset_compares(void)
{
    for (size_t i = 0; ns_preset_choice(i); i++) {
        g_autoptr(GError) error = NULL;
        g_auto(NsPreset) preset;
        ns_preset_init(&preset);
        ns_preset_find(&preset, ns_preset_choice(i)->key, &error);
        g_assert_no_error(error);
        assert_one_change(ns_preset_choice(i)->key, &preset.experiment);
        if (!is_published(ns_preset_choice(i)->key, &preset.experiment))
            assert_no_decay(ns_preset_choice(i)->key, &preset.experiment);
        assert_seeds(ns_preset_choice(i)->key, preset.claims);
    }
}

static void test_scene_compares(void)
{
    for (size_t i = 0; ns_lecture_choice(i); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(NsLecture) lecture = ns_lecture_open(i, &error);
        g_assert_no_error(error);
        for (size_t k = 0; k < lecture->n; k++) {
            const NsPreset *scene = &lecture->scene[k].preset;
            assert_one_change(scene->experiment.title, &scene->experiment);
            assert_no_decay(scene->experiment.title, &scene->experiment);
            assert_seeds(scene->experiment.title, scene->claims);
        }
    }
}

/* A warm-up acts from the first step on: a card that changes it waits for another run. */
static void test_warm_up_restarts(void)
{
    const NsParam *warmup = ns_param_find("warmup");
    size_t changes = 0;
    for (size_t i = 0; ns_lesson_choice(i); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(NsLesson) lesson = ns_lesson_open(i, &error);
        g_assert_no_error(error);
        for (size_t c = 1; c < lesson->n; c++) {
            const NsCard *card = &lesson->card[c];
            const NsSettings *before = &lesson->card[c - 1].end.lane[0];
            if (!card->asks_for_settings || ns_settings_same(before, &card->end.lane[0], warmup))
                continue;
            bool waits = false;
            for (size_t k = 0; k < card->conditions.n; k++)
                waits |= card->conditions.term[k].kind == NS_CONDITION_NEW_RUN;
            g_test_message("%s: %s", ns_lesson_choice(i)->key, card->title);
            g_assert_true(waits);
            changes++;
        }
    }
    g_assert_cmpuint(changes, ==, 5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/lesson/read", test_read);
    g_test_add_func("/lesson/start", test_start);
    g_test_add_func("/lesson/change", test_change);
    g_test_add_func("/lesson/refused", test_refused);
    g_test_add_func("/lesson/words", test_words);
    g_test_add_func("/lesson/conditions", test_conditions);
    g_test_add_func("/lesson/relations", test_relations);
    g_test_add_func("/lesson/conditions-refused", test_conditions_refused);
    g_test_add_func("/lesson/bundled", test_bundled);
    g_test_add_func("/lesson/compares", test_lesson_compares);
    g_test_add_func("/lesson/preset-compares", test_preset_compares);
    g_test_add_func("/lesson/scene-compares", test_scene_compares);
    g_test_add_func("/lesson/warm-up-restarts", test_warm_up_restarts);
    return g_test_run();
}
