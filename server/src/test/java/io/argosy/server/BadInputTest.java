package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.Tries;
import io.argosy.server.RawConnection.Answer;
import io.argosy.server.TestClient.Reply;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hostile and broken requests: each gets a 4xx in bounded time, and the server goes on. */
class BadInputTest {
    private static final String HOST = "Host: localhost\r\n";
    private static final String POD =
            "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":\"b\"}},"
                    + "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\",\"ports\":[{\"containerPort\":80}],\"resources\":"
                    + "{\"limits\":{\"cpu\":\"1\"}},\"env\":[{\"name\":\"A\",\"value\":\"B\"}]}],\"volumes\":[{\"name\":\"v\","
                    + "\"configMap\":{\"name\":\"m\"}}],\"terminationGracePeriodSeconds\":3}}";
    private static final String SERVICE =
            "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"type\":\"NodePort\",\"selector\":{\"a\":\"b\"},"
                    + "\"ports\":[{\"port\":80,\"targetPort\":\"web\",\"nodePort\":30001}],\"clusterIP\":\"10.96.0.5\"}}";

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static TestClient admin;
    private static String namespace;
    private static String maps;

    @BeforeAll
    static void namespace() {
        admin = SERVER.admin();
        namespace = "/api/v1/namespaces/" + SERVER.namespace();
        maps = namespace + "/configmaps";
    }

    @AfterEach
    void theServerGoesOn() {
        admin.get("/readyz").is(200);
        admin.get(maps).is(200);
    }

    private static Reply post(byte[] body) {
        return admin.send("POST", maps, "application/json", body);
    }

    private static Reply post(String body) {
        return post(body.getBytes(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "{\"",
                "{\"metadata\":{\"name\":\"a\"}",
                "nul",
                "{\"a\":1}}",
                "{} {}",
                "{'a':1}",
                "{\"a\":01}",
                "{\"a\":+1}",
                "{\"a\":NaN}",
                "{\"a\":1e9999}",
                "{\"a\":\"\t\"}",
                "{\"a\":\"\\x\"}",
                "{\"a\":\"\\u12\"}",
                "\u0000",
                "[{}]",
                "7",
                "\"x\"",
                "{\"metadata\":[]}",
                "{\"metadata\":{\"name\":{}}}",
                "{\"metadata\":{\"name\":1}}",
                "{\"metadata\":{\"labels\":[]}}",
                "{\"kind\":7}",
                "{\"apiVersion\":\"v1\"}",
                "{\"kind\":\"Unicorn\",\"apiVersion\":\"v1\"}"
            })
    void brokenBodiesAreRefused(String body) {
        Reply refused = post(body);
        assertThat(refused.status()).as(refused.text()).isBetween(400, 499);
        assertThat(refused.at("/kind").asText()).isEqualTo("Status");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"metadata\":{\"name\":\"a\"", "{'a':1}"})
    void aRefusalTellsWhatIsWrongAndNotHowWeRead(String body) {
        assertThat(post(body).is(400).message())
                .startsWith(
                        "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind;"
                                + " json parse error: ")
                .endsWith(" (" + body + ")")
                .doesNotContain("Source", "REDACTED", "Feature");
    }

    @Test
    void textThatIsNoUtf8IsRefused() {
        byte[] body = "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"#\"}}".getBytes(StandardCharsets.ISO_8859_1);
        for (int bad : new int[] {0xff, 0xc0, 0x80, 0xed}) {
            byte[] broken = body.clone();
            broken[new String(body, StandardCharsets.ISO_8859_1).indexOf('#')] = (byte) bad;
            post(broken).is(400);
        }
    }

    @Test
    void halfCharactersAreRepaired() {
        Reply created = post("{\"metadata\":{\"name\":\"half\"},\"data\":{\"k\":\"\\ud800x\"}}")
                .is(201);
        assertThat(created.at("/data/k").asText()).isEqualTo("\uFFFDx");
    }

    @ParameterizedTest
    @ValueSource(ints = {201, 1000, 100_000})
    void deepNestingIsRefused(int depth) {
        post("{\"a\":".repeat(depth) + "1" + "}".repeat(depth)).is(400);
        post("{\"data\":" + "[".repeat(depth) + "]".repeat(depth) + "}").is(400);
    }

