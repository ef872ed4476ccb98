/* The generated play: the same for a seed, well formed, and true.  SPDX-License-Identifier: MIT */
#include "core/data/grammar.h"

#include <glib.h>
#include <math.h>
#include <string.h>

#define CHARACTERS 400000

static void test_seeds(void)
{
    g_autofree char *one = ns_grammar_text(1, CHARACTERS);
    g_autofree char *again = ns_grammar_text(1, CHARACTERS);
    g_autofree char *two = ns_grammar_text(2, CHARACTERS);
    g_assert_cmpstr(one, ==, again);
    g_assert_cmpstr(one, !=, two);
    g_assert_cmpuint(strlen(one), >=, CHARACTERS);
    g_assert_cmpuint(strlen(one), <, CHARACTERS + 4000);

    g_autofree char *beginning = ns_grammar_text(1, 10);
    g_assert_true(g_str_has_prefix(one, beginning));
}

/* -sum p ln p */
static double entropy(const unsigned *counts, size_t n)
{
    double total = 0, sum = 0;
    for (size_t i = 0; i < n; i++) total += counts[i];
    for (size_t i = 0; i < n; i++)
        if (counts[i] > 0) sum -= counts[i] / total * log(counts[i] / total);
    return sum;
}

static void test_statistics(void)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        g_autofree char *text = ns_grammar_text(seed, CHARACTERS);
        unsigned single[128] = {0};
        g_autofree unsigned *pair = g_new0(unsigned, 128 * 128);
        size_t symbols = 0;
        for (const char *p = text; *p; p++) {
            g_assert_true(g_ascii_isprint(*p) || *p == '\n');
            size_t c = (size_t)*p;
            symbols += single[c]++ == 0;
            if (p[1]) pair[c * 128 + (size_t)p[1]]++;
        }
        double h1 = entropy(single, 128);
        double h2 = entropy(pair, 128 * 128) - h1;
        g_test_message("seed %u: %zu symbols, unigram %.3f, bigram %.3f nats", (unsigned)seed,
                       symbols, h1, h2);
        g_assert_cmpuint(symbols, >=, 55);
        g_assert_cmpuint(symbols, <=, 80);
        g_assert_cmpfloat(h1, >, 3.1);
        g_assert_cmpfloat(h1, <, 3.3);
        g_assert_cmpfloat(h2, >, 2.1);
        g_assert_cmpfloat(h2, <, 2.5);
    }
}

static void test_variety(void)
{
    g_autofree char *text = ns_grammar_text(1, CHARACTERS);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GHashTable) distinct = g_hash_table_new(g_str_hash, g_str_equal);
    for (char **line = lines; *line; line++) g_hash_table_add(distinct, *line);
    g_test_message("%u distinct lines", g_hash_table_size(distinct));
    g_assert_cmpuint(g_hash_table_size(distinct), >, 4000);
}

static void test_lines(void)
{
    g_autofree char *text = ns_grammar_text(1, CHARACTERS);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        const char *p = *line;
        if (*p == '\0') continue;
        g_assert_true(g_ascii_isupper(*p) || g_ascii_isdigit(*p) || *p == '(');
        g_assert_nonnull(strchr(".!?:\")", p[strlen(p) - 1]));
        int open = 0, quotes = 0;
        for (; *p; p++) {
            open += (*p == '(') - (*p == ')');
            quotes += *p == '"';
            g_assert_true(open == 0 || open == 1);
        }
        g_assert_cmpint(open, ==, 0);
        g_assert_cmpint(quotes % 2, ==, 0);
    }
    static const char *const never[] = {"{", "}", "^", "  ", "\n\n\n", " .", " ,"};
    for (size_t i = 0; i < G_N_ELEMENTS(never); i++) g_assert_null(strstr(text, never[i]));
}

