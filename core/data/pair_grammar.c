/* SPDX-License-Identifier: MIT
 *
 * The parts of a clause are drawn once, and written in both languages.  A translation model has to
 * learn, from easy to hard: words; plurals; articles and adjectives, which German inflects by
 * gender, number and case; the finite verb, which is the second part of a German main clause and
 * the last word of a subordinate one; participles and infinitives, which come last in a main clause
 * and before the finite verb in a subordinate one. */
#include "core/data/grammar.h"

#include "core/base/rng.h"

#include <stdbool.h>
#include <string.h>

typedef enum { MASCULINE, FEMININE, NEUTER, PLURAL } Form;
typedef enum { NOMINATIVE, ACCUSATIVE, DATIVE } Case;

typedef struct {
    const char *german, *plural, *english, *english_plural;
    Form gender;
} Noun;

typedef struct {
    const char *german, *english; /* the German one without its ending */
} Adjective;

/* In both languages the infinitive is the plural form of the present, too. */
typedef struct {
    const char *singular, *infinitive, *participle;
    const char *english_singular, *english_infinitive, *past;
    Case object;
} Verb;

typedef struct {
    const char *singular, *plural, *english;
} Modal;

typedef struct {
    const char *german, *english;
} Words;

static const Noun people[] = {
    {"Mann", "Männer", "man", "men", MASCULINE},
    {"Junge", "Jungen", "boy", "boys", MASCULINE},
    {"Arzt", "Ärzte", "doctor", "doctors", MASCULINE},
    {"Lehrer", "Lehrer", "teacher", "teachers", MASCULINE},
    {"König", "Könige", "king", "kings", MASCULINE},
    {"Freund", "Freunde", "friend", "friends", MASCULINE},
    {"Frau", "Frauen", "woman", "women", FEMININE},
    {"Tochter", "Töchter", "daughter", "daughters", FEMININE},
    {"Mutter", "Mütter", "mother", "mothers", FEMININE},
    {"Nachbarin", "Nachbarinnen", "neighbor", "neighbors", FEMININE},
    {"Köchin", "Köchinnen", "cook", "cooks", FEMININE},
    {"Kind", "Kinder", "child", "children", NEUTER},
    {"Mädchen", "Mädchen", "girl", "girls", NEUTER},
};

static const Noun things[] = {
    {"Hund", "Hunde", "dog", "dogs", MASCULINE},
    {"Apfel", "Äpfel", "apple", "apples", MASCULINE},
    {"Ball", "Bälle", "ball", "balls", MASCULINE},
    {"Brief", "Briefe", "letter", "letters", MASCULINE},
    {"Stuhl", "Stühle", "chair", "chairs", MASCULINE},
    {"Katze", "Katzen", "cat", "cats", FEMININE},
    {"Blume", "Blumen", "flower", "flowers", FEMININE},
    {"Lampe", "Lampen", "lamp", "lamps", FEMININE},
    {"Karte", "Karten", "map", "maps", FEMININE},
    {"Uhr", "Uhren", "clock", "clocks", FEMININE},
    {"Buch", "Bücher", "book", "books", NEUTER},
    {"Bild", "Bilder", "picture", "pictures", NEUTER},
    {"Pferd", "Pferde", "horse", "horses", NEUTER},
    {"Ei", "Eier", "egg", "eggs", NEUTER},
};

static const Noun places[] = {
    {"Garten", "Gärten", "garden", "gardens", MASCULINE},
    {"Wald", "Wälder", "forest", "forests", MASCULINE},
    {"Turm", "Türme", "tower", "towers", MASCULINE},
    {"Küche", "Küchen", "kitchen", "kitchens", FEMININE},
    {"Schule", "Schulen", "school", "schools", FEMININE},
    {"Kirche", "Kirchen", "church", "churches", FEMININE},
    {"Haus", "Häuser", "house", "houses", NEUTER},
    {"Zimmer", "Zimmer", "room", "rooms", NEUTER},
    {"Dorf", "Dörfer", "village", "villages", NEUTER},
};

