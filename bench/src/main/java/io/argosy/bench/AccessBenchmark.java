package io.argosy.bench;

import io.argosy.api.GroupVersion;
import io.argosy.api.time.Clock;
import io.argosy.server.ApiServer;
import io.argosy.server.authn.Credentials;
import io.argosy.server.authn.User;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.authz.Authorizer.Action;
import io.argosy.server.rest.LocalApi;
import io.argosy.store.Store;
import io.argosy.store.memory.MemoryLog;
import io.argosy.store.memory.MemoryStore;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** What a decision costs: by roles among many bindings, and for nodes with many pods. In this process, without HTTP. */
final class AccessBenchmark implements Benchmark {
    private static final int NAMESPACES = 100;
    private static final int BINDINGS = 10_000;
    private static final int NODES = 50;
    private static final int PODS = 100;
    private static final int BATCH = 1_000;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final GroupVersion CORE = new GroupVersion("", "v1");
    private static final GroupVersion RBAC = new GroupVersion("rbac.authorization.k8s.io", "v1");
    private static final User ADMIN = new User("admin", List.of(User.MASTERS));

    @Override
    public String name() {
        return "access";
    }

    @Override
    public String what() {
        return "one decision of who may do what: 10,000 bindings, 5,000 pods";
    }

    @Override
    public List<Row> run(Context context) {
        Credentials none = Credentials.of(() -> {
            throw new IllegalStateException("nobody has tokens here");
        });
        try (Store store = MemoryStore.open(new MemoryLog());
                ApiServer server = new ApiServer(
                        new ApiServer.Config("10.96.0.0/16", 30000, 32767), store, none, Clock.system())) {
            context.progress().accept("writing " + BINDINGS + " bindings and " + NODES * PODS + " pods");
            fill(server.local(ADMIN));
            Authorizer access = server.access();
            User one = new User("user-7", List.of(User.AUTHENTICATED));
            User everywhere = new User("robot", List.of("team", User.AUTHENTICATED));
            User node = new User("system:node:node-7", List.of("system:nodes", User.AUTHENTICATED));
            return List.of(
                    measure(
                            context,
                            access,
                            "allowed by one of 10,000 bindings",
                            get(one, "pods", "space-7", "p"),
                            true),
                    measure(context, access, "refused, 10,000 bindings", get(one, "secrets", "space-8", "s"), false),
                    measure(
                            context,
                            access,
                            "refused, 100 bindings hold",
                            get(everywhere, "secrets", "space-7", "s"),
                            false),
                    measure(
                            context,
                            access,
                            "node: secret of one of 100 pods",
                            get(node, "secrets", "space-7", "secret-7"),
                            true),
                    measure(
                            context,
                            access,
                            "node: secret of another's pod",
                            get(node, "secrets", "space-7", "secret-8"),
                            false));
        }
    }

    private static Action get(User user, String resource, String namespace, String name) {
        return new Action(user, "get", "", "v1", resource, "", namespace, name, "");
    }

    private static Row measure(Context context, Authorizer access, String what, Action action, boolean expected) {
        context.progress().accept(what);
        if (access.allows(action) != expected) {
            throw new IllegalStateException("the decision is wrong: " + what);
        }
        long end = System.nanoTime() + context.measure().toNanos();
        long half = System.nanoTime() + context.measure().toNanos() / 2;
        long begun = 0;
        long counted = 0;
        long now = System.nanoTime();
        while (now < end) {
            for (int i = 0; i < BATCH; i++) {
                access.allows(action);
            }
            now = System.nanoTime();
            if (begun == 0 && now > half) { // the first half was for the compiler
                begun = THREADS.getCurrentThreadCpuTime();
            } else if (begun > 0) {
                counted += BATCH;
            }
        }
        double used = THREADS.getCurrentThreadCpuTime() - begun;
        return Row.of(
                "decision: " + what, String.format("%.2f us of processor time", used / 1e3 / Math.max(1, counted)));
    }

    /** User i has one binding, in the namespace i modulo 100; the group of the robot has one of every hundred. */
    private static void fill(LocalApi api) {
        for (int i = 0; i < NAMESPACES; i++) {
            String space = "space-" + i;
            create(api, CORE, "namespaces", "", "{'metadata':{'name':'" + space + "'}}");
            create(api, CORE, "serviceaccounts", space, "{'metadata':{'name':'default'}}");
            create(
                    api,
                    RBAC,
                    "roles",
                    space,
                    "{'metadata':{'name':'reader'},'rules':[{'apiGroups':[''],'resources':['pods'],'verbs':['get']}]}");
        }
        for (int i = 0; i < BINDINGS; i++) {
            create(api, RBAC, "rolebindings", "space-" + i % NAMESPACES, """
                    {'metadata':{'name':'b-%d'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'Role','name':'reader'},
                     'subjects':[{'apiGroup':'rbac.authorization.k8s.io','kind':'User','name':'user-%d'},
                      {'apiGroup':'rbac.authorization.k8s.io','kind':'Group','name':'team'}]}""".formatted(i, i));
        }
        for (int node = 0; node < NODES; node++) {
            for (int i = 0; i < PODS; i++) {
                create(api, CORE, "pods", "space-" + node, """
                        {'metadata':{'name':'p-%d'},'spec':{'nodeName':'node-%d','containers':[{'name':'c','image':'i',
                         'envFrom':[{'secretRef':{'name':'secret-%d'}}]}]}}""".formatted(i, node, i == 0 ? node : 1000 + i));
            }
        }
    }

    private static void create(LocalApi api, GroupVersion version, String resource, String namespace, String json) {
        api.send(new LocalApi.Call(
                "create",
                version,
                resource,
                namespace,
                "",
                "",
                Map.of(),
                "application/json",
                json.replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }
}
