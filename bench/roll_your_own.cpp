// Roll Your Own Blackjack by chance: one seat against the dealer, all three bets, default rules,
// played by the solver's tables. A speed yardstick.
//
//   g++ -O3 -march=native -std=c++17 -o roll_your_own bench/roll_your_own.cpp
//   roll_your_own TABLES ROUNDS SEED
//
// TABLES, which bench/simulator.py writes, holds two numbers (starting hands, hands; 32 bits) and
// the tables plan, plays and grown as src/pitboss/kernels/roll_your_own.py describes them. Values
// are counted from 0, the ace 0 and the ten 9. The deck cannot run out: eleven hands of at most 26,
// aces counting 1, and the burn are 296, and a deck is 340. Prints one line of JSON; "seconds" is
// CPU time.
//
// Three fifths of a round are its decisions: branches nobody can foresee, each after the look-up
// before it. A quarter is the shuffle, the rest memory: the plays are 8.8 MB, read in no order.

#include <algorithm>
#include <array>
#include <cmath>
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

// ---- the deck ---------------------------------------------------------------------------------

constexpr int DECK = 52, RANKS = 13, TEN = 9;
constexpr int FIRST = 8, MORE = 2;  // cards put in their places at a time; a round takes nine

// Four bytes, so that a card moves as one word and a swap can be read back without waiting.
struct alignas(4) Card {
    uint8_t value, rank, suit;
};

// The deck is never put back in order, for a shuffle of any order is as good.
class Deck {
    std::array<Card, DECK> cards;
    Chance chance;
    int placed = 0, dealt = 0;

    // Put some cards in their places by one word (Brackett-Rozinsky and Lemire, "Batched ranged
    // random integer generation", 2024): each product's high half is a place, its low half is the
    // word for the next. The last low half tells whether the word is one of the few to reject.
    template <int number> void place() {
        std::array<int, number> other;
        uint64_t ways = 1, word = chance.word();
        for (int i = 0; i < number; ++i) ways *= DECK - placed - i;
        while (word = draw(word, other), word < ways && word < -ways % ways) word = chance.word();
        for (int at : other) std::swap(cards[placed++], cards[at]);
    }

    template <size_t number> uint64_t draw(uint64_t word, std::array<int, number>& other) const {
        for (size_t i = 0; i < number; ++i) {
            int at = placed + static_cast<int>(i);
            auto product = static_cast<unsigned __int128>(word) * (DECK - at);
            other[i] = at + static_cast<int>(product >> 64);
            word = static_cast<uint64_t>(product);
        }
        return word;
    }

public:
    explicit Deck(uint64_t seed) : chance(seed) {
        for (int card = 0; card < DECK; ++card) {
            auto rank = static_cast<uint8_t>(card % RANKS);
            auto suit = static_cast<uint8_t>(card / RANKS);
            cards[card] = {std::min<uint8_t>(rank, TEN), rank, suit};
        }
    }

    void shuffle() {
        placed = dealt = 0;
        place<FIRST>();
    }

    // The value of the next card; most cards get their places only when they are needed.
    int deal() {
        if (dealt == placed) place<MORE>();
        return cards[dealt++].value;
    }

    const Card& operator[](int at) const { return cards[at]; }
};

// ---- the tables -------------------------------------------------------------------------------

enum Play { STAND, HIT, DOUBLE, SPLIT };
constexpr int AFTER_SPLIT = 2;  // where the bits of a play after a split begin
constexpr int STARTS = 10 * 10 * 10 * 10;
constexpr int TWENTY_ONE = 21, SOFT_17 = 27, SOFT_21 = 31, SOFT_BY = 10, BUST = 22;

struct Plan {
    int16_t alone, lone_bet, rows[2];  // alone is below 0 for a double blackjack
};

struct Hand {
    int16_t with[10], state;  // the hands with one card more; hard totals, soft ones ten more

    int total() const { return state > TWENTY_ONE ? state - SOFT_BY : state; }
};

template <class T> std::vector<T> read(std::FILE* file, size_t number) {
    std::vector<T> found(number);
    if (std::fread(found.data(), sizeof(T), number, file) != number) std::exit(2);
    return found;
}

struct Tables {
    uint32_t rows, hands;
    std::vector<Plan> plan;
    std::vector<uint8_t> plays;
    std::vector<Hand> grown;

    explicit Tables(const char* path) {
        std::FILE* file = std::fopen(path, "rb");
        if (!file) std::exit(2);
        std::vector<uint32_t> sizes = read<uint32_t>(file, 2);
        rows = sizes[0], hands = sizes[1];
        plan = read<Plan>(file, STARTS);
        plays = read<uint8_t>(file, size_t{rows} * hands);
        grown = read<Hand>(file, hands);
        std::fclose(file);
    }

    // The hands with one card, and in a row the most splits, stand with the hand without cards.
    int empty() const { return static_cast<int>(hands) - 1; }
    int hand(int one) const { return grown[empty()].with[one]; }
    int hand(int one, int two) const { return grown[hand(one)].with[two]; }
    const uint8_t* row(int number) const { return &plays[size_t{hands} * number]; }
};

// ---- the Bonus --------------------------------------------------------------------------------

// What three cards win, by whether they are of one suit and by their ranks (rule 6).
class Bonus {
    int8_t nets[2][RANKS * RANKS * RANKS];

