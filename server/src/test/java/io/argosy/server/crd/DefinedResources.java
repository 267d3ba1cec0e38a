package io.argosy.server.crd;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Events;
import io.argosy.server.TestClient.Reply;
import java.util.function.Predicate;

/** Definitions for tests, and waiting for what the server makes of them. */
final class DefinedResources {
    static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

    private DefinedResources() {}

    /** A namespaced definition with one version, v1, of the given schema and further fields of the version. */
    static String definition(String plural, String kind, String schema, String more) {
        return "{'metadata':{'name':'" + plural
                + ".example.com'},'spec':{'group':'example.com','scope':'Namespaced','names':"
                + "{'plural':'" + plural + "','kind':'" + kind
                + "'},'versions':[{'name':'v1','served':true,'storage':true,"
                + "'schema':{'openAPIV3Schema':" + schema + "}" + more + "}]}}";
    }

    /** A schema whose spec has these properties. */
    static String spec(String properties) {
        return "{'type':'object','properties':{'spec':{'type':'object','properties':" + properties + "}}}";
    }

    /** Creates the definition and waits until it is established. */
    static Reply establish(TestClient client, String definition) {
        String name = client.create(DEFINITIONS, definition).name();
        return await(client, name, body -> condition(body, "Established").equals("True"));
    }

    static String condition(JsonNode definition, String type) {
        return conditionOf(definition, type).path("status").asText();
    }

    static JsonNode conditionOf(JsonNode definition, String type) {
        for (JsonNode condition : definition.at("/status/conditions")) {
            if (condition.path("type").asText().equals(type)) {
                return condition;
            }
        }
        return MissingNode.getInstance();
    }

    /** Watches a definition until it is as wanted. */
    static Reply await(TestClient client, String name, Predicate<JsonNode> wanted) {
        try (Events events = client.watch(DEFINITIONS + "?watch=true&fieldSelector=metadata.name=" + name)) {
            JsonNode event = events.next();
            while (!wanted.test(event.path("object"))) {
                assertThat(event.isMissingNode()).as("the watch goes on").isFalse();
                event = events.next();
            }
        }
        return client.get(DEFINITIONS + "/" + name);
    }

    /** Watches until the definition is gone. */
    static void awaitGone(TestClient client, String name) {
        String version = client.get(DEFINITIONS).at("/metadata/resourceVersion").asText();
        if (client.get(DEFINITIONS + "?fieldSelector=metadata.name=" + name)
                .names()
                .isEmpty()) {
            return;
        }
        try (Events events = client.watch(
                DEFINITIONS + "?watch=true&fieldSelector=metadata.name=" + name + "&resourceVersion=" + version)) {
            JsonNode event = events.next();
            while (!event.path("type").asText().equals("DELETED")) {
                assertThat(event.isMissingNode()).as("the watch goes on").isFalse();
                event = events.next();
            }
        }
    }
}
