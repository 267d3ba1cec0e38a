package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.time.Clock;
import io.argosy.server.TestClient.Reply;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Deletion: at once, in peace, with conditions, and of many. */
class DeletionTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;
    private String maps;
    private String pods;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        namespace = SERVER.namespace();
        maps = "/api/v1/namespaces/" + namespace + "/configmaps";
        pods = "/api/v1/namespaces/" + namespace + "/pods";
    }

    private Reply pod(String name, String more) {
        return admin.create(
                pods,
                "{'metadata':{'name':'" + name + "'},'spec':{" + more + "'containers':[{'name':'c','image':'i'}]}}");
    }

    @Test
    void finalizersHoldAnObjectUntilTheLastIsGone() {
        admin.create(maps, "{'metadata':{'name':'held','finalizers':['example.com/a','example.com/b']}}");
        Reply marked = admin.delete(maps + "/held").is(200);
        assertThat(marked.at("/metadata/deletionTimestamp").asText()).isNotEmpty();
        assertThat(marked.at("/metadata/deletionGracePeriodSeconds").asInt()).isZero();
        String version = marked.version();
        assertThat(admin.delete(maps + "/held").is(200).version()).isEqualTo(version);

        Reply added = admin.patch(
                maps + "/held",
                TestClient.JSON_PATCH,
                "[{'op':'add','path':'/metadata/finalizers/-','value':'example.com/c'}]");
        assertThat(added.is(422).message()).contains("no new finalizers can be added if the object is being deleted");
        admin.patch(maps + "/held", TestClient.MERGE_PATCH, "{'metadata':{'finalizers':['example.com/b']}}")
                .is(200);
        admin.get(maps + "/held").is(200);
        Reply dry = admin.patch(maps + "/held?dryRun=All", TestClient.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .is(200);
        assertThat(dry.at("/metadata").has("finalizers")).isFalse();
        assertThat(admin.get(maps + "/held").is(200).at("/metadata/finalizers")).hasSize(1);
        admin.patch(maps + "/held", TestClient.MERGE_PATCH, "{'metadata':{'finalizers':null}}")
                .is(200);
        admin.get(maps + "/held").is(404);
    }

    @Test
    void aPodOnANodeIsGivenItsTime() {
        pod("waits", "'nodeName':'n1',");
        Reply marked = admin.delete(pods + "/waits").is(200);
        assertThat(marked.at("/metadata/deletionGracePeriodSeconds").asInt()).isEqualTo(30);
        assertThat(marked.at("/metadata/generation").asInt()).isEqualTo(2);
        Reply shortened =
                admin.delete(pods + "/waits", "{'gracePeriodSeconds':5}").is(200);
        assertThat(shortened.at("/metadata/deletionGracePeriodSeconds").asInt()).isEqualTo(5);
        Reply longer = admin.delete(pods + "/waits?gracePeriodSeconds=60").is(200);
        assertThat(longer.at("/metadata/deletionGracePeriodSeconds").asInt()).isEqualTo(5);
        admin.delete(pods + "/waits", "{'gracePeriodSeconds':0}").is(200);
        admin.get(pods + "/waits").is(404);
    }

    @Test
    void aPodsGraceBelowZeroIsOneSecond() {
        pod("hasty", "'terminationGracePeriodSeconds':-1,");
        ObjectNode hasty = (ObjectNode) admin.get(pods + "/hasty").is(200).body();
        assertThat(hasty.at("/spec/terminationGracePeriodSeconds").asInt()).isEqualTo(1);
        hasty.withObject("spec").put("terminationGracePeriodSeconds", -1);
        Reply written = admin.put(pods + "/hasty", hasty).is(200);
        assertThat(written.at("/spec/terminationGracePeriodSeconds").asInt()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {300_000_000_000L, Long.MAX_VALUE})
    void aGraceBeyondAllBoundsIsTakenAndShortenedFromWhenItBegan(long grace) {
        Clock clock = Clock.system();
        pod("patient", "'nodeName':'n1','terminationGracePeriodSeconds':" + grace + ",");
        Instant before = clock.now().minusSeconds(1);
        Reply marked = admin.delete(pods + "/patient").is(200);
        assertThat(marked.at("/metadata/deletionGracePeriodSeconds").asLong()).isEqualTo(grace);
        assertThat(marked.at("/metadata/deletionTimestamp").asText()).matches("2\\d{3}-.*Z");

        Reply shortened =
                admin.delete(pods + "/patient", "{'gracePeriodSeconds':5}").is(200);
        assertThat(Instant.parse(shortened.at("/metadata/deletionTimestamp").asText()))
                .isBetween(before, clock.now().plusSeconds(6));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'nodeName':'n1','terminationGracePeriodSeconds':7, | {} | 7",
                "'nodeName':'n1','terminationGracePeriodSeconds':-7, | {} | 1",
                "'nodeName':'n1', | {'gracePeriodSeconds':3} | 3",
                "'nodeName':'n1', | {'gracePeriodSeconds':-4} | 1",
                "'nodeName':'n1','terminationGracePeriodSeconds':0, | {} | gone",
                "'restartPolicy':'Never', | {} | gone",
            })
    void graceFollowsRequestSpecAndWhetherThePodRuns(String spec, String options, String grace) {
        pod("p", spec);
        Reply answer = admin.delete(pods + "/p", options).is(200);
        assertThat(answer.at("/kind").asText()).isEqualTo("Pod");
        if (grace.equals("gone")) {
            admin.get(pods + "/p").is(404);
        } else {
            assertThat(answer.at("/metadata/deletionGracePeriodSeconds").asText())
                    .isEqualTo(grace);
            admin.get(pods + "/p").is(200);
        }
    }

    @Test
    void aFinishedPodGoesAtOnce() {
        pod("done", "'nodeName':'n1',");
        admin.patch(pods + "/done/status", TestClient.MERGE_PATCH, "{'status':{'phase':'Succeeded'}}")
                .is(200);
        admin.delete(pods + "/done").is(200);
        admin.get(pods + "/done").is(404);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'preconditions':{'uid':'wrong'}} | 409 | the UID in the precondition (wrong) does not match the UID"
                        + " in record",
                "{'preconditions':{'resourceVersion':'1'}} | 409 | the ResourceVersion in the precondition (1) does"
                        + " not match",
                "{'propagationPolicy':'Sideways'} | 422 | propagationPolicy: Unsupported value: \"Sideways\":"
                        + " supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"",
                "{'propagationPolicy':'Orphan','orphanDependents':true} | 422 | propagationPolicy: Invalid value:"
                        + " \"Orphan\": orphanDependents and deletionPropagation cannot be both set",
                "{'gracePeriodSeconds':'abc'} | 400 | cannot unmarshal string",
                "{'dryRun':['Some']} | 422 | supported values: \"All\"",
                "{'kind':'Pod','apiVersion':'v1'} | 400 | DeleteOptions",
                "[1] | 400 | DeleteOptions",
                "nonsense | 400 | json parse error",
            })
    void deletionsWhoseConditionsDoNotHoldAreRefused(String options, int status, String message) {
        admin.create(maps, "{'metadata':{'name':'kept'}}");
        assertThat(admin.delete(maps + "/kept", options.strip()).is(status).message())
                .contains(message);
        admin.get(maps + "/kept").is(200);
    }

    @Test
    void preconditionsThatHoldDelete() {
        Reply created = admin.create(maps, "{'metadata':{'name':'a'}}");
        String options = "{'kind':'DeleteOptions','apiVersion':'v1','preconditions':{'uid':'"
                + created.at("/metadata/uid").asText() + "','resourceVersion':'" + created.version() + "'}}";
        admin.delete(maps + "/a", options).is(200);
        admin.get(maps + "/a").is(404);
    }

    @ParameterizedTest
    @CsvSource({"Foreground, foregroundDeletion", "Orphan, orphan"})
    void policiesThatConcernDependentsLeaveAFinalizer(String policy, String finalizer) {
        admin.create(maps, "{'metadata':{'name':'owner'}}");
        Reply marked = admin.delete(maps + "/owner?propagationPolicy=" + policy).is(200);
        assertThat(marked.at("/metadata/finalizers/0").asText()).isEqualTo(finalizer);
        admin.delete(maps + "/owner", "{'propagationPolicy':'Background'}").is(200);
        admin.get(maps + "/owner").is(404);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/apis/batch/v1 | jobs | {'template':{'spec':{'restartPolicy':'Never',CONTAINERS}}} | orphan | child"
                        + " pods are preserved by default when jobs are deleted; set propagationPolicy=Background to"
                        + " remove them or set propagationPolicy=Orphan to suppress this warning",
                "/api/v1 | replicationcontrollers | {'template':{'metadata':{'labels':{'a':'b'}},'spec':{CONTAINERS}}}"
                        + " | orphan |",
                "/apis/batch/v1 | cronjobs | {'schedule':'* * * * *','jobTemplate':{'spec':{'template':{'spec':"
                        + "{'restartPolicy':'Never',CONTAINERS}}}}} | |",
                "/apis/apps/v1 | replicasets |"
                        + " {'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{CONTAINERS}}}"
                        + " | |",
            })
    void dependentsStayWhereNobodySaysOtherwiseAndThatWasAlwaysSo(
            String root, String plural, String spec, String finalizer, String warning) {
        String path = root + "/namespaces/" + namespace + "/" + plural;
        String json = "{'metadata':{'name':'owner'},'spec':"
                + spec.strip().replace("CONTAINERS", "'containers':[{'name':'c','image':'i'}]") + "}";
        for (String options : new String[] {"", "?propagationPolicy=Background", "?orphanDependents=false"}) {
            admin.create(path, json);
            Reply deleted = admin.delete(path + "/owner" + options).is(200);
            boolean orphans = finalizer != null && options.isEmpty();
            assertThat(deleted.at("/metadata/finalizers/0").asText("")).isEqualTo(orphans ? finalizer : "");
            assertThat(deleted.headers().allValues("warning"))
                    .isEqualTo(warning == null || !orphans ? List.of() : List.of("299 - \"" + warning + "\""));
            if (orphans) {
                Reply all = admin.delete(path + "?labelSelector=none");
                assertThat(all.headers().allValues("warning")).hasSize(warning == null ? 0 : 1);
                admin.delete(path + "/owner?propagationPolicy=Background").is(200);
            }
            admin.get(path + "/owner").is(404);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"Foreground", "Orphan"})
    void anEventWaitsForNoDependents(String policy) {
        String events = maps.replace("/configmaps", "/events");
        admin.create(
                events,
                "{'metadata':{'name':'e'},'involvedObject':{'kind':'Pod','name':'p','namespace':'" + namespace + "'}}");
        admin.delete(events + "/e?propagationPolicy=" + policy).is(200);
        admin.get(events + "/e").is(404);
    }

    @Test
    void aCollectionIsDeletedAsItsListShowsIt() {
        for (int i = 0; i < 4; i++) {
            admin.create(maps, "{'metadata':{'name':'m" + i + "','labels':{'odd':'" + i % 2 + "'}}}");
        }
        Reply rehearsed =
                admin.delete(maps + "?labelSelector=odd%3D1&dryRun=All").is(200);
        assertThat(rehearsed.names()).containsExactly("m1", "m3");
        assertThat(admin.get(maps).names()).hasSize(4);
        Reply deleted = admin.delete(maps + "?labelSelector=odd%3D1").is(200);
        assertThat(deleted.names()).containsExactly("m1", "m3");
        assertThat(admin.get(maps).names()).containsExactly("m0", "m2");
        admin.delete(maps).is(200);
        assertThat(admin.get(maps).names()).isEmpty();
    }

    @Test
    void optionsHoldForEveryObjectOfACollection() {
        pod("fast", "'nodeName':'n1',");
        pod("slow", "'nodeName':'n2',");
        Reply chosen = admin.delete(pods + "?fieldSelector=spec.nodeName%3Dn2", "{'gracePeriodSeconds':7}")
                .is(200);
        assertThat(chosen.at("/kind").asText()).isEqualTo("PodList");
        assertThat(chosen.names()).containsExactly("slow");
        assertThat(admin.get(pods + "/slow")
                        .at("/metadata/deletionGracePeriodSeconds")
                        .asInt())
                .isEqualTo(7);
        assertThat(admin.get(pods + "/fast").at("/metadata").has("deletionTimestamp"))
                .isFalse();
        admin.delete(pods + "?gracePeriodSeconds=0").is(200);
        assertThat(admin.get(pods).names()).isEmpty();

        admin.create(maps, "{'metadata':{'name':'owner'}}");
        admin.delete(maps, "{'kind':'DeleteOptions','apiVersion':'v1','propagationPolicy':'Foreground'}")
                .is(200);
        assertThat(admin.get(maps + "/owner").at("/metadata/finalizers/0").asText())
                .isEqualTo("foregroundDeletion");
        assertThat(admin.delete(maps, "{'preconditions':{'uid':'wrong'}}")
                        .is(409)
                        .message())
                .contains("the UID in the precondition (wrong) does not match the UID in record");
        admin.delete(maps, "{'propagationPolicy':'Sideways'}").is(422);
        admin.delete(maps + "?fieldSelector=spec.color%3Dred").is(400);
        admin.get(maps + "/owner").is(200);
    }

    private static String ownedBy(Reply... owners) {
        StringBuilder references = new StringBuilder();
        for (Reply owner : owners) {
            references
                    .append(references.isEmpty() ? "" : ",")
                    .append("{'apiVersion':'v1','kind':'ConfigMap','blockOwnerDeletion':true,'name':'")
                    .append(owner.name())
                    .append("','uid':'")
                    .append(owner.at("/metadata/uid").asText())
                    .append("'}");
        }
        return "{'metadata':{'ownerReferences':[" + references + "]}}";
    }

    /** Who owns whom is the collector's business; here objects that own each other, or themselves, are objects like others. */
    @ParameterizedTest
    @ValueSource(strings = {"Background", "Foreground", "Orphan"})
    void ownersInACircleComeAndGoLikeOthers(String policy) {
        Reply a = admin.create(maps, "{'metadata':{'name':'a'}}");
        Reply b = admin.create(maps, "{'metadata':{'name':'b'}}");
        admin.patch(maps + "/a", TestClient.MERGE_PATCH, ownedBy(a, b)).is(200);
        admin.patch(maps + "/b", TestClient.MERGE_PATCH, ownedBy(a)).is(200);
        assertThat(admin.get(maps).is(200).names()).containsExactly("a", "b");
        admin.delete(maps + "/a?propagationPolicy=" + policy).is(200);
        admin.get(maps + "/b").is(200);
        admin.delete(maps + "?propagationPolicy=Background").is(200);
        assertThat(admin.get(maps).names()).isEmpty();
    }

    @Test
    void aDryRunDeletesNothing() {
        admin.create(maps, "{'metadata':{'name':'a'}}");
        admin.delete(maps + "/a?dryRun=All").is(200);
        admin.delete(maps + "/a", "{'dryRun':['All']}").is(200);
        admin.get(maps + "/a").is(200);
    }

    @Test
    void aNamespaceTerminatesAndTakesNothingNewUntilItIsFinalized() {
        String path = "/api/v1/namespaces/" + namespace;
        Reply marked = admin.delete(path).is(200);
        assertThat(marked.at("/status/phase").asText()).isEqualTo("Terminating");
        Reply refused = admin.post(maps, "{'metadata':{'name':'late'}}").is(403);
        assertThat(refused.message())
                .isEqualTo("configmaps \"late\" is forbidden: unable to create new content in namespace " + namespace
                        + " because it is being terminated");
        assertThat(refused.at("/details/causes/0/reason").asText()).isEqualTo("NamespaceTerminating");

        admin.patch(path, TestClient.MERGE_PATCH, "{'spec':{'finalizers':null}}")
                .is(200);
        assertThat(admin.get(path).is(200).at("/spec/finalizers/0").asText()).isEqualTo("kubernetes");
        admin.put(path + "/finalize", "{'metadata':{'name':'" + namespace + "'},'spec':{'finalizers':[]}}")
                .is(200);
        admin.get(path).is(404);
    }

    @Test
    void theSystemsNamespacesStay() {
        assertThat(admin.delete("/api/v1/namespaces/default").is(403).message())
                .isEqualTo("namespaces \"default\" is forbidden: this namespace may not be deleted");
    }
}
