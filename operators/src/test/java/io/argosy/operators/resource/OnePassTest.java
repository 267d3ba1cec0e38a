package io.argosy.operators.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OnePassTest {
    private static final Duration AGAIN = Duration.ofMillis(70);

    private final OnePass passes = new OnePass();

    @Test
    void aSecondPassComesAgainLater() {
        UpdateControl<ConfigMap> first = passes.over(object("a", "one"), AGAIN, () -> {
            UpdateControl<ConfigMap> second = passes.over(object("a", "one"), AGAIN, this::unexpected);
            assertThat(second.getScheduleDelay()).hasValue(AGAIN.toMillis());
            return done();
        });
        assertThat(first.getScheduleDelay()).isEmpty();
    }

    @Test
    void othersDoNotWait() {
        passes.over(object("a", "one"), AGAIN, () -> {
            assertThat(passes.over(object("b", "one"), AGAIN, OnePassTest::done).getScheduleDelay())
                    .isEmpty();
            assertThat(passes.over(object("a", "two"), AGAIN, OnePassTest::done).getScheduleDelay())
                    .isEmpty();
            return done();
        });
    }

    @Test
    void aPassThatFailsIsOver() {
        assertThatThrownBy(() -> passes.over(object("a", "one"), AGAIN, () -> {
                    throw new IllegalStateException("broken");
                }))
                .hasMessage("broken");
        assertThat(passes.over(object("a", "one"), AGAIN, OnePassTest::done).getScheduleDelay())
                .isEmpty();
    }

    private UpdateControl<ConfigMap> unexpected() {
        throw new AssertionError("two passes at once");
    }

    private static UpdateControl<ConfigMap> done() {
        return UpdateControl.noUpdate();
    }

    private static ConfigMap object(String namespace, String name) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .build();
    }
}
