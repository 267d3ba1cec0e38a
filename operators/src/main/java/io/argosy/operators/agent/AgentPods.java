package io.argosy.operators.agent;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.argosy.operators.cluster.Confinement;
import io.argosy.operators.cluster.MemberObjects;
import io.argosy.operators.plan.EtcdVersion;
import io.argosy.operators.resource.PodPolicy;
import io.argosy.operators.resource.StoragePlace;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import java.time.Duration;
import java.util.Map;

/** Pods in which agents work: on a volume with snapshots, on the volume of a member to be, or beside a member that is thrown away. */
public final class AgentPods {
    public static final String LABEL = "etcd_agent";
    static final String DATA_FOLDER = MemberObjects.DATA_FOLDER;
    static final String SNAPSHOT_FILE = "snapshot.db";
    private static final String PROVED_MEMBER = "http://127.0.0.1:2379";
    private static final String PROVED_PEER = "http://127.0.0.1:2380";
    private static final Duration PROOF = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final String image;
    private final HasMetadata owner;

    /** The image is the operators' own. */
    public AgentPods(String image, HasMetadata owner) {
        this.image = image;
        this.owner = owner;
    }

    /** Takes a snapshot to a volume; secret and context may be null. */
    public Pod saving(String name, Task task, String tlsSecret, PodSecurityContext context) {
        PodSpecBuilder spec = spec(task.timeoutSeconds(), context);
        ContainerBuilder save = agent("save", task).addToVolumeMounts(mount("snapshots", Agent.SNAPSHOTS));
        spec.addToVolumes(claim("snapshots", task.place().pvc().claimName()));
        if (tlsSecret != null) {
            save.addToVolumeMounts(mount("etcd-tls", Agent.TLS));
            spec.addToVolumes(secret("etcd-tls", tlsSecret));
        }
        return pod(name, "save", spec.addToContainers(save.build()));
    }

    /** Makes the data of a member out of a snapshot, on the member's volume. */
    public Pod unpacking(String name, Task task, Seed seed) {
        PodSpecBuilder spec = spec(task.timeoutSeconds(), seed.policy().securityContext())
                .withNodeSelector(seed.policy().nodeSelector())
                .withTolerations(seed.policy().tolerations())
                .withAffinity(seed.policy().affinity())
                .addToVolumes(claim(MemberObjects.DATA_VOLUME, seed.member()))
                .addToInitContainers(fetch(task))
                .addToContainers(restore(seed));
        return pod(name, "restore", withSource(spec, task.place()));
    }

    /**
     * Makes a member out of a snapshot, which only the agent beside it can reach, and asks it how far it is. The task is to fetch the snapshot;
     * what it says of others to keep is done after the proof.
     */
    public Pod proving(String name, Task task, Proof proof) {
        Seed seed = new Seed(
                "proof",
                "proof=" + PROVED_PEER,
                PROVED_PEER,
                owner.getMetadata().getUid(),
                proof.image(),
                proof.version(),
                PodPolicy.NONE);
        PodSpecBuilder spec = spec(task.timeoutSeconds() + PROOF.toSeconds(), proof.context())
                .addToVolumes(scratch(MemberObjects.DATA_VOLUME))
                .addToInitContainers(fetch(task), restore(seed))
                .addToContainers(
                        new ContainerBuilder()
                                .withName("etcd")
                                .withImage(proof.image())
                                .withCommand(
                                        "etcd",
                                        "--name=proof",
                                        "--data-dir=" + DATA_FOLDER,
                                        "--listen-client-urls=" + PROVED_MEMBER,
                                        "--advertise-client-urls=" + PROVED_MEMBER,
                                        "--listen-peer-urls=" + PROVED_PEER,
                                        "--initial-advertise-peer-urls=" + PROVED_PEER,
                                        "--initial-cluster=proof=" + PROVED_PEER)
                                .addToVolumeMounts(mount(MemberObjects.DATA_VOLUME, MemberObjects.DATA_MOUNT))
                                .build(),
                        agent(
                                        "prove",
                                        Task.prove(PROVED_MEMBER, proof.revision(), PROOF.toSeconds())
                                                .prune(proof.all(), proof.keep(), proof.unproved()))
                                .addToVolumeMounts(source(task.place()))
                                .build());
        return pod(name, "prove", withSource(spec, task.place()));
    }