    @Test
    void aHundredLevelsAreNoTrouble() {
        String deep = "{\"a\":".repeat(99) + "1" + "}".repeat(99);
        admin.post(
                        "/apis/apps/v1" + namespace.substring("/api/v1".length()) + "/controllerrevisions",
                        "{\"metadata\":{\"name\":\"deep\"},\"revision\":1,\"data\":" + deep + "}")
                .is(201);
    }

    @Test
    void aMillionCharactersAreNoName() {
        String name = "a".repeat(1_000_000);
        Reply refused = post("{\"metadata\":{\"name\":\"" + name + "\"}}").is(422);
        assertThat(refused.message()).contains("must be no more than 253 characters");
        assertThat(post("{\"metadata\":{\"generateName\":\"" + name + "\"}}")
                        .is(422)
                        .message())
                .contains("metadata.generateName: Invalid value: ", "must be no more than 253 characters");
        post("{\"metadata\":{\"generateName\":\"" + "a".repeat(200) + "\"}}").is(201);
        assertThat(post("{\"metadata\":{\"name\":\"n\",\"labels\":{\"" + name + "\":\"v\"}}}")
                        .status())
                .isIn(400, 422);
        post("{\"metadata\":{\"name\":\"n\",\"annotations\":{\"a\":\"" + name + "\"}}}")
                .is(422);
        admin.get(maps + "/" + "a".repeat(10_000)).is(404);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "labelSelector=%28%28%28%28",
                "labelSelector=a%20in%20%28",
                "labelSelector=%21%21a",
                "labelSelector=a%3Db%3Dc",
                "labelSelector=%00",
                "labelSelector=a%20notin",
                "fieldSelector=%3D%3D%3D",
                "fieldSelector=metadata.name%3E1",
                "limit=1e9",
                "resourceVersion=99999999999999999999",
                "continue=AAAA",
                "continue=eyJydiI6MX0",
                "labelSelector=%zz",
            })
    void absurdQueriesAreRefused(String query) throws Exception {
        try (RawConnection connection = new RawConnection(SERVER)) {
            Answer answer = connection
                    .send("GET " + maps + "?" + query.strip() + " HTTP/1.1\r\n" + HOST + "\r\n")
                    .read();
            assertThat(answer.status()).as(answer.body()).isBetween(400, 499);
            assertThat(answer.isStatusObject()).isTrue();
        }
    }

    @Test
    void longSelectorsAreReadInLinearTime() {
        String selector = "a%20in%20(" + "b,".repeat(4000) + "c)";
        admin.get(maps + "?labelSelector=" + selector).is(200);
        assertThat(admin.get(maps + "?labelSelector=" + "a,".repeat(7000)).status())
                .isBetween(400, 499);
    }

    @Test
    void crookedTokensFromTheFutureAreRefused() {
        String token = java.util.Base64.getUrlEncoder()
                .encodeToString(
                        "{\"v\":\"meta.k8s.io/v1\",\"rv\":999999,\"start\":\"x/y\"}".getBytes(StandardCharsets.UTF_8));
        admin.get("/api/v1/configmaps?continue=" + token).is(504);
        admin.get(maps + "?continue=" + token).is(400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NONSENSE\r\n\r\n",
                "GET\r\n\r\n",
                "GET /api HTTP/9.9\r\n\r\n",
                "GET /api HTTP/1.1\r\nBroken header\r\n\r\n",
                "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET api HTTP/1.1\r\nHost: x\r\n\r\n",
                "CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n",
                "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n",
                "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
                "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
                "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nXX\r\n"
            })
    void requestsThatAreNoHttpAreRefused(String request) throws Exception {
        try (RawConnection connection = new RawConnection(SERVER)) {
            Answer answer = connection.send(request).read();
            assertThat(answer.status()).isIn(0, 400, 403, 404, 405);
            if (answer.status() != 0) {
                assertThat(answer.isStatusObject()).isTrue();
            }
        }
    }

    @Test
    void aPathMayHoldALongCommand() throws Exception {
        String path = "/version?command=echo&command=" + "a".repeat(200_000);
        admin.get(path).is(200);
        try (RawConnection connection = new RawConnection(SERVER)) {
            connection.send("GET " + path + " HTTP/1.1\r\n" + HOST + "\r\n");
            assertThat(connection.read().status()).isEqualTo(200);
        }
    }

    @Test
    void endlessLinesAndHeadersAreRefused() throws Exception {
        for (String request : new String[] {
            "GET /" + "a".repeat(2_000_000) + " HTTP/1.1\r\n\r\n",
            "GET /api HTTP/1.1\r\nX: " + "a".repeat(100_000) + "\r\n\r\n",
            "GET /api HTTP/1.1\r\n" + "X: a\r\n".repeat(20_000) + "\r\n"
        }) {
            try (RawConnection connection = new RawConnection(SERVER)) {
                assertThat(connection.send(request).read().status()).isIn(0, 400);
            } catch (java.io.IOException closedWhileWeWereTalking) {
                admin.get("/readyz").is(200);
            }
        }
    }

    @Test
    void aSmuggledRequestIsNotAnswered() throws Exception {
        String smuggled = "GET /version HTTP/1.1\r\n" + HOST + "\r\n";
        try (RawConnection connection = new RawConnection(SERVER)) {
            connection.send(
                    "POST " + maps + " HTTP/1.1\r\n" + HOST + "Content-Type: application/json\r\nContent-Length: "
                            + (smuggled.length() + 5) + "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled);
            assertThat(connection.read().status()).isEqualTo(400);
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrder() throws Exception {
        StringBuilder requests = new StringBuilder();
        String[] paths = {"/version", maps, "/nothing", "/healthz", maps + "/nobody", "/api/v1/namespaces/default"};
        for (String path : paths) {
            requests.append("GET ")
                    .append(path)
                    .append(" HTTP/1.1\r\n")
                    .append(HOST)
                    .append("\r\n");
        }
        try (RawConnection connection = new RawConnection(SERVER)) {
            connection.send(requests.toString());
            int[] expected = {200, 200, 404, 200, 404, 200};
            for (int status : expected) {
                assertThat(connection.read().status()).isEqualTo(status);
            }
        }
    }

    @Test
    void aTooLargeRequestInAPipelineConcernsItselfOnly() throws Exception {
        String large =
                "POST " + maps + " HTTP/1.1\r\n" + HOST + "Content-Length: 2000000\r\n\r\n" + "x".repeat(2_000_000);
        try (RawConnection connection = new RawConnection(SERVER)) {
            connection.send("GET " + maps + " HTTP/1.1\r\n" + HOST + "\r\n" + large);
            assertThat(connection.read().status()).isEqualTo(200);
            assertThat(connection.read().status()).isEqualTo(413);
        }
    }

    @Test
    void moreRequestsAtOnceThanWeKeepEndTheConnection() throws Exception {
        try (RawConnection connection = new RawConnection(SERVER)) {
            connection.send(("GET " + maps + " HTTP/1.1\r\n" + HOST + "\r\n").repeat(500));
            int answered = 0;
            while (connection.read().status() == 200) {
                answered++;
            }
            assertThat(answered).isLessThanOrEqualTo(500);
        } catch (java.io.IOException closedWhileWeWereTalking) {
            admin.get("/readyz").is(200);
        }
    }

    @ParameterizedTest
    @CsvSource({"40, 100, 201", "99999999, 413, 413"})
    void whoAsksBeforeSendingIsAnswered(int length, int first, int last) throws Exception {
        String body = "{\"metadata\":{\"name\":\"expected\"}}";
        String padded = body + " ".repeat(Math.max(0, Math.min(length, 100) - body.length()));
        try (RawConnection connection = new RawConnection(SERVER)) {
            connection.send("POST " + maps + " HTTP/1.1\r\n" + HOST
                    + "Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: " + length
                    + "\r\n\r\n");
            Answer word = connection.read();
            assertThat(word.status()).isEqualTo(first);
            if (first == 100) {
                assertThat(connection.send(padded).read().status()).isEqualTo(last);
            }
        }
    }

    @Test
    void whoStopsInTheMiddleLeavesNothingBehind() throws Exception {
        for (String part : new String[] {
            "",
            "G",
            "GET / HTTP/1.1\r\n",
            "POST " + maps + " HTTP/1.1\r\n" + HOST + "Content-Length: 500\r\n\r\n{\"metadata\":"
        }) {
            try (RawConnection connection = new RawConnection(SERVER)) {
                connection.send(part).finish();
                assertThat(connection.read().status()).isIn(0, 400);
            }
        }
    }

    @Test
    void absoluteTargetsAreUnderstood() throws Exception {
        try (RawConnection connection = new RawConnection(SERVER)) {
            connection.send("GET https://localhost/version HTTP/1.1\r\n" + HOST + "\r\n");
            Answer answer = connection.read();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).contains("gitVersion");
        }
    }

    @Test
    void objectsWithAnyByteChangedNeverBreakTheServer() {
        Tries.of(600, random -> {
            boolean pod = random.nextBoolean();
            byte[] body = (pod ? POD : SERVICE).getBytes(StandardCharsets.UTF_8);
            int changes = 1 + random.nextInt(3);
            for (int i = 0; i < changes; i++) {
                body[random.nextInt(body.length)] = random.nextBoolean()
                        ? (byte) random.nextInt(256)
                        : (byte) "{}[]\":,0-9tn".charAt(random.nextInt(12));
            }
            Reply answer = admin.send(
                    "POST", namespace + (pod ? "/pods" : "/services") + "?dryRun=All", "application/json", body);
            assertThat(answer.status())
                    .as(() -> new String(body, StandardCharsets.ISO_8859_1))
                    .isBetween(200, 499);
        });
    }

    @Test
    void objectsWithAnyValueReplacedNeverBreakTheServer() {
        String[] values = {
            "null", "0", "-1", "\"\"", "\"x\"", "[]", "{}", "true", "1.5", "[null]", "{\"a\":null}", "99999999999999"
        };
        admin.post(namespace + "/services", SERVICE.replace("30001", "30009").replace("10.96.0.5", "10.96.0.6"));
        Tries.of(600, random -> {
            boolean pod = random.nextBoolean();
            String body = replaced(pod ? POD : SERVICE, random, values[random.nextInt(values.length)]);
            String path = namespace + (pod ? "/pods" : "/services");
            Reply created =
                    admin.send("POST", path + "?dryRun=All", "application/json", body.getBytes(StandardCharsets.UTF_8));
            assertThat(created.status()).as(() -> body + created.text()).isBetween(200, 499);
            Reply patched = admin.send(
                    "PATCH",
                    namespace + "/services/s?dryRun=All",
                    random.nextBoolean() ? TestClient.STRATEGIC : TestClient.MERGE_PATCH,
                    body.getBytes(StandardCharsets.UTF_8));
            assertThat(patched.status()).as(() -> body + patched.text()).isBetween(200, 499);
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "apps/v1 | deployments |"
                        + " {'replicas':1,'selector':{'matchLabels':{'a':'b'}},'strategy':{'rollingUpdate':{'maxSurge':1}},'template':T}",
                "extensions/v1beta1 | deployments | {'replicas':1,'rollbackTo':{'revision':1},'template':T}",
                "apps/v1 | statefulsets |"
                        + " {'selector':{'matchLabels':{'a':'b'}},'serviceName':'s','template':T,'volumeClaimTemplates':"
                        + "[{'metadata':{'name':'v'},'spec':{'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}}]}",
                "apps/v1 | daemonsets |"
                        + " {'selector':{'matchExpressions':[{'key':'a','operator':'In','values':['b']}]},'template':T}",
                "v1 | replicationcontrollers | {'selector':{'a':'b'},'template':T}",
                "batch/v1 | jobs | {'parallelism':1,'template':J}",
                "batch/v1 | cronjobs | {'schedule':'* * * * *','jobTemplate':{'spec':{'template':J}}}",
                "networking.k8s.io/v1 | ingresses |"
                        + " {'rules':[{'host':'h','http':{'paths':[{'path':'/','pathType':'Prefix','backend':"
                        + "{'service':{'name':'s','port':{'number':80}}}}]}}]}",
                "extensions/v1beta1 | ingresses |"
                        + " {'backend':{'serviceName':'s','servicePort':80},'rules':[{'http':{'paths':[{'backend':"
                        + "{'serviceName':'s','servicePort':'w'}}]}}]}",
                "networking.k8s.io/v1 | networkpolicies |"
                        + " {'podSelector':{},'ingress':[{'ports':[{'port':80}],'from':[{'podSelector':{}}]}]}",
                "autoscaling/v1 | horizontalpodautoscalers |"
                        + " {'scaleTargetRef':{'apiVersion':'apps/v1','kind':'D','name':'d'},'maxReplicas':2,'targetCPUUtilizationPercentage':5}",
                "autoscaling/v2 | horizontalpodautoscalers |"
                        + " {'scaleTargetRef':{'apiVersion':'apps/v1','kind':'D','name':'d'},'maxReplicas':2,'metrics':[{'type':'Resource',"
                        + "'resource':{'name':'cpu','target':{'type':'Utilization','averageUtilization':5}}}]}",
                "policy/v1 | poddisruptionbudgets | {'minAvailable':'50%','selector':{'matchLabels':{'a':'b'}}}",
                "v1 | persistentvolumeclaims |"
                        + " {'accessModes':['ReadWriteOnce'],'resources':{'requests':{'storage':'1Gi'}}}",
                "v1 | resourcequotas | {'hard':{'pods':'5'},'scopes':['BestEffort']}",
                "v1 | limitranges | {'limits':[{'type':'Container','default':{'cpu':'1'}}]}",
                "coordination.k8s.io/v1 | leases |"
                        + " {'holderIdentity':'h','renewTime':'2026-01-01T00:00:00.000000Z','leaseDurationSeconds':5}",
            })
    void kindsOfAllSortsBearAnyValueAnywhere(String version, String resource, String spec) {
        String[] values = {
            "null", "0", "-1", "\"\"", "\"x\"", "[]", "{}", "true", "1.5", "[null]", "{\"a\":null}", "99999999999"
        };
        String template = "{'metadata':{'labels':{'a':'b'}},'spec':{'containers':[{'name':'c','image':'i'}]}}";
        String whole = ("{'metadata':{'name':'n','labels':{'a':'b'}},'spec':" + spec + "}")
                .replace("'template':T", "'template':" + template)
                .replace(
                        "'template':J",
                        "'template':" + template.replace("'spec':{", "'spec':{'restartPolicy':'Never',"))
                .replace('\'', '"');
        String path = (version.equals("v1") ? "/api/v1" : "/apis/" + version) + namespace.substring("/api/v1".length())
                + "/" + resource;
        admin.post(path + "?dryRun=All", whole).is(201);
        admin.post(path, whole);
        Tries.of(60, random -> {
            String body = replaced(whole, random, values[random.nextInt(values.length)]);
            Reply created = admin.post(path + "?dryRun=All", body);
            assertThat(created.status()).as(() -> body + created.text()).isBetween(200, 499);
            Reply updated = admin.send(
                    "PUT", path + "/n?dryRun=All", "application/json", body.getBytes(StandardCharsets.UTF_8));
            assertThat(updated.status()).as(() -> body + updated.text()).isBetween(200, 499);
            Reply patched = admin.patch(path + "/n?dryRun=All", TestClient.STRATEGIC, body);
            assertThat(patched.status()).as(() -> body + patched.text()).isBetween(200, 499);
        });
        admin.delete(path + "/n").is(200);
    }

    /** The text with the value after one of its colons replaced. */
    static String replaced(String json, Random random, String value) {
        int colon = json.indexOf(':', random.nextInt(json.length() - 10));
        int end = colon + 1;
        int depth = 0;
        while (end < json.length()) {
            char c = json.charAt(end);
            if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
                break;
            }
            depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            end++;
        }
        return colon < 0 ? value : json.substring(0, colon + 1) + value + json.substring(end);
    }

    @Test
    void protobufThatIsNoneIsRefused() {
        byte[] magic = {'k', '8', 's', 0};
        Tries.of(200, random -> {
            byte[] body = new byte[4 + random.nextInt(60)];
            random.nextBytes(body);
            if (random.nextInt(4) > 0) {
                System.arraycopy(magic, 0, body, 0, 4);
            }
            Reply answer = admin.send("POST", namespace + "/pods", "application/vnd.kubernetes.protobuf", body);
            assertThat(answer.status()).as(answer.text()).isBetween(400, 499);
        });
    }
}
