package io.argosy.controllers.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceCondition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is said of a namespace that is going away. */
class NamespaceConditionsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    private final Drainage drainage = new Drainage();

    @Test
    void whereNothingIsLeftAllIsWell() {
        assertThat(drainage.isDone()).isTrue();
        assertThat(said(List.of()))
                .containsExactly(
                        "NamespaceDeletionDiscoveryFailure False ResourcesDiscovered: All resources successfully"
                                + " discovered",
                        "NamespaceDeletionGroupVersionParsingFailure False ParsedGroupVersions: All legacy kube types"
                                + " successfully parsed",
                        "NamespaceDeletionContentFailure False ContentDeleted: All content successfully deleted, may be"
                                + " waiting on finalization",
                        "NamespaceContentRemaining False ContentRemoved: All content successfully removed",
                        "NamespaceFinalizersRemaining False ContentHasNoFinalizers: All content-preserving finalizers"
                                + " finished");
    }

    @Test
    void whatIsLeftAndWhatHoldsItIsCounted() {
        drainage.remain("pods.", 2, Map.of("example.com/hold", 1), 30);
        drainage.remain("configmaps.", 1, Map.of("example.com/hold", 1, "example.com/again", 1), 0);
        assertThat(drainage.isEmpty()).isFalse();
        assertThat(drainage.estimateSeconds()).isEqualTo(30);
        assertThat(said(List.of()))
                .contains(
                        "NamespaceContentRemaining True SomeResourcesRemain: Some resources are remaining: configmaps."
                                + " has 1 resource instances, pods. has 2 resource instances",
                        "NamespaceFinalizersRemaining True SomeFinalizersRemain: Some content in the namespace has"
                                + " finalizers remaining: example.com/again in 1 resource instances, example.com/hold in 2"
                                + " resource instances");
    }

    @Test
    void whatWentWrongIsToldAndKeepsTheNamespace() {
        drainage.discoveryFailed("no answer");
        assertThat(drainage.isEmpty()).isTrue();
        assertThat(drainage.isDone()).isFalse();
        drainage.failed("b refused");
        drainage.failed("a refused");
        assertThat(drainage.isEmpty()).isFalse();
        assertThat(said(List.of()))
                .contains(
                        "NamespaceDeletionDiscoveryFailure True DiscoveryFailed: no answer",
                        "NamespaceDeletionContentFailure True ContentDeletionFailed: Failed to delete all resource"
                                + " types, 2 remaining: a refused, b refused");
    }

    @Test
    void onlyWhatTurnsGetsANewTime() {
        List<NamespaceCondition> before = NamespaceConditions.after(List.of(), drainage, NOW.minusSeconds(60));
        drainage.remain("pods.", 1, Map.of(), 0);
        List<NamespaceCondition> after = NamespaceConditions.after(before, drainage, NOW);
        assertThat(after)
                .filteredOn(condition -> condition.getLastTransitionTime().equals("2026-01-01T12:00:00Z"))
                .extracting(NamespaceCondition::getType)
                .containsExactly("NamespaceContentRemaining");
    }

    private List<String> said(List<NamespaceCondition> before) {
        return NamespaceConditions.after(before, drainage, NOW).stream()
                .map(condition -> condition.getType() + " " + condition.getStatus() + " " + condition.getReason() + ": "
                        + condition.getMessage())
                .toList();
    }
}
