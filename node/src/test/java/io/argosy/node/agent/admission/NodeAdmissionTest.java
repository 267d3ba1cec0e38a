package io.argosy.node.agent.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.time.VirtualClock;
import io.argosy.node.agent.NodeSettings;
import io.argosy.node.agent.fake.FakeRuntime;
import io.argosy.node.agent.pod.PodView;
import io.argosy.node.agent.spec.AppArmorProfiles;
import io.argosy.node.runtime.SecurityContext.AppArmor;
import io.fabric8.kubernetes.api.model.AppArmorProfile;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodeAdmissionTest {
    private static final String ANNOTATION = "container.apparmor.security.beta.kubernetes.io/a";

    private static PodBuilder pod() {
        return new PodBuilder()
                .withNewMetadata()
                .withName("p")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("a")
                .endContainer()
                .endSpec();
    }

    private static Pod sysctl(String name, boolean hostNetwork, boolean hostIpc) {
        return pod().editSpec()
                .withHostNetwork(hostNetwork)
                .withHostIPC(hostIpc)
                .withNewSecurityContext()
                .addNewSysctl(name, "1")
                .endSecurityContext()
                .endSpec()
                .build();
    }

    @ParameterizedTest
    @CsvSource({
        "kernel.shm_rmid_forced,false,false,''",
        "net.ipv4.tcp_syncookies,false,true,''",
        "net/ipv4/tcp_keepalive_time,false,false,''",
        "kernel.msgmax,false,false,''",
        "net.core.somaxconn,false,false,''",
        "net.core.netdev_max_backlog,false,false,'\"net.core.netdev_max_backlog\" not allowlisted'",
        "kernel.domainname,false,false,'\"kernel.domainname\" not allowlisted'",
        "net.ipv4.tcp_syncookies,true,false,'\"net.ipv4.tcp_syncookies\" not allowed with host net enabled'",
        "kernel.msgmax,false,true,'\"kernel.msgmax\" not allowed with host ipc enabled'"
    })
    void sysctlsAreSafeOrLetThroughByTheNodesOwner(
            String name, boolean hostNetwork, boolean hostIpc, String complaint) {
        List<String> unsafe = List.of("kernel.msg*", "net.core.somaxconn");
        assertThat(SysctlRule.refusal(sysctl(name, hostNetwork, hostIpc), unsafe))
                .isEqualTo(
                        complaint.isEmpty()
                                ? Optional.empty()
                                : Optional.of(new PodView.Ending("SysctlForbidden", "forbidden sysctl: " + complaint)));
    }

    @Test
    void whatIsTheWholeMachinesCanNotBeLetThrough() {
        assertThatCode(() -> SysctlRule.check(List.of("kernel.shm*", "fs.mqueue.msg_max", "net/core/somaxconn")))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> SysctlRule.check(List.of("vm.*")))
                .hasMessage("the sysctls \"vm.*\" are not known to be namespaced");
    }

    private static Pod appArmor(String pod, String annotation, String container) {
        PodBuilder made = pod();
        if (!pod.isEmpty()) {
            made.editSpec()
                    .withNewSecurityContext()
                    .withAppArmorProfile(profile(pod))
                    .endSecurityContext()
                    .endSpec();
        }
        if (!annotation.isEmpty()) {
            made.editMetadata().withAnnotations(Map.of(ANNOTATION, annotation)).endMetadata();
        }
        if (!container.isEmpty()) {
            made.editSpec()
                    .editContainer(0)
                    .withNewSecurityContext()
                    .withAppArmorProfile(profile(container))
                    .endSecurityContext()
                    .endContainer()
                    .endSpec();
        }
        return made.build();
    }

    private static AppArmorProfile profile(String type) {
        return new AppArmorProfile(type.equals("Localhost") ? "mine" : null, type);
    }

    @ParameterizedTest
    @CsvSource({
        "'','','','',true",
        "Unconfined,'','',Unconfined,true",
        "RuntimeDefault,'','',RuntimeDefault,false",
        "RuntimeDefault,'',Unconfined,Unconfined,true",
        "'',unconfined,'',Unconfined,true",
        "Unconfined,runtime/default,'',RuntimeDefault,false",
        "'',localhost/mine,'',Localhost,false",
        "'',localhost/other,Localhost,Localhost,false"
    })
    void theNearestProfileCountsAndWithoutAppArmorThePodIsRefused(
            String pod, String annotation, String container, String counts, boolean admitted) {
        Pod made = appArmor(pod, annotation, container);
        Optional<AppArmor> asked =
                AppArmorProfiles.asked(made, made.getSpec().getContainers().getFirst());
        assertThat(asked.map(p -> p.getClass().getSimpleName()).orElse("")).isEqualTo(counts);
        if (asked.orElse(null) instanceof AppArmor.Localhost(String name)) {
            assertThat(name).isEqualTo("mine");
        }

        FakeRuntime with = new FakeRuntime(new VirtualClock(Instant.EPOCH));
        assertThat(new NodeAdmission(NodeSettings.USUAL, with, Room.ENDLESS).refusal(made))
                .isEmpty();
        FakeRuntime without = new FakeRuntime(new VirtualClock(Instant.EPOCH));
        without.withoutFeatures();
        assertThat(new NodeAdmission(NodeSettings.USUAL, without, Room.ENDLESS).refusal(made))
                .isEqualTo(
                        admitted
                                ? Optional.empty()
                                : Optional.of(new PodView.Ending(
                                        "AppArmor", "Cannot enforce AppArmor: AppArmor is not enabled on the host")));
    }

    @ParameterizedTest
    @CsvSource({
        "linux,,''",
        ",linux,''",
        "windows,,PodOSNotSupported",
        ",windows,PodOSSelectorNodeLabelDoesNotMatch",
    })
    void aPodForAnotherSystemIsRefused(String field, String label, String reason) {
        PodBuilder pod = pod();
        if (field != null) {
            pod.editSpec().withNewOs(field).endSpec();
        }
        if (label != null) {
            pod.editMetadata().addToLabels("kubernetes.io/os", label).endMetadata();
        }
        NodeAdmission admission =
                new NodeAdmission(NodeSettings.USUAL, new FakeRuntime(new VirtualClock(Instant.EPOCH)), Room.ENDLESS);

        assertThat(admission.refusal(pod.build()).map(PodView.Ending::reason).orElse(""))
                .isEqualTo(reason);
    }
}
