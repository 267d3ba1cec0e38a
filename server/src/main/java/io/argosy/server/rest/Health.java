package io.argosy.server.rest;

import io.argosy.server.http.HttpCall;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;

/** Whether the server lives and is ready, part by part. */
public final class Health {
    private final Map<String, BooleanSupplier> vital = new LinkedHashMap<>(Map.of("ping", () -> true));
    private final Map<String, BooleanSupplier> readiness = new LinkedHashMap<>();

    /** Adds a part without which the server is neither well nor ready; before the server is opened. */
    public Health vital(String name, BooleanSupplier well) {
        vital.put(name, well);
        return this;
    }

    /** Adds a part that must be ready; before the server is opened. */
    public Health check(String name, BooleanSupplier ready) {
        readiness.put(name, ready);
        return this;
    }

    public boolean isReady() {
        return checks("readyz").values().stream().allMatch(BooleanSupplier::getAsBoolean);
    }

    /** Whether a part is well; one that nobody checks is. */
    boolean passes(String name) {
        return checks("readyz").getOrDefault(name, () -> true).getAsBoolean();
    }

    private Map<String, BooleanSupplier> checks(String page) {
        Map<String, BooleanSupplier> checks = new LinkedHashMap<>(vital);
        if (page.equals("readyz")) {
            checks.putAll(readiness);
        }
        return checks;
    }

    Optional<Pages.Page> page(HttpCall call, String[] parts) {
        Map<String, BooleanSupplier> checks = checks(parts[1]);
        if (parts.length > 2) {
            String name = String.join("/", List.of(parts).subList(2, parts.length));
            BooleanSupplier one = checks.get(name);
            return one == null ? Optional.empty() : Optional.of(one.getAsBoolean() ? ok() : failed(name));
        }
        return Optional.of(report(call, parts[1], checks));
    }

    private static Pages.Page report(HttpCall call, String page, Map<String, BooleanSupplier> checks) {
        List<String> excluded = call.query().getOrDefault("exclude", List.of());
        Set<String> unknown = new TreeSet<>(excluded);
        unknown.removeAll(checks.keySet());
        StringBuilder report = new StringBuilder();
        boolean healthy = true;
        for (Map.Entry<String, BooleanSupplier> check : checks.entrySet()) {
            boolean left = excluded.contains(check.getKey());
            boolean good = left || check.getValue().getAsBoolean();
            healthy &= good;
            report.append(good ? "[+]" : "[-]")
                    .append(check.getKey())
                    .append(left ? " excluded: ok\n" : good ? " ok\n" : " failed: reason withheld\n");
        }
        if (!unknown.isEmpty()) {
            report.append("warn: some health checks cannot be excluded: no matches for \"")
                    .append(String.join("\",\"", unknown))
                    .append("\"\n");
        }
        report.append(page).append(healthy ? " check passed\n" : " check failed\n");
        if (!healthy) {
            return Pages.text(500, report.toString());
        }
        return call.query().containsKey("verbose") ? Pages.text(200, report.toString()) : ok();
    }

    private static Pages.Page ok() {
        return Pages.text(200, "ok");
    }

    private static Pages.Page failed(String name) {
        return Pages.text(500, "internal server error: " + name + " failed\n");
    }
}
