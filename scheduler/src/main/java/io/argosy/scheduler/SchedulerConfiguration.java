package io.argosy.scheduler;

import static io.argosy.api.json.Fields.known;
import static io.argosy.api.json.Fields.require;
import static io.argosy.api.json.Fields.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.argosy.api.json.Yaml;
import io.argosy.scheduler.plugin.Score;
import io.argosy.scheduler.plugin.ScoringStrategy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The profiles that a file of the kind KubeSchedulerConfiguration names. What it says and we cannot do is an error; what has no meaning
 * within one process (connections, leader election, ports) is passed over.
 */
public final class SchedulerConfiguration {
    private static final String VERSION = "kubescheduler.config.k8s.io/v1";
    private static final String[] TOP = {
        "apiVersion",
        "kind",
        "profiles",
        "percentageOfNodesToScore",
        "parallelism",
        "leaderElection",
        "clientConnection",
        "enableProfiling",
        "enableContentionProfiling",
        "delayCacheUntilActive"
    };
    private static final String MULTI_POINT = "multiPoint";
    private static final String FILTER = "filter";
    private static final String SCORE = "score";
    private static final String POST_FILTER = "postFilter";
    private static final String[] POINTS = {MULTI_POINT, FILTER, SCORE, POST_FILTER, "preFilter", "preScore"};
    private static final String ALL = "*";
    private static final String FIT = "NodeResourcesFit";

    private static final Set<String> FILTERS = Set.of(
            "NodeUnschedulable",
            "NodeName",
            "TaintToleration",
            "NodeAffinity",
            "NodePorts",
            FIT,
            "VolumeRestrictions",
            "NodeVolumeLimits",
            "VolumeBinding",
            "VolumeZone",
            "PodTopologySpread",
            "InterPodAffinity",
            "DynamicResources");
    private static final Set<String> SCORES = Set.of(
            "TaintToleration",
            "NodeAffinity",
            FIT,
            "PodTopologySpread",
            "InterPodAffinity",
            "NodeResourcesBalancedAllocation",
            "ImageLocality");
    /** What every profile has here, whatever is said. */
    private static final Set<String> ALWAYS = Set.of("PrioritySort", "DefaultBinder", "SchedulingGates");

    private static final long SHAPE_BEST = 10;
    private static final long WHOLE = 100;

    private SchedulerConfiguration() {}

    /** Reads a file's text; an argument exception says what is wrong with it, and where. */
    public static List<Profile> parse(String text) {
        JsonNode root;
        try {
            root = Yaml.decode(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException malformed) {
            throw new IllegalArgumentException("it is no YAML: " + malformed.getMessage(), malformed);
        }
        known(root, "", TOP);
        require(
                text(root, "kind").equals("KubeSchedulerConfiguration")
                        && text(root, "apiVersion").equals(VERSION),
                "kind",
                "must be KubeSchedulerConfiguration of " + VERSION);
        int percentage = percentage(root, "", 0);
        List<Profile> profiles = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < root.path("profiles").size(); i++) {
            String path = "profiles[" + i + "]";
            Profile profile = profile(root.path("profiles").get(i), path, percentage);
            require(
                    names.add(profile.schedulerName()),
                    path + ".schedulerName",
                    "Duplicate value: \"" + profile.schedulerName() + "\"");
            profiles.add(profile);
        }
        if (profiles.isEmpty()) {
            profiles.add(profile(MissingNode.getInstance(), "profiles", percentage));
        }
        return List.copyOf(profiles);
    }

    private static Profile profile(JsonNode said, String path, int percentage) {
        known(said, path, "schedulerName", "plugins", "pluginConfig", "percentageOfNodesToScore");
        String name = text(said, "schedulerName");
        Choice choice = new Choice();
        JsonNode plugins = said.path("plugins");
        known(plugins, path + ".plugins", POINTS);
        for (String point : POINTS) {
            choice.take(point, plugins.path(point), path + ".plugins." + point);
        }
        return new Profile(
                name.isEmpty() ? Profile.DEFAULT.schedulerName() : name,
                choice.unfiltered,
                choice.unscored,
                choice.preempts,
                choice.weights,
                percentage(said, path, percentage),
                strategy(said.path("pluginConfig"), path + ".pluginConfig"));
    }

    private static int percentage(JsonNode said, String path, int otherwise) {
        JsonNode value = said.path("percentageOfNodesToScore");
        if (value.isMissingNode() || value.isNull()) {
            return otherwise;
        }
        require(
                value.isInt() && value.asInt() >= 0 && value.asInt() <= WHOLE,
                path.isEmpty() ? "percentageOfNodesToScore" : path + ".percentageOfNodesToScore",
                "Invalid value: " + value.asText() + ": not in valid range [0-100]");
        return value.asInt();
    }

    /** Which plugins take part; everything does until it is left out, and what is named again after that takes part again. */
    private static final class Choice {
        private final Set<String> unfiltered = new HashSet<>();
        private final Set<String> unscored = new HashSet<>();
        private final Map<String, Integer> weights = new HashMap<>();
        private boolean preempts = true;

        /** preFilter and preScore are a plugin's own preparations; they go with its filter and its score. */
        void take(String point, JsonNode set, String path) {
            known(set, path, "enabled", "disabled");
            for (int i = 0; i < set.path("disabled").size(); i++) {
                String at = path + ".disabled[" + i + "]";
                known(set.path("disabled").get(i), at, "name");
                String name = text(set.path("disabled").get(i), "name");
                require(name.equals(ALL) || exists(name), at + ".name", unknown(name));
                disable(point, name);
            }
            for (int i = 0; i < set.path("enabled").size(); i++) {
                String at = path + ".enabled[" + i + "]";
                JsonNode plugin = set.path("enabled").get(i);
                known(plugin, at, "name", "weight");
                String name = text(plugin, "name");
                require(exists(name), at + ".name", unknown(name));
                enable(point, name);
                weigh(point, name, plugin.path("weight"), at);
            }
        }