static const Adjective adjectives[] = {
    {"alt", "old"},    {"jung", "young"},    {"klein", "small"}, {"groß", "big"},
    {"schön", "nice"}, {"neu", "new"},       {"rot", "red"},     {"weiß", "white"},
    {"müde", "tired"}, {"fremd", "strange"}, {"arm", "poor"},    {"hässlich", "ugly"},
};

static const Verb of_people[] = {
    {"hilft", "helfen", "geholfen", "helps", "help", "helped", DATIVE},
    {"dankt", "danken", "gedankt", "thanks", "thank", "thanked", DATIVE},
    {"glaubt", "glauben", "geglaubt", "believes", "believe", "believed", DATIVE},
    {"sieht", "sehen", "gesehen", "sees", "see", "saw", ACCUSATIVE},
    {"hört", "hören", "gehört", "hears", "hear", "heard", ACCUSATIVE},
    {"kennt", "kennen", "gekannt", "knows", "know", "knew", ACCUSATIVE},
    {"liebt", "lieben", "geliebt", "loves", "love", "loved", ACCUSATIVE},
    {"ruft", "rufen", "gerufen", "calls", "call", "called", ACCUSATIVE},
};

static const Verb of_things[] = {
    {"sieht", "sehen", "gesehen", "sees", "see", "saw", ACCUSATIVE},
    {"kauft", "kaufen", "gekauft", "buys", "buy", "bought", ACCUSATIVE},
    {"findet", "finden", "gefunden", "finds", "find", "found", ACCUSATIVE},
    {"sucht", "suchen", "gesucht", "seeks", "seek", "sought", ACCUSATIVE},
    {"trägt", "tragen", "getragen", "carries", "carry", "carried", ACCUSATIVE},
    {"malt", "malen", "gemalt", "paints", "paint", "painted", ACCUSATIVE},
    {"nimmt", "nehmen", "genommen", "takes", "take", "took", ACCUSATIVE},
    {"verliert", "verlieren", "verloren", "loses", "lose", "lost", ACCUSATIVE},
};

static const Verb giving[] = {
    {"gibt", "geben", "gegeben", "gives", "give", "gave", ACCUSATIVE},
    {"zeigt", "zeigen", "gezeigt", "shows", "show", "showed", ACCUSATIVE},
    {"bringt", "bringen", "gebracht", "brings", "bring", "brought", ACCUSATIVE},
};

static const Modal modals[] = {
    {"kann", "können", "can"},
    {"muss", "müssen", "must"},
    {"wird", "werden", "will"},
};

static const Words prepositions[] = {
    {"in", "in"}, {"vor", "in front of"}, {"hinter", "behind"}, {"neben", "next to"}};
static const Words saying[] = {
    {"sagt", "says"}, {"denkt", "thinks"}, {"hofft", "hopes"}, {"weiß", "knows"}};
static const Words joining[] = {{"weil", "because"}, {"wenn", "when"}, {"obwohl", "although"}};

static const char *const definite[][4] = {[NOMINATIVE] = {"der", "die", "das", "die"},
                                          [ACCUSATIVE] = {"den", "die", "das", "die"},
                                          [DATIVE] = {"dem", "der", "dem", "den"}};
static const char *const indefinite[][4] = {[NOMINATIVE] = {"ein", "eine", "ein", "zwei"},
                                            [ACCUSATIVE] = {"einen", "eine", "ein", "zwei"},
                                            [DATIVE] = {"einem", "einer", "einem", "zwei"}};
static const char *const after_definite[][4] = {[NOMINATIVE] = {"e", "e", "e", "en"},
                                                [ACCUSATIVE] = {"en", "e", "e", "en"},
                                                [DATIVE] = {"en", "en", "en", "en"}};
static const char *const after_indefinite[][4] = {[NOMINATIVE] = {"er", "e", "es", "e"},
                                                  [ACCUSATIVE] = {"en", "e", "es", "e"},
                                                  [DATIVE] = {"en", "en", "en", "en"}};

/* ---- Phrases and clauses ---- */

typedef struct {
    const Noun *noun;
    const Adjective *adjective; /* or NULL */
    Form form;
    bool definite;
} Phrase;

typedef enum { PRESENT, PAST, MODAL } Tense;

typedef struct {
    const Verb *verb;
    const Modal *modal;
    Tense tense;
    Phrase subject, object, receiver, place;
    bool gives, is_somewhere; /* the clause has a receiver, a place */
    const Words *where;
} Clause;

