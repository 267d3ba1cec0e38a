package io.argosy.controllers.meta;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.Resources.DeleteOptions;
import io.argosy.client.fake.FakeApi;
import io.argosy.controllers.Manifests;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import org.junit.jupiter.api.Test;

class WantedTest {
    private final Client client = new FakeApi().client();
    private final Resources<ReplicaSet> sets = client.resources(ReplicaSet.class);
    private final Wanted<ReplicaSet> wanted = new Wanted<>(client, ReplicaSet.class);

    @Test
    void aLivingSetWantsItsPods() {
        assertThat(wanted.still(sets.create(Manifests.replicaSet("web", 2)))).isTrue();
    }

    @Test
    void aSetThatWaitsForItsPodsToGoWantsNone() {
        ReplicaSet cached = sets.create(Manifests.replicaSet("web", 2));
        sets.delete("default", "web", new DeleteOptions(null, "Foreground", null, null));
        assertThat(sets.find("default", "web")).isPresent();
        assertThat(wanted.still(cached)).isFalse();
    }

    @Test
    void aSetThatIsGoneWantsNoneAndNeitherDoesItsNamesake() {
        ReplicaSet cached = sets.create(Manifests.replicaSet("web", 2));
        sets.delete("default", "web", DeleteOptions.DEFAULT);
        assertThat(wanted.still(cached)).isFalse();
        sets.create(Manifests.replicaSet("web", 2));
        assertThat(wanted.still(cached)).isFalse();
    }
}