/* Calls `check` with every match of the pattern; returns how many there were. */
static unsigned each_match(const char *text, const char *pattern, void (*check)(GMatchInfo *match))
{
    g_autoptr(GRegex) regex = g_regex_new(pattern, 0, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    unsigned n = 0;
    for (g_regex_match(regex, text, 0, &match); g_match_info_matches(match);
         g_match_info_next(match, NULL), n++)
        if (check) check(match);
    return n;
}

static int number_at(GMatchInfo *match, int group)
{
    g_autofree char *digits = g_match_info_fetch(match, group);
    return (int)g_ascii_strtoll(digits, NULL, 10);
}

static void check_sum(GMatchInfo *match)
{
    g_assert_cmpint(number_at(match, 1) + number_at(match, 2), ==, number_at(match, 3));
}

static void check_difference(GMatchInfo *match)
{
    g_assert_cmpint(number_at(match, 1) - number_at(match, 2), ==, number_at(match, 3));
}

static void check_product(GMatchInfo *match)
{
    g_assert_cmpint(number_at(match, 1) * number_at(match, 2), ==, number_at(match, 3));
}

static void check_date(GMatchInfo *match)
{
    g_autofree char *weekday = g_match_info_fetch(match, 1);
    g_autofree char *day = g_match_info_fetch(match, 2);
    GDate date;
    g_date_clear(&date, 1);
    g_date_set_parse(&date, day);
    g_assert_true(g_date_valid(&date));
    char expected[32];
    g_date_strftime(expected, sizeof expected, "%A", &date);
    g_assert_cmpstr(weekday, ==, expected);
}

static void test_truth(void)
{
    g_autofree char *text = ns_grammar_text(1, CHARACTERS);
    g_assert_cmpuint(each_match(text, "(\\d+) and (\\d+) make (\\d+)", check_sum), >, 50);
    g_assert_cmpuint(each_match(text, "(\\d+) less (\\d+) leaves (\\d+)", check_difference), >, 50);
    g_assert_cmpuint(each_match(text, "(\\d+) times (\\d+) is (\\d+)", check_product), >, 50);
    g_assert_cmpuint(each_match(text, "n (\\w+day), (\\d+ \\w+ \\d{4}),", check_date), >, 50);
}

static void test_agreement(void)
{
    g_autofree char *text = ns_grammar_text(1, CHARACTERS);
    static const char *const wrong[] = {
        "\\b[Aa] [aeiou]",
        "\\b(?:these|those) (?:king|queen|lamp|star|word)\\b",
        "\\b(?:this|that|every) (?:kings|queens|lamps|stars|words)\\b",
        "\\bthese (?:kings|queens|lamps|stars|words) (?:loves|hears|is|does)\\b",
        "\\bthis (?:king|queen|lamp|star|word) (?:love|hear|are|do)\\b",
        "\\b(?:I|we|they) (?!always)\\w+s ",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
        g_assert_cmpuint(each_match(text, wrong[i], NULL), ==, 0);
}

static gboolean on_stage(char **cast, const char *name)
{
    return g_strv_contains((const char *const *)cast, name);
}

/* Only those who have entered speak, and nobody twice in a row. */
static void test_stage(void)
{
    g_autofree char *text = ns_grammar_text(1, CHARACTERS);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_auto(GStrv) cast = NULL;
    const char *before = "";
    unsigned speeches = 0;
    for (char **line = lines; *line; line++) {
        size_t length = strlen(*line);
        if (g_str_has_prefix(*line, "(Enter ")) {
            g_autofree char *names = g_strndup(*line + 7, length - 9);
            g_autoptr(GRegex) regex = g_regex_new(", | and ", 0, 0, NULL);
            g_strfreev(cast);
            cast = g_regex_split(regex, names, 0);
            g_assert_cmpuint(g_strv_length(cast), ==, 3);
            before = "";
        } else if (length > 0 && (*line)[length - 1] == ':') {
            (*line)[length - 1] = '\0';
            g_assert_true(on_stage(cast, *line));
            g_assert_cmpstr(*line, !=, before);
            before = *line;
            speeches++;
        }
    }
    g_assert_cmpuint(speeches, >, 500);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/grammar/seeds", test_seeds);
    g_test_add_func("/grammar/statistics", test_statistics);
    g_test_add_func("/grammar/variety", test_variety);
    g_test_add_func("/grammar/lines", test_lines);
    g_test_add_func("/grammar/truth", test_truth);
    g_test_add_func("/grammar/agreement", test_agreement);
    g_test_add_func("/grammar/stage", test_stage);
    return g_test_run();
}
