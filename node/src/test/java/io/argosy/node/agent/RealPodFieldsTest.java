package io.argosy.node.agent;

import static io.argosy.client.fake.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.LinuxContainerUser;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a pod says about its containers, as a real container finds it. */
class RealPodFieldsTest extends RealNodeFixture {
    RealPodFieldsTest() {
        super("fields-test", 86);
    }

    private void begin(PodBuilder pod) {
        String name =
                client.resources(Pod.class).create(pod.build()).getMetadata().getName();
        eventually("ready", () -> ready(name));
    }

    private ContainerStatus status(String name) {
        return find(name).orElseThrow().getStatus().getContainerStatuses().getFirst();
    }

    private boolean ended(String name) {
        return find(name).filter(p -> p.getStatus() != null).stream()
                .flatMap(p -> p.getStatus().getContainerStatuses().stream())
                .anyMatch(s -> s.getState().getTerminated() != null);
    }

    private ContainerStateTerminated end(PodBuilder pod) {
        String name = pod.buildMetadata().getName();
        client.resources(Pod.class)
                .create(pod.editSpec().withRestartPolicy("Never").endSpec().build());
        eventually("ended", () -> ended(name));
        return status(name).getState().getTerminated();
    }

    @Test
    void namesAddressesAndSysctlsAreThePodsOwn() throws Exception {
        begin(pod("named", "sleep", "1000")
                .editSpec()
                .withHostname("front")
                .withSubdomain("shop")
                .withSetHostnameAsFQDN(true)
                .addNewHostAlias()
                .withIp("192.0.2.7")
                .withHostnames("elsewhere.example", "elsewhere")
                .endHostAlias()
                .withNewSecurityContext()
                .addNewSysctl("net.ipv4.ip_unprivileged_port_start", "123")
                .endSecurityContext()
                .withDnsPolicy("None")
                .withNewDnsConfig()
                .withNameservers("192.0.2.53")
                .withSearches("shop.example")
                .addNewOption("ndots", "3")
                .endDnsConfig()
                .editContainer(0)
                .withWorkingDir("/data/deep")
                .endContainer()
                .endSpec());
        assertThat(exec("named", "hostname")).isEqualTo("front.shop.default.svc.cluster.local");
        assertThat(exec("named", "cat", "/etc/hosts"))
                .contains("192.0.2.7\telsewhere.example\telsewhere")
                .contains("front.shop.default.svc.cluster.local");
        assertThat(exec("named", "cat", "/etc/resolv.conf"))
                .isEqualTo("search shop.example\nnameserver 192.0.2.53\noptions ndots:3");
        assertThat(exec("named", "cat", "/proc/sys/net/ipv4/ip_unprivileged_port_start"))
                .isEqualTo("123");
        assertThat(exec("named", "sh", "-c", "pwd")).isEqualTo("/data/deep");
    }

    @Test
    void whatAnInitContainerLeavesIsAVariableAndAPartOfAVolume() throws Exception {
        begin(pod("heir", "sleep", "1000")
                .editSpec()
                .addNewVolume()
                .withName("v")
                .withNewEmptyDir()
                .endEmptyDir()
                .endVolume()
                .addNewInitContainer()
                .withName("first")
                .withImage("busybox:1")
                .withCommand(
                        "sh",
                        "-c",
                        "/bin/busybox mkdir -p /v/a/b; echo kept > /v/a/b/file; echo \"COLOR='blue'\" > /v/env")
                .addNewVolumeMount()
                .withName("v")
                .withMountPath("/v")
                .endVolumeMount()
                .endInitContainer()
                .editContainer(0)
                .addNewVolumeMount()
                .withName("v")
                .withMountPath("/part")
                .withSubPath("a/b")
                .endVolumeMount()
                .addNewEnv()
                .withName("SHADE")
                .withNewValueFrom()
                .withNewFileKeyRef("COLOR", false, "env", "v")
                .endValueFrom()
                .endEnv()
                .endContainer()
                .endSpec());
        assertThat(exec("heir", "sh", "-c", "echo $SHADE; cat /part/file")).isEqualTo("blue\nkept");
    }

    @Test
    void lastWordsAreAFileOrTheEndOfTheLog() {
        ContainerStateTerminated file = end(pod("file", "sh", "-c", "echo from the file > /tmp/words; exit 4")
                .editSpec()
                .editContainer(0)
                .withTerminationMessagePath("/tmp/words")
                .endContainer()
                .endSpec());
        assertThat(file.getMessage()).isEqualTo("from the file\n");
        assertThat(file.getExitCode()).isEqualTo(4);
        assertThat(file.getReason()).isEqualTo("Error");
        ContainerStateTerminated end = end(pod(
                "much",
                "sh",
                "-c",
                "busybox yes word | busybox head -n 2000 > /dev/termination-log; echo end"
                        + " >> /dev/termination-log"));
        assertThat(end.getMessage()).hasSize(4096).endsWith("word\nend\n");
        PodBuilder log = pod("log", "sh", "-c", "echo from the log; exit $CODE")
                .editSpec()
                .editContainer(0)
                .withTerminationMessagePolicy("FallbackToLogsOnError")
                .addNewEnv()
                .withName("CODE")
                .withValue("5")
                .endEnv()
                .endContainer()
                .endSpec();
        assertThat(end(log).getMessage()).contains("from the log");
        ContainerStateTerminated well = end(log.editMetadata()
                .withName("well")
                .endMetadata()
                .editSpec()
                .editContainer(0)
                .editFirstEnv()
                .withValue("0")
                .endEnv()
                .endContainer()
                .endSpec());
        assertThat(well.getReason()).isEqualTo("Completed");
        assertThat(well.getMessage()).isNull();
    }

