package io.argosy.node.agent.eviction;

import static io.argosy.node.agent.eviction.Uses.MEBI;
import static io.argosy.node.agent.eviction.Uses.limited;
import static io.argosy.node.agent.eviction.Uses.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.node.agent.stats.PodUse;
import io.argosy.node.files.FolderUse;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pods that have more on the disk than they said. */
class StorageLimitsTest {
    private static Pod withEmptyDir(PodBuilder pod, String limit, String medium) {
        return pod.editSpec()
                .addNewVolume()
                .withName("scratch")
                .withNewEmptyDir()
                .withMedium(medium)
                .withSizeLimit(new Quantity(limit))
                .endEmptyDir()
                .endVolume()
                .endSpec()
                .build();
    }

    private static PodUse use(Pod pod, long layerMebi, long volumeMebi, boolean inMemory) {
        FolderUse volume = new FolderUse(volumeMebi * MEBI, 1);
        return Uses.use(pod, 0, layerMebi * MEBI, 1, Map.of("scratch", new PodUse.VolumeUse(volume, inMemory)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 | 10 | | ",
                "0 | 11 | | Usage of EmptyDir volume \"scratch\" exceeds the limit \"10Mi\". ",
                "0 | 99 | Memory | ",
                "99 | 0 | | "
            })
    void anEmptyDirHasASize(long layer, long volume, String medium, String words) {
        PodUse use = use(withEmptyDir(pod("p", 0), "10Mi", medium), layer, volume, "Memory".equals(medium));
        assertThat(StorageLimits.exceeded(use).map(String::strip).orElse(null)).isEqualTo(words);
    }

    @Test
    void aContainersLimitHoldsForItsLayerAndThePodsForAllOfIt() {
        PodBuilder limited = limited(pod("p", 0), "ephemeral-storage", "10Mi");
        assertThat(StorageLimits.exceeded(use(limited.build(), 10, 0, false))).isEmpty();
        assertThat(StorageLimits.exceeded(use(limited.build(), 6, 6, false)))
                .hasValue("Pod ephemeral local storage usage exceeds the total limit of containers 10Mi. ");
        PodBuilder two = limited.editSpec()
                .addNewContainer()
                .withName("free")
                .endContainer()
                .endSpec();
        assertThat(StorageLimits.exceeded(use(two.build(), 6, 6, false)))
                .hasValue("Pod ephemeral local storage usage exceeds the total limit of containers 10Mi. ");
        PodBuilder both = two.editSpec()
                .editLastContainer()
                .withNewResources()
                .addToLimits("ephemeral-storage", new Quantity("30Mi"))
                .endResources()
                .endContainer()
                .endSpec();
        assertThat(StorageLimits.exceeded(use(both.build(), 6, 33, false))).isEmpty();
        assertThat(StorageLimits.exceeded(use(both.build(), 6, 35, false)))
                .hasValue("Pod ephemeral local storage usage exceeds the total limit of containers 40Mi. ");
        assertThat(StorageLimits.exceeded(use(both.build(), 11, 0, false)))
                .hasValue("Container web exceeded its local ephemeral storage limit \"10Mi\". ");
    }

    @Test
    void onlyPodsThatSaySomethingAreLookedAt() {
        assertThat(StorageLimits.any(pod("p", 0).build())).isFalse();
        assertThat(StorageLimits.any(limited(pod("p", 0), "memory", "1Mi").build()))
                .isFalse();
        assertThat(StorageLimits.any(
                        limited(pod("p", 0), "ephemeral-storage", "1Mi").build()))
                .isTrue();
        assertThat(StorageLimits.any(withEmptyDir(pod("p", 0), "1Mi", null))).isTrue();
        assertThat(StorageLimits.any(withEmptyDir(pod("p", 0), "1Mi", "Memory")))
                .isFalse();
    }
}
