package io.argosy.operators.cluster;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.argosy.operators.plan.EtcdVersion;
import io.argosy.operators.resource.EtcdCluster;
import io.argosy.operators.resource.Names;
import io.argosy.operators.resource.PodPolicy;
import io.argosy.operators.resource.TlsPolicy;
import io.argosy.operators.tls.Use;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimSpec;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimSpecBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/** A member as Kubernetes objects: its volume and its pod. */
public final class MemberObjects {
    public static final String DATA_VOLUME = "etcd-data";
    public static final String DATA_MOUNT = "/var/etcd";
    public static final String DATA_FOLDER = DATA_MOUNT + "/data";
    private static final String PEER_TLS = "/etc/etcdtls/member/peer-tls";
    private static final String SERVER_TLS = "/etc/etcdtls/member/server-tls";
    private static final String DEFAULT_SIZE = "1Gi";
    private static final int DIGEST = 8;
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);

    private final EtcdCluster cluster;
    private final String trust;
    private final PodPolicy policy;

    public MemberObjects(EtcdCluster cluster) {
        this(cluster, null);
    }

    /** The trust is noted on pods; null if there is nothing to note. */
    MemberObjects(EtcdCluster cluster, String trust) {
        this.cluster = cluster;
        this.trust = trust;
        this.policy = cluster.getSpec().podPolicy();
    }

    public PersistentVolumeClaim volume(String member, MemberNotes notes) {
        PersistentVolumeClaimSpec given = policy.persistentVolumeClaimSpec();
        PersistentVolumeClaimSpecBuilder spec =
                given == null ? new PersistentVolumeClaimSpecBuilder() : new PersistentVolumeClaimSpecBuilder(given);
        if (given == null
                || given.getAccessModes() == null
                || given.getAccessModes().isEmpty()) {
            spec.withAccessModes("ReadWriteOnce");
        }
        if (given == null || given.getResources() == null) {
            spec.withNewResources()
                    .addToRequests("storage", new Quantity(DEFAULT_SIZE))
                    .endResources();
        }
        PersistentVolumeClaimSpec made = spec.build();
        return new PersistentVolumeClaimBuilder()
                .withMetadata(metadata(member, notes, Map.of(), Map.of(Names.MADE_NOTE, digest(made))))
                .withSpec(made)
                .build();
    }

    private ObjectMeta metadata(
            String member, MemberNotes notes, Map<String, String> moreLabels, Map<String, String> moreAnnotations) {
        Map<String, String> labels = new HashMap<>(moreLabels);
        labels.putAll(ClusterNames.labels(cluster.getMetadata().getName()));
        labels.put(Names.MEMBER_LABEL, member);
        Map<String, String> annotations = new HashMap<>(moreAnnotations);
        annotations.putAll(notes.annotations());
        return new ObjectMetaBuilder()
                .withName(member)
                .withNamespace(cluster.getMetadata().getNamespace())
                .withLabels(labels)
                .withAnnotations(annotations)
                .withOwnerReferences(ClusterNames.owner(cluster))
                .build();
    }

    public Pod pod(String member, MemberNotes notes, boolean hasVolume) {
        PodSpecBuilder spec = new PodSpecBuilder()
                .withHostname(member)
                .withSubdomain(cluster.getMetadata().getName())
                .withRestartPolicy("Always")
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false)
                .withNodeSelector(policy.nodeSelector())
                .withTolerations(policy.tolerations())
                .withSecurityContext(policy.securityContext())
                .withAffinity(policy.affinity() == null ? apart() : policy.affinity())
                .withContainers(etcd(member, notes).build())
                .withVolumes(volumes(member, hasVolume));
        if (policy.busyboxImage() != null) {
            spec.addToInitContainers(waitForName(member).build());
        }
        Map<String, String> annotations = new HashMap<>(orEmpty(policy.annotations()));
        if (trust != null) {
            annotations.put(Names.TRUST_NOTE, trust);
        }
        PodSpec made = Confinement.confine(spec.build());
        annotations.put(Names.MADE_NOTE, digest(made));
        return new PodBuilder()
                .withMetadata(metadata(member, notes, orEmpty(policy.labels()), annotations))
                .withSpec(made)
                .build();
    }

    private static String digest(Object spec) {
        try {
            byte[] text = JSON.writeValueAsBytes(spec);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text), 0, DIGEST);
        } catch (JsonProcessingException | NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether what there is was made of something else than what would be made now. */
    static boolean isOther(HasMetadata there, HasMetadata wanted) {
        Map<String, String> notes = there.getMetadata().getAnnotations();
        String made = notes == null ? null : notes.get(Names.MADE_NOTE);
        return made != null
                && !made.equals(wanted.getMetadata().getAnnotations().get(Names.MADE_NOTE));
    }

    private static Map<String, String> orEmpty(Map<String, String> map) {
        return map == null ? Map.of() : map;
    }

    /** On different nodes, if there are enough. */
    private Affinity apart() {
        return new AffinityBuilder()
                .withNewPodAntiAffinity()
                .addNewPreferredDuringSchedulingIgnoredDuringExecution()
                .withWeight(100)
                .withNewPodAffinityTerm()
                .withTopologyKey("kubernetes.io/hostname")
                .withNewLabelSelector()
                .withMatchLabels(ClusterNames.labels(cluster.getMetadata().getName()))
                .endLabelSelector()
                .endPodAffinityTerm()
                .endPreferredDuringSchedulingIgnoredDuringExecution()
                .endPodAntiAffinity()
                .build();
    }

    private ContainerBuilder waitForName(String member) {
        return new ContainerBuilder()
                .withName("check-dns")
                .withImage(policy.busyboxImage())
                .withCommand(
                        "/bin/sh",
                        "-c",
                        "while ! nslookup " + ClusterNames.host(cluster, member) + "; do sleep 1; done");
    }

    private ContainerBuilder etcd(String member, MemberNotes notes) {
        ContainerBuilder container = new ContainerBuilder()
                .withName("etcd")
                .withImage(cluster.getSpec().image(notes.version()))
                .withCommand(command(member, notes))
                .withEnv(policy.etcdEnv())
                .withResources(policy.resources());
        container
                .addNewPort()
                .withName("server")
                .withContainerPort(ClusterNames.PEER_PORT)
                .withProtocol("TCP")
                .endPort();
        container
                .addNewPort()
                .withName("client")
                .withContainerPort(ClusterNames.CLIENT_PORT)
                .withProtocol("TCP")
                .endPort();
        container
                .addNewVolumeMount()
                .withName(DATA_VOLUME)
                .withMountPath(DATA_MOUNT)
                .endVolumeMount();
        if (ClusterNames.isSecureForPeers(cluster)) {
            container
                    .addNewVolumeMount()
                    .withName("member-peer-tls")
                    .withMountPath(PEER_TLS)
                    .endVolumeMount();
        }
        if (ClusterNames.isSecureForClients(cluster)) {
            container
                    .addNewVolumeMount()
                    .withName("member-server-tls")
                    .withMountPath(SERVER_TLS)
                    .endVolumeMount();
        }
        int healthPort =
                ClusterNames.isSecureForClients(cluster) ? ClusterNames.METRICS_PORT : ClusterNames.CLIENT_PORT;
        return container
                .withNewReadinessProbe()
                .withNewHttpGet()
                .withPath("/health")
                .withNewPort(healthPort)
                .endHttpGet()
                .withPeriodSeconds(2)
                .withTimeoutSeconds(5)
                .withFailureThreshold(3)
                .endReadinessProbe()
                // a member without a majority is not ready, but to kill it would help nobody
                .withNewLivenessProbe()
                .withNewTcpSocket()
                .withNewPort(ClusterNames.PEER_PORT)
                .endTcpSocket()
                .withInitialDelaySeconds(60)
                .withPeriodSeconds(30)
                .withTimeoutSeconds(10)
                .withFailureThreshold(3)
                .endLivenessProbe();
    }

    private List<String> command(String member, MemberNotes notes) {
        String host = ClusterNames.host(cluster, member);
        List<String> command = new ArrayList<>(List.of(
                "etcd",
                "--data-dir=" + DATA_FOLDER,
                "--name=" + member,
                "--initial-advertise-peer-urls=" + ClusterNames.peerUrl(cluster, member),
                "--listen-peer-urls=" + listen(ClusterNames.isSecureForPeers(cluster), ClusterNames.PEER_PORT),
                "--listen-client-urls=" + listen(ClusterNames.isSecureForClients(cluster), ClusterNames.CLIENT_PORT),
                "--advertise-client-urls=" + ClusterNames.clientUrl(cluster, host),
                "--initial-cluster=" + notes.initialCluster(),
                "--initial-cluster-state=" + notes.state()));
        if (notes.state().equals("new")) {
            command.add("--initial-cluster-token=" + notes.token());
        }
        if (notes.force()) {
            command.add("--force-new-cluster");
        }
        if (ClusterNames.isSecureForPeers(cluster)) {
            command.addAll(List.of(
                    "--peer-client-cert-auth=true",
                    "--peer-trusted-ca-file=" + PEER_TLS + "/peer-ca.crt",
                    "--peer-cert-file=" + PEER_TLS + "/peer.crt",
                    "--peer-key-file=" + PEER_TLS + "/peer.key"));
            if (cluster.getSpec().tls().selfManaged() != null) {
                // one authority signs for clients too, and a client is no peer
                command.add("--peer-cert-allowed-cn=" + Use.PEER.commonName());
            }
        }
        if (ClusterNames.isSecureForClients(cluster)) {
            command.addAll(List.of(
                    "--client-cert-auth=true",
                    "--trusted-ca-file=" + SERVER_TLS + "/server-ca.crt",
                    "--cert-file=" + SERVER_TLS + "/server.crt",
                    "--key-file=" + SERVER_TLS + "/server.key",
                    "--listen-metrics-urls=" + listen(false, ClusterNames.METRICS_PORT)));
        }
        if (EtcdVersion.parse(notes.version()).isAtLeast(3, 4)) {
            command.add("--logger=zap");
        }
        return command;
    }

    private static String listen(boolean secure, int port) {
        return (secure ? "https" : "http") + "://0.0.0.0:" + port;
    }

    private List<Volume> volumes(String member, boolean hasVolume) {
        List<Volume> volumes = new ArrayList<>();
        VolumeBuilder data = new VolumeBuilder().withName(DATA_VOLUME);
        volumes.add(
                hasVolume
                        ? data.withNewPersistentVolumeClaim()
                                .withClaimName(member)
                                .endPersistentVolumeClaim()
                                .build()
                        : data.withNewEmptyDir().endEmptyDir().build());
        TlsPolicy tls = cluster.getSpec().tls();
        String name = cluster.getMetadata().getName();
        if (tls != null && tls.coversPeers()) {
            volumes.add(secret("member-peer-tls", tls.peerSecret(name)));
        }
        if (tls != null && tls.coversClients()) {
            volumes.add(secret("member-server-tls", tls.serverSecret(name)));
        }
        return volumes;
    }

    private static Volume secret(String name, String secret) {
        return new VolumeBuilder()
                .withName(name)
                .withNewSecret()
                .withSecretName(secret)
                .endSecret()
                .build();
    }
}
