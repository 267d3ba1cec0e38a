package io.argosy.api.names;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LotTest {
    @Test
    void theSameSeedAnswersTheSameInWhateverOrderItIsAsked() {
        Lot lot = Lot.seeded(7);
        List<String> webs = names(lot, "web-");
        List<String> dbs = names(lot, "db-");
        Lot again = Lot.seeded(7);
        assertThat(names(again, "db-")).isEqualTo(dbs);
        assertThat(names(again, "web-")).isEqualTo(webs);
    }

    @Test
    void anotherSeedAnswersDifferently() {
        assertThat(names(Lot.seeded(8), "web-")).doesNotContainAnyElementsOf(names(Lot.seeded(7), "web-"));
    }

    @Test
    void theSameQuestionAskedAgainGetsAnotherAnswer() {
        assertThat(names(Lot.seeded(7), "web-")).doesNotHaveDuplicates();
        assertThat(names(Lot.random(), "web-")).hasSize(50);
    }

    private static List<String> names(Lot lot, String base) {
        return IntStream.range(0, 50)
                .mapToObj(i -> Names.generate(base, lot.about(base)))
                .toList();
    }
}
