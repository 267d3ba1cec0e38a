package io.argosy.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeSelector;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.NodeSelectorTerm;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which nodes selectors stand for, and which taints tolerations bear. */
class NodeSelectorsTest {
    private static final Map<String, String> LABELS = Map.of("zone", "a", "cores", "8", "ssd", "");

    private static boolean matches(NodeSelectorTerm... terms) {
        return NodeSelectors.matches(new NodeSelector(List.of(terms)), "n1", LABELS);
    }

    private static NodeSelectorRequirement requirement(String key, String operator, String values) {
        return new NodeSelectorRequirement(key, operator, values == null ? List.of() : List.of(values.split("\\+")));
    }

    @ParameterizedTest
    @CsvSource({
        "zone, In, a+b, true",
        "zone, In, b, false",
        "rack, In, a, false",
        "zone, NotIn, b, true",
        "rack, NotIn, a, true",
        "zone, NotIn, a, false",
        "ssd, Exists, , true",
        "rack, Exists, , false",
        "rack, DoesNotExist, , true",
        "zone, DoesNotExist, , false",
        "cores, Gt, 4, true",
        "cores, Gt, 8, false",
        "cores, Lt, 16, true",
        "zone, Gt, 1, false",
        "cores, Gt, many, false",
        "rack, Lt, 1, false",
        "zone, Like, a, false"
    })
    void expressionsOnLabels(String key, String operator, String values, boolean expected) {
        assertThat(matches(new NodeSelectorTerm(List.of(requirement(key, operator, values)), List.of())))
                .isEqualTo(expected);
    }

    @Test
    void oneTermIsEnoughAllOfItIsNeededAndNothingMatchesNothing() {
        NodeSelectorRequirement here = requirement("zone", "In", "a");
        NodeSelectorRequirement elsewhere = requirement("zone", "In", "b");
        NodeSelectorRequirement byName = requirement("metadata.name", "In", "n1");
        assertThat(matches()).isFalse();
        assertThat(matches(new NodeSelectorTerm())).isFalse();
        assertThat(matches(new NodeSelectorTerm(List.of(here, elsewhere), List.of())))
                .isFalse();
        assertThat(matches(
                        new NodeSelectorTerm(List.of(elsewhere), List.of()),
                        new NodeSelectorTerm(List.of(here), List.of(byName))))
                .isTrue();
        assertThat(matches(new NodeSelectorTerm(List.of(), List.of(requirement("metadata.uid", "In", "n1")))))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "gpu, Equal, yes, NoSchedule, true",
        "gpu, , yes, NoSchedule, true",
        "gpu, Equal, no, NoSchedule, false",
        "gpu, Exists, , NoSchedule, true",
        "gpu, Exists, , , true",
        "gpu, Exists, , NoExecute, false",
        ", Exists, , , true",
        "other, Exists, , , false",
        "gpu, Perhaps, yes, NoSchedule, false"
    })
    void tolerations(String key, String operator, String value, String effect, boolean expected) {
        assertThat(Tolerations.allows(
                        new TolerationBuilder()
                                .withKey(key)
                                .withOperator(operator)
                                .withValue(value)
                                .withEffect(effect)
                                .build(),
                        new TaintBuilder()
                                .withKey("gpu")
                                .withValue("yes")
                                .withEffect("NoSchedule")
                                .build()))
                .isEqualTo(expected);
    }
}
