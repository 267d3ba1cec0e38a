package io.argosy.server.flow;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer.Action;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which request is sorted in where, by the schemas that every cluster has. */
class FlowSchemaTest {
    private final FlowControl flows = new FlowControl(FlowControl.Limits.DEFAULT);

    @ParameterizedTest
    @CsvSource({
        "admin, system:masters, delete, '', pods, '', default, exempt, exempt",
        "system:node:n, system:nodes, patch, '', nodes, status, '', system-node-high, node-high",
        "system:node:n, system:nodes, patch, '', nodes, proxy, '', system-nodes, system",
        "system:node:n, system:nodes, update, coordination.k8s.io, leases, '', kube-node-lease, system-node-high, node-high",
        "system:node:n, system:nodes, list, '', pods, '', '', system-nodes, system",
        "system:kube-scheduler, '', update, coordination.k8s.io, leases, '', kube-system, system-leader-election,"
                + " leader-election",
        "system:kube-scheduler, '', delete, coordination.k8s.io, leases, '', kube-system, kube-scheduler, workload-high",
        "system:serviceaccount:kube-system:dns, system:serviceaccounts, get, coordination.k8s.io, leases, '', x,"
                + " system-leader-election, leader-election",
        "system:serviceaccount:kube-system:dns, system:serviceaccounts, list, '', services, '', '',"
                + " kube-system-service-accounts, workload-high",
        "system:serviceaccount:default:dns, system:serviceaccounts, list, '', services, '', '', service-accounts,"
                + " workload-low",
        "jane, dev, list, '', services, '', '', global-default, global-default",
    })
    void everyRequestHasItsPlace(
            String user,
            String group,
            String verb,
            String apiGroup,
            String resource,
            String subresource,
            String namespace,
            String schema,
            String level) {
        User who = new User(user, List.of(group, "system:authenticated"));
        Flow flow = flows.classify(new Action(who, verb, apiGroup, "v1", resource, subresource, namespace, "", ""));
        assertThat(flow.schema().name()).isEqualTo(schema);
        assertThat(flow.level()).isEqualTo(level);
    }

    @ParameterizedTest
    @CsvSource({
        "get, /healthz, probes",
        "get, /livez, probes",
        "get, /healthz/ping, global-default",
        "post, /healthz, global-default",
        "get, /version, global-default",
    })
    void pathsHaveTheirPlaceToo(String verb, String path, String schema) {
        assertThat(flows.classify(Action.onPath(User.ANONYMOUS, verb, path))
                        .schema()
                        .name())
                .isEqualTo(schema);
    }

    @ParameterizedTest
    @CsvSource({"BY_USER, jane", "BY_NAMESPACE, shop", "NONE, ''"})
    void flowsAreToldApart(FlowSchema.Distinguisher by, String distinguisher) {
        FlowSchema schema = new FlowSchema("s", "", "l", 1, by, List.of());
        User jane = new User("jane", List.of());
        assertThat(schema.distinguisher(new Action(jane, "get", "", "v1", "pods", "", "shop", "", "")))
                .isEqualTo(distinguisher);
    }
}
