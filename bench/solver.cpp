// A plain memo solver for Roll Your Own Blackjack: one player, one deck, default rules. A speed yardstick.
//
//   g++ -O3 -march=native -std=c++17 -o /tmp/solver bench/solver.cpp
//   /tmp/solver full0            whole game, no splits, perfect memory
//   /tmp/solver start U A B C    one start, one split, perfect memory: every way of setting (ace 1, ten 10)
//   /tmp/solver none4            whole game, up to four splits, memory `none`
//
// Perfect memory, with R the cards seen and C(R, rest) the value of the hands still to be played:
//   F(R, hand, rest) = max of
//     stand   stand(R, t) + C(R, rest)
//     hit     sum over v of p(v | R) * (bust ? -1 + C(R+v, rest) : F(R+v, hand+v, rest))
//     double  sum over v of p(v | R) * ((bust ? -2 : 2 * stand(R+v, t')) + C(R+v, rest))   two cards only
//     split   C(R, [two one-card hands] + rest)                                            pairs, splits left
// Each mode prints one line of JSON; "seconds" is CPU time.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

// ---- a growing hash map with linear probing; key 0 means empty --------------------------------------------------

template <class V> class Memo {
    std::vector<uint64_t> keys = std::vector<uint64_t>(1 << 12);
    std::vector<V> values = std::vector<V>(1 << 12);
    size_t used = 0;

    size_t slot(uint64_t key) const {
        uint64_t h = key * 0x9E3779B97F4A7C15ull;
        size_t mask = keys.size() - 1, i = (h ^ h >> 32) & mask;
        while (keys[i] && keys[i] != key) i = (i + 1) & mask;
        return i;
    }

public:
    const V* find(uint64_t key) const {
        size_t i = slot(key);
        return keys[i] ? &values[i] : nullptr;
    }
    const V& put(uint64_t key, const V& value) {
        if (2 * ++used > keys.size()) {
            std::vector<uint64_t> old_keys(2 * keys.size());
            std::vector<V> old_values(2 * values.size());
            old_keys.swap(keys), old_values.swap(values);
            for (size_t i = 0; i < old_keys.size(); ++i)
                if (old_keys[i]) put_at(slot(old_keys[i]), old_keys[i], old_values[i]);
        }
        return put_at(slot(key), key, value);
    }

private:
    const V& put_at(size_t i, uint64_t key, const V& value) { return keys[i] = key, values[i] = value; }
};

// ---- cards and hands --------------------------------------------------------------------------------------------

// The unseen cards by value (1 = ace .. 10); `seen` is the multiset R as a mixed-radix number.
struct Deck {
    int8_t n[11] = {0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 16}, size = 52;
    uint32_t seen = 0;

    static constexpr uint32_t radix[11] = {0, 1, 5, 25, 125, 625, 3125, 15625, 78125, 390625, 1953125};
    Deck without(int v) const {
        Deck d = *this;
        --d.n[v], --d.size, d.seen += radix[v];
        return d;
    }
};

// `pair` is the rank of a two-card hand that could be split, else 0.
struct Hand {
    int total = 0;
    bool soft = false, two = false;
    int pair = 0;
};

Hand add(const Hand& h, int v) {
    int low = h.total - (h.soft ? 10 : 0) + v;
    bool soft = (h.soft || v == 1) && low <= 11;
    return {low + (soft ? 10 : 0), soft};
}

Hand two_cards(int a, int b) {
    Hand h = add(add(Hand{}, a), b);
    h.two = true, h.pair = a == b ? a : 0;
    return h;
}

bool blackjack(int a, int b) { return a * b == 10 && a + b == 11; }

// What is still to be played: `waiting` one-card split hands of `rank` (with `splits` left to their starting hand),
// then the second starting hand a, b (b = 0: one card; a = 0: none).
struct Rest {
    int waiting = 0, rank = 0, splits = 0, a = 0, b = 0;
};

// Unseen slots of other hands that are known not to be of `rank` (memory `none`); count 0 is the ordinary case.
struct Closed {
    int count = 0, rank = 0;
};

enum Action { STAND, HIT, DOUBLE, SPLIT };
struct Best {
    double value;
    Action action;
};

using Results = std::array<double, 6>;  // expected result of standing on 16 or less, 17, 18, 19, 20, 21