    private PodSpecBuilder withSource(PodSpecBuilder spec, StoragePlace place) {
        return spec.addToVolumes(
                scratch("fetched"),
                place.s3() == null
                        ? claim("snapshots", place.pvc().claimName())
                        : secret("aws-secret", place.s3().awsSecret()));
    }

    private Container fetch(Task task) {
        return agent("fetch", task)
                .addToVolumeMounts(
                        mount("fetched", Agent.FETCHED),
                        mount(MemberObjects.DATA_VOLUME, MemberObjects.DATA_MOUNT),
                        source(task.place()))
                .build();
    }

    private static VolumeMount source(StoragePlace place) {
        return place.s3() == null ? mount("snapshots", Agent.SNAPSHOTS) : mount("aws-secret", Agent.AWS);
    }

    /** etcd's own tool; it has a name of its own since 3.5. */
    private static Container restore(Seed seed) {
        return new ContainerBuilder()
                .withName("restore")
                .withImage(seed.image())
                .withCommand(
                        EtcdVersion.parse(seed.version()).isAtLeast(3, 5) ? "etcdutl" : "etcdctl",
                        "snapshot",
                        "restore",
                        Agent.FETCHED + "/" + SNAPSHOT_FILE,
                        "--name=" + seed.member(),
                        "--data-dir=" + DATA_FOLDER,
                        "--initial-cluster=" + seed.initialCluster(),
                        "--initial-cluster-token=" + seed.token(),
                        "--initial-advertise-peer-urls=" + seed.peerUrl())
                .addNewEnv()
                .withName("ETCDCTL_API")
                .withValue("3")
                .endEnv()
                .withTerminationMessagePolicy("FallbackToLogsOnError")
                .addToVolumeMounts(
                        mount("fetched", Agent.FETCHED), mount(MemberObjects.DATA_VOLUME, MemberObjects.DATA_MOUNT))
                .build();
    }

    private ContainerBuilder agent(String verb, Task task) {
        try {
            return new ContainerBuilder()
                    .withName(verb)
                    .withImage(image)
                    .withImagePullPolicy("IfNotPresent")
                    .withArgs("agent", verb)
                    .addNewEnv()
                    .withName(Agent.TASK)
                    .withValue(JSON.writeValueAsString(task))
                    .endEnv();
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static PodSpecBuilder spec(long seconds, PodSecurityContext context) {
        return new PodSpecBuilder()
                .withRestartPolicy("Never")
                .withSecurityContext(context)
                .withActiveDeadlineSeconds(seconds)
                .withAutomountServiceAccountToken(false)
                .withEnableServiceLinks(false);
    }

    private Pod pod(String name, String verb, PodSpecBuilder spec) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(owner.getMetadata().getNamespace())
                .withLabels(Map.of(LABEL, verb))
                .withOwnerReferences(new OwnerReferenceBuilder()
                        .withApiVersion(owner.getApiVersion())
                        .withKind(owner.getKind())
                        .withName(owner.getMetadata().getName())
                        .withUid(owner.getMetadata().getUid())
                        .withController(true)
                        .build())
                .endMetadata()
                .withSpec(Confinement.confine(spec.build()))
                .build();
    }

    private static VolumeMount mount(String volume, String path) {
        return new VolumeMountBuilder().withName(volume).withMountPath(path).build();
    }

    private static Volume claim(String name, String claim) {
        return new VolumeBuilder()
                .withName(name)
                .withNewPersistentVolumeClaim()
                .withClaimName(claim)
                .endPersistentVolumeClaim()
                .build();
    }

    private static Volume secret(String name, String secret) {
        return new VolumeBuilder()
                .withName(name)
                .withNewSecret()
                .withSecretName(secret)
                .endSecret()
                .build();
    }

    private static Volume scratch(String name) {
        return new VolumeBuilder()
                .withName(name)
                .withNewEmptyDir()
                .endEmptyDir()
                .build();
    }
}
