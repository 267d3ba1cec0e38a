package io.argosy.controllers.statefulset;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Owners;
import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClaimOwnersTest {
    @ParameterizedTest(name = "deleted {0}, scaled {1}, ordinal {2} of 2, owned by {3}: {4}")
    @CsvSource({
        "Retain, Retain, 0, ' ', ' '",
        "Retain, Retain, 0, 'set pod', ' '",
        "Retain, Delete, 0, ' ', ' '",
        "Retain, Delete, 0, 'pod', ' '",
        "Retain, Delete, 2, ' ', 'pod'",
        "Retain, Delete, 2, 'set', 'pod'",
        "Delete, Retain, 0, ' ', 'set'",
        "Delete, Retain, 2, 'pod', 'set'",
        "Delete, Delete, 0, 'pod', 'set'",
        "Delete, Delete, 2, 'set', 'pod'",
        "Delete, Delete, 2, 'pod other', 'pod other'",
        ", , 2, 'other', 'other'",
        "Delete, Delete, 0, 'boss', 'boss'", // another controller has it
        "Delete, Delete, 0, 'set boss', 'boss'",
        "Retain, Delete, 2, 'pod boss', 'boss'",
        "Retain, Retain, 0, 'boss', 'boss'",
        "Delete, Retain, 0, 'former', 'former'", // a set of that name that is gone
        "Delete, Retain, 0, 'set former', 'set former'",
        "Retain, Delete, 2, 'ghost', 'ghost'" // a pod of that name that is gone
    })
    void claimsGoWithWhomThePolicySays(
            String whenDeleted, String whenScaled, int ordinal, String before, String after) {
        StatefulSet set = new StatefulSetBuilder()
                .withNewMetadata()
                .withName("web")
                .withUid("set")
                .endMetadata()
                .withNewSpec()
                .withReplicas(2)
                .withNewPersistentVolumeClaimRetentionPolicy(whenDeleted, whenScaled)
                .endSpec()
                .build();
        Pod pod = Manifests.pod("web-" + ordinal, Map.of());
        pod.getMetadata().setUid("pod");
        List<OwnerReference> owners = new ArrayList<>();
        for (String owner : before.strip().split(" ")) {
            switch (owner) {
                case "set" -> owners.add(Owners.controlledBy(set));
                case "pod" -> owners.add(Owners.controlledBy(pod));
                case "boss" -> owners.add(reference("X", "boss", "boss", true));
                case "former" -> owners.add(reference("StatefulSet", "web", "former", true));
                case "ghost" -> owners.add(reference("Pod", "web-" + ordinal, "ghost", true));
                case "other" ->
                    owners.add(new OwnerReferenceBuilder()
                            .withKind("X")
                            .withUid("other")
                            .build());
                default -> assertThat(owner).isEmpty();
            }
        }
        PersistentVolumeClaim claim = new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withOwnerReferences(owners)
                .endMetadata()
                .build();
        assertThat(ClaimOwners.wanted(set, pod, claim))
                .extracting(OwnerReference::getUid)
                .containsExactly(after.isBlank() ? new String[0] : after.split(" "));
    }

    private static OwnerReference reference(String kind, String name, String uid, boolean controller) {
        return new OwnerReferenceBuilder()
                .withKind(kind)
                .withName(name)
                .withUid(uid)
                .withController(controller)
                .build();
    }
}
