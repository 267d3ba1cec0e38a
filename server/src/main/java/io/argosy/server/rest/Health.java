package io.argosy.server.rest;

import io.argosy.server.http.HttpCall;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Whether the server lives and is ready, part by part. */
public final class Health {
    private final Map<String, BooleanSupplier> readiness = new LinkedHashMap<>();

    /** Adds a part that must be ready; before the server is opened. */
    public Health check(String name, BooleanSupplier ready) {
        readiness.put(name, ready);
        return this;
    }

    public boolean isReady() {
        return readiness.values().stream().allMatch(BooleanSupplier::getAsBoolean);
    }

    Optional<Pages.Page> page(HttpCall call, String[] parts) {
        boolean ready = parts[1].equals("readyz");
        Map<String, BooleanSupplier> checks = new LinkedHashMap<>();
        checks.put("ping", () -> true);
        if (ready) {
            checks.putAll(readiness);
        }
        if (parts.length == 3) {
            BooleanSupplier one = checks.get(parts[2]);
            return one == null ? Optional.empty() : Optional.of(one.getAsBoolean() ? ok() : failed(parts[2]));
        }
        StringBuilder report = new StringBuilder();
        boolean healthy = true;
        for (Map.Entry<String, BooleanSupplier> check : checks.entrySet()) {
            boolean good = check.getValue().getAsBoolean();
            healthy &= good;
            report.append(good ? "[+]" : "[-]")
                    .append(check.getKey())
                    .append(good ? " ok\n" : " failed: reason withheld\n");
        }
        report.append(parts[1]).append(healthy ? " check passed\n" : " check failed\n");
        if (!healthy) {
            return Optional.of(Pages.text(500, report.toString()));
        }
        return Optional.of(call.query().containsKey("verbose") ? Pages.text(200, report.toString()) : ok());
    }

    private static Pages.Page ok() {
        return Pages.text(200, "ok");
    }

    private static Pages.Page failed(String name) {
        return Pages.text(500, "internal server error: " + name + " failed\n");
    }
}