double falling(int k, int m) {
    double f = 1;
    while (m-- > 0) f *= k--;
    return f;
}

// ---- the solver for one up card ---------------------------------------------------------------------------------

class Solver {
    const int up, excluded, max_splits;  // excluded: the hole card's value ruled out by the peek, or 0
    Memo<Results> dealer_memo, stand_memo;
    Memo<Best> play_memo;
    Memo<double> rest_memo, fixed_memo;

public:
    Solver(int up, int max_splits) : up(up), excluded(up == 1 ? 10 : up == 10 ? 1 : 0), max_splits(max_splits) {}

    // -- chances: weigh each next card by the number of ways the restricted slots can still be filled --

    double ways(int size, int of_rank, int of_excluded, Closed c, bool hole) const {
        if (!hole) return falling(size - of_rank, c.count);
        if (c.count == 0) return size - of_excluded;
        if (c.rank == excluded) return falling(size - of_rank, c.count + 1);
        return of_rank * falling(size - of_rank, c.count) +
               (size - of_rank - of_excluded) * falling(size - of_rank - 1, c.count);
    }

    // Chances of the next card's value; `hole`: the dealer's hole card is unseen and peeked at; `never`: not this value.
    // With no closed slots this is p(v | R) = n_v (M - [v != x]) / (M (N - 1)) after a peek and n_v / N otherwise.
    std::array<double, 11> chances(const Deck& d, Closed c, bool hole, int never = 0) const {
        std::array<double, 11> p{};
        double sum = 0;
        int r = c.count ? c.rank : 0;
        for (int v = 1; v <= 10; ++v)
            if (d.n[v] && v != never)
                sum += p[v] = d.n[v] * ways(d.size - 1, d.n[r] - (v == r), d.n[excluded] - (v == excluded), c, hole);
        for (double& x : p) x /= sum;
        return p;
    }
    std::array<double, 11> draw(const Deck& d, Closed c = {}) const { return chances(d, c, excluded != 0); }

    static uint64_t key(const Deck& d, Closed c) {
        return (uint64_t(d.seen) << 7 | c.count << 4 | (c.count ? c.rank : 0));
    }

    // -- the dealer --

    // Results once the hole card is turned: hits soft 17, stands on hard 17 and 18 or more.
    Results dealer(const Deck& d, const Hand& h, Closed c) {
        Results e{};
        if (h.total > 21) return e.fill(1), e;
        if (h.total > 17 || (h.total == 17 && !h.soft)) {
            for (int i = 0; i < 6; ++i) e[i] = (16 + i > h.total) - (16 + i < h.total);
            return e;
        }
        uint64_t k = key(d, c) << 6 | h.total << 1 | h.soft;
        if (auto* known = dealer_memo.find(k)) return *known;
        return dealer_memo.put(k, dealer_draws(d, h, c, chances(d, c, false)));
    }

    Results dealer_draws(const Deck& d, const Hand& h, Closed c, const std::array<double, 11>& p) {
        Results e{};
        for (int v = 1; v <= 10; ++v)
            if (p[v] > 0) {
                Results f = dealer(d.without(v), add(h, v), c);
                for (int i = 0; i < 6; ++i) e[i] += p[v] * f[i];
            }
        return e;
    }

    // stand(R, t): the hole card is any unseen card that the peek has not ruled out.
    double stand(const Deck& d, int total, Closed c = {}) {
        int i = std::max(total - 16, 0);
        uint64_t k = key(d, c);
        if (auto* known = stand_memo.find(k)) return (*known)[i];
        return stand_memo.put(k, dealer_draws(d, add(Hand{}, up), c, chances(d, c, false, excluded)))[i];
    }

    // -- perfect memory --