#define DRAW(rng, table) (&(table)[ns_rng_below(rng, G_N_ELEMENTS(table))])

static Phrase draw_phrase(NsRng *rng, const Noun *nouns, size_t n)
{
    Phrase phrase = {.noun = &nouns[ns_rng_below(rng, n)]};
    phrase.form = ns_rng_below(rng, 3) == 0 ? PLURAL : phrase.noun->gender;
    phrase.definite = ns_rng_below(rng, 3) > 0;
    if (ns_rng_below(rng, 3) == 0) phrase.adjective = DRAW(rng, adjectives);
    return phrase;
}

static Clause draw_clause(NsRng *rng)
{
    Clause clause = {.tense = (Tense)ns_rng_below(rng, 3), .modal = DRAW(rng, modals)};
    clause.subject = draw_phrase(rng, people, G_N_ELEMENTS(people));
    uint64_t kind = ns_rng_below(rng, 5);
    bool of_person = kind < 2;
    clause.gives = kind == 4;
    clause.verb = clause.gives ? DRAW(rng, giving)
                  : of_person  ? DRAW(rng, of_people)
                               : DRAW(rng, of_things);
    clause.object = of_person ? draw_phrase(rng, people, G_N_ELEMENTS(people))
                              : draw_phrase(rng, things, G_N_ELEMENTS(things));
    clause.receiver = draw_phrase(rng, people, G_N_ELEMENTS(people));
    clause.is_somewhere = !clause.gives && ns_rng_below(rng, 3) == 0;
    clause.place = draw_phrase(rng, places, G_N_ELEMENTS(places));
    clause.where = DRAW(rng, prepositions);
    return clause;
}

/* ---- German ---- */

static void add(GString *line, const char *word)
{
    if (!*word) return;
    if (line->len > 0) g_string_append_c(line, ' ');
    g_string_append(line, word);
}

static void add_german(GString *line, const Phrase *phrase, Case c)
{
    Form form = phrase->form;
    add(line, phrase->definite ? definite[c][form] : indefinite[c][form]);
    if (phrase->adjective) {
        const char *ending = (phrase->definite ? after_definite : after_indefinite)[c][form];
        add(line, phrase->adjective->german);
        bool has_e = g_str_has_suffix(line->str, "e");
        g_string_append(line, ending + (has_e ? 1 : 0));
    }
    add(line, form == PLURAL ? phrase->noun->plural : phrase->noun->german);
    bool takes_n = form == PLURAL && c == DATIVE && !g_str_has_suffix(line->str, "n");
    g_string_append(line, takes_n ? "n" : "");
}

static const char *finite_verb(const Clause *clause)
{
    bool plural = clause->subject.form == PLURAL;
    if (clause->tense == PAST) return plural ? "haben" : "hat";
    if (clause->tense == MODAL) return plural ? clause->modal->plural : clause->modal->singular;
    return plural ? clause->verb->infinitive : clause->verb->singular;
}

static void add_german_place(GString *line, const Clause *clause)
{
    add(line, clause->where->german);
    add_german(line, &clause->place, DATIVE);
}

/* Writes what follows the finite verb of a main clause, or the subject of a subordinate one. */
static void add_german_rest(GString *line, const Clause *clause, bool place)
{
    if (clause->gives) add_german(line, &clause->receiver, DATIVE);
    add_german(line, &clause->object, clause->verb->object);
    if (place && clause->is_somewhere) add_german_place(line, clause);
    if (clause->tense == PAST) add(line, clause->verb->participle);
    if (clause->tense == MODAL) add(line, clause->verb->infinitive);
}

static void add_german_main(GString *line, const Clause *clause)
{
    add_german(line, &clause->subject, NOMINATIVE);
    add(line, finite_verb(clause));
    add_german_rest(line, clause, true);
}

/* Writes a main clause after another part of the sentence, so that the subject follows the verb. */
static void add_german_inverted(GString *line, const Clause *clause, bool place)
{
    add(line, finite_verb(clause));
    add_german(line, &clause->subject, NOMINATIVE);
    add_german_rest(line, clause, place);
}

