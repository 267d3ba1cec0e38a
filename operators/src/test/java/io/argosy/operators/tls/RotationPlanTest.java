package io.argosy.operators.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.operators.tls.RotationPlan.Leaf;
import io.argosy.operators.tls.RotationPlan.Move;
import io.argosy.operators.tls.RotationPlan.Rules;
import io.argosy.operators.tls.RotationPlan.Signer;
import io.argosy.operators.tls.RotationPlan.State;
import io.argosy.operators.tls.RotationPlan.Term;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is issued when, by what there is and what time it is; days are counted from now. */
class RotationPlanTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");
    private static final Rules RULES =
            new Rules(Duration.ofDays(90), Duration.ofDays(30), Duration.ofDays(1825), Duration.ofDays(1));

    /** "-10..80", or "-" for nothing. */
    private static Term term(String days) {
        if (days.equals("-")) {
            return null;
        }
        String[] ends = days.split("\\.\\.", 2);
        return new Term(
                NOW.plus(Duration.ofDays(Integer.parseInt(ends[0]))),
                NOW.plus(Duration.ofDays(Integer.parseInt(ends[1]))));
    }

    private static Leaf leaf(Use use, String days, String traits) {
        return new Leaf(
                use, term(days), !traits.contains("other"), !traits.contains("unbundled"), !traits.contains("asked"));
    }

    @ParameterizedTest(name = "{0}: {6}")
    @CsvSource(delimiter = '|', textBlock = """
            nothing is there                      | -         | -       | -        |    | -       | Begin
            all is well                           | -10..1000 | -       | -        |    | -10..80 | Rest
            the authority has lapsed              | -1825..-1 | -       | -        |    | -10..80 | Begin
            the authority is of the future        | 3..1800   | -       | -        |    | -10..80 | Begin
            a certificate is missing              | -10..1000 | -       | -        |    | -       | Issue
            one is due                            | -10..1000 | -       | -        |    | -61..29 | Issue
            one is nearly due                     | -10..1000 | -       | -        |    | -60..31 | Rest
            one has lapsed                        | -10..1000 | -       | -        |    | -91..-1 | Issue
            one is of the future                  | -10..1000 | -       | -        |    | 1..91   | Issue
            one ends with its authority           | -10..20   | 0..1000 | -        | 0  | -10..20 | Rest
            the authority ends soon               | -10..121  | -       | -        |    | -10..80 | Introduce
            not so soon                           | -10..123  | -       | -        |    | -10..80 | Rest
            the successor is just introduced      | -10..1000 | 0..1825 | -        | 0  | -10..80 | Rest
            clients had their time                | -10..1000 | 0..1825 | -        | -1 | -10..80 | Switch
            the clock was set back                | -10..1000 | 0..1825 | -        | 9  | -10..80 | Switch
            the successor is of the future        | -10..1000 | 5..1825 | -        | 5  | -10..80 | Introduce
            the successor has lapsed              | -10..1000 | -9..-1  | -        | -9 | -10..80 | Introduce
            the predecessor is still needed       | -10..1000 | -       | -999..99 | 0  | -10..80 | Rest
            the predecessor may go                | -10..1000 | -       | -999..99 | -1 | -10..80 | Retire
            """)
    void theTimeDecides(
            String what, String signer, String next, String previous, Integer since, String leaf, String move) {
        assertThat(move(state(signer, true, next, previous, since, false, true, leaf, "")))
                .isEqualTo(move);
    }

    @ParameterizedTest(name = "{0}: {6}")
    @CsvSource(delimiter = '|', textBlock = """
            a new authority is asked for          | key  | -       | asked | renewed | ''        | Introduce
            while members restart                 | key  | -       | asked | stale   | ''        | Rest
            new certificates are asked for        | key  | -       |       | stale   | asked     | Issue
            another authority signed              | key  | -       |       | renewed | other     | Issue
            the bundle is of yesterday            | key  | 0..1825 |       | renewed | unbundled | Spread
            members have not read the bundle      | key  | 0..1825 |       | stale   | ''        | Rest
            all have                              | key  | 0..1825 |       | renewed | ''        | Switch
            the key is lost                       | lost | -       |       | renewed | ''        | Introduce
            and certificates are asked for        | lost | 0..1825 |       | stale   | asked     | Rest
            """)
    void whatIsThereDecides(
            String what, String key, String next, String asked, String members, String traits, String move) {
        assertThat(move(state(
                        "-10..1000",
                        key.equals("key"),
                        next,
                        "-",
                        -1,
                        asked != null,
                        members.equals("renewed"),
                        "-10..80",
                        traits)))
                .isEqualTo(move);
    }

    @Test
    void aLostKeyAndALapsedCertificateLeaveNothingToKeep() {
        assertThat(move(state("-10..1000", false, "-", "-", 0, false, true, "-91..-1", "")))
                .isEqualTo("Begin");
    }

    private static State state(
            String signer,
            boolean hasKey,
            String next,
            String previous,
            Integer since,
            boolean asked,
            boolean renewed,
            String days,
            String traits) {
        List<Leaf> leaves = Stream.of(Use.values())
                .map(use -> use == Use.SERVER ? leaf(use, days, traits) : leaf(use, "-1..89", ""))
                .toList();
        Term term = term(signer);
        return new State(
                term == null ? null : new Signer(term, hasKey),
                term(next),
                term(previous),
                since == null ? null : NOW.plus(Duration.ofDays(since)),
                asked,
                renewed,
                leaves,
                NOW);
    }

    private static String move(State state) {
        Move move = RotationPlan.next(state, RULES);
        return move.getClass().getSimpleName();
    }
}
