package io.argosy.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.net.http.HttpClient.Version;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page that Prometheus reads. */
class MetricsTest {
    private static final Pattern SAMPLE = Pattern.compile(
            "[a-z_]+(\\{[a-z_]+=\"(\\\\.|[^\"\\\\])*\"(,[a-z_]+=\"(\\\\.|[^\"\\\\])*\")*\\})? -?[0-9].*");

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static double value(TestClient client, String series) {
        return client.get("/metrics")
                .is(200)
                .text()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    private static String requests(String code, String resource, String scope, String verb) {
        return "apiserver_request_total{code=\"" + code
                + "\",component=\"apiserver\",dry_run=\"\",group=\"\",resource=\"" + resource + "\",scope=\"" + scope
                + "\",subresource=\"\",verb=\"" + verb + "\",version=\"v1\"}";
    }

    @Test
    void admissionIsTimed() {
        TestClient admin = SERVER.admin();
        String steps = "apiserver_admission_step_admission_duration_seconds_count{operation=\"CREATE\",rejected=\"";
        double refused = value(admin, steps + "true\",type=\"admit\"}");
        admin.post("/api/v1/namespaces/nowhere/configmaps", "{'metadata':{'name':'m'}}")
                .is(404);
        assertThat(value(admin, steps + "true\",type=\"admit\"}")).isEqualTo(refused + 1);
        double good = value(admin, steps + "false\",type=\"validate\"}");
        admin.create("/api/v1/namespaces/default/configmaps", "{'metadata':{'generateName':'m-'}}");
        assertThat(value(admin, steps + "false\",type=\"validate\"}")).isEqualTo(good + 1);
    }

    private static String outdated(String group, String version, String resource, String removed) {
        return "apiserver_requested_deprecated_apis{group=\"" + group + "\",removed_release=\"" + removed
                + "\",resource=\"" + resource + "\",subresource=\"\",version=\"" + version + "\"}";
    }

    @Test
    void whoUsesWhatWillBeGoneIsSeen() throws Exception {
        TestClient admin = SERVER.admin();
        String namespace = "/namespaces/" + SERVER.namespace();
        String series = outdated("extensions", "v1beta1", "deployments", "1.16");
        assertThat(value(admin, series)).isZero();
        SERVER.client("CN=nobody", Version.HTTP_1_1)
                .get("/apis/extensions/v1beta1" + namespace + "/deployments")
                .is(403);
        assertThat(value(admin, series)).isZero();
        admin.get("/apis/extensions/v1beta1" + namespace + "/deployments").is(200);
        admin.get("/apis/extensions/v1beta1" + namespace + "/ingresses/none").is(404);
        admin.get("/api/v1" + namespace + "/endpoints/none").is(404);
        admin.get("/apis/apps/v1" + namespace + "/deployments").is(200);
        assertThat(value(admin, series)).isEqualTo(1);
        assertThat(value(admin, outdated("extensions", "v1beta1", "ingresses", "1.22")))
                .isEqualTo(1);
        assertThat(value(admin, outdated("", "v1", "endpoints", ""))).isEqualTo(1);
        assertThat(admin.get("/metrics").text()).doesNotContain(outdated("apps", "v1", "deployments", ""));
    }

    @Test
    void requestsAreCountedByWhatTheyWereAndHowTheyWent() {
        TestClient admin = SERVER.admin();
        String maps = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        double made = value(admin, requests("201", "configmaps", "resource", "POST"));
        double read = value(admin, requests("200", "configmaps", "resource", "GET"));
        double missed = value(admin, requests("404", "configmaps", "resource", "GET"));
        double listed = value(admin, requests("200", "configmaps", "namespace", "LIST"));
        admin.create(maps, "{'metadata':{'name':'m'}}");
        admin.get(maps + "/m").is(200);
        admin.get(maps + "/m?pretty=1").is(200);
        admin.get(maps + "/none").is(404);
        admin.get(maps).is(200);
        assertThat(value(admin, requests("201", "configmaps", "resource", "POST")))
                .isEqualTo(made + 1);
        assertThat(value(admin, requests("200", "configmaps", "resource", "GET")))
                .isEqualTo(read + 2);
        assertThat(value(admin, requests("404", "configmaps", "resource", "GET")))
                .isEqualTo(missed + 1);
        assertThat(value(admin, requests("200", "configmaps", "namespace", "LIST")))
                .isEqualTo(listed + 1);
        String duration = "component=\"apiserver\",dry_run=\"\",group=\"\",resource=\"configmaps\",scope=\"namespace\","
                + "subresource=\"\",verb=\"LIST\",version=\"v1\"";
        assertThat(value(admin, "apiserver_request_duration_seconds_count{" + duration + "}"))
                .isEqualTo(listed + 1);
        assertThat(value(admin, "apiserver_request_duration_seconds_bucket{" + duration + ",le=\"+Inf\"}"))
                .isEqualTo(listed + 1);
        assertThat(value(admin, "apiserver_storage_objects{resource=\"configmaps\"}"))
                .isPositive();
        assertThat(value(admin, "apiserver_storage_objects{resource=\"flowschemas.flowcontrol.apiserver.k8s.io\"}"))
                .isEqualTo(value(
                        admin,
                        "apiserver_resource_objects{group=\"flowcontrol.apiserver.k8s.io\",resource=\"flowschemas\"}"));
        assertThat(value(admin, "apiserver_resource_objects{group=\"\",resource=\"configmaps\"}"))
                .isPositive();
        assertThat(value(admin, "apiserver_current_inflight_requests{request_kind=\"readOnly\"}"))
                .isEqualTo(1); // the one that asks
        assertThat(value(admin, "process_resident_memory_bytes")).isGreaterThan(1e6);
        assertThat(value(admin, "process_cpu_seconds_total")).isPositive();
        assertThat(value(admin, "jvm_memory_used_bytes{area=\"heap\"}")).isGreaterThan(1e5);
    }

    @Test
    void requestsToTheStoreAreCountedByWhatTheyWereAbout() {
        TestClient admin = SERVER.admin();
        String namespace = SERVER.namespace();
        for (String[] made : new String[][] {
            {"", "configmaps", "/api/v1/namespaces/" + namespace + "/configmaps", "{'metadata':{'generateName':'m-'}}"},
            {"", "endpoints", "/api/v1/namespaces/" + namespace + "/endpoints", "{'metadata':{'generateName':'m-'}}"},
            {
                "apps",
                "controllerrevisions",
                "/apis/apps/v1/namespaces/" + namespace + "/controllerrevisions",
                "{'metadata':{'generateName':'m-'},'revision':1,'data':{'a':1}}"
            },
        }) {
            String labels = "{group=\"" + made[0] + "\",operation=\"create\",resource=\"" + made[1] + "\"}";
            double before = value(admin, "etcd_requests_total" + labels);
            admin.create(made[2], made[3]);
            assertThat(value(admin, "etcd_requests_total" + labels)).isEqualTo(before + 1);
            assertThat(value(admin, "etcd_request_duration_seconds_count" + labels))
                    .isEqualTo(before + 1);
            assertThat(admin.get("/metrics").text()).contains("etcd_request_errors_total" + labels + " 0");
        }
    }

    @Test
    void watchEventsAreCounted() {
        TestClient admin = SERVER.admin();
        String secrets = "/api/v1/namespaces/" + SERVER.namespace() + "/secrets";
        admin.create(secrets, "{'metadata':{'name':'s'}}");
        try (TestClient.Events events = admin.watch(secrets + "?watch=1")) {
            assertThat(events.shown()).isEqualTo("ADDED s");
            assertThat(value(admin, "apiserver_watch_events_total{group=\"\",resource=\"secrets\",version=\"v1\"}"))
                    .isEqualTo(1);
        }
    }

    @Test
    void whatClientsMakeUpBecomesNoLabel() {
        TestClient admin = SERVER.admin();
        admin.get("/api/v1/unicorns").is(404);
        admin.get("/apis/fairy.tale/v1/unicorns/x").is(404);
        admin.get("/unicorns").is(404);
        admin.get("/api/v1/namespaces/default/pods/x/unicorns").is(404);
        assertThat(admin.get("/metrics").text()).doesNotContain("unicorn").doesNotContain("fairy");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/plain", "*/*", "application/openmetrics-text;version=1.0.0,text/plain;q=0.5"})
    void thePageIsWellFormed(String accept) {
        Reply page = SERVER.admin().get("/metrics", "Accept", accept).is(200);
        boolean open = accept.contains("openmetrics");
        assertThat(page.headers().firstValue("content-type"))
                .hasValue(
                        open
                                ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                : "text/plain; version=0.0.4; charset=utf-8");
        Set<String> families = new HashSet<>();
        Set<String> samples = new HashSet<>();
        List<String> lines = new ArrayList<>(page.text().lines().toList());
        if (open) {
            assertThat(lines.removeLast()).isEqualTo("# EOF");
        }
        String family = "";
        for (String line : lines) {
            if (line.startsWith("# HELP ")) {
                family = line.split(" ")[2];
                assertThat(families.add(family)).as(family).isTrue();
            } else if (line.startsWith("# TYPE ")) {
                assertThat(line).startsWith("# TYPE " + family + " ");
            } else {
                assertThat(line).matches(SAMPLE).startsWith(family);
                assertThat(samples.add(line.substring(0, line.lastIndexOf(' '))))
                        .as(line)
                        .isTrue();
            }
        }
        assertThat(families).contains(open ? "apiserver_request" : "apiserver_request_total");
    }

    @Test
    void onlyThoseMayReadItWhoAreAllowedTo() throws Exception {
        TestClient jane = SERVER.client("CN=jane", Version.HTTP_1_1);
        jane.get("/metrics").is(403);
        SERVER.admin().create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", """
                {'metadata':{'name':'jane-monitors'},
                 'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole','name':'system:monitoring'},
                 'subjects':[{'kind':'User','name':'jane','apiGroup':'rbac.authorization.k8s.io'}]}""");
        assertThat(jane.get("/metrics").is(200).text()).startsWith("# HELP ");
    }
}
