package io.argosy.server.webhook;

import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import java.util.ArrayList;
import java.util.List;

/** Configurations of webhooks for tests, which are taken back when the test is over. */
final class Configurations implements AutoCloseable {
    private static final String GROUP = "/apis/admissionregistration.k8s.io/v1/";
    static final String MUTATING = GROUP + "mutatingwebhookconfigurations";
    static final String VALIDATING = GROUP + "validatingwebhookconfigurations";

    private final TestClient client;
    private final List<String> made = new ArrayList<>();

    Configurations(TestClient client) {
        this.client = client;
    }

    /** A rule for one operation or several on resources of a group. */
    static String rule(String operations, String group, String version, String resources) {
        return "{'operations':[" + operations + "],'apiGroups':['" + group + "'],'apiVersions':['" + version
                + "'],'resources':[" + resources + "]}";
    }

    /** A webhook that is asked about config maps labelled so, and more fields of it. */
    static String webhook(String name, String clientConfig, String label, String more) {
        return webhook(name, clientConfig, rule("'*'", "", "v1", "'configmaps'"), label, more);
    }

    static String webhook(String name, String clientConfig, String rule, String label, String more) {
        String selector = label.isEmpty() ? "" : ",'objectSelector':{'matchLabels':{'test':'" + label + "'}}";
        return "{'name':'" + name + "','clientConfig':" + clientConfig + ",'rules':[" + rule + "]"
                + ",'admissionReviewVersions':['v1'],'sideEffects':'None'" + selector + more + "}";
    }

    Reply mutating(String name, String... webhooks) {
        return make(MUTATING, name, webhooks).is(201);
    }

    Reply validating(String name, String... webhooks) {
        return make(VALIDATING, name, webhooks).is(201);
    }

    private Reply make(String path, String name, String... webhooks) {
        Reply reply = client.post(
                path, "{'metadata':{'name':'" + name + "'},'webhooks':[" + String.join(",", webhooks) + "]}");
        made.add(path + "/" + name);
        return reply;
    }

    @Override
    public void close() {
        made.forEach(client::delete);
        made.clear();
    }
}
