package io.argosy.operators.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.operators.resource.EtcdCluster;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** What a member looks like in Kubernetes, by what the EtcdCluster says. */
class MemberObjectsTest {
    private static final MemberNotes SEED =
            MemberNotes.seed("3.4.23", "c-1=http://c-1.c.default.svc:2380", "4b5215fa-5401-4a95-a8c6-892317c9bef8");

    private static MemberObjects of(String spec) {
        EtcdCluster cluster = Serialization.unmarshal("""
                apiVersion: etcd.database.coreos.com/v1beta2
                kind: EtcdCluster
                metadata: {name: c, namespace: default, uid: u-1}
                spec: %s
                """.formatted(spec), EtcdCluster.class);
        return new MemberObjects(cluster);
    }

    private static Container etcd(Pod pod) {
        return pod.getSpec().getContainers().getFirst();
    }

    @Test
    void aSeedIsStartedAsTheSeedsStartIt() {
        Pod pod = of("{size: 3, version: 3.4.23}").pod("c-1", SEED, true);
        assertThat(etcd(pod).getCommand())
                .containsExactly(
                        "etcd",
                        "--data-dir=/var/etcd/data",
                        "--name=c-1",
                        "--initial-advertise-peer-urls=http://c-1.c.default.svc:2380",
                        "--listen-peer-urls=http://0.0.0.0:2380",
                        "--listen-client-urls=http://0.0.0.0:2379",
                        "--advertise-client-urls=http://c-1.c.default.svc:2379",
                        "--initial-cluster=c-1=http://c-1.c.default.svc:2380",
                        "--initial-cluster-state=new",
                        "--initial-cluster-token=4b5215fa-5401-4a95-a8c6-892317c9bef8",
                        "--logger=zap");
        assertThat(etcd(pod).getImage()).isEqualTo("quay.io/coreos/etcd:v3.4.23");
        assertThat(pod.getSpec().getHostname()).isEqualTo("c-1");
        assertThat(pod.getSpec().getSubdomain()).isEqualTo("c");
        assertThat(pod.getSpec().getInitContainers()).isEmpty();
        assertThat(pod.getMetadata().getLabels())
                .containsEntry("app", "etcd")
                .containsEntry("etcd_cluster", "c")
                .containsEntry("etcd_node", "c-1");
        assertThat(pod.getMetadata().getOwnerReferences()).singleElement().satisfies(owner -> {
            assertThat(owner.getUid()).isEqualTo("u-1");
            assertThat(owner.getController()).isTrue();
        });
    }

    @Test
    void whoJoinsIsStartedWithoutTokenAndItsNotesSurviveItsPod() {
        MemberNotes notes =
                MemberNotes.joining("3.2.13", "c-1=http://a,c-2=http://b", "").force(true);
        MemberObjects objects = of("{size: 3, version: 3.2.13}");
        PersistentVolumeClaim volume = objects.volume("c-2", notes);
        assertThat(MemberNotes.of(volume)).isEqualTo(notes);
        Pod pod = objects.pod("c-2", MemberNotes.of(volume), true);
        assertThat(etcd(pod).getCommand())
                .contains(
                        "--initial-cluster=c-1=http://a,c-2=http://b",
                        "--initial-cluster-state=existing",
                        "--force-new-cluster")
                .noneMatch(word -> word.startsWith("--initial-cluster-token") || word.startsWith("--logger"));
        assertThat(MemberNotes.of(pod)).isEqualTo(notes);
    }

