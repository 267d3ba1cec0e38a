package io.argosy.server.podspec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.validation.Spot;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Annotations of pods that mean something to the cluster, some of them only because fields took their place later. */
public final class PodAnnotations {
    private static final String MIRROR = "kubernetes.io/config.mirror";
    private static final String DELETION_COST = "controller.kubernetes.io/pod-deletion-cost";
    private static final Pattern COST = Pattern.compile("0|-?[0-9]{1,10}");
    private static final String SECCOMP_POD = "seccomp.security.alpha.kubernetes.io/pod";
    private static final String SECCOMP = "container.seccomp.security.alpha.kubernetes.io/";
    private static final String APPARMOR = "container.apparmor.security.beta.kubernetes.io/";
    private static final String LOCAL = "localhost/";
    private static final List<String> DEFAULT_SECCOMP = List.of("runtime/default", "docker/default");
    private static final int LONGEST_PROFILE = 4095;

    private PodAnnotations() {}

    /** What they may say, in a pod and in the template of one. */
    public static void check(Spot annotations, Spot spec) {
        if (annotations.value().isEmpty()) {
            return;
        }
        values(annotations, spec, null);
        matchSeccomp(annotations, spec.at("securityContext"), SECCOMP_POD);
        boolean windows = spec.at("os").text("name").equals("windows");
        for (Spot container : containers(spec)) {
            matchSeccomp(annotations, container.at("securityContext"), SECCOMP + container.text("name"));
            if (!windows) {
                matchAppArmor(annotations, container, spec.at("securityContext").at("appArmorProfile"));
            }
        }
    }

    /** What may become of them while the pod is there. */
    public static void change(Spot annotations, Spot spec, JsonNode before) {
        if (annotations.value().equals(before)) {
            return;
        }
        TreeSet<String> names = new TreeSet<>();
        annotations.value().fieldNames().forEachRemaining(names::add);
        before.fieldNames().forEachRemaining(names::add);
        for (String name : names) {
            Spot annotation = annotations.key(name);
            boolean armour = name.startsWith(APPARMOR);
            if (annotation.value().equals(before.path(name)) || !armour && !name.equals(MIRROR)) {
                continue;
            }
            annotation.forbidden((before.has(name) ? "may not remove or update " : "may not add ")
                    + (armour ? "AppArmor annotations" : "mirror pod annotation"));
        }
        values(annotations, spec, before);
    }

    private static void values(Spot annotations, Spot spec, JsonNode before) {
        for (Map.Entry<String, JsonNode> entry : annotations.value().properties()) {
            String name = entry.getKey();
            Spot annotation = annotations.key(name);
            if (name.equals(MIRROR) && spec.text("nodeName").isEmpty()) {
                annotation.invalid("must set spec.nodeName if mirror pod annotation is set");
            } else if (name.equals(DELETION_COST)) {
                boolean was = before != null
                        && before.has(name)
                        && !isCost(before.path(name).asText());
                if (!was && !isCost(annotation.text())) {
                    annotation.invalid("must be a 32bit integer");
                }
            } else if (name.equals(SECCOMP_POD) || name.startsWith(SECCOMP)) {
                seccomp(annotations.at(name));
            } else if (name.startsWith(APPARMOR)) {
                appArmor(annotation, name.substring(APPARMOR.length()), spec);
            }
        }
    }

    private static boolean isCost(String text) {
        if (!COST.matcher(text).matches() || text.length() > 1 && text.startsWith("0")) {
            return false;
        }
        long cost = Long.parseLong(text);
        return cost == (int) cost;
    }

    private static void seccomp(Spot annotation) {
        String profile = annotation.text();
        if (profile.startsWith(LOCAL)) {
            String path = profile.substring(LOCAL.length());
            new Spot(Json.NODES.textNode(path), annotation.path(), annotation.errors()).descendingPath();
        } else if (!DEFAULT_SECCOMP.contains(profile) && !profile.equals("unconfined")) {
            annotation.invalid("must be a valid seccomp profile");
        }
    }

    private static void appArmor(Spot annotation, String name, Spot spec) {
        if (containers(spec).stream()
                .noneMatch(container -> container.text("name").equals(name))) {
            annotation.invalid(name, "container not found");
        }
        String profile = annotation.text();
        if (!List.of("", "runtime/default", "unconfined").contains(profile) && !profile.startsWith(LOCAL)) {
            annotation.invalid("invalid AppArmor profile name: \"" + profile + "\"");
        }
    }

