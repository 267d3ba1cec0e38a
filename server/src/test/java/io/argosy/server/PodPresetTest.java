package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.TestClient.Reply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Presets, as they were before they went: what new pods of a namespace are given beside what they say themselves. */
class PodPresetTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private TestClient admin;
    private String name;
    private String pods;
    private String presets;

    @BeforeEach
    void begin() {
        admin = SERVER.admin();
        name = SERVER.namespace();
        pods = "/api/v1/namespaces/" + name + "/pods";
        presets = "/apis/settings.k8s.io/v1alpha1/namespaces/" + name + "/podpresets";
    }

    private Reply preset(String preset, String spec) {
        return admin.create(
                presets,
                "{'metadata':{'name':'" + preset + "'},'spec':{'selector':{'matchLabels':{'role':'frontend'}}," + spec
                        + "}}");
    }

    private Reply pod(String pod, String container) {
        return admin.create(
                pods,
                "{'metadata':{'name':'" + pod + "','labels':{'role':'frontend'}},'spec':{'containers':[{'name':'c',"
                        + "'image':'i'" + container + "}]}}");
    }

    private static List<String> texts(JsonNode list, String field) {
        List<String> texts = new ArrayList<>();
        list.forEach(one -> texts.add(one.path(field).asText()));
        return texts;
    }

    @Test
    void matchingPodsAreGivenWhatThePresetSaysAndOthersAreNot() {
        Reply preset = preset(
                "allow-database",
                "'env':[{'name':'DB_PORT','value':'6379'}],'envFrom':[{'configMapRef':{'name':'etcd-env-config'}}],"
                        + "'volumeMounts':[{'mountPath':'/cache','name':'cache-volume'}],"
                        + "'volumes':[{'name':'cache-volume','emptyDir':{}}]");
        Reply pod = pod("website", ",'env':[{'name':'OWN','value':'1'}]");
        JsonNode container = pod.at("/spec/containers/0");
        assertThat(texts(container.path("env"), "name")).containsExactly("OWN", "DB_PORT");
        assertThat(container.at("/envFrom/0/configMapRef/name").asText()).isEqualTo("etcd-env-config");
        assertThat(texts(container.path("volumeMounts"), "mountPath"))
                .containsExactly("/cache", "/var/run/secrets/kubernetes.io/serviceaccount");
        assertThat(pod.at("/spec/volumes/0/name").asText()).isEqualTo("cache-volume");
        assertThat(pod.at("/metadata/annotations/podpreset.admission.kubernetes.io~1podpreset-allow-database")
                        .asText())
                .isEqualTo(preset.version());

        Reply other =
                admin.create(pods, "{'metadata':{'name':'other'},'spec':{'containers':[{'name':'c','image':'i'}]}}");
        assertThat(other.at("/spec/containers/0/env").isMissingNode()).isTrue();
        Reply excluded = admin.create(
                pods,
                "{'metadata':{'name':'excluded','labels':{'role':'frontend'},'annotations':"
                        + "{'podpreset.admission.kubernetes.io/exclude':'true'}},'spec':{'containers':[{'name':'c',"
                        + "'image':'i'}]}}");
        assertThat(excluded.at("/spec/containers/0/env").isMissingNode()).isTrue();
    }

    @Test
    void severalPresetsAreMerged() {
        preset("one", "'env':[{'name':'A','value':'1'},{'name':'SAME','value':'s'}]");
        preset("two", "'env':[{'name':'B','value':'2'},{'name':'SAME','value':'s'}]");
        Reply pod = pod("p", "");
        assertThat(texts(pod.at("/spec/containers/0/env"), "name")).containsExactly("A", "SAME", "B");
        assertThat(pod.at("/metadata/annotations")).hasSize(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "'env':[{'name':'A','value':'1'}] | ,'env':[{'name':'A','value':'2'}] | merging env for bad has a conflict on A in container c",
                "'volumeMounts':[{'name':'v','mountPath':'/a'}],'volumes':[{'name':'v','emptyDir':{}}] | ,'volumeMounts':[{'name':'w','mountPath':'/a'}] | merging volume mounts for bad has a conflict on mount path /a in container c",
                "'volumes':[{'name':'w','emptyDir':{'medium':'Memory'}}] | ,'volumeMounts':[{'name':'w','mountPath':'/w'}] | merging volumes for bad has a conflict on w",
            })
    void aConflictLeavesThePodAsItWasAndIsToldInAnEvent(String spec, String container, String conflict) {
        preset("good", "'env':[{'name':'GOOD','value':'1'}]");
        preset("bad", spec);
        Reply pod = admin.create(
                pods,
                "{'metadata':{'name':'p','labels':{'role':'frontend'}},'spec':{'volumes':[{'name':'w','emptyDir':{}}],"
                        + "'containers':[{'name':'c','image':'i'" + container + "}]}}");
        assertThat(texts(pod.at("/spec/containers/0/env"), "name")).doesNotContain("GOOD");
        assertThat(pod.at("/metadata/annotations").isMissingNode()).isTrue();
        Reply events = admin.get("/api/v1/namespaces/" + name + "/events?fieldSelector=involvedObject.name=p");
        assertThat(events.at("/items")).hasSize(1);
        assertThat(events.at("/items/0/involvedObject/uid")).isEqualTo(pod.at("/metadata/uid"));
        assertThat(events.at("/items/0/reason").asText()).isEqualTo("PodPresetConflict");
        assertThat(events.at("/items/0/message").asText())
                .isEqualTo("conflict occurred while applying podpresets: bad,good on pod: p err: " + conflict);
    }

    @Test
    void podsThatAreThereAndDeploymentsStayAsTheyAre() {
        Reply before = pod("before", "");
        String deployment =
                "{'metadata':{'name':'d'},'spec':{'selector':{'matchLabels':{'role':'frontend'}},'template':"
                        + "{'metadata':{'labels':{'role':'frontend'}},'spec':{'containers':[{'name':'c','image':'i'}]}}}}";
        preset("late", "'env':[{'name':'A','value':'1'}]");
        Reply made = admin.create("/apis/apps/v1/namespaces/" + name + "/deployments", deployment);
        assertThat(made.at("/spec/template/spec/containers/0/env").isMissingNode())
                .isTrue();
        Reply after = admin.patch(
                        pods + "/before", TestClient.MERGE_PATCH, "{'metadata':{'labels':{'another':'label'}}}")
                .is(200);
        assertThat(after.at("/spec")).isEqualTo(before.at("/spec"));
    }

    @Test
    void aPresetMustHaveSomethingToGive() {
        assertThat(admin.post(presets, "{'metadata':{'name':'empty'},'spec':{}}")
                        .is(422)
                        .message())
                .endsWith("must specify at least one");
    }
}
