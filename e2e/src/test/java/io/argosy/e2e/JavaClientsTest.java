package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.LocalPortForward;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.kubernetes.client.Exec;
import io.kubernetes.client.PodLogs;
import io.kubernetes.client.ProtoClient;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.apis.StorageV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ConfigMapList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ResourceQuota;
import io.kubernetes.client.openapi.models.V1ResourceQuotaSpec;
import io.kubernetes.client.openapi.models.V1StorageClass;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.V1;
import io.kubernetes.client.util.Watchable;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.options.ListOptions;
import io.kubernetes.client.util.generic.options.PatchOptions;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The two Java clients that people use, fabric8's and the official one, on a cluster that runs real containers. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
class JavaClientsTest {
    private static final int NETWORK = 18;
    private static final String POD = """
        apiVersion: v1
        kind: Pod
        metadata: {name: %s, namespace: default}
        spec:
          terminationGracePeriodSeconds: 1
          containers:
          - name: web
            image: busybox:1.36
            imagePullPolicy: Never
            command: [sh, -c, "mkdir /www; echo a page > /www/index.html; echo serving; exec httpd -f -p 8080 -h /www"]
        """;

    @TempDir
    static Path folder;

    private Argosy argosy;
    private KubernetesClient fabric8;
    private ApiClient official;

