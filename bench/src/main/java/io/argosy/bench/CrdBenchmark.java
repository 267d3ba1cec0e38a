package io.argosy.bench;

import io.argosy.bench.load.AllowingWebhook;
import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.Load;
import io.argosy.bench.process.ClusterProcess;
import io.argosy.bench.process.TemporaryHome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What custom resources cost: writes against those of a built-in kind, rules in CEL, a policy and a webhook for each write. */
final class CrdBenchmark implements Benchmark {
    private static final int CONNECTIONS = 32;
    private static final long MOST = 60_000;
    private static final String NAMESPACE = "written";
    static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String ADMISSION = "/apis/admissionregistration.k8s.io/v1";
    static final String RULES = """
            ,"x-kubernetes-validations":[{"rule":"self.replicas >= 0 && self.replicas <= 100"},
             {"rule":"self.name.startsWith('n') && size(self.name) < 60","message":"names begin with n"},
             {"rule":"self.tags.all(t, t.matches('^[a-z]+$'))"}]""";

    @Override
    public String name() {
        return "crd";
    }

    @Override
    public String what() {
        return "writes of custom resources, the cost of rules, policies and webhooks";
    }

    @Override
    public List<Row> run(Context context) throws Exception {
        List<Row> rows = new ArrayList<>();
        writes(context, rows);
        return rows;
    }

    private static void writes(Context context, List<Row> rows) throws Exception {
        try (TemporaryHome home = TemporaryHome.make();
                ClusterProcess cluster = ClusterProcess.simulated(home, 0)) {
            cluster.awaitReadyz();
            cluster.awaitAllUp();
            try (HttpConnection connection = HttpConnection.to(cluster.target());
                    AllowingWebhook webhook = new AllowingWebhook(home.path())) {
                made(connection.post("/api/v1/namespaces", Manifests.namespace(NAMESPACE)));
                define(connection, "plains", "");
                define(connection, "ruleds", RULES);
                define(connection, "judgeds", "");
                define(connection, "askeds", "");
                made(connection.post(ADMISSION + "/validatingadmissionpolicies", policy()));
                made(connection.post(ADMISSION + "/validatingadmissionpolicybindings", binding()));
                made(connection.post(ADMISSION + "/validatingwebhookconfigurations", asking(webhook)));
                for (String path : List.of(
                        Manifests.maps(NAMESPACE), path("plains"), path("ruleds"), path("judgeds"), path("askeds"))) {
                    measure(context, cluster, path + ", to warm up", path, 0);
                }
                Measured maps = measure(context, cluster, "ConfigMaps", Manifests.maps(NAMESPACE), 1);
                Measured plain = measure(context, cluster, "custom resources", path("plains"), 1);
                Measured ruled = measure(context, cluster, "custom resources with rules", path("ruleds"), 1);
                Measured judged = measure(context, cluster, "custom resources under a policy", path("judgeds"), 1);
                Measured asked = measure(context, cluster, "custom resources under a webhook", path("askeds"), 1);
                rows.add(Row.of("create ConfigMaps of 1 KiB, 32 connections", maps.shown()));
                rows.add(Row.of("create custom resources of 1 KiB, with a schema", plain.shown()));
                rows.add(Row.of("the same with three rules in CEL", ruled.shown() + ruled.beyond(plain)));
                rows.add(Row.of("the same with a policy in CEL instead", judged.shown() + judged.beyond(plain)));
                rows.add(Row.of("the same with a webhook instead", asked.shown() + asked.beyond(plain)));
            }
        }
    }

    /** A rate, and what each write took of the server. */
    private record Measured(double perSecond, double micros) {
        String shown() {
            return String.format(Locale.ROOT, "%,.0f/s (server's processor time %.0f us each)", perSecond, micros);
        }

        String beyond(Measured plain) {
            return String.format(Locale.ROOT, ", %+.0f us", micros - plain.micros);
        }
    }

    private static Measured measure(Context context, ClusterProcess cluster, String what, String path, int round)
            throws IOException, InterruptedException {
        context.progress().accept("creates of " + what);
        Duration before = cluster.processorTime();
        Load.Outcome outcome = new Load(
                        cluster.target(), MOST, n -> Load.Request.post(path, object(path, "n" + round + "-" + n)))
                .run(CONNECTIONS, context.measure());
        double micros = cluster.processorTime().minus(before).toNanos() / 1e3 / outcome.answered();
        return new Measured(outcome.perSecond(), micros);
    }

    private static String object(String path, String name) {
        if (path.endsWith("/configmaps")) {
            return Manifests.map(NAMESPACE, name);
        }
        String kind = kind(path.substring(path.lastIndexOf('/') + 1));
        return """
            {"apiVersion":"bench.example.com/v1","kind":"%s","metadata":{"name":"%s"},
             "spec":{"name":"%s","replicas":3,"tags":["a","b","c"],"text":"%s"}}""".formatted(kind, name, name, Manifests.KIBIBYTE);
    }

    private static String kind(String plural) {
        return plural.substring(0, 1).toUpperCase(Locale.ROOT) + plural.substring(1);
    }

    private static String path(String plural) {
        return "/apis/bench.example.com/v1/namespaces/" + NAMESPACE + "/" + plural;
    }

    private static void define(HttpConnection connection, String plural, String rules)
            throws IOException, InterruptedException {
        made(connection.post(DEFINITIONS, definition(plural, rules)));
        while (connection.get(path(plural)).status() != 200) {
            Thread.onSpinWait(); // served within milliseconds
        }
    }

    static String definition(String plural, String rules) {
        return """
            {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"%1$s.bench.example.com"},
             "spec":{"group":"bench.example.com","scope":"Namespaced","names":{"kind":"%2$s","plural":"%1$s"},
              "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
               "spec":{"type":"object","required":["name"],"properties":{
                "name":{"type":"string","maxLength":63,"pattern":"^[a-z0-9-]+$"},"replicas":{"type":"integer","minimum":0,"default":1},
                "tags":{"type":"array","maxItems":10,"items":{"type":"string","maxLength":20}},
                "text":{"type":"string","maxLength":2000}}%3$s}}}}}]}}""".formatted(plural, kind(plural), rules);
    }

    private static String policy() {
        return """
            {"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"bench"},
             "spec":{"matchConstraints":{"resourceRules":[{"operations":["CREATE"],"apiGroups":["bench.example.com"],
               "apiVersions":["v1"],"resources":["judgeds"]}]},
              "validations":[{"expression":"object.spec.replicas <= 100 && object.spec.name.startsWith('n')"}]}}""";
    }

    private static String binding() {
        return """
            {"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"bench"},
             "spec":{"policyName":"bench","validationActions":["Deny"]}}""";
    }

    private static String asking(AllowingWebhook webhook) {
        return """
            {"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"bench"},
             "webhooks":[{"name":"bench.example.com","clientConfig":%s,"sideEffects":"None","admissionReviewVersions":["v1"],
              "rules":[{"operations":["CREATE"],"apiGroups":["bench.example.com"],"apiVersions":["v1"],"resources":["askeds"]}]}]}""".formatted(webhook.clientConfig());
    }

    static void made(HttpConnection.Answer answer) throws IOException {
        if (answer.status() != 201) {
            throw new IOException("not made: " + answer.text());
        }
    }
}
