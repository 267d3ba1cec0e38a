package io.argosy.server.flow;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.metrics.Exposition;
import io.argosy.api.metrics.MetricSource;
import io.argosy.api.time.Clock;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.cache.CachedObject;
import io.argosy.server.registry.Registry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * API Priority and Fairness: every request is of a flow, every flow of a priority level, and every level has its seats, so that a flood of
 * one kind of requests leaves room for all others. FlowSchemas and PriorityLevelConfigurations are those of the registry, followed write by
 * write; the built-in ones hold from the first moment, stored or not.
 */
public final class FlowControl implements MetricSource {
    public static final String GROUP = "flowcontrol.apiserver.k8s.io";
    public static final String SCHEMAS = "flowschemas";
    public static final String LEVELS = "prioritylevelconfigurations";

    private final Limits limits;
    private final Seats seats;
    private final WatchCount watches = new WatchCount();
    private final Map<String, CachedObject> storedSchemas = new HashMap<>();
    private final Map<String, CachedObject> storedLevels = new HashMap<>();
    private final Map<String, Flow> flows = new HashMap<>();
    private final Map<String, PriorityLevel> levels = new TreeMap<>();

    /** Null after a change: made anew when the next request asks, so that many changes, and those at the start, cost little. */
    private volatile Image image;

    /**
     * How much the server takes on at once.
     *
     * @param seats for the requests of all limited levels together
     * @param patience how long a request waits in a queue
     */
    public record Limits(int seats, Duration patience) {
        public static final Limits DEFAULT = new Limits(600, Duration.ofSeconds(15));
    }

    /** What is in force at one moment: the schemas in the order in which they are asked. */
    private record Image(Flow[] flows, Map<String, PriorityLevel> levels) {}

    public FlowControl(Limits limits) {
        this.limits = limits;
        this.seats = new Seats(limits.seats());
    }

    /** Follows the registry's objects; the registry is open. */
    public void follow(Registry registry) {
        follow(registry, SCHEMAS, storedSchemas);
        follow(registry, LEVELS, storedLevels);
    }

    private void follow(Registry registry, String resource, Map<String, CachedObject> stored) {
        registry.store(GROUP, resource).cache().follow(change -> {
            CachedObject object = change.current();
            synchronized (this) {
                if (change.deleted()) {
                    stored.remove(object.name());
                } else {
                    stored.put(object.name(), object);
                }
                image = null;
                if (seats.anybodyWaits()) {
                    image();
                }
            }
        });
    }

    private Image image() {
        Image now = image;
        return now == null ? rebuilt() : now;
    }

    private synchronized Image rebuilt() {
        if (image != null) {
            return image;
        }
        Map<String, JsonNode> settings = merged(BootstrapFlows.levels(), storedLevels);
        levels.keySet().retainAll(settings.keySet());
        settings.forEach((name, object) -> {
            LevelSettings wanted = LevelSettings.of(object);
            levels.computeIfAbsent(name, first -> new PriorityLevel(wanted)).settings(wanted);
        });
        List<Flow> ordered = new ArrayList<>();
        merged(BootstrapFlows.schemas(), storedSchemas).forEach((name, object) -> {
            FlowSchema schema = FlowSchema.of(object);
            PriorityLevel level = levels.get(schema.level());
            if (level != null) { // one that points nowhere matches nothing
                ordered.add(flows.compute(
                        name,
                        (same, before) -> new Flow(seats, Clock.system(), limits.patience(), schema, level, before)));
            }
        });
        ordered.sort(Comparator.<Flow>comparingInt(flow -> flow.schema().precedence())
                .thenComparing(flow -> flow.schema().name()));
        seats.share(levels.values());
        image = new Image(ordered.toArray(Flow[]::new), Map.copyOf(levels));
        return image;
    }

    /** The stored objects, and of the built-in ones those that are not stored. */
    private static Map<String, JsonNode> merged(List<? extends JsonNode> builtIn, Map<String, CachedObject> stored) {
        Map<String, JsonNode> all = new TreeMap<>();
        builtIn.forEach(object -> all.put(object.at("/metadata/name").asText(), object));
        stored.forEach((name, object) -> all.put(name, Json.decodeObject(object.json())));
        return all;
    }

    /** Who watches what, through this server. */
    public WatchCount watches() {
        return watches;
    }

    /** The flow the request is of; the last schema takes all that no other does. */
    public Flow classify(Action action) {
        Flow[] asked = image().flows();
        for (Flow flow : asked) {
            if (flow.schema().matches(action)) {
                return flow;
            }
        }
        return asked[asked.length - 1];
    }

    @Override
    public void writeTo(Exposition page) {
        Image now = image();
        page.gauge(
                "apiserver_flowcontrol_nominal_limit_seats",
                "Nominal number of execution seats configured for each priority level");
        now.levels().forEach((name, level) -> page.sample(seats.standing(level).nominal(), "priority_level", name));
        page.gauge(
                "apiserver_flowcontrol_current_limit_seats",
                "current derived number of execution seats available to each priority level");
        now.levels().forEach((name, level) -> page.sample(seats.standing(level).limit(), "priority_level", name));
        page.gauge(
                "apiserver_flowcontrol_current_executing_seats",
                "Concurrency (number of seats) occupied by the currently executing requests of each priority level");
        now.levels()
                .forEach((name, level) -> page.sample(
                        level.isExempt()
                                ? level.exemptRunning.sum()
                                : seats.standing(level).inUse(),
                        "priority_level",
                        name));
        page.gauge(
                "apiserver_flowcontrol_current_inqueue_requests",
                "Number of requests currently pending in queues of the API Priority and Fairness subsystem");
        now.levels().forEach((name, level) -> page.sample(seats.standing(level).waiting(), "priority_level", name));
        page.counter(
                "apiserver_flowcontrol_dispatched_requests_total",
                "Number of requests executed by API Priority and Fairness subsystem");
        for (Flow flow : now.flows()) {
            page.sample(flow.dispatched(), "flow_schema", flow.schema().name(), "priority_level", flow.level());
        }
        page.counter(
                "apiserver_flowcontrol_rejected_requests_total",
                "Number of requests rejected by API Priority and Fairness subsystem");
        for (Flow flow : now.flows()) {
            flow.refused((reason, count) -> page.sample(
                    count, "flow_schema", flow.schema().name(), "priority_level", flow.level(), "reason", reason));
        }
    }
}
