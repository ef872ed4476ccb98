/* Any bytes as a lesson.  SPDX-License-Identifier: MIT
 *
 * A lesson is refused with an error of the program's own, or every card of it keeps the bounds that
 * its header promises. */
#include "core/store/lesson.h"
#include "tests/fuzz/fuzz.h"

static void check_card(const NsCard *card)
{
    require(card->title && card->texts && *card->texts);
    require(card->begin.n <= NS_LANES_MAX && card->end.n <= NS_LANES_MAX);
    require(card->begin.n == 0 || card->begin.n == card->end.n);
    require(card->n_choices <= NS_CARD_CHOICES);
    require(!card->ask || card->right < card->n_choices);
    for (size_t i = 0; i < card->n_choices; i++) require(card->why[i]);
    require(!card->draws || card->draw_lane < card->end.n);
    require(card->run >= 0 && card->draw_step >= 0);
    require(!card->change || (!card->begin.n && !card->asks_for_settings));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsLesson) lesson = ns_lesson_new((const char *)data, size, &error);
    if (!lesson) {
        require_sentence(error);
        return 0;
    }
    require(lesson->title && lesson->summary);
    require(lesson->n >= NS_CARDS_MIN && lesson->n <= NS_CARDS_MAX);
    for (size_t i = 0; i < lesson->n; i++) check_card(&lesson->card[i]);
    return 0;
}
