package io.argosy.controllers.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ObjectMetasTest {
    @Test
    void readsWhatLifetimeDependsOnAndSkipsTheRest() {
        ObjectMetas.Meta meta = ObjectMetas.read(bytes("""
                {"kind":"Pod","spec":{"metadata":{"name":"not this"},"deep":[{"a":[1,2]}]},
                 "metadata":{"name":"p","namespace":"ns","uid":"u","resourceVersion":"7","labels":{"uid":"no"},
                   "deletionTimestamp":"2026-01-01T00:00:00Z","finalizers":["orphan"],
                   "ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"rs","uid":"o",
                     "controller":true,"blockOwnerDeletion":true}]},
                 "status":{"phase":"Running"}}"""));
        assertThat(meta.name()).isEqualTo("p");
        assertThat(meta.uid()).isEqualTo("u");
        assertThat(meta.deleting()).isTrue();
        assertThat(meta.finalizers()).containsExactly("orphan");
        assertThat(meta.owners())
                .containsExactly(new ObjectMetas.Owner("apps/v1", "ReplicaSet", "rs", "o", true, true));
    }

    @Test
    void readsAListWithItsRevision() {
        ObjectMetas.Listing listing = ObjectMetas.list(bytes("""
                {"metadata":{"resourceVersion":"42"},"items":[{"metadata":{"name":"a","uid":"1"}},
                 {"spec":{},"metadata":{"name":"b","uid":"2"}}],"kind":"List"}"""));
        assertThat(listing.resourceVersion()).isEqualTo("42");
        assertThat(listing.items()).extracting(ObjectMetas.Meta::name).containsExactly("a", "b");
    }

    @Test
    void refusesWhatIsNoObject() {
        assertThatThrownBy(() -> ObjectMetas.read(bytes("{\"kind\":\"Status\"}")))
                .isInstanceOf(UncheckedIOException.class);
    }

    private static byte[] bytes(String json) {
        return json.getBytes(StandardCharsets.UTF_8);
    }
}
