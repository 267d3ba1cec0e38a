package io.argosy.controllers.garbagecollector;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.controllers.garbagecollector.Verdict.Reference;
import io.argosy.controllers.garbagecollector.Verdict.Situation;
import io.argosy.controllers.garbagecollector.Verdict.Standing;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerdictTest {
    /** Owners: S solid, A absent, W waiting for its dependents. Object: d has dependents, f one of them foreground, o and F its finalizers. */
    @ParameterizedTest(name = "owners {0}, object {1}: {2}")
    @CsvSource({
        "'', '', Keep[]",
        "S, '', Keep[]",
        "SS, d, Keep[]",
        "SA, '', DropReferences[ownerUids=[1]]",
        "SAW, d, 'DropReferences[ownerUids=[1, 2]]'",
        "A, '', 'Delete[propagationPolicy=Background, unblockFirst=false]'",
        "AA, d, 'Delete[propagationPolicy=Background, unblockFirst=false]'",
        "A, o, 'Delete[propagationPolicy=Orphan, unblockFirst=false]'",
        "A, F, 'Delete[propagationPolicy=Foreground, unblockFirst=false]'",
        "W, '', 'Delete[propagationPolicy=Background, unblockFirst=false]'",
        "W, d, 'Delete[propagationPolicy=Foreground, unblockFirst=false]'",
        "AW, d, 'Delete[propagationPolicy=Foreground, unblockFirst=false]'",
        "W, df, 'Delete[propagationPolicy=Foreground, unblockFirst=true]'"
    })
    void verdict(String owners, String object, String expected) {
        List<Reference> references = new ArrayList<>();
        for (int i = 0; i < owners.length(); i++) {
            references.add(new Reference(
                    Integer.toString(references.size()),
                    switch (owners.charAt(i)) {
                        case 'S' -> Standing.SOLID;
                        case 'A' -> Standing.ABSENT;
                        default -> Standing.WAITING;
                    }));
        }
        Situation situation =
                new Situation(object.contains("d"), object.contains("f"), object.contains("o"), object.contains("F"));
        assertThat(Verdict.on(references, situation)).hasToString(expected);
    }
}
