package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.SecurityContext;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Turns a seccomp profile into what runc takes. Profiles are in the form that docker and containerd share, where a
 * rule may hold only for some capabilities or machines; ours is in {@code seccomp-default.json}.
 */
final class Seccomp {
    private static final List<String> ARCHITECTURES =
            System.getProperty("os.arch").equals("aarch64")
                    ? List.of("SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM")
                    : List.of("SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32");
    private static final String ARCHITECTURE = System.getProperty("os.arch").equals("aarch64") ? "arm64" : "amd64";

    /** Read once, when the first pod asks for it. */
    private static final class Default {
        static final JsonNode PROFILE = load();

        private static JsonNode load() {
            try (InputStream in = Seccomp.class.getResourceAsStream("seccomp-default.json")) {
                return Json.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new IllegalStateException("the default seccomp profile cannot be read", e);
            }
        }
    }

    private Seccomp() {}

    static Optional<ObjectNode> of(SecurityContext security, Collection<String> capabilities) {
        if (security.privileged()) {
            return Optional.empty();
        }
        return switch (security.seccomp()) {
            case SecurityContext.Seccomp.Unconfined() -> Optional.empty();
            case SecurityContext.Seccomp.RuntimeDefault() -> Optional.of(translate(Default.PROFILE, capabilities));
            case SecurityContext.Seccomp.Localhost(var file) -> {
                try {
                    yield Optional.of(translate(Json.read(file), capabilities));
                } catch (IOException e) {
                    throw new RuntimeFailure(
                            RuntimeFailure.Kind.INVALID, "cannot load seccomp profile \"" + file + "\"", e);
                }
            }
        };
    }

    private static ObjectNode translate(JsonNode profile, Collection<String> capabilities) {
        ObjectNode seccomp = Json.object();
        seccomp.set("defaultAction", profile.path("defaultAction"));
        if (profile.has("defaultErrnoRet")) {
            seccomp.set("defaultErrnoRet", profile.get("defaultErrnoRet"));
        }
        seccomp.set(
                "architectures",
                profile.path("architectures").isEmpty() ? Json.array(ARCHITECTURES) : profile.get("architectures"));
        if (profile.has("flags")) {
            seccomp.set("flags", profile.get("flags"));
        }
        ArrayNode rules = seccomp.putArray("syscalls");
        for (JsonNode rule : profile.path("syscalls")) {
            if (!applies(rule, capabilities)) {
                continue;
            }
            ObjectNode kept = rules.addObject();
            kept.set(
                    "names",
                    rule.has("names")
                            ? rule.get("names")
                            : Json.array(List.of(rule.path("name").asText())));
            kept.set("action", rule.path("action"));
            for (String field : List.of("errnoRet", "args")) {
                if (rule.hasNonNull(field)
                        && !(rule.get(field).isArray() && rule.get(field).isEmpty())) {
                    kept.set(field, rule.get(field));
                }
            }
        }
        return seccomp;
    }

    private static boolean applies(JsonNode rule, Collection<String> capabilities) {
        JsonNode only = rule.path("includes");
        JsonNode not = rule.path("excludes");
        return capabilities.containsAll(Json.strings(only.path("caps")))
                && (only.path("arches").isEmpty()
                        || Json.strings(only.path("arches")).contains(ARCHITECTURE))
                && Json.strings(not.path("caps")).stream().noneMatch(capabilities::contains)
                && !Json.strings(not.path("arches")).contains(ARCHITECTURE);
    }
}