    static int net(bool flush, int a, int b, int c) {
        int low = std::min({a, b, c}), high = std::max({a, b, c}), middle = a + b + c - low - high;
        bool akq = low == 0 && middle == RANKS - 2 && high == RANKS - 1;
        bool straight = akq || (low + 1 == middle && middle + 1 == high);
        if (flush && straight) return akq ? 100 : 50;
        if (low == high) return 30;
        if (straight) return 5;
        return flush ? 3 : -1;
    }

public:
    Bonus() {
        for (int flush = 0; flush < 2; ++flush)
            for (int i = 0; i < RANKS * RANKS * RANKS; ++i)
                nets[flush][i] = net(flush, i / RANKS / RANKS, i / RANKS % RANKS, i % RANKS);
    }

    int of(const Card& a, const Card& b, const Card& c) const {
        bool flush = a.suit == b.suit && b.suit == c.suit;
        return nets[flush][(a.rank * RANKS + b.rank) * RANKS + c.rank];
    }
};

// ---- one round --------------------------------------------------------------------------------

bool is_blackjack(int one, int two) { return one + two == TEN && one * two == 0; }

class Round {
    const Tables& tables;
    Deck& deck;
    struct {
        int total, stake;
    } standing[10];  // hands that wait for the dealer
    int number = 0;
    int halves = 0;  // won so far, in halves of a bet

    void stand(int total, int stake) { standing[number++] = {total, stake}; }

    // Play a hand to its end (rules 7 and 7a).
    void finish(const uint8_t* row, int hand, int bits) {
        for (;;) {
            const Hand& held = tables.grown[hand];
            if (held.state == TWENTY_ONE || held.state == SOFT_21) return stand(TWENTY_ONE, 1);
            int play = row[hand] >> bits & 3;
            if (play == STAND) return stand(held.total(), 1);
            int stake = play == DOUBLE ? 2 : 1;
            hand = held.with[deck.deal()];
            if (hand < 0) {
                halves -= 2 * stake;
                return;
            }
            if (play == DOUBLE) return stand(tables.grown[hand].total(), stake);
        }
    }

    // Play the hands of a split pair (rules 7b to 7d).
    void split(const uint8_t* row, int value) {
        int most = row[tables.empty()];
        for (int used = 1, waiting = 2; waiting; --waiting) {
            int second = deck.deal();
            for (; second == value && used < most; second = deck.deal()) ++used, ++waiting;
            int hand = tables.hand(value, second);
            if (value == 0)
                stand(tables.grown[hand].total(), 1);
            else
                finish(row, hand, AFTER_SPLIT);
        }
    }

    // Play the starting hand on a bet; it may be that the peek has ended the round.
    void play_bet(const Plan& plan, int bet, bool ended) {
        int one, two;
        if (plan.lone_bet == bet) {
            one = two = deck[plan.alone].value;
            // An ace or a ten has its chance of a blackjack even then (rules 7g and 7h).
            if (!ended || one == 0 || one == TEN) two = deck.deal();
        } else {
            one = deck[plan.alone == 0 ? 1 : 0].value;
            two = deck[plan.alone == 2 ? 1 : 2].value;
        }
        if (is_blackjack(one, two)) {
            halves += 3;
        } else if (ended) {
            halves -= 2;
        } else {
            const uint8_t* row = tables.row(plan.rows[bet]);
            int hand = tables.hand(one, two);
            if ((row[hand] & 3) == SPLIT)
                split(row, one);
            else
                finish(row, hand, 0);
        }
    }

    // The dealer's total, hitting soft 17 (rule 7f).
    int dealer_total(int hand) {
        while (hand >= 0) {
            const Hand& held = tables.grown[hand];
            if (held.total() >= 17 && held.state != SOFT_17) return held.total();
            hand = held.with[deck.deal()];
        }
        return BUST;
    }

    void settle(int theirs) {
        for (int i = 0; i < number; ++i) {
            auto [total, stake] = standing[i];
            if (theirs == BUST || total > theirs)
                halves += 2 * stake;
            else if (total < theirs)
                halves -= 2 * stake;
        }
    }

public:
    Round(const Tables& tables, Deck& deck) : tables(tables), deck(deck) {}

    // Play a round from a shuffled deck; what the blackjack bets win, in halves of a bet.
    int play() {
        int a = deck.deal(), b = deck.deal(), c = deck.deal();
        deck.deal();  // the burn
        int up = deck.deal(), hole = deck.deal();
        const Plan& plan = tables.plan[((up * 10 + a) * 10 + b) * 10 + c];
        if (plan.alone < 0) return 2 * 3;  // rule 7i
        bool ended = is_blackjack(up, hole);
        for (int bet = 0; bet < 2; ++bet) play_bet(plan, bet, ended);
        if (number) settle(dealer_total(tables.hand(up, hole)));
        return halves;
    }
};

// ---- many rounds ------------------------------------------------------------------------------

int main(int count, char** arguments) {
    if (count < 2) return std::fputs("roll_your_own TABLES [ROUNDS [SEED]]\n", stderr), 2;
    const Tables tables(arguments[1]);
    const Bonus bonus;
    int64_t rounds = count > 2 ? std::atoll(arguments[2]) : 20'000'000;
    Deck deck(count > 3 ? std::atoll(arguments[3]) : 1);
    int64_t halves = 0, squares = 0, bonuses = 0;
    std::clock_t began = std::clock();
    for (int64_t n = 0; n < rounds; ++n) {
        deck.shuffle();
        bonuses += bonus.of(deck[0], deck[1], deck[2]);
        int net = Round(tables, deck).play();
        halves += net;
        squares += net * net;
    }
    double seconds = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
    double mean = halves / 2.0 / rounds;
    std::printf("{\"rounds\": %lld, \"seconds\": %.3f, \"blackjack\": %.9f, \"std_dev\": %.6f, "
                "\"bonus\": %.9f}\n",
                static_cast<long long>(rounds), seconds, mean,
                std::sqrt(squares / 4.0 / rounds - mean * mean),
                static_cast<double>(bonuses) / rounds);
}