static void add_german_subordinate(GString *line, const char *conjunction, const Clause *clause)
{
    add(line, conjunction);
    add_german(line, &clause->subject, NOMINATIVE);
    add_german_rest(line, clause, true);
    add(line, finite_verb(clause));
}

/* ---- English ---- */

static void add_english(GString *line, const Phrase *phrase)
{
    bool plural = phrase->form == PLURAL;
    const char *noun = plural ? phrase->noun->english_plural : phrase->noun->english;
    const char *next = phrase->adjective ? phrase->adjective->english : noun;
    bool vowel = strchr("aeiou", *next) != NULL;
    add(line, phrase->definite ? "the" : plural ? "two" : vowel ? "an" : "a");
    if (phrase->adjective) add(line, phrase->adjective->english);
    add(line, noun);
}

static void add_english_place(GString *line, const Clause *clause)
{
    add(line, clause->where->english);
    add_english(line, &clause->place);
}

static void add_english_clause(GString *line, const Clause *clause, bool place)
{
    bool plural = clause->subject.form == PLURAL;
    add_english(line, &clause->subject);
    if (clause->tense == MODAL) add(line, clause->modal->english);
    add(line, clause->tense == PAST              ? clause->verb->past
              : clause->tense == MODAL || plural ? clause->verb->english_infinitive
                                                 : clause->verb->english_singular);
    if (clause->gives) add_english(line, &clause->receiver);
    add_english(line, &clause->object);
    if (place && clause->is_somewhere) add_english_place(line, clause);
}

/* ---- Sentences ---- */

static void add_comma(GString *german, GString *english, bool both)
{
    g_string_append_c(german, ',');
    if (both) g_string_append_c(english, ',');
}

static void add_joined(NsRng *rng, GString *german, GString *english, const Clause *clause)
{
    const Words *conjunction = DRAW(rng, joining);
    Clause other = draw_clause(rng);
    bool first = ns_rng_below(rng, 2) == 0; /* the subordinate clause comes first */
    if (first) {
        add_german_subordinate(german, conjunction->german, &other);
        add(english, conjunction->english);
        add_english_clause(english, &other, true);
        add_comma(german, english, true);
        add_german_inverted(german, clause, true);
        add_english_clause(english, clause, true);
        return;
    }
    add_german_main(german, clause);
    add_english_clause(english, clause, true);
    add_comma(german, english, false);
    add_german_subordinate(german, conjunction->german, &other);
    add(english, conjunction->english);
    add_english_clause(english, &other, true);
}

/* Appends the sentence with a capital letter and a period.  Its first letter is ASCII. */
static void add_line(GString *text, GString *sentence)
{
    sentence->str[0] = g_ascii_toupper(sentence->str[0]);
    g_string_append_printf(text, "%s.\n", sentence->str);
    g_string_truncate(sentence, 0);
}

void ns_grammar_pairs(uint64_t seed, size_t n, GString *german, GString *english)
{
    NsRng rng;
    ns_rng_init(&rng, seed, ns_rng_stream("pair grammar"));
    g_autoptr(GString) one = g_string_new(NULL), other = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        Clause clause = draw_clause(&rng);
        uint64_t kind = ns_rng_below(&rng, 4);
        if (kind == 0) {
            /* Write the clause as reported speech: somebody says that ... */
            const Words *verb = DRAW(&rng, saying);
            Phrase person = draw_phrase(&rng, people, G_N_ELEMENTS(people));
            person.form = person.noun->gender;
            add_german(one, &person, NOMINATIVE);
            add(one, verb->german);
            add_comma(one, other, false);
            add_german_subordinate(one, "dass", &clause);
            add_english(other, &person);
            add(other, verb->english);
            add(other, "that");
            add_english_clause(other, &clause, true);
        } else if (kind == 1)
            add_joined(&rng, one, other, &clause);
        else if (kind == 2 && clause.is_somewhere) {
            add_german_place(one, &clause);
            add_german_inverted(one, &clause, false);
            add_english_place(other, &clause);
            add_english_clause(other, &clause, false);
        } else {
            add_german_main(one, &clause);
            add_english_clause(other, &clause, true);
        }
        add_line(german, one);
        add_line(english, other);
    }
}
