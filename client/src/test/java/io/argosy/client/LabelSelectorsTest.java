package io.argosy.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LabelSelectorsTest {
    private static final Map<String, String> LABELS = Map.of("app", "web", "tier", "front");

    @ParameterizedTest
    @CsvSource({
        "app, In, web, true",
        "app, In, db, false",
        "app, NotIn, web, false",
        "other, NotIn, web, true",
        "app, Exists, , true",
        "other, Exists, , false",
        "app, DoesNotExist, , false",
        "other, DoesNotExist, , true"
    })
    void expressionsMatchAsKubernetesDefinesThem(String key, String operator, String value, boolean expected) {
        LabelSelector selector = new LabelSelectorBuilder()
                .addNewMatchExpression()
                .withKey(key)
                .withOperator(operator)
                .withValues(value == null ? new String[0] : new String[] {value})
                .endMatchExpression()
                .build();
        assertThat(LabelSelectors.matches(selector, LABELS)).isEqualTo(expected);
    }

    @org.junit.jupiter.api.Test
    void anEmptySelectorMatchesAllAndNoneMatchesNothing() {
        assertThat(LabelSelectors.matches(new LabelSelector(), LABELS)).isTrue();
        assertThat(LabelSelectors.matches(null, LABELS)).isFalse();
        assertThat(LabelSelectors.matches(
                        new LabelSelectorBuilder().addToMatchLabels("app", "db").build(), LABELS))
                .isFalse();
    }
}
