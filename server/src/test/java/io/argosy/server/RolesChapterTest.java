package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The chapters on service accounts and roles, step by step: a role, a user, an account in a pod, groups, and roles for the whole cluster. */
class RolesChapterTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String SPACE = "/api/v1/namespaces/mynamespace";
    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1";
    private static final String ROLES = RBAC + "/namespaces/mynamespace/roles";
    private static final String BINDINGS = RBAC + "/namespaces/mynamespace/rolebindings";

    private static TestClient admin;
    private static TestClient nobody;

    @BeforeAll
    static void theNamespaceAndTheRole() throws Exception {
        admin = SERVER.admin();
        nobody = SERVER.client("", Version.HTTP_1_1);
        apply("/api/v1/namespaces", "apiVersion: v1\nkind: Namespace\nmetadata: {name: mynamespace}");
        apply(SPACE + "/serviceaccounts", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: default}");
        apply(ROLES, """
                kind: Role
                apiVersion: rbac.authorization.k8s.io/v1
                metadata:
                  namespace: mynamespace
                  name: example-role
                rules:
                - apiGroups: [""]
                  resources: ["pods"]
                  verbs: ["get", "watch", "list"]
                """);
        apply(SPACE + "/pods", """
                apiVersion: v1
                kind: Pod
                metadata: {namespace: mynamespace, name: there}
                spec:
                  containers: [{name: nginx, image: "nginx:1.7.9"}]
                """);
    }

    private static TestClient.Reply apply(String path, String yaml) {
        return admin.send("POST", path, "application/yaml", yaml.getBytes(StandardCharsets.UTF_8))
                .is(201);
    }

    private static void bind(String name, String kind, String role, String subject) {
        apply(BINDINGS, """
                kind: RoleBinding
                apiVersion: rbac.authorization.k8s.io/v1
                metadata: {name: %s, namespace: mynamespace}
                subjects:
                - %s
                roleRef:
                  kind: %s
                  name: %s
                  apiGroup: rbac.authorization.k8s.io
                """.formatted(name, subject, kind, role));
    }

    /** Get, watch and list of pods in the one namespace, and nothing else. */
    private static void readsPodsOnly(TestClient client, String... credentials) {
        client.get(SPACE + "/pods", credentials).is(200);
        client.get(SPACE + "/pods/there", credentials).is(200);
        try (TestClient.Events events = client.watch(SPACE + "/pods?watch=true&timeoutSeconds=30", credentials)) {
            assertThat(events.shown()).startsWith("ADDED");
        }
        client.send("DELETE", SPACE + "/pods/there", "", new byte[0], credentials)
                .is(403);
        client.post(SPACE + "/pods", "{}", credentials).is(403);
        client.send(
                        "PATCH",
                        SPACE + "/pods/there",
                        TestClient.MERGE_PATCH,
                        "{}".getBytes(StandardCharsets.UTF_8),
                        credentials)
                .is(403);
        client.get(SPACE + "/pods/there/log", credentials).is(403);
        client.get(SPACE + "/secrets", credentials).is(403);
        client.get("/api/v1/namespaces/default/pods", credentials).is(403);
        client.get("/api/v1/pods", credentials).is(403);
        client.get("/api/v1/nodes", credentials).is(403);
    }

    @Test
    void aUserMayDoWhatTheRoleSays() throws Exception {
        TestClient user = SERVER.client("CN=example-user", Version.HTTP_1_1);
        user.get(SPACE + "/pods").is(403);
        bind(
                "example-rolebinding",
                "Role",
                "example-role",
                "{kind: User, name: example-user, apiGroup: rbac.authorization.k8s.io}");
        readsPodsOnly(user);
    }

    @Test
    void aServiceAccountDoesSoFromItsPod() {
        apply(SPACE + "/serviceaccounts", """
                apiVersion: v1
                kind: ServiceAccount
                metadata:
                  namespace: mynamespace
                  name: example-sa
                """);
        bind(
                "example-sa-rolebinding",
                "Role",
                "example-role",
                "{kind: ServiceAccount, name: example-sa, namespace: mynamespace}");
        TestClient.Reply pod = apply(SPACE + "/pods", """
                apiVersion: v1
                kind: Pod
                metadata:
                  namespace: mynamespace
                  name: sa-token-test
                spec:
                  containers:
                  - name: nginx
                    image: nginx:1.7.9
                  serviceAccountName: example-sa
                """);
        assertThat(pod.at("/spec/containers/0/volumeMounts/0/mountPath").asText())
                .isEqualTo("/var/run/secrets/kubernetes.io/serviceaccount");
        String token = admin.post(
                        SPACE + "/serviceaccounts/example-sa/token",
                        "{'spec':{'boundObjectRef':{'kind':'Pod','apiVersion':'v1','name':'sa-token-test'}}}")
                .at("/status/token")
                .asText();
        readsPodsOnly(nobody, "Authorization", "Bearer " + token);
        TestClient.Reply self = nobody.post(
                "/apis/authentication.k8s.io/v1/selfsubjectreviews", "{}", "Authorization", "Bearer " + token);
        assertThat(self.at("/status/userInfo/username").asText())
                .isEqualTo("system:serviceaccount:mynamespace:example-sa");
        assertThat(self.at("/status/userInfo/groups").toString()).contains("system:serviceaccounts:mynamespace");
    }

    @Test
    void itsTokenMayStandInASecret() {
        apply(SPACE + "/serviceaccounts", "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: with-secret}");
        bind(
                "with-secret",
                "Role",
                "example-role",
                "{kind: ServiceAccount, name: with-secret, namespace: mynamespace}");
        TestClient.Reply secret = apply(SPACE + "/secrets", """
                apiVersion: v1
                kind: Secret
                type: kubernetes.io/service-account-token
                metadata:
                  name: with-secret-token
                  annotations: {kubernetes.io/service-account.name: with-secret}
                """);
        String token =
                new String(Base64.getDecoder().decode(secret.at("/data/token").asText()), StandardCharsets.UTF_8);
        readsPodsOnly(nobody, "Authorization", "Bearer " + token);
    }

    @Test
    void aGroupOfAccountsIsASubjectToo() {
        apply("/api/v1/namespaces", "apiVersion: v1\nkind: Namespace\nmetadata: {name: grouped}");
        apply(
                "/api/v1/namespaces/grouped/serviceaccounts",
                "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}");
        apply(
                "/api/v1/namespaces/grouped/serviceaccounts",
                "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: b}");
        bind(
                "all-of-grouped",
                "Role",
                "example-role",
                "{kind: Group, name: \"system:serviceaccounts:grouped\", apiGroup: rbac.authorization.k8s.io}");
        for (String account : new String[] {"a", "b"}) {
            String token = admin.post("/api/v1/namespaces/grouped/serviceaccounts/" + account + "/token", "{}")
                    .at("/status/token")
                    .asText();
            readsPodsOnly(nobody, "Authorization", "Bearer " + token);
        }
    }

    @Test
    void rolesForTheWholeClusterReachWhatHasNoNamespace() throws Exception {
        TestClient user = SERVER.client("CN=cluster-user", Version.HTTP_1_1);
        apply(RBAC + "/clusterroles", """
                kind: ClusterRole
                apiVersion: rbac.authorization.k8s.io/v1
                metadata: {name: example-clusterrole}
                rules:
                - apiGroups: [""]
                  resources: ["pods", "nodes"]
                  verbs: ["get", "watch", "list"]
                """);
        apply(RBAC + "/clusterrolebindings", """
                kind: ClusterRoleBinding
                apiVersion: rbac.authorization.k8s.io/v1
                metadata: {name: example-clusterrolebinding}
                subjects:
                - {kind: User, name: cluster-user, apiGroup: rbac.authorization.k8s.io}
                roleRef: {kind: ClusterRole, name: example-clusterrole, apiGroup: rbac.authorization.k8s.io}
                """);
        user.get("/api/v1/pods").is(200);
        user.get(SPACE + "/pods").is(200);
        user.get("/api/v1/nodes").is(200);
        user.get("/api/v1/secrets").is(403);
        user.post("/api/v1/nodes", "{}").is(403);
    }

    /** The four for people: what each can do is in the table of roles; here, that they are there and hold where they are bound. */
    @Test
    void theRolesForPeopleHoldWhereTheyAreBound() throws Exception {
        TestClient viewer = SERVER.client("CN=viewer", Version.HTTP_1_1);
        bind(
                "viewer",
                "ClusterRole",
                "system:aggregate-to-view",
                "{kind: User, name: viewer, apiGroup: rbac.authorization.k8s.io}");
        viewer.get(SPACE + "/pods").is(200);
        viewer.get(SPACE + "/configmaps").is(200);
        viewer.get(SPACE + "/secrets").is(403);
        viewer.post(SPACE + "/configmaps", "{}").is(403);
        viewer.get("/api/v1/namespaces/default/pods").is(403);
    }
}