    // F(R, hand, rest)
    Best play(const Deck& d, Hand h, Rest rest) {
        if (h.total == 21) return {stand(d, 21) + after(d, rest), STAND};
        if (rest.splits == 0) h.pair = 0;
        if (h.pair == 0 && rest.waiting == 0) rest.splits = 0;
        uint64_t k = rest_key(d, rest) << 8 | h.total << 3 | h.soft << 2 | h.two << 1 | (h.pair != 0);
        if (auto* known = play_memo.find(k)) return *known;

        Best best{stand(d, h.total) + after(d, rest), STAND};
        double hit = 0, twice = 0;
        auto p = draw(d);
        for (int v = 1; v <= 10; ++v)
            if (p[v] > 0) {
                Deck e = d.without(v);
                Hand g = add(h, v);
                bool bust = g.total > 21;
                hit += p[v] * (bust ? -1 + after(e, rest) : play(e, g, rest).value);
                if (h.two) twice += p[v] * ((bust ? -2 : 2 * stand(e, g.total)) + after(e, rest));
            }
        if (hit > best.value) best = {hit, HIT};
        if (h.two && twice > best.value) best = {twice, DOUBLE};
        if (h.pair) {
            double split = after(d, {rest.waiting + 2, h.pair, rest.splits - 1, rest.a, rest.b});
            if (split > best.value) best = {split, SPLIT};
        }
        return play_memo.put(k, best);
    }

    // C(R, rest)
    double after(const Deck& d, Rest rest) {
        if (rest.waiting == 0 && rest.a == 0) return 0;
        if (rest.waiting == 0 && rest.b != 0) return start_two(d, rest.a, rest.b, {});
        uint64_t k = rest_key(d, rest);
        if (auto* known = rest_memo.find(k)) return *known;

        double value = 0;
        if (rest.waiting == 0) {
            value = start_one(d, rest.a, {});
        } else {
            --rest.waiting;
            auto p = draw(d);
            for (int v = 1; v <= 10; ++v)
                if (p[v] > 0) {
                    Deck e = d.without(v);
                    Hand h = two_cards(rest.rank, v);
                    value += p[v] * (rest.rank == 1 ? stand(e, h.total) + after(e, rest)  // split aces: one card
                                                    : play(e, h, rest).value);
                }
        }
        return rest_memo.put(k, value);
    }

    static uint64_t rest_key(const Deck& d, Rest rest) {
        if (rest.waiting == 0) rest.rank = 0;
        return ((((uint64_t(d.seen) << 3 | rest.waiting) << 4 | rest.rank) << 3 | rest.splits) << 4 | rest.a) << 4 |
               rest.b;
    }

    double start_two(const Deck& d, int a, int b, Rest rest) {
        if (blackjack(a, b)) return 1.5 + after(d, rest);
        rest.splits = max_splits;
        return play(d, two_cards(a, b), rest).value;
    }

    double start_one(const Deck& d, int a, Rest rest) {
        double value = 0;
        auto p = draw(d);
        for (int v = 1; v <= 10; ++v)
            if (p[v] > 0) value += p[v] * start_two(d.without(v), a, v, rest);
        return value;
    }

    // -- memory `none`: each hand alone, its split hands as slots --

    double alone_two(const Deck& d, int a, int b) {
        if (blackjack(a, b)) return 1.5;
        double value = play(d, two_cards(a, b), {}).value;  // rest.splits = 0: no split here
        return a == b && max_splits > 0 ? std::max(value, split_value(d, a)) : value;
    }

    double alone_one(const Deck& d, int a) {
        double value = 0;
        auto p = draw(d);
        for (int v = 1; v <= 10; ++v)
            if (p[v] > 0) value += p[v] * alone_two(d.without(v), a, v);
        return value;
    }

    // The most times to split is chosen once, at the first split; aces split once.
    double split_value(const Deck& known, int rank) {
        double best = -100;
        for (int splits = 1; splits <= (rank == 1 ? 1 : max_splits); ++splits)
            best = std::max(best, open_slots(known, known, rank, 0, 2, splits + 1));
        return best;
    }

    // Open the second-card slots: `closed` hands have a second card that is not `rank`, `waiting` hands have none yet.
    // `known` is what every hand knows, `actual` lacks also the cards of the rank that made further hands.
    double open_slots(const Deck& known, const Deck& actual, int rank, int closed, int waiting, int limit) {
        if (waiting == 0 || closed + waiting == limit) {
            double value = 0;
            if (closed) value += closed * split_hand(known, actual, {closed - 1, rank}, rank, rank);
            if (waiting) value += waiting * split_hand(known, actual, {closed, rank}, rank, 0);
            return value;
        }
        double q = draw(actual, {closed, rank})[rank];
        double value = (1 - q) * open_slots(known, actual, rank, closed + 1, waiting - 1, limit);
        if (q > 0) value += q * open_slots(known, actual.without(rank), rank, closed, waiting + 1, limit);
        return value;
    }

