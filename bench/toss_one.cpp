// Toss One 21 by chance: one seat, one deck, the Main bet, default rules. A speed yardstick.
//
//   g++ -O3 -march=native -std=c++17 -o toss_one bench/toss_one.cpp
//   toss_one ROUNDS SEED
//
// A hand is scored once for each of the 10^4 ways four values can be dealt, and looked up after
// that, so what a round costs is its eight cards. They come from one word of 64 bits: 52 * 51 * ...
// * 45 is below 2^45. Prints one line of JSON; "seconds" is CPU time.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

// ---- chance -----------------------------------------------------------------------------------

// xoroshiro128++ (Blackman and Vigna), its state filled by splitmix64.
class Chance {
    uint64_t a, b;

    static uint64_t turn(uint64_t x, int by) { return x << by | x >> (64 - by); }
    static uint64_t mix(uint64_t x) {
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
        x = (x ^ x >> 27) * 0x94D049BB133111EB;
        return x ^ x >> 31;
    }

public:
    explicit Chance(uint64_t seed)
        : a(mix(seed + 0x9E3779B97F4A7C15)), b(mix(seed + 2 * 0x9E3779B97F4A7C15)) {}

    uint64_t word() {
        uint64_t result = turn(a + b, 17) + a, both = a ^ b;
        a = turn(a, 49) ^ both ^ both << 21;
        b = turn(both, 28);
        return result;
    }
};

// ---- cards ------------------------------------------------------------------------------------

constexpr int DECK = 52, PACK = 4, DEALT = 2 * PACK;

constexpr uint64_t ways_to_deal() {
    uint64_t ways = 1;
    for (int at = 0; at < DEALT; ++at) ways *= DECK - at;
    return ways;
}

// Values only, the ace 0 and the ten 9: nothing here depends on suits. The deck is never put back
// in order, for a shuffle of any order is as good.
class Deck {
    std::array<uint8_t, DECK> values;
    Chance chance;

public:
    explicit Deck(uint64_t seed) : chance(seed) {
        for (int card = 0; card < DECK; ++card) values[card] = std::min(card % 13, 9);
    }

    // Put eight cards in their places by one word (Brackett-Rozinsky and Lemire, "Batched ranged
    // random integer generation", 2024): each product's high half is a place, its low half is the
    // word for the next. The last low half tells whether the word is one of the few to reject.
    void shuffle() {
        constexpr uint64_t ways = ways_to_deal(), least = -ways % ways;
        std::array<uint8_t, DEALT> other;
        uint64_t word;
        do {
            word = chance.word();
            for (int at = 0; at < DEALT; ++at) {
                auto product = static_cast<unsigned __int128>(word) * (DECK - at);
                other[at] = at + static_cast<uint64_t>(product >> 64);
                word = static_cast<uint64_t>(product);
            }
        } while (word < least);
        for (int at = 0; at < DEALT; ++at) std::swap(values[at], values[other[at]]);
    }

    // The number of the pack of four that begins at a card.
    int pack(int at) const {
        return ((values[at] * 10 + values[at + 1]) * 10 + values[at + 2]) * 10 + values[at + 3];
    }
};

// ---- hands ------------------------------------------------------------------------------------

constexpr int BLACKJACK = 1 << 15;  // beside the score: for the dealer it is a 21 like any other
constexpr int BUST = 0;

// The total of the three cards left by a toss, above the card tossed; an ace counts 11 as kicker.
int score_toss(const std::array<int, PACK>& cards, int tossed) {
    int total = 0;
    bool ace = false;
    for (int i = 0; i < PACK; ++i)
        if (i != tossed) total += cards[i], ace |= cards[i] == 1;
    if (ace && total <= 11) total += 10;
    int kicker = cards[tossed] == 1 ? 11 : cards[tossed];
    return total > 21 ? BUST : total << 4 | kicker;
}

int score(const std::array<int, PACK>& cards) {
    int best = BUST;
    for (int tossed = 0; tossed < PACK; ++tossed) best = std::max(best, score_toss(cards, tossed));
    bool aces = std::count(cards.begin(), cards.end(), 1) >= 1;
    bool tens = std::count(cards.begin(), cards.end(), 10) >= 2;
    return aces && tens ? best | BLACKJACK : best;
}

std::vector<uint16_t> all_scores() {
    std::vector<uint16_t> scores(10 * 10 * 10 * 10);
    for (int pack = 0; pack < 10000; ++pack)
        scores[pack] =
            score({pack / 1000 + 1, pack / 100 % 10 + 1, pack / 10 % 10 + 1, pack % 10 + 1});
    return scores;
}

// ---- rounds -----------------------------------------------------------------------------------

// What the bet wins in halves of it. A tie loses, and so does a bust, which no score is below.
int net(int player, int dealer) {
    int compared = player > (dealer & ~BLACKJACK) ? 2 : -2;
    return player & BLACKJACK ? 3 : compared;
}

int main(int count, char** arguments) {
    int64_t rounds = count > 1 ? std::atoll(arguments[1]) : 100'000'000;
    Deck deck(count > 2 ? std::atoll(arguments[2]) : 1);
    std::vector<uint16_t> scores = all_scores();
    int64_t halves = 0;
    std::clock_t began = std::clock();
    for (int64_t n = 0; n < rounds; ++n) {
        deck.shuffle();
        halves += net(scores[deck.pack(0)], scores[deck.pack(PACK)]);
    }
    double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    std::printf("{\"rounds\": %lld, \"seconds\": %.3f, \"ev\": %.9f}\n",
                static_cast<long long>(rounds), seconds, halves / 2.0 / rounds);
}
