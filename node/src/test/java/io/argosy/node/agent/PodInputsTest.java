package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.status.ApiException;
import io.argosy.client.Resources;
import io.argosy.node.agent.model.ClusterTrustBundle;
import io.argosy.node.runtime.ContainerStatus;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What a pod needs before it can run: images, configuration, volumes, its own name. */
class PodInputsTest extends AgentFixture {
    @Test
    void aPodThatAsksForWhatTheNodeCanNotGiveFailsAtOnce() {
        runtime.withoutFeatures();
        create(pod("armed")
                .editSpec()
                .withNewSecurityContext()
                .withNewAppArmorProfile(null, "RuntimeDefault")
                .endSecurityContext()
                .endSpec());
        create(pod("tuned")
                .editSpec()
                .withNewSecurityContext()
                .addNewSysctl("kernel.msgmax", "1")
                .endSecurityContext()
                .endSpec());
        eventually(
                "failed",
                () -> phase("armed").equals("Failed") && phase("tuned").equals("Failed"));
        assertThat(find("armed").orElseThrow().getStatus().getReason()).isEqualTo("AppArmor");
        assertThat(find("armed").orElseThrow().getStatus().getMessage())
                .isEqualTo("Pod was rejected: Cannot enforce AppArmor: AppArmor is not enabled on the host");
        assertThat(find("armed").orElseThrow().getStatus().getContainerStatuses())
                .isEmpty(); // or kubectl would show what they wait for
        assertThat(find("tuned").orElseThrow().getStatus().getReason()).isEqualTo("SysctlForbidden");
        assertThat(find("tuned").orElseThrow().getStatus().getMessage())
                .isEqualTo("Pod was rejected: forbidden sysctl: \"kernel.msgmax\" not allowlisted");
    }

