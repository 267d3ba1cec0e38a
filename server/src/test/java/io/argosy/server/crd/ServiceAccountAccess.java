package io.argosy.server.crd;

import io.argosy.server.TestServer;

/** A way in for programs that are not of the test: a token that may do everything. */
final class ServiceAccountAccess {
    private ServiceAccountAccess() {}

    static String token(TestServer server) {
        server.admin()
                .create(
                        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                        "{'metadata':{'name':'everything'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole',"
                                + "'name':'cluster-admin'},'subjects':[{'kind':'ServiceAccount','name':'default','namespace':'default'}]}");
        server.admin()
                .create(
                        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
                        "{'metadata':{'name':'cluster-admin'},'rules':[{'apiGroups':['*'],'resources':['*'],'verbs':['*']},"
                                + "{'nonResourceURLs':['*'],'verbs':['*']}]}");
        return server.admin()
                .create("/api/v1/namespaces/default/serviceaccounts/default/token", "{'spec':{}}")
                .at("/status/token")
                .asText();
    }
}
