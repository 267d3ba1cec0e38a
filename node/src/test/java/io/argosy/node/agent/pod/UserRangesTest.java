package io.argosy.node.agent.pod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.VirtualClock;
import io.argosy.node.agent.fake.FakeRuntime;
import io.argosy.node.runtime.IdRange;
import io.argosy.node.runtime.PodIdentity;
import io.argosy.node.runtime.SandboxSpec;
import io.argosy.node.runtime.SandboxSpec.Namespaces;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UserRangesTest {
    private static final IdRange FIRST = new IdRange(65536, 65536);
    private static final IdRange SECOND = new IdRange(131072, 65536);
    private static final IdRange THIRD = new IdRange(196608, 65536);

    private final FakeRuntime runtime = new FakeRuntime(new VirtualClock(Instant.EPOCH));

    private static Pod pod(String uid, Boolean hostUsers) {
        return new PodBuilder()
                .withNewMetadata()
                .withUid(uid)
                .endMetadata()
                .withNewSpec()
                .withHostUsers(hostUsers)
                .endSpec()
                .build();
    }

    private void sandbox(String uid, IdRange users) {
        runtime.runSandbox(SandboxSpec.builder(new PodIdentity("default", uid, uid, 0), Path.of("/tmp"))
                .namespaces(new Namespaces(false, false, false, false, Optional.of(users)))
                .build());
    }

    @Test
    void onlyPodsThatWantUsersOfTheirOwnGetSome() {
        UserRanges ranges = new UserRanges(runtime, 10);
        assertThat(ranges.of(pod("a", null), "")).isEmpty();
        assertThat(ranges.of(pod("b", true), "")).isEmpty();
        assertThat(ranges.of(pod("c", false), "")).contains(FIRST);
    }

    @Test
    void noTwoPodsShareARangeAndAPodKeepsItsOwn() {
        UserRanges ranges = new UserRanges(runtime, 10);
        sandbox("old", FIRST);
        assertThat(ranges.of(pod("a", false), "")).contains(SECOND);
        assertThat(ranges.of(pod("b", false), "")).contains(THIRD);
        assertThat(ranges.of(pod("a", false), "")).contains(SECOND);
        assertThat(ranges.of(pod("old", false), "")).contains(FIRST);
        ranges.release("a");
        assertThat(ranges.of(pod("c", false), "")).contains(SECOND);
    }

    @Test
    void thereAreAsManyAsPods() {
        assertThat(UserRanges.free(List.of(FIRST, THIRD), 3)).isEqualTo(SECOND);
        assertThat(UserRanges.free(List.of(new IdRange(65000, 70000)), 3)).isEqualTo(THIRD);
        assertThatThrownBy(() -> UserRanges.free(List.of(FIRST, SECOND), 2))
                .hasMessage("create user namespace: could not find an empty slot to allocate a user namespace");
    }

    @Test
    void aRuntimeThatCanNotSaysSo() {
        runtime.withoutFeatures();
        UserRanges ranges = new UserRanges(runtime, 10);
        assertThat(ranges.of(pod("a", true), "")).isEmpty();
        assertThatThrownBy(() -> ranges.of(pod("a", false), ""))
                .hasMessage("can't set `spec.hostUsers: false`, runtime does not support user namespaces");
        assertThatThrownBy(() -> ranges.of(pod("a", false), "runc"))
                .hasMessage("can't set `spec.hostUsers: false`, RuntimeClass handler \"runc\" does not support user"
                        + " namespaces");
    }
}
