package io.argosy.server.authz;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BootstrapPolicyTest {
    private static final List<ObjectNode> POLICY = BootstrapPolicy.load();

    private final RbacAuthorizer authorizer = new RbacAuthorizer();

    BootstrapPolicyTest() {
        authorizer.expect(POLICY);
    }

    private static ObjectNode find(String kind, String name) {
        return POLICY.stream()
                .filter(object -> object.path("kind").asText().equals(kind)
                        && object.at("/metadata/name").asText().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @CsvSource({
        "/healthz, true, true",
        "/livez, true, true",
        "/readyz, true, true",
        "/version, true, true",
        "/api, false, true",
        "/apis/apps/v1, false, true",
        "/openapi/v2, false, true",
        "/metrics, false, false"
    })
    void everybodySeesHealthAndWhoIsKnownDiscovery(String path, boolean anonymous, boolean known) {
        assertThat(authorizer.allows(Action.onPath(User.ANONYMOUS, "get", path)))
                .isEqualTo(anonymous);
        User user = new User("jane", List.of(User.AUTHENTICATED));
        assertThat(authorizer.allows(Action.onPath(user, "get", path))).isEqualTo(known);
    }

    @ParameterizedTest
    @CsvSource({
        "system:kube-scheduler, create, '', pods, binding, true",
        "system:kube-scheduler, delete, '', nodes, '', false",
        "system:kube-scheduler, get, '', secrets, '', false",
        "system:serviceaccount:kube-system:deployment-controller, create, apps, replicasets, '', true",
        "system:serviceaccount:kube-system:deployment-controller, create, '', pods, '', false",
        "system:serviceaccount:kube-system:namespace-controller, deletecollection, batch, jobs, '', true",
        "system:informers, watch, '', pods, '', true",
        "system:informers, list, '', secrets, '', false",
        "system:informers, delete, '', pods, '', false",
        "system:apiserver, escalate, rbac.authorization.k8s.io, clusterroles, '', true",
        "system:apiserver, create, '', pods, '', false",
        "system:apiserver, create, storage.k8s.io, storageclasses, '', true",
        "system:serviceaccount:kube-system:local-volume-provisioner, create, '', persistentvolumes, '', true",
        "system:serviceaccount:kube-system:local-volume-provisioner, update, '', persistentvolumeclaims, '', false"
    })
    void everyPartMayDoItsWorkAndNoMore(
            String user, String verb, String group, String resource, String subresource, boolean allowed) {
        Action action = new Action(
                new User(user, List.of(User.AUTHENTICATED)),
                verb,
                group,
                "v1",
                resource,
                subresource,
                "default",
                "x",
                "");
        assertThat(authorizer.allows(action)).isEqualTo(allowed);
    }

    @Test
    void whatPeopleAddedStaysAndWhatTheyTookComesBack() {
        ObjectNode expected = find("ClusterRole", "system:basic-user");
        ObjectNode stored = expected.deepCopy();
        stored.withArray("rules").remove(0);
        stored.withArray("rules")
                .addObject()
                .put("own", "rule")
                .putArray("verbs")
                .add("get");

        ObjectNode merged = PolicyMerge.merged(stored, expected);

        assertThat(Coverage.missing(PolicyRule.ofRole(merged), PolicyRule.ofRole(expected)))
                .isEmpty();
        assertThat(merged.path("rules").findValuesAsText("own")).containsExactly("rule");
        assertThat(PolicyMerge.merged(merged, expected)).isNull();
    }

    @Test
    void aSubjectThatPeopleAddedStays() {
        ObjectNode expected = find("ClusterRoleBinding", "cluster-admin");
        ObjectNode stored = expected.deepCopy();
        stored.withArray("subjects").removeAll().addObject().put("kind", "User").put("name", "jane");

        assertThat(PolicyMerge.merged(stored, expected).path("subjects").findValuesAsText("name"))
                .containsExactly("jane", "system:masters");
    }

    @Test
    void whoSaysSoIsLeftAlone() {
        ObjectNode expected = find("ClusterRoleBinding", "system:public-info-viewer");
        ObjectNode stored = expected.deepCopy();
        stored.withArray("subjects").removeAll();
        stored.withObject("/metadata/annotations").put(BootstrapPolicy.AUTOUPDATE, "false");

        assertThat(PolicyMerge.merged(stored, expected)).isNull();
    }
}