    @Test
    void aRuleOfItsOwnRestartsAContainerForOneExitCodeAlone() {
        String once = "[ -e /data/once ] && exit 1; echo x > /data/once; exit 42";
        client.resources(Pod.class)
                .create(pod("ruled", "sh", "-c", once)
                        .editSpec()
                        .withRestartPolicy("Never")
                        .addNewVolume()
                        .withName("data")
                        .withNewEmptyDir()
                        .endEmptyDir()
                        .endVolume()
                        .editContainer(0)
                        .withRestartPolicy("Never")
                        .addNewRestartPolicyRule()
                        .withAction("Restart")
                        .withNewExitCodes()
                        .withOperator("In")
                        .withValues(42)
                        .endExitCodes()
                        .endRestartPolicyRule()
                        .addNewVolumeMount()
                        .withName("data")
                        .withMountPath("/data")
                        .endVolumeMount()
                        .endContainer()
                        .endSpec()
                        .build());
        eventually(
                "failed",
                () -> find("ruled")
                        .filter(p -> p.getStatus() != null
                                && "Failed".equals(p.getStatus().getPhase()))
                        .isPresent());
        assertThat(status("ruled").getRestartCount()).isOne();
        assertThat(status("ruled").getState().getTerminated().getExitCode()).isOne();
        assertThat(status("ruled").getLastState().getTerminated().getExitCode()).isEqualTo(42);
    }

    @Test
    void aStartupProbeHoldsTheOthersBack() throws Exception {
        client.resources(Pod.class)
                .create(pod("slow", "sleep", "1000")
                        .editSpec()
                        .editContainer(0)
                        .withNewStartupProbe()
                        .withNewExec()
                        .withCommand("ls", "/tmp/up")
                        .endExec()
                        .withPeriodSeconds(1)
                        .withTimeoutSeconds(60) // a busy machine is no failure of the container
                        .withFailureThreshold(1000)
                        .endStartupProbe()
                        .withNewLivenessProbe()
                        .withNewExec()
                        .withCommand("ls", "/tmp/up")
                        .endExec()
                        .withPeriodSeconds(1)
                        .withTimeoutSeconds(60)
                        .withFailureThreshold(1)
                        .endLivenessProbe()
                        .endContainer()
                        .endSpec()
                        .build());
        eventually("probed", () -> events.lines().stream().anyMatch(l -> l.startsWith("Unhealthy: Startup probe")));
        assertThat(status("slow").getStarted()).isFalse();
        exec("slow", "sh", "-c", "echo > /tmp/up");
        eventually("ready", () -> ready("slow"));
        assertThat(status("slow").getRestartCount()).isZero();
        assertThat(status("slow").getStarted()).isTrue();
    }

    @Test
    void aSeccompProfileOfTheHostForbidsWhatItNames() throws Exception {
        Path profiles = Files.createDirectories(root.resolve("node/seccomp"));
        Files.writeString(profiles.resolve("no-mkdir.json"), """
            {"defaultAction":"SCMP_ACT_ALLOW","syscalls":[
              {"names":["mkdir","mkdirat"],"action":"SCMP_ACT_ERRNO"}]}\
            """);
        begin(pod("confined", "sleep", "1000")
                .editSpec()
                .withNewSecurityContext()
                .withSupplementalGroups(5555L)
                .withNewSeccompProfile("no-mkdir.json", "Localhost")
                .endSecurityContext()
                .endSpec());
        assertThat(exec("confined", "sh", "-c", "busybox mkdir /tmp/x 2>&1 || true"))
                .contains("Operation not permitted");
        assertThat(exec("confined", "id")).contains("5555");
        assertThat(status("confined").getUser().getLinux())
                .isEqualTo(new LinuxContainerUser(0L, List.of(0L, 5555L), 0L));
        assertThat(exec("confined", "grep", "Seccomp:", "/proc/self/status")).endsWith("2");
    }

    @Test
    void aContainerFindsTheLimitsOfItsPodWhereItHasNone() throws Exception {
        begin(pod("whole", "sleep", "1000")
                .editSpec()
                .withNewResources()
                .addToLimits("memory", new Quantity("64Mi"))
                .endResources()
                .endSpec());

        assertThat(exec(
                        "whole",
                        "sh",
                        "-c",
                        "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null"
                                + " || true"))
                .contains("67108864");
    }
}