    @Test
    void anImageThatIsOnlyToBeFoundHereIsLookedForEveryTenSeconds() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("local:1")
                .withImagePullPolicy("Never")
                .endContainer()
                .endSpec());
        eventually("missing", () -> waiting("a", "web").equals("ErrImageNeverPull"));
        for (int i = 0; i < 20; i++) {
            advance(Duration.ofSeconds(10));
        }
        assertThat(waiting("a", "web")).isEqualTo("ErrImageNeverPull");

        images.with("local:1");
        advance(Duration.ofSeconds(10));

        eventually("ready", () -> ready("a"));
    }

    private static PodBuilder readOnly(String name, String recursive) {
        return pod(name)
                .editSpec()
                .addNewVolume()
                .withName("v")
                .withNewEmptyDir()
                .endEmptyDir()
                .endVolume()
                .editContainer(0)
                .addNewVolumeMount()
                .withName("v")
                .withMountPath("/v")
                .withReadOnly(true)
                .withRecursiveReadOnly(recursive)
                .endVolumeMount()
                .endContainer()
                .endSpec();
    }

    @Test
    void whatTheKernelCannotMakeReadOnlyAllThroughIsSoOnlyWhereItMustBe() {
        runtime.withoutFeatures();
        create(readOnly("may", "IfPossible"));
        create(readOnly("must", "Enabled"));

        eventually("the one runs", () -> ready("may"));
        eventually("the other does not", () -> waiting("must", "web").equals("CreateContainerConfigError"));

        assertThat(status("may", "web").getVolumeMounts().getFirst().getRecursiveReadOnly())
                .isEqualTo("Disabled");
        assertThat(why("must"))
                .isEqualTo("volume \"v\" requested recursive read-only mode, but it is not supported by the runtime");
    }

    @Test
    void whatCannotBeConfiguredIsSaidOnce() {
        create(pod("a").editSpec()
                .editContainer(0)
                .addNewEnvFrom()
                .withNewSecretRef("absent", false)
                .endEnvFrom()
                .endContainer()
                .endSpec());
        eventually("waits", () -> waiting("a", "web").equals("CreateContainerConfigError"));
        settle();
        assertThat(events.lines().stream().filter(line -> line.startsWith("Failed: ")))
                .containsExactly("Failed: Error: secret \"absent\" not found");
    }

    @Test
    void aMissingImageIsWaitedForAndThenPulled() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("late:1")
                .endContainer()
                .endSpec());
        eventually("error", () -> waiting("a", "web").equals("ErrImagePull"));
        assertThat(events.lines()).contains("Failed: Error: ErrImagePull");
        turnUntil("back-off", () -> waiting("a", "web").equals("ImagePullBackOff"));
        assertThat(phase("a")).isEqualTo("Pending");

        images.inRegistry("late:1");

        turnUntil("ready", () -> ready("a"));
        assertThat(events.lines()).anyMatch(l -> l.startsWith("Pulled: Successfully pulled image \"late:1\" in "));
    }

    private void secret(String name, String user) {
        String config = "{\"auths\":{\"hub.example\":{\"username\":\"" + user + "\",\"password\":\"x\"}}}";
        client.resources(Secret.class)
                .create(new SecretBuilder()
                        .withNewMetadata()
                        .withNamespace("default")
                        .withName(name)
                        .endMetadata()
                        .addToData(
                                ".dockerconfigjson",
                                Base64.getEncoder().encodeToString(config.getBytes(StandardCharsets.UTF_8)))
                        .build());
    }

    @Test
    void allPullSecretsAreTriedAndAMissingOneIsTold() {
        secret("old", "ann");
        secret("new", "bob");
        images.inRegistryFor("bob", "hub.example/app:1").inRegistryFor("eve", "hub.example/other:1");
        for (String name : List.of("app", "other")) {
            create(pod(name)
                    .editSpec()
                    .addNewImagePullSecret("old")
                    .addNewImagePullSecret("gone")
                    .addNewImagePullSecret("new")
                    .editContainer(0)
                    .withImage("hub.example/" + name + ":1")
                    .endContainer()
                    .endSpec());
        }
        eventually("ready", () -> ready("app"));
        eventually("refused", () -> waiting("other", "web").equals("ErrImagePull"));
        assertThat(why("other")).isEqualTo("[hub.example/other:1: not for ann, hub.example/other:1: not for bob]");
        assertThat(events.lines())
                .contains(
                        "FailedToRetrieveImagePullSecret: Unable to retrieve some image pull secrets (gone); attempting"
                                + " to pull the image may not succeed.");
    }

    private static PodBuilder pulling(String name, String image, String policy, String... secrets) {
        PodBuilder pod = pod(name)
                .editSpec()
                .editContainer(0)
                .withImage(image)
                .withImagePullPolicy(policy)
                .endContainer()
                .endSpec();
        for (String secret : secrets) {
            pod.editSpec().addNewImagePullSecret(secret).endSpec();
        }
        return pod;
    }

    @Test
    void anImageThatWasPulledWithASecretIsForThoseAloneWhoHaveIt() throws Exception {
        secret("bobs", "bob");
        secret("also-bobs", "bob");
        secret("anns", "ann");
        String image = "hub.example/private:1";
        images.inRegistryFor("bob", image);
        create(pulling("owner", image, "IfNotPresent", "bobs"));
        eventually("ready", () -> ready("owner"));

        stopAgent();
        startAgent();
        create(pulling("friend", image, "Never", "also-bobs"));
        create(pulling("stranger", image, "IfNotPresent"));
        create(pulling("other", image, "IfNotPresent", "anns"));
        create(pulling("hopeful", image, "Never", "anns"));

        eventually("ready", () -> ready("friend"));
        eventually("refused", () -> waiting("stranger", "web").equals("ErrImagePull"));
        eventually("refused", () -> waiting("other", "web").equals("ErrImagePull"));
        eventually("refused", () -> waiting("hopeful", "web").equals("ErrImageNeverPull"));
    }

    @Test
    void anImageThatTheRegistryGivesAnyoneIsEverybodys() {
        String image = "hub.example/public:1";
        images.inRegistry(image);
        create(pulling("first", image, "IfNotPresent"));
        eventually("ready", () -> ready("first"));
        create(pulling("second", image, "Never"));
        eventually("ready", () -> ready("second"));
    }

    private void correct(String pod, String image) {
        change(pod, container -> container.setImage(image));
    }

    /** Again, when the agent has written the pod's status meanwhile. */
    private void change(String pod, Consumer<Container> change) {
        eventually("changed", () -> {
            Pod changed = find(pod).orElseThrow();
            change.accept(changed.getSpec().getContainers().getFirst());
            try {
                client.resources(Pod.class).update(changed);
                return true;
            } catch (ApiException e) {
                return false;
            }
        });
    }

    @Test
    void aCorrectedImageIsPulledAtOnce() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("wrong:1")
                .endContainer()
                .endSpec());
        turnUntil("back-off", () -> waiting("a", "web").equals("ImagePullBackOff"));

        correct("a", "app:1");

        eventually("ready", () -> ready("a"));
    }

    /** The status is of the newest container, and that one waits. */
    private boolean settled(String pod) {
        int newest = runtime.containers().stream()
                .filter(c -> c.pod().name().equals(pod))
                .mapToInt(ContainerStatus::attempt)
                .max()
                .orElse(-1);
        return waiting(pod, "web").equals("CrashLoopBackOff")
                && status(pod, "web").getRestartCount() == newest;
    }

    @Test
    void whatCrashedIsStartedAtOnceWithAnotherImageOrOtherResources() {
        runtime.exitsAtOnce("web", 1);
        create(pod("a"));
        create(pod("b"));
        for (String name : List.of("a", "b")) {
            turnUntil(
                    "crashed twice",
                    () -> waiting(name, "web").equals("CrashLoopBackOff")
                            && status(name, "web").getRestartCount() > 0);
        }
        eventually("settled", () -> settled("a") && settled("b"));
        runtime.staysUp("web");

        correct("a", "other:1");
        change(
                "b",
                container -> container.setResources(new ResourceRequirementsBuilder()
                        .addToRequests("memory", new Quantity("1Mi"))
                        .build()));

        eventually("ready", () -> ready("a") && ready("b"));
    }

    @Test
    void aNameThatIsNoImageAndAnImageThatMustNotBePulledAreSaidSo() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("no such")
                .endContainer()
                .endSpec());
        create(pod("b").editSpec()
                .editContainer(0)
                .withImage("absent:1")
                .withImagePullPolicy("Never")
                .endContainer()
                .endSpec());

        eventually("invalid", () -> waiting("a", "web").equals("InvalidImageName"));
        eventually("never", () -> waiting("b", "web").equals("ErrImageNeverPull"));
    }

    @Test
    void aMissingConfigMapHoldsTheContainerBackUntilItComes() {
        create(pod("a").editSpec()
                .editContainer(0)
                .addNewEnv()
                .withName("COLOR")
                .withNewValueFrom()
                .withNewConfigMapKeyRef("color", "settings", false)
                .endValueFrom()
                .endEnv()
                .endContainer()
                .endSpec());
        eventually("config error", () -> waiting("a", "web").equals("CreateContainerConfigError"));
        assertThat(status("a", "web").getState().getWaiting().getMessage())
                .isEqualTo("configmap \"settings\" not found");

        settings("blue");

        turnUntil("ready", () -> ready("a"));
        assertThat(runtime.spec("web").env())
                .anyMatch(e -> e.name().equals("COLOR") && e.value().equals("blue"));
    }

    private void settings(String color) {
        var map = new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("default")
                .withName("settings")
                .endMetadata()
                .addToData("color", color)
                .build();
        if (client.resources(io.fabric8.kubernetes.api.model.ConfigMap.class)
                .find("default", "settings")
                .isEmpty()) {
            client.resources(io.fabric8.kubernetes.api.model.ConfigMap.class).create(map);
        } else {
            client.resources(io.fabric8.kubernetes.api.model.ConfigMap.class).update(map);
        }
    }

    @Test
    void aConfigMapVolumeFollowsItsConfigMap() throws Exception {
        PodBuilder pod = pod("a").editSpec()
                .addNewVolume()
                .withName("v")
                .withNewConfigMap()
                .withName("settings")
                .endConfigMap()
                .endVolume()
                .editContainer(0)
                .addNewVolumeMount()
                .withName("v")
                .withMountPath("/etc/settings")
                .endVolumeMount()
                .endContainer()
                .endSpec();
        create(pod);
        eventually("mount fails", () -> events.lines().stream().anyMatch(l -> l.startsWith("FailedMount: ")));
        settings("blue");
        turnUntil("ready", () -> ready("a"));
        Path file = runtime.spec("web").mounts().getFirst().hostPath().resolve("color");
        assertThat(Files.readString(file)).isEqualTo("blue");

        settings("red");

        turnUntil("updated", () -> {
            try {
                return Files.readString(file).equals("red");
            } catch (java.io.IOException e) {
                return false;
            }
        });
    }

    @Test
    void aPodWaitsForTheTrustBundleItNames() throws Exception {
        create(pod("a").editSpec()
                .addNewVolume()
                .withName("v")
                .withNewProjected()
                .addNewSource()
                .withNewClusterTrustBundle()
                .withName("web")
                .withPath("ca.pem")
                .endClusterTrustBundle()
                .endSource()
                .endProjected()
                .endVolume()
                .editContainer(0)
                .addNewVolumeMount()
                .withName("v")
                .withMountPath("/etc/trust")
                .endVolumeMount()
                .endContainer()
                .endSpec());
        eventually(
                "mount fails",
                () -> events.lines()
                        .contains("FailedMount: MountVolume.SetUp failed for volume \"v\" : while getting"
                                + " ClusterTrustBundle: clustertrustbundle.certificates.k8s.io \"web\" not found"));
        String certificate = "-----BEGIN CERTIFICATE-----\neA==\n-----END CERTIFICATE-----\n";

        client.resources(ClusterTrustBundle.class)
                .create(new ClusterTrustBundle(
                        new ObjectMetaBuilder().withName("web").build(),
                        new ClusterTrustBundle.Spec(null, certificate)));

        turnUntil("ready", () -> ready("a"));
        Path folder = runtime.spec("web").mounts().getFirst().hostPath();
        assertThat(Files.readString(folder.resolve("ca.pem"))).isEqualTo(certificate);
    }

    private static PodBuilder mountingPart(String name, String expression) {
        return pod(name)
                .editSpec()
                .addNewVolume()
                .withName("v")
                .withNewEmptyDir()
                .endEmptyDir()
                .endVolume()
                .editContainer(0)
                .addNewEnv()
                .withName("NAME")
                .withNewValueFrom()
                .withNewFieldRef("v1", "metadata.name")
                .endValueFrom()
                .endEnv()
                .addNewEnv()
                .withName("ROOT")
                .withValue("/$(NAME)")
                .endEnv()
                .addNewVolumeMount()
                .withName("v")
                .withMountPath("/logs")
                .withSubPathExpr(expression)
                .endVolumeMount()
                .endContainer()
                .endSpec();
    }

    @Test
    void aPartOfAVolumeIsNamedByTheEnvironment() {
        create(mountingPart("a", "logs/$(NAME)-$$(NAME)"));
        eventually("ready", () -> ready("a"));
        String uid = find("a").orElseThrow().getMetadata().getUid();
        assertThat(home.resolve("pods", uid, "volumes", "kubernetes.io~empty-dir", "v", "logs", "a-$(NAME)"))
                .isDirectory();
        assertThat(runtime.spec("web").mounts().getFirst().containerPath()).isEqualTo("/logs");
    }

    @Test
    void aPartThatTheEnvironmentDoesNotNameOrThatLeadsOutIsRefused() {
        create(mountingPart("missing", "$(NAME)/$(OTHER)"));
        create(mountingPart("absolute", "$(ROOT)"));
        create(mountingPart("climbing", "../$(NAME)"));
        for (String name : List.of("missing", "absolute", "climbing")) {
            eventually("refused", () -> waiting(name, "web").equals("CreateContainerConfigError"));
        }
        assertThat(why("missing")).isEqualTo("missing value for OTHER");
        assertThat(why("absolute")).isEqualTo("error SubPath `/absolute` must not be an absolute path");
        assertThat(why("climbing")).isEqualTo("unable to provision SubPath `../climbing`: must not contain '..'");
        assertThat(runtime.started()).isEmpty();
    }

    private String why(String name) {
        return status(name, "web").getState().getWaiting().getMessage();
    }

    @Test
    void aPodStoppedWhileItsImageIsPulledIsGoneAtOnce() {
        images.hold("slow:1");
        create(pod("a").editSpec()
                .editContainer(0)
                .withImage("slow:1")
                .endContainer()
                .endSpec());
        eventually("pulling", () -> events.lines().contains("Pulling: Pulling image \"slow:1\""));

        client.resources(Pod.class).delete("default", "a", Resources.DeleteOptions.DEFAULT);

        eventually("gone", () -> find("a").isEmpty());
        images.release();
        assertThat(runtime.started()).isEmpty();
    }

    @Test
    void thePodKnowsItselfAndItsServices() {
        create(pod("a").editSpec()
                .editContainer(0)
                .withCommand("serve", "$(NAME)", "$(MISSING)", "$$(NAME)")
                .addNewEnv()
                .withName("NAME")
                .withNewValueFrom()
                .withNewFieldRef("v1", "metadata.name")
                .endValueFrom()
                .endEnv()
                .addNewEnv()
                .withName("IP")
                .withNewValueFrom()
                .withNewFieldRef("v1", "status.podIP")
                .endValueFrom()
                .endEnv()
                .endContainer()
                .endSpec());

        eventually("ready", () -> ready("a"));

        assertThat(runtime.spec("web").command()).containsExactly("serve", "a", "$(MISSING)", "$(NAME)");
        Map<String, String> env = new java.util.HashMap<>();
        runtime.spec("web").env().forEach(e -> env.put(e.name(), e.value()));
        assertThat(env)
                .containsEntry("HOSTNAME", "a")
                .containsEntry("IP", find("a").orElseThrow().getStatus().getPodIP());
        assertThat(runtime.spec("web").mounts()).anyMatch(m -> m.containerPath().equals("/etc/hosts"));
    }
}