    // One split hand: its second card is anything but `never`; `others` are the other closed hands.
    double split_hand(const Deck& known, const Deck& actual, Closed others, int rank, int never) {
        double value = 0;
        auto p = chances(actual, others, excluded != 0, never);
        for (int v = 1; v <= 10; ++v)
            if (p[v] > 0) {
                Hand h = two_cards(rank, v);
                value += p[v] * (rank == 1 ? stand(actual.without(v), h.total, others)
                                           : follow(known.without(v), actual.without(v), h, others));
            }
        return value;
    }

    // Play by the rule that is best for a hand alone given `known`, with the cards coming from `actual`.
    double follow(const Deck& known, const Deck& actual, const Hand& h, Closed others) {
        if (h.total > 21) return -1;
        int extra = known.size - actual.size;
        uint64_t k = ((key(known, {others.count + 1, others.rank}) << 3 | extra) << 5 | h.total) << 2 | h.soft << 1 | h.two;
        if (auto* value = fixed_memo.find(k)) return *value;

        Action action = play(known, h, {}).action;
        double value = 0;
        if (action == STAND) {
            value = stand(actual, h.total, others);
        } else {
            auto p = draw(actual, others);
            for (int v = 1; v <= 10; ++v)
                if (p[v] > 0) {
                    Deck d = actual.without(v);
                    Hand g = add(h, v);
                    value += p[v] * (action == HIT      ? follow(known.without(v), d, g, others)
                                     : g.total > 21 ? -2
                                                    : 2 * stand(d, g.total, others));
                }
        }
        return fixed_memo.put(k, value);
    }

    // -- a whole start: the cards a, b on one bet and c on the other --

    // Adds the branch in which the peek finds a blackjack: only blackjacks win, and a lone ace or ten draws first.
    double with_peek(const Deck& d, int a, int b, int c, double played) const {
        if (!excluded) return played;
        double found = double(d.n[excluded]) / d.size;
        Deck e = d.without(excluded);
        int need = c == 1 ? 10 : c == 10 ? 1 : 0;
        double made = double(e.n[need]) / e.size;
        double lost = (blackjack(a, b) ? 1.5 : -1) + (1.5 * made - (1 - made));
        return found * lost + (1 - found) * played;
    }

    double two_first(const Deck& d, int a, int b, int c) {
        return with_peek(d, a, b, c, start_two(d, a, b, {0, 0, 0, c, 0}));
    }
    double one_first(const Deck& d, int a, int b, int c) {
        return with_peek(d, a, b, c, start_one(d, c, {0, 0, 0, a, b}));
    }
    double separately(const Deck& d, int a, int b, int c) {
        return with_peek(d, a, b, c, start_two(d, a, b, {}) + start_one(d, c, {}));
    }
    double memory_none(const Deck& d, int a, int b, int c) {
        return with_peek(d, a, b, c, alone_two(d, a, b) + alone_one(d, c));
    }
};

// ---- the modes --------------------------------------------------------------------------------------------------

bool double_blackjack(const std::array<int, 3>& cards) {
    int aces = std::count(cards.begin(), cards.end(), 1), tens = std::count(cards.begin(), cards.end(), 10);
    return aces && tens && aces + tens == 3;
}

// Calls set(a, b, c) for each different way of setting three cards: a, b together, c alone.
template <class Set> void each_setting(const std::array<int, 3>& cards, Set set) {
    for (int i = 0; i < 3; ++i)
        if (std::find(cards.begin(), cards.begin() + i, cards[i]) == cards.begin() + i)
            set(cards[(i + 1) % 3], cards[(i + 2) % 3], cards[i]);
}

Deck deal(int up, const std::array<int, 3>& cards) {
    return Deck().without(up).without(cards[0]).without(cards[1]).without(cards[2]);
}

// The chance of three cards of these values (in any order) from the deck that lacks the up card.
double chance(int up, const std::array<int, 3>& cards) {
    Deck d = Deck().without(up);
    double p = 1;
    for (int v : cards) {
        if (d.n[v] == 0) return 0;
        p *= double(d.n[v]) / d.size, d = d.without(v);
    }
    int kinds = cards[0] == cards[1] ? (cards[1] == cards[2] ? 1 : 3) : cards[1] == cards[2] ? 3 : 6;
    return p * kinds;
}

