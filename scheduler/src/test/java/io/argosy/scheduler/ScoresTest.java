package io.argosy.scheduler;

import static io.argosy.scheduler.Objects.node;
import static io.argosy.scheduler.Objects.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.scheduler.state.PodInfo;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScoresTest {
    @Test
    void aNodeThatHasTheImageIsPreferred() {
        Board board = new Board();
        board.nodes(
                node("n1", "4", "8Gi").build(),
                node("n2", "4", "8Gi")
                        .editStatus()
                        .addNewImage()
                        .withNames("registry/app:v1")
                        .withSizeBytes(900L << 20)
                        .endImage()
                        .endStatus()
                        .build());
        assertThat(board.choices(running("registry/app:v1"))).containsExactly("n2");
        assertThat(board.choices(running("registry/app"))).containsExactly("n1", "n2");
        assertThat(new PodInfo(running("registry:5000/app")).images()).containsExactly("registry:5000/app:latest");
    }

    @Test
    void usedInLikeMeasureIsBetter() {
        Board board = new Board(Profile.DEFAULT.without("NodeResourcesFit"));
        board.nodes(node("cpu", "4", "4Gi").build(), node("memory", "4", "4Gi").build());
        board.place("cpu", pod("a", "2", "128Mi")).place("memory", pod("b", "100m", "2Gi"));
        assertThat(board.choices(pod("p", "1", "128Mi"))).containsExactly("memory");
    }

    @Test
    void weightsAndDisabledPluginsAreTheProfiles() {
        Profile blind = Profile.named("blind").without("TaintToleration", "DefaultPreemption");
        Board board = new Board(blind);
        board.nodes(Objects.tainted("n1", "dedicated", "NoSchedule"));
        assertThat(board.choose(pod("p").build())).isEqualTo("n1");
        assertThat(board.choose(pod("p", "100", "1Gi"))).isEqualTo("0/1 nodes are available: 1 Insufficient cpu.");
    }

    /** Containers, sidecar, init container, overhead, and the pod's own figure, in thousandths. */
    @ParameterizedTest
    @CsvSource({
        "500, 0, 0, 0, , 500",
        "500, 200, 0, 0, , 700",
        "500, 200, 600, 0, , 800",
        "500, 0, 400, 0, , 500",
        "500, 200, 600, 50, , 850",
        "500, 200, 600, 50, 2000, 2050",
        "500, 0, 0, 0, 100, 100"
    })
    void requestsAreTheLargestMoment(int main, int sidecar, int init, int overhead, Integer own, long expected) {
        Pod pod = new PodBuilder(pod("p", main + "m", "1Mi")).build();
        pod.getSpec()
                .setInitContainers(List.of(
                        new ContainerBuilder()
                                .withName("sidecar")
                                .withRestartPolicy("Always")
                                .withNewResources()
                                .addToRequests("cpu", new Quantity(sidecar + "m"))
                                .endResources()
                                .build(),
                        new ContainerBuilder()
                                .withName("init")
                                .withNewResources()
                                .addToRequests("cpu", new Quantity(init + "m"))
                                .endResources()
                                .build()));
        pod.getSpec().setOverhead(Map.of("cpu", new Quantity(overhead + "m")));
        if (own != null) {
            pod.getSpec()
                    .setResources(new io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder()
                            .addToRequests("cpu", new Quantity(own + "m"))
                            .build());
        }
        assertThat(new PodInfo(pod).requests().cpu()).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"500, 1000, false, 1000", "1000, 500, false, 1000", "1000, 500, true, 500"})
    void aPodThatIsBeingResizedCountsForTheMoreOfBoth(int wanted, int has, boolean infeasible, long expected) {
        Pod pod = new PodBuilder(pod("p", wanted + "m", "1Mi"))
                .withNewStatus()
                .addNewContainerStatus()
                .withName("c")
                .withNewResources()
                .addToRequests("cpu", new Quantity(has + "m"))
                .endResources()
                .endContainerStatus()
                .addNewCondition()
                .withType("PodResizePending")
                .withReason(infeasible ? "Infeasible" : "Deferred")
                .endCondition()
                .endStatus()
                .build();
        assertThat(new PodInfo(pod).requests().cpu()).isEqualTo(expected);
    }

    private static Pod running(String image) {
        return pod("p").editSpec()
                .editFirstContainer()
                .withImage(image)
                .endContainer()
                .endSpec()
                .build();
    }
}
