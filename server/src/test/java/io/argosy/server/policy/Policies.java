package io.argosy.server.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import java.util.ArrayList;
import java.util.List;

/** Policies and bindings for tests, about the objects of one namespace, which are taken back when the test is over. */
final class Policies implements AutoCloseable {
    private static final String GROUP = "/apis/admissionregistration.k8s.io/";
    static final String VALIDATING = GROUP + "v1/validatingadmissionpolicies";
    static final String MUTATING = GROUP + "v1beta1/mutatingadmissionpolicies";

    private final TestClient client;
    private final String namespace;
    private final List<String> made = new ArrayList<>();

    Policies(TestClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** A policy on config maps with these further fields, as a tree: expressions have quotes of both sorts. */
    static ObjectNode spec(String resource) {
        ObjectNode spec = Json.object();
        ObjectNode rule =
                spec.putObject("matchConstraints").putArray("resourceRules").addObject();
        rule.putArray("operations").add("CREATE").add("UPDATE").add("DELETE");
        rule.putArray("apiGroups").add(resource.equals("deployments") ? "apps" : "");
        rule.putArray("apiVersions").add("v1");
        rule.putArray("resources").add(resource);
        return spec;
    }

    /** A policy on config maps with one validation. */
    static ObjectNode validation(String expression) {
        ObjectNode spec = spec("configmaps");
        spec.putArray("validations").addObject().put("expression", expression);
        return spec;
    }

    /** A policy on a resource with one mutation, by patch or by apply configuration. */
    static ObjectNode mutation(String resource, String type, String expression) {
        ObjectNode spec = spec(resource).put("reinvocationPolicy", "Never");
        ((ArrayNode) spec.at("/matchConstraints/resourceRules/0/operations"))
                .remove(2); // what is deleted cannot change
        spec.putArray("mutations")
                .addObject()
                .put("patchType", type)
                .putObject(type.equals("JSONPatch") ? "jsonPatch" : "applyConfiguration")
                .put("expression", expression);
        return spec;
    }

    Reply define(String path, String name, ObjectNode spec) {
        ObjectNode policy = Json.object();
        policy.putObject("metadata").put("name", name);
        policy.set("spec", spec);
        made.add(path + "/" + name);
        return client.post(path, policy.toString());
    }

    void validating(String name, ObjectNode spec, String... actions) {
        define(VALIDATING, name, spec).is(201);
        bind(VALIDATING, name, name, "", actions);
    }

    void mutating(String name, ObjectNode spec) {
        define(MUTATING, name, spec).is(201);
        bind(MUTATING, name, name, "");
    }

    /** Binds a policy to this namespace; with parameters, if they are given. */
    void bind(String path, String name, String policy, String paramRef, String... actions) {
        String bindings = path.replace("policies", "policybindings");
        String enforced = path.equals(MUTATING)
                ? ""
                : ",'validationActions':[" + (actions.length == 0 ? "'Deny'" : "'" + String.join("','", actions) + "'")
                        + "]";
        client.create(
                bindings,
                "{'metadata':{'name':'" + name + "'},'spec':{'policyName':'" + policy + "'" + enforced
                        + (paramRef.isEmpty() ? "" : ",'paramRef':" + paramRef)
                        + ",'matchResources':{'namespaceSelector':{'matchLabels':{'kubernetes.io/metadata.name':'"
                        + namespace + "'}}}}}");
        made.add(bindings + "/" + name);
    }

    @Override
    public void close() {
        made.forEach(client::delete);
        made.clear();
    }
}
