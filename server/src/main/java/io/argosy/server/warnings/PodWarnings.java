package io.argosy.server.warnings;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.names.Names;
import io.argosy.server.validation.Spot;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is odd about a pod, or the template of one, though it is allowed. */
public final class PodWarnings {
    private static final String REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
    private static final String PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";
    private static final String NO_PODS = "a null labelSelector results in matching no pod";
    private static final String SECCOMP = "non-functional in v1.27+; use the \"seccompProfile\" field instead";
    private static final List<String> BYTES = List.of("memory", "ephemeral-storage");

    private static final Map<String, String> ANNOTATIONS = Map.of(
            "scheduler.alpha.kubernetes.io/critical-pod",
            "non-functional in v1.16+; use the \"priorityClassName\" field instead",
            "security.alpha.kubernetes.io/sysctls",
            "non-functional in v1.11+; use the \"sysctls\" field instead",
            "security.alpha.kubernetes.io/unsafe-sysctls",
            "non-functional in v1.11+; use the \"sysctls\" field instead");

    private final Spot spec;
    private final Spot annotations;
    private final boolean template;
    private final Remarks remarks;

    private PodWarnings(Spot pod, boolean template, Remarks remarks) {
        this.spec = pod.at("spec");
        this.annotations = pod.at("metadata").at("annotations");
        this.template = template;
        this.remarks = remarks;
    }

    public static void ofPod(JsonNode pod, Remarks remarks) {
        name(pod, "the Pod's hostname", remarks);
        new PodWarnings(remarks.at(pod, ""), false, remarks).check();
    }

    public static void ofTemplate(JsonNode template, String path, Remarks remarks) {
        new PodWarnings(remarks.at(template, path), true, remarks).check();
    }

    /** A name that pods are named after should be one that a host can have. */
    public static void name(JsonNode object, String use, Remarks remarks) {
        Names.labelError(object.path("metadata").path("name").asText())
                .ifPresent(error -> remarks.say("metadata.name: this is used in " + use
                        + ", which can result in surprising behavior; a DNS label is recommended: [" + error + "]"));
    }

    private void check() {
        placement();
        ANNOTATIONS.forEach((annotation, words) -> {
            if (annotations.has(annotation)) {
                remarks.of(annotations.key(annotation), words);
            }
        });
        for (Spot volume : spec.each("volumes")) {
            StorageWarnings.source(volume, remarks);
            if (volume.at("ephemeral").has("volumeClaimTemplate")) {
                StorageWarnings.claimSpec(
                        volume.at("ephemeral").at("volumeClaimTemplate").at("spec"), remarks);
            }
        }
        spec.each("volumes").forEach(volume -> PathOverlaps.check(volume, remarks));
        repeated(spec.each("hostAliases"), "ip");
        repeated(spec.each("imagePullSecrets"), "name");
        for (Spot secret : spec.each("imagePullSecrets")) {
            if (secret.text("name").isEmpty()) {
                remarks.of(secret.at("name"), "invalid empty name \"\"");
            }
        }
        fractions(spec.at("overhead"));
        String seccomp = "seccomp.security.alpha.kubernetes.io/pod";
        if (annotations.has(seccomp) && !spec.at("securityContext").has("seccompProfile")) {
            remarks.of(annotations.key(seccomp), SECCOMP);
        }
        containers();
        Spot grace = spec.at("terminationGracePeriodSeconds");
        if (grace.number() < 0) {
            remarks.of(grace, "must be >= 0; negative values are invalid and will be treated as 1");
        }
        affinity(spec.at("affinity").at("podAffinity"));
        affinity(spec.at("affinity").at("podAntiAffinity"));
        spec.at("dnsConfig").each("nameservers").forEach(server -> AddressWarnings.address(server, remarks));
        spec.each("hostAliases").forEach(alias -> AddressWarnings.address(alias.at("ip"), remarks));
    }

    private void placement() {
        NodeLabels.keys(spec.at("nodeSelector"), remarks);
        Spot affinity = spec.at("affinity").at("nodeAffinity");
        affinity.at(REQUIRED).each("nodeSelectorTerms").forEach(term -> NodeLabels.term(term, false, remarks));
        affinity.each(PREFERRED).forEach(wish -> NodeLabels.term(wish.at("preference"), true, remarks));
        for (Spot constraint : spec.each("topologySpreadConstraints")) {
            NodeLabels.key(constraint.at("topologyKey"), remarks);
            if (!constraint.has("labelSelector")) {
                remarks.of(constraint.at("labelSelector"), NO_PODS);
            }
        }
    }

    private void affinity(Spot affinity) {
        List<Spot> terms = new ArrayList<>(affinity.each(REQUIRED));
        affinity.each(PREFERRED).forEach(wish -> terms.add(wish.at("podAffinityTerm")));
        for (Spot term : terms) {
            if (!term.has("labelSelector")) {
                remarks.of(term.at("labelSelector"), NO_PODS);
            }
        }
    }

    private void repeated(List<Spot> elements, String field) {
        Set<String> known = new HashSet<>();
        for (Spot element : elements) {
            if (!known.add(element.text(field))) {
                remarks.of(element.at(field), "duplicate " + field + " \"" + element.text(field) + "\"");
            }
        }
    }

    private void containers() {
        List<Spot> containers = new ArrayList<>();
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            containers.addAll(spec.each(list));
        }
        for (Spot container : containers) {
            profiles(container);
            fractions(container.at("resources").at("limits"));
            fractions(container.at("resources").at("requests"));
            variables(container.each("env"));
            for (Spot port : container.each("ports")) {
                if (!port.text("hostIP").isEmpty() && port.at("hostPort").number() == 0) {
                    remarks.of(port, "hostIP set without hostPort: " + port.value());
                }
            }
        }
        PortWarnings.check(containers, remarks);
    }

    private void profiles(Spot container) {
        String name = container.text("name");
        Spot context = container.at("securityContext");
        String seccomp = "container.seccomp.security.alpha.kubernetes.io/" + name;
        if (annotations.has(seccomp) && !context.has("seccompProfile")) {
            remarks.of(annotations.key(seccomp), SECCOMP);
        }
        String apparmor = "container.apparmor.security.beta.kubernetes.io/" + name;
        boolean stated =
                context.has("appArmorProfile") || spec.at("securityContext").has("appArmorProfile");
        if (template && annotations.has(apparmor) && !stated) {
            remarks.of(annotations.key(apparmor), "deprecated since v1.30; use the \"appArmorProfile\" field instead");
        }
    }

    /** There is no half a byte. */
    private void fractions(Spot amounts) {
        for (String resource : BYTES) {
            if (amounts.has(resource)) {
                StorageWarnings.fraction(amounts.key(resource), remarks);
            }
        }
    }

    /** A variable may be said twice where the second builds on the first. */
    private void variables(List<Spot> variables) {
        Set<String> known = new HashSet<>();
        for (Spot variable : variables) {
            String reference = "$(" + variable.text("name") + ")";
            String value = variable.text("value");
            boolean builds = !variable.has("valueFrom") && value.contains(reference) && !value.equals(reference);
            if (!known.add(variable.text("name")) && !builds) {
                remarks.of(
                        variable,
                        "hides previous definition of \"" + variable.text("name")
                                + "\", which may be dropped when using apply");
            }
        }
    }
}
