package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lists: pages at one revision, versions, selectors. */
class ListTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static TestClient admin;
    private static String maps;
    private static String pods;

    @BeforeAll
    static void objects() {
        admin = SERVER.admin();
        String namespace = "/api/v1/namespaces/" + SERVER.namespace();
        maps = namespace + "/configmaps";
        pods = namespace + "/pods";
        for (int i = 0; i < 10; i++) {
            admin.create(
                    maps,
                    "{'metadata':{'name':'m" + i + "','labels':{'parity':'" + (i % 2 == 0 ? "even" : "odd") + "','n':'"
                            + i + "'}}}");
        }
        admin.create(
                pods, "{'metadata':{'name':'a'},'spec':{'nodeName':'n1','containers':[{'name':'c','image':'i'}]}}");
        admin.create(
                pods,
                "{'metadata':{'name':'b'},'spec':{'hostNetwork':true,'restartPolicy':'Never','containers':[{'name':'c','image':'i'}]}}");
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    @Test
    void pagesShowTheStateOfTheFirst() {
        String other = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        for (int i = 0; i < 7; i++) {
            admin.create(other, "{'metadata':{'name':'p" + i + "'}}");
        }
        Reply first = admin.get(other + "?limit=3").is(200);
        assertThat(first.names()).containsExactly("p0", "p1", "p2");
        assertThat(first.at("/metadata/remainingItemCount").asInt()).isEqualTo(4);
        admin.delete(other + "/p3").is(200);
        admin.create(other, "{'metadata':{'name':'p33'}}");
        Reply second = admin.get(other + "?limit=3&continue="
                        + first.at("/metadata/continue").asText())
                .is(200);
        assertThat(second.names()).containsExactly("p3", "p4", "p5");
        assertThat(second.version()).isEqualTo(first.version());
        assertThat(second.at("/metadata/remainingItemCount").asInt()).isEqualTo(1);
        Reply third = admin.get(other + "?limit=3&continue="
                        + second.at("/metadata/continue").asText())
                .is(200);
        assertThat(third.names()).containsExactly("p6");
        assertThat(third.at("/metadata/continue").isMissingNode()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3", "5", "100"})
    void pagesOfASelectionLeaveNothingOut(int limit) {
        List<String> seen = new ArrayList<>();
        String token = "";
        do {
            Reply page = admin.get(maps + "?labelSelector=parity%3Dodd&limit=" + limit + "&continue=" + token)
                    .is(200);
            assertThat(page.names().size()).isLessThanOrEqualTo(limit);
            assertThat(page.at("/metadata/remainingItemCount").isMissingNode()).isTrue();
            seen.addAll(page.names());
            token = page.at("/metadata/continue").asText();
        } while (!token.isEmpty());
        assertThat(seen).containsExactly("m1", "m3", "m5", "m7", "m9");
    }

    @Test
    void aTokenThatIsTooOldSaysHowToGoOn() {
        String other = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        for (int i = 0; i < 4; i++) {
            admin.create(other, "{'metadata':{'name':'q" + i + "'}}");
        }
        Reply first = admin.get(other + "?limit=2").is(200);
        admin.create(other, "{'metadata':{'name':'q22'}}");
        SERVER.store().compact(SERVER.store().revision());
        Reply expired = admin.get(other + "?limit=1&continue="
                        + first.at("/metadata/continue").asText())
                .is(410);
        assertThat(expired.reason()).isEqualTo("Expired");
        assertThat(expired.message()).startsWith("The provided continue parameter is too old");
        Reply rest = admin.get(other + "?limit=2&continue="
                        + expired.at("/metadata/continue").asText())
                .is(200);
        assertThat(rest.names()).containsExactly("q2", "q22");
        assertThat(admin.get(other + "?resourceVersionMatch=Exact&resourceVersion=" + first.version())
                        .is(410)
                        .message())
                .isEqualTo("The resourceVersion for the provided list is too old.");
    }

    @Test
    void anExactVersionShowsThatState() {
        String other = "/api/v1/namespaces/" + SERVER.namespace() + "/configmaps";
        Reply one = admin.create(other, "{'metadata':{'name':'one'}}");
        Reply two = admin.create(other, "{'metadata':{'name':'two'}}");
        assertThat(admin.get(other + "?resourceVersionMatch=Exact&resourceVersion=" + one.version())
                        .is(200)
                        .names())
                .containsExactly("one");
        assertThat(admin.get(other + "?resourceVersionMatch=NotOlderThan&resourceVersion=" + one.version())
                        .is(200)
                        .names())
                .containsExactly("one", "two");
        assertThat(admin.get(other + "?limit=5&resourceVersion=" + one.version())
                        .is(200)
                        .names())
                .containsExactly("one");
        assertThat(admin.get(other + "?resourceVersion=0").is(200).names()).containsExactly("one", "two");
        assertThat(admin.get(other + "?resourceVersion=" + two.version())
                        .is(200)
                        .names())
                .containsExactly("one", "two");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "resourceVersion=99999999 | 504 | Too large resource version: 99999999",
                "resourceVersionMatch=Exact&resourceVersion=99999999 | 504 | Too large resource version",
                "resourceVersion=abc | 400 | resourceVersion: Invalid value: \"abc\"",
                "resourceVersion=-1 | 400 | resourceVersion: Invalid value",
                "resourceVersionMatch=Exact | 422 | resourceVersionMatch is forbidden unless resourceVersion is"
                        + " provided",
                "resourceVersionMatch=Exact&resourceVersion=0&sendInitialEvents=true | 422 | [resourceVersionMatch:"
                        + " Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\","
                        + " sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list]",
                "resourceVersionMatch=About&resourceVersion=1 | 422 | resourceVersionMatch: Unsupported value:"
                        + " \"About\": supported values: \"Exact\", \"NotOlderThan\", \"\"",
                "resourceVersionMatch=NotOlderThan&continue=x | 422 | ListOptions.meta.k8s.io \"\" is invalid:"
                        + " [resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion"
                        + " is provided, resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when"
                        + " continue is provided]",
                "continue=x&resourceVersion=1 | 400 | specifying resource version is not allowed when using continue",
                "continue=%21%21 | 400 | invalid continue token: continue key is not valid: ",
                "continue=e30 | 400 | continue key is not valid: server does not recognize this encoded version",
                "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MH0 | 400 | continue key is not valid: incorrect encoded"
                        + " start resourceVersion (version meta.k8s.io/v1)",
                "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MX0 | 400 | continue key is not valid: encoded start key"
                        + " empty (version meta.k8s.io/v1)",
                "limit=abc | 400 | parsing \"abc\": invalid syntax",
                "labelSelector=%3Dx | 400 | unable to parse requirement",
                "labelSelector=a%20in%20b | 400 | unable to parse requirement",
                "labelSelector=a%3E%3Db | 400 | unable to parse requirement",
                "fieldSelector=metadata.name | 400 | invalid selector",
                "fieldSelector=spec.color%3Dred | 400 | \"spec.color\" is not a known field selector: only"
                        + " \"metadata.name\", \"metadata.namespace\"",
            })
    void listsThatMakeNoSenseAreRefused(String query, int status, String message) {
        assertThat(admin.get(maps + "?" + query.strip()).is(status).message()).contains(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "resourceVersion=99999999 | 504 | Too large resource version: 99999999",
                "resourceVersion=abc | 400 | resourceVersion: Invalid value: \"abc\"",
            })
    void readsThatMakeNoSenseAreRefused(String query, int status, String message) {
        String one = maps + "/" + admin.get(maps).names().getFirst();
        admin.get(one + "?resourceVersion=0").is(200);
        admin.get(one + "?resourceVersion=1").is(200);
        assertThat(admin.get(one + "?" + query.strip()).is(status).message()).contains(message);
    }

    @ParameterizedTest
    @CsvSource({"-1", "0", "9223372036854775807"})
    void oddLimitsAreNone(String limit) {
        assertThat(admin.get(maps + "?limit=" + limit).is(200).names()).hasSize(10);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "parity=odd,n notin (1,3) | m5 m7 m9",
                "parity==even,n in (0,2,9) | m0 m2",
                "parity!=odd,n!=0 | m2 m4 m6 m8",
                "n>7 | m8 m9",
                "n<2 | m0 m1",
                "!parity | ",
                "parity,n=4 | m4",
                "missing notin (x) | m0 m1 m2 m3 m4 m5 m6 m7 m8 m9",
            })
    void labelsSelect(String selector, String names) {
        String found = String.join(
                " ",
                admin.get(maps + "?labelSelector=" + encoded(selector)).is(200).names());
        assertThat(found).isEqualTo(names == null ? "" : names);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "spec.nodeName=n1 | a",
                "spec.nodeName!=n1 | b",
                "spec.nodeName= | b",
                "status.phase=Pending,metadata.name=b | b",
                "status.phase!=Pending | ",
                "spec.hostNetwork=true | b",
                "spec.hostNetwork=false | a",
                "spec.restartPolicy=Never | b",
                "metadata.namespace=default | ",
                "spec.serviceAccountName=default | a b",
            })
    void fieldsSelect(String selector, String names) {
        String found = String.join(
                " ",
                admin.get(pods + "?fieldSelector=" + encoded(selector)).is(200).names());
        assertThat(found).isEqualTo(names == null ? "" : names);
    }

    /** Clients ask so when any state will do, and then no page is smaller than the whole. */
    @Test
    void whoTakesAnyStateGetsItInOnePiece() {
        Reply all = admin.get(maps + "?resourceVersion=0&limit=3").is(200);
        assertThat(all.names()).hasSize(10);
        assertThat(all.at("/metadata/continue").isMissingNode()).isTrue();
        assertThat(admin.get(maps + "?limit=3").is(200).names()).hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/pods, 'spec.host=n,spec.nodeName=n,spec.schedulerName=s,status.podIP=1,status.podIPs=1,"
                + "status.nominatedNodeName=n'",
        "/api/v1/nodes, spec.unschedulable=true",
        "/api/v1/namespaces, status.phase=Terminating",
        "/api/v1/secrets, type=x",
        "/api/v1/services, 'spec.clusterIP=None,spec.type=ExternalName'",
        "/api/v1/replicationcontrollers, status.replicas=7",
        "/apis/apps/v1/replicasets, status.replicas=7",
        "/apis/batch/v1/jobs, status.successful=7",
        "/apis/certificates.k8s.io/v1/certificatesigningrequests, spec.signerName=s",
        "/apis/resource.k8s.io/v1/resourceslices, 'spec.nodeName=n,spec.driver=d'",
        "/api/v1/events, 'involvedObject.kind=k,involvedObject.namespace=n,involvedObject.name=n,involvedObject.uid=u,"
                + "involvedObject.apiVersion=v,involvedObject.resourceVersion=1,involvedObject.fieldPath=f,reason=r,"
                + "reportingComponent=c,source=s,type=t'",
        "/apis/events.k8s.io/v1/events, 'regarding.kind=k,regarding.namespace=n,regarding.name=n,regarding.uid=u,"
                + "regarding.apiVersion=v,regarding.resourceVersion=1,regarding.fieldPath=f,reason=r,"
                + "reportingController=c,type=t'",
        "/api/v1/persistentvolumes, metadata.namespace=n",
    })
    void everyKindIsSelectedByItsFields(String path, String fields) {
        for (String term : fields.split(",")) {
            assertThat(admin.get(path + "?fieldSelector=" + encoded(term))
                            .is(200)
                            .names())
                    .as(term)
                    .isEmpty();
            admin.get(path + "?fieldSelector=" + encoded(term.replace("=", "!=")))
                    .is(200);
        }
        admin.get(path + "?fieldSelector=metadata.name%3Dx").is(200);
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/pods, spec.color, field label not supported: spec.color",
        "/api/v1/nodes, metadata.namespace, field label not supported: metadata.namespace",
        "/api/v1/namespaces, metadata.namespace, field label not supported: metadata.namespace",
        "/apis/certificates.k8s.io/v1/certificatesigningrequests, metadata.namespace, field label not supported:"
                + " metadata.namespace",
        "/apis/batch/v1/jobs, status.failed, 'field label \"status.failed\" not supported for Job'",
        "/apis/resource.k8s.io/v1/resourceslices, metadata.namespace, 'field label not supported for"
                + " resource.k8s.io/v1, Kind=ResourceSlice: metadata.namespace'",
        "/apis/events.k8s.io/v1/events, involvedObject.name, field label not supported: involvedObject.name",
        "/apis/events.k8s.io/v1/events, reportingComponent, field label not supported: reportingComponent",
        "/apis/events.k8s.io/v1/events, source, field label not supported: source",
        "/api/v1/persistentvolumeclaims, status.phase, '\"status.phase\" is not a known field selector: only"
                + " \"metadata.name\", \"metadata.namespace\"'",
    })
    void otherFieldsAreRefusedInTheWordsOfTheirKind(String path, String field, String message) {
        assertThat(admin.get(path + "?fieldSelector=" + field + "%3Dx").is(400).message())
                .isEqualTo(message);
        assertThat(admin.get(path + "?watch=true&fieldSelector=" + field + "%3Dx")
                        .is(400)
                        .message())
                .isEqualTo(message);
    }

    @Test
    void eventsAreFoundByWhatTheyAreAboutInBothViews() {
        String namespace = SERVER.namespace();
        admin.create(
                "/api/v1/namespaces/" + namespace + "/events",
                "{'metadata':{'name':'e'},'involvedObject':{'kind':'Pod','namespace':'" + namespace
                        + "','name':'p'},'reason':'Started','message':'up',"
                        + "'source':{'component':'kubelet'},'reportingComponent':'kubelet'}");
        String core = "/api/v1/namespaces/" + namespace + "/events?fieldSelector=";
        String other = "/apis/events.k8s.io/v1/namespaces/" + namespace + "/events?fieldSelector=";
        assertThat(admin.get(core + encoded("involvedObject.name=p,source=kubelet,reason=Started"))
                        .is(200)
                        .names())
                .containsExactly("e");
        assertThat(admin.get(core + encoded("source=scheduler")).is(200).names())
                .isEmpty();
        Reply viewed = admin.get(other + encoded("regarding.kind=Pod,reportingController=kubelet"))
                .is(200);
        assertThat(viewed.names()).containsExactly("e");
        assertThat(viewed.at("/items/0/note").asText()).isEqualTo("up");
        assertThat(viewed.at("/items/0/regarding/name").asText()).isEqualTo("p");
    }

    @Test
    void jobsAreFoundBySuccess() {
        String jobs = "/apis/batch/v1/namespaces/" + SERVER.namespace() + "/jobs";
        admin.create(
                jobs,
                "{'metadata':{'name':'j'},'spec':{'template':{'spec':{'restartPolicy':'Never','containers':[{'name':'c',"
                        + "'image':'i'}]}}}}");
        assertThat(admin.get(jobs + "?fieldSelector=status.successful%3D0")
                        .is(200)
                        .names())
                .containsExactly("j");
        admin.patch(jobs + "/j/status", TestClient.MERGE_PATCH, "{'status':{'succeeded':1}}")
                .is(200);
        assertThat(admin.get(jobs + "?fieldSelector=status.successful%3D1")
                        .is(200)
                        .names())
                .containsExactly("j");
    }

    @Test
    void allNamespacesAreListedTogether() {
        Reply all =
                admin.get("/api/v1/configmaps?fieldSelector=metadata.name%3Dm1").is(200);
        assertThat(all.names()).containsExactly("m1");
        assertThat(all.at("/kind").asText()).isEqualTo("ConfigMapList");
        admin.post("/api/v1/configmaps", "{'metadata':{'name':'m1'}}").is(400);
    }
}