    @BeforeAll
    void start() throws IOException {
        assumeTrue(Machine.isRoot(), "skipped: real containers need root");
        for (String program : List.of("runc", "conmon", "nft")) {
            assumeTrue(Machine.has(program), "skipped: there is no " + program + " here");
        }
        argosy = new Argosy(folder.resolve("home"), NETWORK);
        argosy.makeShellImage("busybox:1.36");
        argosy.up();
        String kubeconfig = Files.readString(argosy.home().resolve("kubeconfig"));
        fabric8 = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig))
                .build();
        official = io.kubernetes.client.util.Config.fromConfig(new StringReader(kubeconfig));
        official.setHttpClient(official.getHttpClient()
                .newBuilder()
                .readTimeout(0, TimeUnit.SECONDS)
                .build());
    }

    @AfterAll
    void stop() {
        if (fabric8 != null) {
            fabric8.close();
        }
        if (argosy != null) {
            argosy.close();
        }
    }

    // ---- fabric8

    @Test
    void fabric8CreatesReadsPatchesAppliesAndDeletes() {
        var maps = fabric8.configMaps().inNamespace("default");
        ConfigMap made = maps.resource(map("f8-crud", "kept")).create();
        assertThat(made.getMetadata().getUid()).isNotBlank();
        assertThatThrownBy(() -> maps.resource(map("f8-crud", "kept")).create())
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getStatus().getReason()).isEqualTo("AlreadyExists"));
        assertThat(maps.withLabel("suite", "f8-crud").list().getItems()).hasSize(1);

        maps.withName("f8-crud")
                .edit(map ->
                        new ConfigMapBuilder(map).addToData("edited", "yes").build());
        maps.withName("f8-crud").patch(PatchContext.of(PatchType.JSON_MERGE), "{\"data\":{\"merged\":\"yes\"}}");
        maps.withName("f8-crud")
                .patch(PatchContext.of(PatchType.STRATEGIC_MERGE), "{\"data\":{\"strategic\":\"yes\"}}");
        ConfigMap applied = map("f8-crud", "kept");
        applied.setData(Map.of("applied", "yes"));
        maps.resource(applied).fieldManager("java").serverSideApply();
        assertThat(maps.withName("f8-crud").get().getData())
                .containsOnlyKeys("text", "edited", "merged", "strategic", "applied");

        made.setData(Map.of("late", "yes"));
        assertThatThrownBy(() -> maps.resource(made).lockResourceVersion().update())
                .isInstanceOfSatisfying(
                        KubernetesClientException.class,
                        e -> assertThat(e.getCode()).isEqualTo(HttpURLConnection.HTTP_CONFLICT));
        maps.withName("f8-crud").delete();
        assertThat(maps.withName("f8-crud").get()).isNull();
    }

    @Test
    void fabric8WatchesAndInforms() {
        var maps = fabric8.configMaps().inNamespace("default");
        List<String> seen = new CopyOnWriteArrayList<>();
        Watcher<ConfigMap> watcher = new Watcher<>() {
            @Override
            public void eventReceived(Action action, ConfigMap map) {
                seen.add(action + " " + map.getData());
            }

            @Override
            public void onClose(WatcherException cause) {
                seen.add("closed " + cause);
            }
        };
        try (Watch _ = maps.withName("f8-watched").watch(watcher);
                SharedIndexInformer<ConfigMap> informer =
                        maps.withLabel("suite", "f8-watched").inform()) {
            maps.resource(map("f8-watched", "one")).create();
            maps.withName("f8-watched")
                    .edit(map -> new ConfigMapBuilder(map)
                            .withData(Map.of("text", "two"))
                            .build());
            Eventually.holds(
                    "the informer knows",
                    () -> informer.getStore().list().stream()
                            .anyMatch(map -> map.getData().equals(Map.of("text", "two"))),
                    () -> informer.getStore().list().toString());
            maps.withName("f8-watched").delete();
            Eventually.holds(
                    "the informer forgot",
                    () -> informer.getStore().list().isEmpty(),
                    () -> informer.getStore().list().toString());
            Eventually.holds("three events", () -> seen.size() == 3, seen::toString);
        }
        assertThat(seen).startsWith("ADDED {text=one}", "MODIFIED {text=two}", "DELETED {text=two}");
    }

    @Test
    void fabric8RunsADeploymentAndTalksToItsPod() throws Exception {
        Deployment deployment = fabric8.apps()
                .deployments()
                .load(new java.io.ByteArrayInputStream("""
                    apiVersion: apps/v1
                    kind: Deployment
                    metadata: {name: f8, namespace: default}
                    spec:
                      replicas: 1
                      selector: {matchLabels: {app: f8}}
                      template:
                        metadata: {labels: {app: f8}}
                        spec:
                          terminationGracePeriodSeconds: 1
                          containers:
                          - {name: main, image: "busybox:1.36", imagePullPolicy: Never, command: [sleep, "3600"]}
                    """.getBytes(StandardCharsets.UTF_8)))
                .create();
        fabric8.resource(deployment).waitUntilReady(60, TimeUnit.SECONDS);
        fabric8.apps().deployments().inNamespace("default").withName("f8").scale(2);
        fabric8.resource(deployment)
                .waitUntilCondition(now -> now.getStatus().getReadyReplicas() == 2, 60, TimeUnit.SECONDS);
        fabric8.resource(deployment).delete();
        fabric8.pods()
                .inNamespace("default")
                .withLabel("app", "f8")
                .waitUntilCondition(pod -> pod == null, 60, TimeUnit.SECONDS);

        Pod pod = fabric8.pods()
                .load(new java.io.ByteArrayInputStream(POD.formatted("f8-pod").getBytes(StandardCharsets.UTF_8)))
                .create();
        var running = fabric8.pods().inNamespace("default").withName("f8-pod");
        fabric8.resource(pod).waitUntilReady(60, TimeUnit.SECONDS);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ExecWatch exec = running.writingOutput(out).exec("sh", "-c", "cat /www/index.html; exit 4")) {
            assertThat(exec.exitCode().get(60, TimeUnit.SECONDS)).isEqualTo(4);
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("a page\n");
        Eventually.holds("it says so", () -> running.getLog().contains("serving"), running::getLog);
        try (LocalPortForward forward = running.portForward(8080)) {
            assertThat(page(forward.getLocalPort())).isEqualTo("a page\n");
        }
        running.withGracePeriod(0).delete();
    }

    private static String page(int port) throws IOException {
        try (var in = URI.create("http://127.0.0.1:" + port + "/").toURL().openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static ConfigMap map(String name, String text) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .addToLabels("suite", name)
                .endMetadata()
                .addToData("text", text)
                .build();
    }

    // ---- the official client

    private GenericKubernetesApi<V1ConfigMap, V1ConfigMapList> maps() {
        return new GenericKubernetesApi<>(V1ConfigMap.class, V1ConfigMapList.class, "", "v1", "configmaps", official);
    }

    private static V1ConfigMap officialMap(String name) {
        return new V1ConfigMap()
                .metadata(new V1ObjectMeta().name(name).namespace("default").labels(Map.of("suite", name)))
                .data(Map.of("text", "one"));
    }

    @Test
    void theOfficialClientCreatesReadsPatchesAppliesAndDeletes() throws Exception {
        CoreV1Api core = new CoreV1Api(official);
        core.createNamespacedConfigMap("default", officialMap("o-crud")).execute();
        assertThatThrownBy(() -> core.createNamespacedConfigMap("default", officialMap("o-crud"))
                        .execute())
                .isInstanceOfSatisfying(
                        ApiException.class, e -> assertThat(e.getCode()).isEqualTo(HttpURLConnection.HTTP_CONFLICT));
        assertThat(core.listNamespacedConfigMap("default")
                        .labelSelector("suite in (o-crud)")
                        .execute()
                        .getItems())
                .hasSize(1);
        for (Map.Entry<String, String> patch : Map.of(
                        V1Patch.PATCH_FORMAT_JSON_PATCH, "[{\"op\":\"add\",\"path\":\"/data/json\",\"value\":\"yes\"}]",
                        V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, "{\"data\":{\"merge\":\"yes\"}}",
                        V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH, "{\"data\":{\"strategic\":\"yes\"}}",
                        V1Patch.PATCH_FORMAT_APPLY_YAML,
                                "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"apply\":\"yes\"}}")
                .entrySet()) {
            PatchOptions options = new PatchOptions();
            options.setFieldManager("java");
            assertThat(maps().patch("default", "o-crud", patch.getKey(), new V1Patch(patch.getValue()), options)
                            .isSuccess())
                    .as(patch.getKey())
                    .isTrue();
        }
        assertThat(core.readNamespacedConfigMap("o-crud", "default").execute().getData())
                .containsOnlyKeys("text", "json", "merge", "strategic", "apply");
        core.deleteNamespacedConfigMap("o-crud", "default").execute();
        assertThat(maps().get("default", "o-crud").getHttpStatusCode()).isEqualTo(HttpURLConnection.HTTP_NOT_FOUND);
    }

    @Test
    void theOfficialClientReadsWhatADeletionAnswers() throws Exception {
        StorageV1Api storage = new StorageV1Api(official);
        CoreV1Api core = new CoreV1Api(official);
        storage.createStorageClass(new V1StorageClass()
                        .metadata(new V1ObjectMeta().name("o-class"))
                        .provisioner("example.com/disks"))
                .execute();
        assertThat(storage.deleteStorageClass("o-class").execute().getProvisioner())
                .isEqualTo("example.com/disks");
        core.createNamespacedResourceQuota(
                        "default",
                        new V1ResourceQuota()
                                .metadata(new V1ObjectMeta().name("o-quota"))
                                .spec(new V1ResourceQuotaSpec().putHardItem("pods", new Quantity("500"))))
                .execute();
        assertThat(core.deleteNamespacedResourceQuota("o-quota", "default")
                        .execute()
                        .getSpec()
                        .getHard())
                .containsKey("pods");
    }

    @Test
    void theOfficialClientSpeaksProtobuf() throws Exception {
        ProtoClient proto = new ProtoClient(official);
        String place = "/api/v1/namespaces/default/configmaps";
        V1.ConfigMap map = V1.ConfigMap.newBuilder()
                .setMetadata(Meta.ObjectMeta.newBuilder().setName("o-proto").setNamespace("default"))
                .putData("text", "in protobuf")
                .build();
        ProtoClient.ObjectOrStatus<V1.ConfigMap> made = proto.create(map, place, "v1", "ConfigMap");
        assertThat(made.object.getMetadata().getUid()).isNotBlank();
        ProtoClient.ObjectOrStatus<V1.ConfigMapList> list = proto.list(V1.ConfigMapList.newBuilder(), place);
        assertThat(list.object.getItemsList())
                .anySatisfy(item -> assertThat(item.getDataMap()).isEqualTo(Map.of("text", "in protobuf")));
        ProtoClient.ObjectOrStatus<V1.ConfigMap> absent = proto.get(V1.ConfigMap.newBuilder(), place + "/o-absent");
        assertThat(absent.status.getReason()).isEqualTo("NotFound");
        proto.delete(V1.ConfigMap.newBuilder(), place + "/o-proto");
        assertThat(maps().get("default", "o-proto").isSuccess()).isFalse();
    }

    @Test
    void theOfficialClientWatchesAndInforms() throws Exception {
        SharedInformerFactory factory = new SharedInformerFactory(official);
        var informer = factory.sharedIndexInformerFor(maps(), V1ConfigMap.class, 0, "default");
        factory.startAllRegisteredInformers();
        ListOptions one = new ListOptions();
        one.setFieldSelector("metadata.name=o-watched");
        try (Watchable<V1ConfigMap> watch = maps().watch("default", one)) {
            maps().create(officialMap("o-watched"));
            assertThat(watch.next().type).isEqualTo("ADDED");
            Eventually.holds(
                    "the informer knows",
                    () -> informer.getIndexer().getByKey("default/o-watched") != null,
                    () -> informer.getIndexer().listKeys().toString());
            maps().delete("default", "o-watched");
            assertThat(watch.next().type).isEqualTo("DELETED");
            Eventually.holds(
                    "the informer forgot",
                    () -> informer.getIndexer().getByKey("default/o-watched") == null,
                    () -> informer.getIndexer().listKeys().toString());
        } finally {
            factory.stopAllRegisteredInformers();
        }
    }

    @Test
    void theOfficialClientTalksToAPod() throws Exception {
        fabric8.pods()
                .load(new java.io.ByteArrayInputStream(POD.formatted("o-pod").getBytes(StandardCharsets.UTF_8)))
                .create();
        fabric8.pods().inNamespace("default").withName("o-pod").waitUntilReady(60, TimeUnit.SECONDS);
        Process process =
                new Exec(official).exec("default", "o-pod", new String[] {"sh", "-c", "cat; exit 4"}, true, false);
        try (var stdin = process.getOutputStream()) {
            stdin.write("through stdin\n".getBytes(StandardCharsets.UTF_8));
            stdin.flush();
            assertThat(process.getInputStream().readNBytes("through stdin\n".length()))
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("through stdin\n");
        }
        process.destroy();
        Process ends = new Exec(official).exec("default", "o-pod", new String[] {"sh", "-c", "exit 4"}, false, false);
        assertThat(ends.waitFor()).isEqualTo(4);
        try (var log = new PodLogs(official).streamNamespacedPodLog("default", "o-pod", "web")) {
            assertThat(log.readNBytes("serving".length()))
                    .asString(StandardCharsets.UTF_8)
                    .isEqualTo("serving");
        }
        new CoreV1Api(official)
                .deleteNamespacedPod("o-pod", "default")
                .gracePeriodSeconds(0)
                .execute();
    }

    // ---- both, from inside

    /** With Java, its libraries and the classes of this test from the machine's disk. */
    @Test
    void inAPodBothFindTheClusterByThemselves() {
        String java = System.getProperty("java.home");
        String classes = System.getProperty("java.class.path");
        StringBuilder mounts = new StringBuilder();
        StringBuilder volumes = new StringBuilder();
        int number = 0;
        for (String path : foldersOf(java, classes)) {
            mounts.append("    - {name: v%d, mountPath: %s, readOnly: true}\n".formatted(number, path));
            volumes.append("  - {name: v%d, hostPath: {path: %s}}\n".formatted(number, path));
            number++;
        }
        Kubectl kubectl = argosy.kubectl();
        kubectl.apply("""
            apiVersion: v1
            kind: Namespace
            metadata: {name: inside}
            ---
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: for-pods, namespace: inside}
            data: {key: a secret of no importance}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: RoleBinding
            metadata: {name: readers, namespace: inside}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
            subjects: [{kind: ServiceAccount, name: default, namespace: inside}]
            """).ok();
        kubectl.await("the account is there", out -> out.contains("default"), "get", "sa", "-n", "inside");
        kubectl.apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: clients, namespace: inside}
            spec:
              restartPolicy: Never
              containers:
              - name: java
                image: busybox:1.36
                imagePullPolicy: Never
                command: [%s/bin/java, -cp, "%s", %s]
                volumeMounts:
            """.formatted(java, classes, InPod.class.getName()) + mounts + "  volumes:\n" + volumes)
                .ok();
        kubectl.await(
                "it has ended well",
                out -> out.equals("Succeeded"),
                "get",
                "pod",
                "clients",
                "-n",
                "inside",
                "-o",
                "jsonpath={.status.phase}");
        assertThat(kubectl.ok("logs", "clients", "-n", "inside"))
                .contains("fabric8 in inside read a secret of no importance")
                .contains("the official client read a secret of no importance");
    }

    /** The top folders of the machine that hold these, and what Java links to. */
    private static Set<String> foldersOf(String java, String classes) {
        Set<String> folders = new TreeSet<>(Set.of("/lib", "/lib64", "/usr"));
        Stream.concat(Stream.of(java), Stream.of(classes.split(File.pathSeparator)))
                .map(path -> "/" + Path.of(path).getName(0))
                .forEach(folders::add);
        return folders;
    }
}