    private static void matchSeccomp(Spot annotations, Spot context, String name) {
        Spot profile = context.at("seccompProfile");
        if (profile.isGiven() && annotations.has(name)) {
            match(profile, annotations.text(name), DEFAULT_SECCOMP, "seccomp");
        }
    }

    private static void matchAppArmor(Spot annotations, Spot container, Spot ofPod) {
        Spot own = container.at("securityContext").at("appArmorProfile");
        Spot profile = own.isGiven() ? own : ofPod.called(own.path());
        String name = APPARMOR + container.text("name");
        if (profile.isGiven() && annotations.has(name)) {
            match(profile, annotations.text(name), List.of("runtime/default"), "apparmor");
        }
    }

    private static void match(Spot profile, String annotation, List<String> defaults, String what) {
        boolean same = switch (profile.text("type")) {
            case "Unconfined" -> annotation.equals("unconfined");
            case "RuntimeDefault" -> defaults.contains(annotation);
            case "Localhost" -> annotation.startsWith(LOCAL);
            default -> true;
        };
        if (!same) {
            profile.at("type").forbidden(what + " type in annotation and field must match");
        } else if (profile.text("type").equals("Localhost")
                && !annotation.substring(LOCAL.length()).equals(profile.text("localhostProfile"))) {
            profile.at("localhostProfile").forbidden(what + " profile in annotation and field must match");
        }
    }

    private static List<Spot> containers(Spot spec) {
        List<Spot> containers = new ArrayList<>();
        for (String list : List.of("initContainers", "containers", "ephemeralContainers")) {
            containers.addAll(spec.each(list));
        }
        return containers;
    }

    /** Writes AppArmor profiles that annotations name into the fields that are for them; who reads the pod looks only there. */
    public static void settleAppArmor(ObjectNode pod) {
        JsonNode annotations = pod.path("metadata").path("annotations");
        if (!namesAppArmor(annotations) || isForWindows(pod)) {
            return;
        }
        JsonNode ofPod = pod.path("spec").path("securityContext").path("appArmorProfile");
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode container : pod.path("spec").path(list)) {
                String name = APPARMOR + container.path("name").asText();
                boolean own = container.path("securityContext").hasNonNull("appArmorProfile");
                Optional<ObjectNode> profile = profile(annotations.path(name).asText(""));
                if (!own && profile.isPresent() && !profile.get().equals(ofPod)) {
                    ((ObjectNode) container)
                            .withObjectProperty("securityContext")
                            .set("appArmorProfile", profile.get());
                }
            }
        }
    }

    /** The annotations whose profiles {@link #settleAppArmor} writes into fields, or cannot. */
    public static List<String> unsettledAppArmor(JsonNode pod) {
        JsonNode annotations = pod.path("metadata").path("annotations");
        if (!namesAppArmor(annotations) || isForWindows(pod)) {
            return List.of();
        }
        JsonNode ofPod = pod.path("spec").path("securityContext").path("appArmorProfile");
        List<String> names = new ArrayList<>();
        for (String list : List.of("initContainers", "containers")) {
            for (JsonNode container : pod.path("spec").path(list)) {
                String name = APPARMOR + container.path("name").asText();
                boolean stated = container.path("securityContext").hasNonNull("appArmorProfile")
                        || profile(annotations.path(name).asText(""))
                                .filter(profile -> profile.equals(ofPod))
                                .isPresent();
                if (annotations.has(name) && !stated) {
                    names.add(name);
                }
            }
        }
        return names;
    }

    private static boolean isForWindows(JsonNode pod) {
        return pod.path("spec").path("os").path("name").asText().equals("windows");
    }

    private static boolean namesAppArmor(JsonNode annotations) {
        return annotations.properties().stream()
                .anyMatch(annotation -> annotation.getKey().startsWith(APPARMOR));
    }

    /** The profile that an annotation's value stands for; empty for what is none. */
    private static Optional<ObjectNode> profile(String value) {
        ObjectNode profile = Json.object();
        if (value.equals("unconfined")) {
            return Optional.of(profile.put("type", "Unconfined"));
        }
        if (value.equals("runtime/default")) {
            return Optional.of(profile.put("type", "RuntimeDefault"));
        }
        String local = value.startsWith(LOCAL) ? value.substring(LOCAL.length()) : "";
        if (local.isBlank() || !local.equals(local.strip()) || local.length() > LONGEST_PROFILE) {
            return Optional.empty();
        }
        return Optional.of(profile.put("type", "Localhost").put("localhostProfile", local));
    }
}
