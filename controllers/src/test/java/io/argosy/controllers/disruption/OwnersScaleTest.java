package io.argosy.controllers.disruption;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.GroupVersion;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.VirtualClock;
import io.argosy.client.Owners;
import io.argosy.client.fake.FakeApi;
import io.argosy.client.informer.SharedInformers;
import io.argosy.controllers.Manifests;
import io.argosy.controllers.catalog.ResourceCatalog;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Owners that no cache has heard of: the informers here are never started. */
class OwnersScaleTest {
    private final VirtualClock clock = new VirtualClock(Instant.parse("2026-01-01T00:00:00Z"));
    private final FakeApi api = new FakeApi(clock);
    private final SharedInformers informers = new SharedInformers(api, clock);
    private final OwnersScale scale = new OwnersScale(api, new Apps(), informers);

    @AfterEach
    void close() {
        informers.close();
    }

    @Test
    void anOwnerThatIsNotInTheCacheIsAskedOfTheApi() {
        ReplicaSet owner = api.client().resources(ReplicaSet.class).create(Manifests.replicaSet("web", 4));
        OwnersScale.Sum sum = scale.of(List.of(pod("a", Owners.controlledBy(owner)), Manifests.pod("b", Map.of())));
        assertThat(sum.replicas()).isEqualTo(4);
        assertThat(sum.unmanaged())
                .extracting(pod -> pod.getMetadata().getName())
                .containsExactly("b");
    }

    @Test
    void aVersionThatIsNotServedAnyMoreLeadsToTheSameScale() {
        ReplicaSet owner = api.client().resources(ReplicaSet.class).create(Manifests.replicaSet("web", 4));
        OwnerReference old = Owners.controlledBy(owner);
        old.setApiVersion("apps/v1beta2");
        assertThat(scale.of(List.of(pod("a", old))).replicas()).isEqualTo(4);
        assertThat(api.requests().getLast().groupVersion()).isEqualTo(new GroupVersion("apps", "v1"));
    }

    @Test
    void aNamesakeOfTheOwnerIsNotTheOwner() {
        api.client().resources(ReplicaSet.class).create(Manifests.replicaSet("web", 4));
        assertUnknown(owner("apps/v1", "ReplicaSet"), "found no controllers for pod \"a\"");
    }

    @Test
    void anOwnerThatIsGoneIsNotTakenForOneWithoutScale() {
        assertUnknown(owner("apps/v1", "ReplicaSet"), "found no controllers for pod \"a\"");
    }

    @Test
    void aKindWithoutScaleIsToldByItsResource() {
        api.failOnce(
                request -> request.subresource().equals("scale"),
                new ApiException(Reason.NotFound, "the server could not find the requested resource"));
        assertUnknown(owner("apps/v1", "DaemonSet"), "daemonsets.apps does not implement the scale subresource");
    }

    @Test
    void aKindThatNobodyServesIsTold() {
        assertUnknown(
                owner("example.com/v1", "Widget"), "no matches for kind \"Widget\" in version \"example.com/v1\"");
    }

    private void assertUnknown(OwnerReference owner, String message) {
        assertThatThrownBy(() -> scale.of(List.of(pod("a", owner))))
                .isInstanceOf(OwnersScale.UnknownScale.class)
                .hasMessage(message);
    }

    private static OwnerReference owner(String apiVersion, String kind) {
        return new OwnerReferenceBuilder()
                .withApiVersion(apiVersion)
                .withKind(kind)
                .withName("web")
                .withUid("a-uid-of-its-own")
                .withController(true)
                .build();
    }

    private static Pod pod(String name, OwnerReference owner) {
        return new PodBuilder(Manifests.pod(name, Map.of()))
                .editMetadata()
                .withOwnerReferences(owner)
                .endMetadata()
                .build();
    }

    private static final class Apps implements ResourceCatalog {
        @Override
        public List<ApiResource> resources() {
            GroupVersion apps = new GroupVersion("apps", "v1");
            return List.of(
                    new ApiResource(apps, "replicasets", "ReplicaSet", true, Set.of("get")),
                    new ApiResource(apps, "daemonsets", "DaemonSet", true, Set.of("get")));
        }

        @Override
        public void onChange(Runnable listener) {
            // These kinds never change.
        }
    }
}
