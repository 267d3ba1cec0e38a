package io.argosy.node.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How much the containers of a pod may say last. */
class TerminationMessagesTest {
    @ParameterizedTest
    @CsvSource({"1, a, 4096, 4096", "1, a, 20000, 12288", "3, a, 4097, 4096", "6, a, 4096, 2048", "7, \u00e9, 4096, 877"
    })
    void allTogetherSayTwelveKibibytes(int containers, String letter, int said, int told) {
        String[] names = new String[containers];
        for (int i = 0; i < containers; i++) {
            names[i] = (i == 0 ? "init:" : "") + "c" + i;
        }
        Pod pod = Views.pod("Always", names).build();
        assertThat(TerminationMessages.cut(pod, letter.repeat(said))).isEqualTo(letter.repeat(told));
    }
}
