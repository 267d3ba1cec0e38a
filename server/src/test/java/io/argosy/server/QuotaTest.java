package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Namespaces with quotas and ranges, and what they let in. */
class QuotaTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String namespace;

    @BeforeEach
    void aNamespace() {
        admin = SERVER.admin();
        namespace = "/api/v1/namespaces/" + SERVER.namespace();
    }

    private void quota(String hard, String used) {
        admin.create(namespace + "/resourcequotas", "{'metadata':{'name':'small'},'spec':{'hard':" + hard + "}}");
        if (used != null) {
            admin.patch(
                            namespace + "/resourcequotas/small/status",
                            TestClient.MERGE_PATCH,
                            "{'status':{'hard':" + hard + ",'used':" + used + "}}")
                    .is(200);
        }
    }

    private Reply pod(String name, String resources) {
        return admin.post(
                namespace + "/pods",
                "{'metadata':{'name':'" + name + "'},'spec':{'containers':[{'name':'c','image':'i','resources':"
                        + resources + "}]}}");
    }

    private String used(String what) {
        return admin.get(namespace + "/resourcequotas/small")
                .at("/status/used/" + what)
                .asText();
    }

    @Test
    void whatIsLetInIsChargedAndWhatExceedsIsRefused() {
        quota(
                "{'pods':'2','requests.cpu':'1','count/configmaps':'1'}",
                "{'pods':'1','requests.cpu':'500m','count/configmaps':'0'}");
        Reply tooMuch = pod("a", "{'requests':{'cpu':'600m'}}").is(403);
        assertThat(tooMuch.message())
                .isEqualTo("pods \"a\" is forbidden: exceeded quota: small, requested: requests.cpu=600m,"
                        + " used: requests.cpu=500m, limited: requests.cpu=1");
        pod("b", "{'requests':{'cpu':'250m'}}").is(201);
        assertThat(used("pods")).isEqualTo("2");
        assertThat(used("requests.cpu")).isEqualTo("750m");
        assertThat(pod("c", "{'requests':{'cpu':'500m'}}").is(403).message())
                .isEqualTo("pods \"c\" is forbidden: exceeded quota: small, requested: pods=1,requests.cpu=500m,"
                        + " used: pods=2,requests.cpu=750m, limited: pods=2,requests.cpu=1");
        admin.post(namespace + "/configmaps?dryRun=All", "{'metadata':{'name':'m'}}")
                .is(201);
        assertThat(used("count~1configmaps")).isEqualTo("0");
        admin.post(namespace + "/configmaps", "{'metadata':{'name':'m'}}").is(201);
        assertThat(admin.post(namespace + "/configmaps", "{'metadata':{'name':'n'}}")
                        .is(403)
                        .message())
                .isEqualTo("configmaps \"n\" is forbidden: exceeded quota: small, requested: count/configmaps=1,"
                        + " used: count/configmaps=1, limited: count/configmaps=1");
    }

    @Test
    void containersHaveToSayWhatTheQuotaLimits() {
        quota("{'limits.memory':'1Gi','requests.cpu':'1'}", "{'limits.memory':'0','requests.cpu':'0'}");
        assertThat(pod("a", "{}").is(403).message())
                .isEqualTo("pods \"a\" is forbidden: failed quota: small: must specify limits.memory for: c;"
                        + " requests.cpu for: c");
        assertThat(admin.post(
                                namespace + "/pods",
                                "{'metadata':{'name':'b'},'spec':{'containers':[{'name':'z','image':'i'},{'name':'a','image':'i'}],"
                                        + "'initContainers':[{'name':'m','image':'i'}]}}")
                        .is(403)
                        .message())
                .isEqualTo("pods \"b\" is forbidden: failed quota: small: must specify limits.memory for: a,m,z;"
                        + " requests.cpu for: a,m,z");
    }

    @Test
    void aPodThatAsksAsAWholeNeedNotAskForEachContainer() {
        quota("{'limits.memory':'1Gi','requests.cpu':'1'}", "{'limits.memory':'0','requests.cpu':'0'}");
        admin.post(
                        namespace + "/pods",
                        "{'metadata':{'name':'a'},'spec':{'resources':{'requests':{'cpu':'100m'}},"
                                + "'containers':[{'name':'c','image':'i'}]}}")
                .is(201);
        assertThat(used("requests.cpu")).isEqualTo("100m");
    }

    @Test
    void aQuotaThatNobodyHasTakenNoteOfLimitsNothingYet() {
        quota("{'pods':'0'}", null);
        pod("a", "{}").is(201);
    }

    @Test
    void nothingIsLetInBeforeTheUsageIsKnown() {
        quota("{'pods':'2','requests.cpu':'1'}", "{'pods':'0'}");
        assertThat(pod("a", "{'requests':{'cpu':'1'}}").is(403).message())
                .isEqualTo("pods \"a\" is forbidden: status unknown for quota: small, resources: pods,requests.cpu");
        admin.post(namespace + "/configmaps", "{'metadata':{'name':'m'}}").is(201);
    }

    @Test
    void eventsAreNeverCharged() {
        quota("{'count/events':'0','count/events.events.k8s.io':'0'}", "{}");
        admin.post(
                        namespace + "/events",
                        "{'metadata':{'name':'e'},'involvedObject':{'namespace':'" + namespaceName() + "'}}")
                .is(201);
    }

    @Test
    void aPodWhoseTimeBecomesLimitedIsChargedToTheQuotaForSuch() {
        admin.create(
                namespace + "/resourcequotas",
                "{'metadata':{'name':'small'},'spec':{'hard':{'pods':'1'},'scopes':['Terminating']}}");
        admin.patch(
                        namespace + "/resourcequotas/small/status",
                        TestClient.MERGE_PATCH,
                        "{'status':{'hard':{'pods':'1'},'used':{'pods':'0'}}}")
                .is(200);
        pod("a", "{}").is(201);
        pod("b", "{}").is(201);
        assertThat(used("pods")).isEqualTo("0");
        limitTime("a").is(200);
        assertThat(used("pods")).isEqualTo("1");
        assertThat(limitTime("b").is(403).message())
                .isEqualTo("pods \"b\" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited:"
                        + " pods=1");
    }

    private Reply limitTime(String pod) {
        return admin.patch(namespace + "/pods/" + pod, TestClient.MERGE_PATCH, "{'spec':{'activeDeadlineSeconds':60}}");
    }

    @Test
    void storageThatAClaimHasGotAlreadyIsCountedThoughItExceeds() {
        quota("{'requests.storage':'5Gi'}", "{'requests.storage':'0'}");
        admin.create(
                namespace + "/persistentvolumeclaims",
                "{'metadata':{'name':'c'},'spec':{'accessModes':['ReadWriteOnce'],'storageClassName':'s',"
                        + "'resources':{'requests':{'storage':'2Gi'}}}}");
        assertThat(used("requests.storage")).isEqualTo("2Gi");
        admin.patch(
                        namespace + "/persistentvolumeclaims/c/status",
                        TestClient.MERGE_PATCH,
                        "{'status':{'phase':'Bound','allocatedResources':{'storage':'8Gi'}}}")
                .is(200);
        assertThat(used("requests.storage")).isEqualTo("8Gi");
    }

    private String namespaceName() {
        return namespace.substring(namespace.lastIndexOf('/') + 1);
    }

    @Test
    void aRangeGivesWhatIsMissing() {
        range("{'type':'Container','default':{'cpu':'500m','memory':'1Gi'},'defaultRequest':{'cpu':'100m'}}");
        Reply pod = pod("a", "{'limits':{'memory':'2Gi'}}").is(201);
        assertThat(pod.at("/spec/containers/0/resources/requests/cpu").asText()).isEqualTo("100m");
        assertThat(pod.at("/spec/containers/0/resources/limits/cpu").asText()).isEqualTo("500m");
        assertThat(pod.at("/spec/containers/0/resources/limits/memory").asText())
                .isEqualTo("2Gi");
        assertThat(pod.at("/spec/containers/0/resources/requests/memory").asText())
                .isEqualTo("2Gi");
        assertThat(pod.at("/metadata/annotations/kubernetes.io~1limit-ranger").asText())
                .isEqualTo("LimitRanger plugin set: cpu request for container c; cpu limit for container c");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{'type':'Pod','max':{'cpu':'1'}} | {'limits':{'cpu':'2'}} | maximum cpu usage per Pod is 1, but limit"
                        + " is 2",
                "{'type':'Pod','max':{'cpu':'1'}} | {} | maximum cpu usage per Pod is 1.  No limit is specified",
                "{'type':'Pod','min':{'memory':'6Mi'}} | {'requests':{'memory':'1Mi'}}"
                        + " | minimum memory usage per Pod is 6Mi, but request is 1Mi",
                "{'type':'Container','min':{'memory':'6Mi'},'max':{'memory':'1Gi'}} |"
                        + " {'requests':{'memory':'1Mi'},'limits':{'memory':'2Gi'}} | [minimum memory usage per Container"
                        + " is 6Mi, but request is 1Mi, maximum memory usage per Container is 1Gi, but limit is 2Gi]",
                "{'type':'Container','maxLimitRequestRatio':{'cpu':'2'}} |"
                        + " {'requests':{'cpu':'250m'},'limits':{'cpu':'1'}} | cpu max limit to request ratio per"
                        + " Container is 2, but provided ratio is 4.000000"
            })
    void whatIsOutsideARangeIsRefused(String range, String resources, String why) {
        range(range);
        assertThat(pod("a", resources).is(403).message()).isEqualTo("pods \"a\" is forbidden: " + why);
    }

    @Test
    void aRangeHoldsForAResizeToo() {
        range("{'type':'Container','max':{'cpu':'1'}}");
        pod("a", "{'requests':{'cpu':'100m'},'limits':{'cpu':'500m'}}").is(201);
        assertThat(admin.patch(
                                namespace + "/pods/a/resize",
                                TestClient.MERGE_PATCH,
                                "{'spec':{'containers':[{'name':'c','image':'i','resources':"
                                        + "{'requests':{'cpu':'100m'},'limits':{'cpu':'2'}}}]}}")
                        .is(403)
                        .message())
                .isEqualTo("pods \"a\" is forbidden: maximum cpu usage per Container is 1, but limit is 2");
    }

    @Test
    void whatIsWrongWithSeveralContainersIsSaidOnce() {
        range("{'type':'Container','max':{'cpu':'1'}}");
        String big = "'image':'i','resources':{'limits':{'cpu':'2'}}";
        assertThat(admin.post(
                                namespace + "/pods",
                                "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c'," + big + "},{'name':'d',"
                                        + big + "}]}}")
                        .is(403)
                        .message())
                .isEqualTo("pods \"a\" is forbidden: maximum cpu usage per Container is 1, but limit is 2");
    }

    private void range(String item) {
        admin.create(namespace + "/limitranges", "{'metadata':{'name':'range'},'spec':{'limits':[" + item + "]}}");
    }
}
