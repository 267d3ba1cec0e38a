package io.argosy.server.podspec;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.validation.Spot;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What a pod's containers must say: of all three kinds what they share, and of each what it may not have. */
final class Containers {
    static final List<String> PROTOCOLS = List.of("SCTP", "TCP", "UDP");
    private static final List<String> POLICIES = List.of("Always", "Never", "OnFailure");
    private static final String NOT_IN_INIT = "may not be set for init containers without restartPolicy=Always";
    private static final int MOST_RULES = 20;
    private static final int MOST_CODES = 255;

    private final Spot spec;
    private final Map<String, JsonNode> volumes;
    private final Set<String> further;
    private final long gracePeriod;
    private final boolean hostUsers;

    /** Containers may also mount the further volumes, which the pod will be given when it is made. */
    Containers(Spot spec, Map<String, JsonNode> volumes, Set<String> further) {
        this.spec = spec;
        this.volumes = volumes;
        this.further = further;
        this.gracePeriod = spec.at("terminationGracePeriodSeconds").number();
        this.hostUsers = !spec.has("hostUsers") || spec.isTrue("hostUsers");
    }

    void check() {
        if (spec.at("containers").value().isEmpty()) {
            spec.at("containers").required();
        }
        Set<String> names = new HashSet<>();
        Set<String> hostPorts = new HashSet<>();
        for (Spot container : spec.each("containers")) {
            common(container, names);
            hostPorts(container, hostPorts);
            living(container);
            restartPolicy(container);
        }
        for (Spot container : spec.each("initContainers")) {
            common(container, names);
            hostPorts(container, new HashSet<>()); // one after the other
            init(container);
        }
        for (Spot container : spec.each("ephemeralContainers")) {
            common(container, names);
            ephemeral(container);
        }
    }

    private void living(Spot container) {
        Handlers.lifecycle(container.at("lifecycle"), spec.at("os"), gracePeriod);
        Handlers.probes(container, gracePeriod);
    }

    private void init(Spot container) {
        if (container.text("restartPolicy").equals("Always")) {
            if (!container.at("restartPolicyRules").value().isEmpty()) {
                container
                        .at("restartPolicyRules")
                        .forbidden("restartPolicyRules are not allowed for init containers with restart policy Always");
            }
            living(container);
            return;
        }
        restartPolicy(container);
        for (String field : List.of("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")) {
            if (container.has(field)) {
                container.at(field).forbidden(NOT_IN_INIT);
            }
        }
    }

    private void ephemeral(Spot container) {
        for (String field : List.of(
                "lifecycle", "livenessProbe", "readinessProbe", "startupProbe", "ports", "resources", "resizePolicy")) {
            if (container.has(field) && !container.at(field).value().isEmpty()) {
                container.at(field).forbidden("cannot be set for an Ephemeral Container");
            }
        }
        String target = container.text("targetContainerName");
        boolean known = List.of("containers", "initContainers").stream()
                .flatMap(list -> spec.each(list).stream())
                .anyMatch(other -> other.text("name").equals(target));
        if (!target.isEmpty() && !known) {
            container.at("targetContainerName").notFound();
        }
        for (Spot mount : container.each("volumeMounts")) {
            for (String field : List.of("subPath", "subPathExpr")) {
                if (mount.has(field)) {
                    mount.at(field).forbidden("cannot be set for an Ephemeral Container");
                }
            }
        }
    }

    private void common(Spot container, Set<String> names) {
        Spot name = container.at("name");
        if (name.needed()) {
            name.label();
            if (!names.add(name.text())) {
                name.duplicate(name.text());
            }
        }
        container.at("image").needed();
        container.at("terminationMessagePolicy").oneOf(List.of("File", "FallbackToLogsOnError"));
        container.at("imagePullPolicy").oneOf(List.of("Always", "IfNotPresent", "Never"));
        ports(container.each("ports"));
        Environment.check(container, volumes);
        new Mounts(container, volumes, further).check();
        Amounts.ofContainer(container.at("resources"));
        resizePolicy(container.at("resizePolicy"));
        Contexts.ofContainer(container.at("securityContext"), hostUsers);
        if (!hostUsers && !container.at("volumeDevices").value().isEmpty()) {
            container.at("volumeDevices").forbidden("when `hostUsers` is false");
        }
    }

    private static void ports(List<Spot> ports) {
        Set<String> names = new HashSet<>();
        for (Spot port : ports) {
            Spot name = port.at("name");
            if (!name.text().isEmpty()) {
                name.portName();
                if (!names.add(name.text())) {
                    name.duplicate(name.text());
                }
            }
            Spot number = port.at("containerPort");
            if (number.number() == 0) {
                number.required();
            } else {
                number.port();
            }
            if (port.at("hostPort").number() != 0) {
                port.at("hostPort").port();
            }
            port.at("protocol").oneOf(PROTOCOLS);
        }
    }

    private void hostPorts(Spot container, Set<String> taken) {
        for (Spot port : container.each("ports")) {
            long host = port.at("hostPort").number();
            String what = port.text("protocol") + "/" + port.text("hostIP") + "/" + host;
            if (host != 0 && !taken.add(what)) {
                port.at("hostPort").duplicate(what);
            }
            if (spec.isTrue("hostNetwork")
                    && host != 0
                    && host != port.at("containerPort").number()) {
                port.at("hostPort").invalid("must match `containerPort` when `hostNetwork` is true");
            }
        }
    }

    private void resizePolicy(Spot policies) {
        Set<String> resources = new HashSet<>();
        for (Spot policy : policies.each()) {
            if (!resources.add(policy.text("resourceName"))) {
                policy.duplicate(policy.text("resourceName"));
            }
            policy.at("resourceName").called(policies.path()).neededOneOf(List.of("cpu", "memory"));
            Spot restart = policy.at("restartPolicy").called(policies.path());
            restart.neededOneOf(List.of("NotRequired", "RestartContainer"));
            if (spec.text("restartPolicy").equals("Never") && !restart.text().equals("NotRequired")) {
                restart.invalid("must be 'NotRequired' when `restartPolicy` is 'Never'");
            }
        }
    }

    private static void restartPolicy(Spot container) {
        Spot policy = container.at("restartPolicy");
        List<Spot> rules = container.each("restartPolicyRules");
        if (!policy.isGiven()) {
            if (!rules.isEmpty()) {
                policy.required("must specify restartPolicy when restart rules are used");
            }
        } else {
            policy.oneOf(POLICIES);
        }
        if (rules.size() > MOST_RULES) {
            container.errors().tooLong(container.path() + ".restartPolicyRules", MOST_RULES);
        }
        for (Spot rule : rules) {
            given(rule.at("action"), List.of("Restart"));
            Spot codes = rule.at("exitCodes");
            if (!codes.isGiven()) {
                codes.required("must be specified");
                continue;
            }
            given(codes.at("operator"), List.of("In", "NotIn"));
            if (codes.at("values").value().size() > MOST_CODES) {
                codes.errors().tooLong(codes.path() + ".values", MOST_CODES);
            }
        }
    }

    /** One of these words, and nothing is none of them. */
    private static void given(Spot word, List<String> words) {
        if (!words.contains(word.text())) {
            word.errors().notSupported(word.path(), word.text(), words);
        }
    }
}