// Insurance costs 1 - 3 n_10 / N, never below 0 here, so it is never bought. Fills one value for each way of playing.
template <size_t K, class Value> void whole_game(const char* mode, int max_splits, const char* const (&names)[K], Value value) {
    clock_t begin = clock();
    double ev[K] = {};
    std::string by_up;
    for (int up = 1; up <= 10; ++up) {
        Solver solver(up, max_splits);
        double here[K] = {};
        for (int a = 1; a <= 10; ++a)
            for (int b = a; b <= 10; ++b)
                for (int c = b; c <= 10; ++c) {
                    std::array<int, 3> cards{a, b, c};
                    double p = chance(up, cards), best[K];
                    if (p == 0) continue;
                    std::fill(best, best + K, double_blackjack(cards) ? 3 : -100);
                    if (!double_blackjack(cards))
                        each_setting(cards, [&](int x, int y, int z) { value(solver, deal(up, cards), x, y, z, best); });
                    for (size_t i = 0; i < K; ++i) here[i] += p * best[i];
                }
        for (size_t i = 0; i < K; ++i) ev[i] += here[i] * Deck().n[up] / 52;
        char text[64];
        snprintf(text, sizeof text, "%s\"%d\": %.12f", up > 1 ? ", " : "", up, here[0]);
        by_up += text;
    }
    printf("{\"mode\": \"%s\"", mode);
    for (size_t i = 0; i < K; ++i) printf(", \"%s\": %.12f", names[i], ev[i]);
    printf(", \"by_up_card\": {%s}, \"seconds\": %.3f}\n", by_up.c_str(), double(clock() - begin) / CLOCKS_PER_SEC);
}

void full0() {
    whole_game("full0", 0, {"ev", "ev_two_first", "ev_separately"},
               [](Solver& s, const Deck& d, int a, int b, int c, double* best) {
                   double two = s.two_first(d, a, b, c), one = s.one_first(d, a, b, c);
                   best[0] = std::max({best[0], two, one});
                   best[1] = std::max(best[1], two);
                   best[2] = std::max(best[2], s.separately(d, a, b, c));
               });
}

void none4() {
    whole_game("none4", 4, {"ev"}, [](Solver& s, const Deck& d, int a, int b, int c, double* best) {
        best[0] = std::max(best[0], s.memory_none(d, a, b, c));
    });
}

void start(int up, const std::array<int, 3>& cards) {
    clock_t begin = clock();
    Solver solver(up, 1);
    std::string choices;
    auto choice = [&](int a, int b, int c, const char* first, double value) {
        char text[128];
        snprintf(text, sizeof text, "%s{\"two\": [%d, %d], \"one\": %d, \"first\": \"%s\", \"value\": %.12f}",
                 choices.empty() ? "" : ", ", a, b, c, first, value);
        choices += text;
    };
    each_setting(cards, [&](int a, int b, int c) {
        bool paid = double_blackjack(cards);
        choice(a, b, c, "two", paid ? 3 : solver.two_first(deal(up, cards), a, b, c));
        choice(a, b, c, "one", paid ? 3 : solver.one_first(deal(up, cards), a, b, c));
    });
    printf("{\"mode\": \"start\", \"up\": %d, \"cards\": [%d, %d, %d], \"choices\": [%s], \"seconds\": %.3f}\n", up, cards[0],
           cards[1], cards[2], choices.c_str(), double(clock() - begin) / CLOCKS_PER_SEC);
}

int main(int argc, char** argv) {
    std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "full0" && argc == 2) return full0(), 0;
    if (mode == "none4" && argc == 2) return none4(), 0;
    if (mode == "start" && argc == 6) {
        int v[4];
        for (int i = 0; i < 4; ++i) v[i] = atoi(argv[2 + i]);
        bool good = std::all_of(v, v + 4, [](int x) { return 1 <= x && x <= 10; });
        if (good && chance(v[0], {v[1], v[2], v[3]}) > 0) return start(v[0], {v[1], v[2], v[3]}), 0;
    }
    fprintf(stderr, "usage: solver full0 | none4 | start U A B C   (values 1 = ace .. 10; a possible deal from one deck)\n");
    return 2;
}