        private static boolean exists(String name) {
            return FILTERS.contains(name)
                    || SCORES.contains(name)
                    || ALWAYS.contains(name)
                    || name.equals(Profile.PREEMPTION);
        }

        private static String unknown(String name) {
            return "Invalid value: \"" + name + "\": there is no such plugin";
        }

        private static boolean isAt(String point, String where) {
            return point.equals(where) || point.equals(MULTI_POINT);
        }

        private void disable(String point, String name) {
            boolean all = name.equals(ALL);
            if (isAt(point, FILTER)) {
                unfiltered.addAll(all ? FILTERS : Set.of(name));
            }
            if (isAt(point, SCORE)) {
                unscored.addAll(all ? SCORES : Set.of(name));
            }
            if (isAt(point, POST_FILTER) && (all || name.equals(Profile.PREEMPTION))) {
                preempts = false;
            }
        }

        private void enable(String point, String name) {
            if (isAt(point, FILTER)) {
                unfiltered.remove(name);
            }
            if (isAt(point, SCORE)) {
                unscored.remove(name);
            }
            if (isAt(point, POST_FILTER) && name.equals(Profile.PREEMPTION)) {
                preempts = true;
            }
        }

        private void weigh(String point, String name, JsonNode weight, String path) {
            if (weight.isMissingNode() || weight.isNull()) {
                return;
            }
            require(
                    weight.isInt() && weight.asInt() >= 0 && weight.asInt() <= WHOLE,
                    path + ".weight",
                    "Invalid value: " + weight.asText() + ": not in valid range [0-100]");
            if (isAt(point, SCORE) && SCORES.contains(name) && weight.asInt() > 0) {
                weights.put(name, weight.asInt());
            }
        }
    }

    private static ScoringStrategy strategy(JsonNode configs, String path) {
        ScoringStrategy strategy = ScoringStrategy.LEAST_ALLOCATED;
        for (int i = 0; i < configs.size(); i++) {
            String at = path + "[" + i + "]";
            known(configs.get(i), at, "name", "args");
            String name = text(configs.get(i), "name");
            require(name.equals(FIT), at + ".name", "Invalid value: \"" + name + "\": takes no arguments here");
            JsonNode arguments = configs.get(i).path("args");
            known(arguments, at + ".args", "apiVersion", "kind", "scoringStrategy");
            if (arguments.has("scoringStrategy")) {
                strategy = scoring(arguments.path("scoringStrategy"), at + ".args.scoringStrategy");
            }
        }
        return strategy;
    }

    private static ScoringStrategy scoring(JsonNode said, String path) {
        known(said, path, "type", "resources", "requestedToCapacityRatio");
        String type = text(said, "type");
        ScoringStrategy strategy = switch (type) {
            case "", "LeastAllocated" -> ScoringStrategy.LEAST_ALLOCATED;
            case "MostAllocated" -> ScoringStrategy.MOST_ALLOCATED;
            case "RequestedToCapacityRatio" ->
                new ScoringStrategy(
                        shape(
                                said.path("requestedToCapacityRatio").path("shape"),
                                path + ".requestedToCapacityRatio.shape"),
                        1,
                        1);
            default ->
                throw new IllegalArgumentException(path + ".type: Unsupported value: \"" + type
                        + "\": supported values: \"LeastAllocated\", \"MostAllocated\","
                        + " \"RequestedToCapacityRatio\"");
        };
        return said.path("resources").isEmpty()
                ? strategy
                : weighed(strategy, said.path("resources"), path + ".resources");
    }

    private static ScoringStrategy weighed(ScoringStrategy strategy, JsonNode resources, String path) {
        Map<String, Integer> weights = new HashMap<>();
        for (int i = 0; i < resources.size(); i++) {
            String at = path + "[" + i + "]";
            known(resources.get(i), at, "name", "weight");
            String name = text(resources.get(i), "name");
            require(
                    name.equals("cpu") || name.equals("memory"),
                    at + ".name",
                    "Invalid value: \"" + name + "\": only cpu and memory are compared here");
            int weight = resources.get(i).path("weight").asInt(1);
            require(
                    weight >= 1 && weight <= WHOLE,
                    at + ".weight",
                    "Invalid value: " + weight + ": not in valid range [1-100]");
            weights.put(name, weight);
        }
        return strategy.weighing(weights.getOrDefault("cpu", 0), weights.getOrDefault("memory", 0));
    }

    /** Scores go from 0 to 10 in the file. */
    private static List<ScoringStrategy.Point> shape(JsonNode points, String path) {
        require(!points.isEmpty(), path, "Required value: at least one point must be specified");
        List<ScoringStrategy.Point> shape = new ArrayList<>();
        for (int i = 0; i < points.size(); i++) {
            String at = path + "[" + i + "]";
            known(points.get(i), at, "utilization", "score");
            long used = points.get(i).path("utilization").asLong(-1);
            long score = points.get(i).path("score").asLong(-1);
            require(
                    used >= 0 && used <= WHOLE,
                    at + ".utilization",
                    "Invalid value: " + used + ": not in valid range [0-100]");
            require(
                    shape.isEmpty() || used > shape.getLast().percent(),
                    at + ".utilization",
                    "Invalid value: " + used + ": utilization values must be sorted in increasing order");
            require(
                    score >= 0 && score <= SHAPE_BEST,
                    at + ".score",
                    "Invalid value: " + score + ": not in valid range [0-10]");
            shape.add(new ScoringStrategy.Point(used, score * (Score.BEST / SHAPE_BEST)));
        }
        return shape;
    }
}
