package io.argosy.node.agent.self;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.ApiException;
import io.argosy.api.status.Reason;
import io.argosy.api.time.Clock;
import io.argosy.client.Client;
import io.argosy.client.Resources;
import io.argosy.client.event.EventRecorder;
import io.argosy.client.model.Models;
import io.argosy.node.agent.NodeConfig;
import io.argosy.node.agent.work.Work;
import io.argosy.node.image.ImageStore;
import io.argosy.node.runtime.ContainerRuntime;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.NodeStatus;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the Node object and its Lease: makes them, reports the node's state when it changes, says every ten seconds that it lives. */
public final class NodeRegistration {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRegistration.class);
    public static final String VERSION = NodeStatuses.VERSION;
    public static final Duration HEARTBEAT = Duration.ofSeconds(10);
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration REPORT_ANYWAY = Duration.ofMinutes(5);
    public static final int LEASE_SECONDS = 40;
    private static final String LEASES = "kube-node-lease";
    /** Says that the control plane sees to what is attached to the node. */
    private static final String MANAGED_ATTACHING = "volumes.kubernetes.io/controller-managed-attach-detach";

    private final NodeConfig config;
    private final Client client;
    private final ContainerRuntime runtime;
    private final ImageStore images;
    private final Clock clock;
    private final NodeStatuses statuses;
    private final Machine machine;
    private final NodeNews news;

    private String uid = "";
    private List<NodeCondition> conditions = List.of();
    private ObjectNode reported;
    private Instant reportedAt = Instant.MIN;
    private boolean registered;
    private boolean closed;
    private Clock.Timer timer;

    /** The pressures are the types of those conditions that hold. */
    public NodeRegistration(
            NodeConfig config,
            Client client,
            ContainerRuntime runtime,
            ImageStore images,
            Clock clock,
            Machine machine,
            Supplier<Set<String>> pressures,
            EventRecorder events) {
        this.config = config;
        this.client = client;
        this.runtime = runtime;
        this.images = images;
        this.clock = clock;
        this.machine = machine;
        statuses = new NodeStatuses(config, machine, pressures);
        news = new NodeNews(config.name(), events);
    }

    /** Returns at once; registration and heartbeats go on behind. */
    public void start() {
        Work.begin(clock, "node-" + config.name(), this::beat);
    }

    public synchronized void close() {
        closed = true;
        if (timer != null) {
            timer.cancel();
        }
    }

    private synchronized void beat() {
        if (closed) {
            return;
        }
        Duration next = HEARTBEAT;
        try {
            if (!registered) {
                register();
            }
            report();
            renewLease();
        } catch (RuntimeException e) {
            LOG.warn("node {} could not report: {}", config.name(), e.toString());
            next = registered ? HEARTBEAT : RETRY;
        }
        timer = clock.schedule(next, () -> Work.begin(clock, "node-" + config.name(), this::beat));
    }

    private void register() {
        Resources<Node> nodes = client.resources(Node.class);
        Optional<Node> found = nodes.find("", config.name());
        if (found.isEmpty() && config.register()) {
            try {
                found = Optional.of(nodes.create(fresh()));
            } catch (ApiException e) {
                if (!e.is(Reason.AlreadyExists)) {
                    throw e;
                }
                found = nodes.find("", config.name());
            }
        } else if (found.isPresent()) {
            relabel(nodes, found.get());
        }
        Node node = found.orElseThrow(() -> new IllegalStateException("node " + config.name() + " does not exist"));
        conditions = node.getStatus() == null ? List.of() : node.getStatus().getConditions();
        uid = node.getMetadata().getUid();
        news.begin(node, machine.bootId());
        registered = true;
    }

    private Node fresh() {
        var node = new NodeBuilder()
                .withNewMetadata()
                .withName(config.name())
                .withLabels(labels())
                .addToAnnotations(MANAGED_ATTACHING, "true")
                .endMetadata()
                .withNewSpec()
                .endSpec();
        if (!config.podCidrs().isEmpty()) {
            node.editSpec()
                    .withPodCIDR(config.podCidrs().getFirst())
                    .withPodCIDRs(config.podCidrs())
                    .endSpec();
        }
        return node.build();
    }

    private Map<String, String> labels() {
        Map<String, String> labels = new HashMap<>(config.labels());
        labels.put("kubernetes.io/hostname", config.name());
        labels.put("kubernetes.io/os", "linux");
        labels.put("kubernetes.io/arch", Machine.architecture());
        labels.put("beta.kubernetes.io/os", "linux");
        labels.put("beta.kubernetes.io/arch", Machine.architecture());
        return labels;
    }

    private void relabel(Resources<Node> nodes, Node node) {
        Map<String, String> there = node.getMetadata().getLabels() == null
                ? Map.of()
                : node.getMetadata().getLabels();
        ObjectNode patch = Json.object();
        ObjectNode missing = Json.object();
        labels().forEach((name, value) -> {
            if (!value.equals(there.get(name))) {
                missing.put(name, value);
            }
        });
        if (!missing.isEmpty()) {
            patch.putObject("metadata").set("labels", missing);
        }
        Map<String, String> annotations = node.getMetadata().getAnnotations();
        if (annotations == null || !annotations.containsKey(MANAGED_ATTACHING)) {
            patch.withObject("/metadata/annotations").put(MANAGED_ATTACHING, "true");
        }
        String cidr = node.getSpec() == null ? null : node.getSpec().getPodCIDR();
        if ((cidr == null || cidr.isEmpty()) && !config.podCidrs().isEmpty()) {
            ObjectNode spec =
                    patch.putObject("spec").put("podCIDR", config.podCidrs().getFirst());
            config.podCidrs().forEach(spec.putArray("podCIDRs")::add);
        }
        if (!patch.isEmpty()) {
            nodes.patch("", config.name(), Resources.PatchType.STRATEGIC, patch);
        }
    }

    /** Writes the status when something but the hour has changed, when somebody gave this node up, and every five minutes anyway. */
    private void report() {
        Instant now = clock.now();
        Optional<Node> stored = client.resources(Node.class).find("", config.name());
        stored.ifPresent(news::look);
        if (stored.map(Node::getStatus).filter(status -> isGivenUp(status)).isPresent()) {
            conditions = stored.get().getStatus().getConditions();
            reported = null;
        }
        NodeStatus status = statuses.of(runtime.info(), images.list(), conditions, now);
        ObjectNode tree = Models.toTree(status);
        ObjectNode compared = tree.deepCopy();
        compared.path("conditions").forEach(c -> ((ObjectNode) c).remove("lastHeartbeatTime"));
        if (compared.equals(reported) && now.isBefore(reportedAt.plus(REPORT_ANYWAY))) {
            return;
        }
        ObjectNode patch = Json.object();
        patch.set("status", tree);
        // the list's key is the type, of which a node with two families has two
        ((ArrayNode) tree.path("addresses")).addObject().put("$patch", "replace");
        try {
            client.resources(Node.class).patchStatus("", config.name(), Resources.PatchType.STRATEGIC, patch);
        } catch (ApiException e) {
            registered &= !e.is(Reason.NotFound);
            throw e;
        }
        news.told(conditions, status.getConditions());
        conditions = status.getConditions();
        reported = compared;
        reportedAt = now;
    }

    /** The control plane has not heard of this node for a while, and says so in its place. */
    private static boolean isGivenUp(NodeStatus status) {
        return status.getConditions().stream()
                .anyMatch(condition -> condition.getType().equals("Ready")
                        && condition.getStatus().equals("Unknown"));
    }

    private void renewLease() {
        Resources<Lease> leases = client.resources(Lease.class);
        Optional<Lease> found = leases.find(LEASES, config.name());
        var now = clock.now().atZone(ZoneOffset.UTC);
        if (found.isEmpty()) {
            leases.create(new LeaseBuilder()
                    .withNewMetadata()
                    .withNamespace(LEASES)
                    .withName(config.name())
                    .withOwnerReferences(owner())
                    .endMetadata()
                    .withNewSpec()
                    .withHolderIdentity(config.name())
                    .withLeaseDurationSeconds(LEASE_SECONDS)
                    .withRenewTime(now)
                    .endSpec()
                    .build());
            return;
        }
        leases.update(new LeaseBuilder(found.get())
                .editMetadata()
                .withOwnerReferences(owner())
                .endMetadata()
                .editOrNewSpec()
                .withHolderIdentity(config.name())
                .withLeaseDurationSeconds(LEASE_SECONDS)
                .withRenewTime(now)
                .endSpec()
                .build());
    }

    /** A lease goes with its node. */
    private OwnerReference owner() {
        return new OwnerReferenceBuilder()
                .withApiVersion("v1")
                .withKind("Node")
                .withName(config.name())
                .withUid(uid)
                .build();
    }
}