    @Test
    void thePodPolicyCounts() {
        MemberObjects objects = of("""
                {size: 1, version: 3.4.23, repository: registry.local/etcd, pod: {labels: {team: db, app: other}, annotations: {a: b},
                 nodeSelector: {disk: ssd}, tolerations: [{key: dedicated, operator: Exists}], etcdEnv: [{name: ETCD_LOG_LEVEL, value: debug}],
                 resources: {requests: {cpu: 250m}}, securityContext: {runAsUser: 1000}, busyboxImage: 'busybox:1',
                 affinity: {nodeAffinity: {}}, persistentVolumeClaimSpec: {storageClassName: fast, resources: {requests: {storage: 8Gi}}}}}
                """);
        Pod pod = objects.pod("c-1", SEED, true);
        assertThat(pod.getMetadata().getLabels()).containsEntry("team", "db").containsEntry("app", "etcd");
        assertThat(pod.getMetadata().getAnnotations()).containsEntry("a", "b");
        assertThat(pod.getSpec().getNodeSelector()).containsEntry("disk", "ssd");
        assertThat(pod.getSpec().getTolerations().getFirst().getKey()).isEqualTo("dedicated");
        assertThat(pod.getSpec().getSecurityContext().getRunAsUser()).isEqualTo(1000);
        assertThat(pod.getSpec().getAffinity().getPodAntiAffinity()).isNull();
        assertThat(pod.getSpec().getInitContainers().getFirst().getImage()).isEqualTo("busybox:1");
        assertThat(etcd(pod).getImage()).isEqualTo("registry.local/etcd:v3.4.23");
        assertThat(etcd(pod).getEnv().getFirst().getName()).isEqualTo("ETCD_LOG_LEVEL");
        assertThat(etcd(pod).getResources().getRequests()).containsEntry("cpu", new Quantity("250m"));
        PersistentVolumeClaim volume = objects.volume("c-1", SEED);
        assertThat(volume.getSpec().getStorageClassName()).isEqualTo("fast");
        assertThat(volume.getSpec().getAccessModes()).containsExactly("ReadWriteOnce");
        assertThat(volume.getSpec().getResources().getRequests()).containsEntry("storage", new Quantity("8Gi"));
    }

    @Test
    void withCertificatesEverybodyMustShowOne() {
        Pod pod =
                of("{size: 1, version: 3.4.23, TLS: {static: {member: {peerSecret: p, serverSecret: s}, operatorSecret: o}}}")
                        .pod("c-1", SEED, false);
        assertThat(etcd(pod).getCommand())
                .contains(
                        "--initial-advertise-peer-urls=https://c-1.c.default.svc:2380",
                        "--listen-peer-urls=https://0.0.0.0:2380",
                        "--listen-client-urls=https://0.0.0.0:2379",
                        "--advertise-client-urls=https://c-1.c.default.svc:2379",
                        "--peer-client-cert-auth=true",
                        "--peer-trusted-ca-file=/etc/etcdtls/member/peer-tls/peer-ca.crt",
                        "--client-cert-auth=true",
                        "--cert-file=/etc/etcdtls/member/server-tls/server.crt",
                        "--listen-metrics-urls=http://0.0.0.0:2381");
        assertThat(etcd(pod).getReadinessProbe().getHttpGet().getPort().getIntVal())
                .isEqualTo(2381);
        assertThat(pod.getSpec().getVolumes())
                .extracting(Volume::getName)
                .isEqualTo(List.of("etcd-data", "member-peer-tls", "member-server-tls"));
        assertThat(pod.getSpec().getVolumes().getFirst().getEmptyDir()).isNotNull();
    }

    @Test
    void whoIsNotRootGivesUpTheRest() {
        String policy =
                "{size: 1, version: 3.4.23, pod: {busyboxImage: 'b:1', securityContext: {runAsNonRoot: %s, runAsUser: 7}}}";
        Pod pod = of(policy.formatted(true)).pod("c-1", SEED, true);
        assertThat(pod.getSpec().getSecurityContext().getSeccompProfile().getType())
                .isEqualTo("RuntimeDefault");
        assertThat(List.of(etcd(pod), pod.getSpec().getInitContainers().getFirst()))
                .allSatisfy(container -> {
                    assertThat(container.getSecurityContext().getAllowPrivilegeEscalation())
                            .isFalse();
                    assertThat(container.getSecurityContext().getCapabilities().getDrop())
                            .containsExactly("ALL");
                });
        assertThat(etcd(of(policy.formatted(false)).pod("c-1", SEED, true)).getSecurityContext())
                .isNull();
    }

    /** etcd ends at once if a variable says what a flag says too. */
    @Test
    void whatIsSetByFlagsIsRefusedAsEnvironment() throws Exception {
        Pod pod = of("{size: 1, version: 3.4.23, TLS: {selfManaged: {}}}").pod("c-1", SEED.force(true), false);
        String definition = new String(
                MemberObjects.class
                        .getResourceAsStream("/crds/etcdclusters.yaml")
                        .readAllBytes(),
                StandardCharsets.UTF_8);
        assertThat(etcd(pod).getCommand())
                .filteredOn(word -> word.startsWith("--"))
                .hasSizeGreaterThan(15)
                .extracting(word -> "'ETCD_"
                        + word.replaceFirst("^--", "")
                                .replaceFirst("=.*", "")
                                .replace('-', '_')
                                .toUpperCase(Locale.ROOT)
                        + "'")
                .allMatch(definition::contains);
    }
}
