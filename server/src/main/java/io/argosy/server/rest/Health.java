package io.argosy.server.rest;

import io.argosy.api.time.Clock;
import io.argosy.server.http.HttpCall;
import io.argosy.server.metrics.HealthcheckMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Whether the server lives and is ready, part by part, under the names that upstream's pages have for the same parts. */
public final class Health {
    private static final String READYZ = "readyz";
    private static final List<String> PAGES = List.of("healthz", "livez", READYZ);

    /** One who asks whether all is well asks for what is wrong: an empty text if nothing is. */
    private record Check(String name, Supplier<String> fault) {
        Check(String name, BooleanSupplier well, String otherwise) {
            this(name, () -> well.getAsBoolean() ? "" : otherwise);
        }
    }

    private final Clock clock;
    private final HealthcheckMetrics outcomes = new HealthcheckMetrics();
    private final List<Check> vital = new CopyOnWriteArrayList<>();
    private final List<Check> readiness = new CopyOnWriteArrayList<>();
    private final List<Check> hooks = new CopyOnWriteArrayList<>();
    private volatile boolean closing;

    public Health(Clock clock) {
        this.clock = clock;
        LogFlush log = new LogFlush(clock);
        vital.add(new Check("ping", () -> ""));
        vital.add(new Check("log", log::flows, "logging blocked"));
    }

    /** Adds a part without which the server is neither well nor ready. */
    public Health vital(String name, BooleanSupplier well) {
        vital.add(new Check(name, well, name + " failed"));
        return this;
    }

    /** Adds a part that must be ready. */
    public Health check(String name, BooleanSupplier ready) {
        readiness.add(new Check(name, ready, name + " failed"));
        return this;
    }

    /** A step of the start that the first answers do not wait for; what is returned does the work, and how it went is seen from now on. */
    public Runnable hook(String name, Runnable work) {
        StartHook hook = new StartHook(work, clock);
        hooks.add(new Check("poststarthook/" + name, hook::fault));
        return hook;
    }

    /** From now on the server is not ready, whatever it still answers: who spreads requests is to look for another. */
    public void closing() {
        closing = true;
    }

    public boolean isReady() {
        return checks(READYZ).stream().allMatch(check -> check.fault().get().isEmpty());
    }

    /** Whether a part is well; one that nobody checks is. */
    boolean passes(String name) {
        return find(READYZ, name).map(check -> check.fault().get().isEmpty()).orElse(true);
    }

    /** What the pages found whenever somebody looked. */
    HealthcheckMetrics outcomes() {
        return outcomes;
    }

    /** Every page of this and of its parts. */
    List<String> paths() {
        List<String> paths = new ArrayList<>();
        for (String page : PAGES) {
            paths.add("/" + page);
            checks(page).forEach(check -> paths.add("/" + page + "/" + check.name()));
        }
        return paths;
    }

    private List<Check> checks(String page) {
        List<Check> checks = new ArrayList<>(vital);
        if (page.equals(READYZ)) {
            checks.addAll(readiness);
        }
        checks.addAll(hooks);
        if (page.equals(READYZ)) {
            checks.add(new Check("shutdown", () -> !closing, "process is shutting down"));
        }
        return checks;
    }

    private Optional<Check> find(String page, String name) {
        return checks(page).stream().filter(check -> check.name().equals(name)).findFirst();
    }

    Optional<Pages.Page> page(HttpCall call, String[] parts) {
        if (parts.length > 2) {
            return find(parts[1], String.join("/", List.of(parts).subList(2, parts.length)))
                    .map(check -> single(check.fault().get()));
        }
        return Optional.of(report(call, parts[1], checks(parts[1])));
    }

    private Pages.Page report(HttpCall call, String page, List<Check> checks) {
        List<String> excluded = call.query().getOrDefault("exclude", List.of());
        Set<String> unknown = new TreeSet<>(excluded);
        StringBuilder report = new StringBuilder();
        boolean healthy = true;
        for (Check check : checks) {
            unknown.remove(check.name());
            if (excluded.contains(check.name())) {
                report.append("[+]").append(check.name()).append(" excluded: ok\n");
                continue;
            }
            boolean good = check.fault().get().isEmpty();
            outcomes.observe(check.name(), page, good);
            healthy &= good;
            report.append(good ? "[+]" : "[-]")
                    .append(check.name())
                    .append(good ? " ok\n" : " failed: reason withheld\n");
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

    private static Pages.Page single(String fault) {
        return fault.isEmpty() ? ok() : Pages.text(500, "internal server error: " + fault + "\n");
    }

    private static Pages.Page ok() {
        return Pages.text(200, "ok");
    }
}
