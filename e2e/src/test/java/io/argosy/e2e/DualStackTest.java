package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Pods and Services with an IPv4 and an IPv6 address each. */
class DualStackTest {
    private static final int NETWORK = 45;

    @TempDir
    static Path folder;

    private Argosy argosy;
    private Kubectl kubectl;

    @BeforeEach
    void start() throws IOException {
        Machine.assumeContainers("curl", "dig");
        assumeTrue(Files.exists(Path.of("/proc/net/if_inet6")), "skipped: this machine has no IPv6");
        Path home = folder.resolve("home");
        Files.createDirectories(home);
        argosy = Argosy.dualStack(home, NETWORK);
        argosy.up();
        argosy.makeShellImage("web:1");
        kubectl = argosy.kubectl();
    }

    @AfterEach
    void stop() {
        if (argosy != null) {
            argosy.close();
        }
    }

    @Test
    void aServiceOfBothFamiliesIsReachedByBoth() {
        kubectl.apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: web, labels: {app: web}}
            spec:
              terminationGracePeriodSeconds: 1
              containers:
              - name: web
                image: web:1
                command: [sh, -c, "mkdir /www && echo $(IPS) > /www/index.html && exec httpd -f -p '[::]:80' -h /www"]
                env:
                - {name: IPS, valueFrom: {fieldRef: {fieldPath: status.podIPs}}}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec:
              ipFamilyPolicy: RequireDualStack
              selector: {app: web}
              ports: [{port: 80}]
            """).ok();
        kubectl.ok("wait", "--for=condition=Ready", "pod/web", "--timeout=60s");
        String[] pod = kubectl.ok("get", "pod", "web", "-o", "jsonpath={.status.podIPs[*].ip}")
                .split(" ");
        assertThat(pod).hasSize(2);
        assertThat(pod[0]).startsWith("10.250.45.");
        assertThat(pod[1]).startsWith("fd00:10:250:45:");
        String[] service = kubectl.ok("get", "service", "web", "-o", "jsonpath={.spec.clusterIPs[*]}")
                .split(" ");
        assertThat(service).hasSize(2);
        assertThat(service[1]).startsWith("fd00:10:249:45:");
        kubectl.await(
                "slices of both families",
                out -> out.contains("IPv4") && out.contains("IPv6"),
                "get",
                "endpointslices",
                "-l",
                "kubernetes.io/service-name=web",
                "-o",
                "jsonpath={.items[*].addressType}");
        for (String host : new String[] {pod[0], "[" + pod[1] + "]", service[0], "[" + service[1] + "]"}) {
            Eventually.holds(
                    host + " answers",
                    () -> Command.of("curl", "-s", "-g", "-m", "5", "http://" + host + "/")
                            .run()
                            .out()
                            .contains(pod[0] + "," + pod[1]),
                    () -> kubectl.ok("get", "pods,services,endpointslices", "-o", "wide"));
        }
        Eventually.holds(
                "the cluster's DNS tells the address of the newer family",
                () -> Command.of("dig", "+short", "AAAA", "@" + argosy.dnsAddress(), "web.default.svc.cluster.local")
                        .run()
                        .out()
                        .strip()
                        .equals(service[1]),
                this::state);
        assertThat(kubectl.ok("get", "nodes", "-o", "jsonpath={.items[0].spec.podCIDRs}"))
                .isEqualTo("[\"10.250.45.0/24\",\"fd00:10:250:45::/64\"]");
    }

    @Test
    void aServiceOfAnAddedRangeIsReachedAsOneOfTheFirst() {
        kubectl.apply("""
            apiVersion: networking.k8s.io/v1
            kind: ServiceCIDR
            metadata: {name: more}
            spec: {cidrs: [10.248.45.0/28, "fd00:10:248:45::/112"]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: further, labels: {app: further}}
            spec:
              terminationGracePeriodSeconds: 1
              containers:
              - name: web
                image: web:1
                command: [sh, -c, "mkdir /www && echo further > /www/index.html && exec httpd -f -p '[::]:80' -h /www"]
            """).ok();
        kubectl.ok("wait", "--for=condition=Ready", "servicecidr/more", "--timeout=60s");
        kubectl.apply("""
            apiVersion: v1
            kind: Service
            metadata: {name: further}
            spec:
              ipFamilyPolicy: RequireDualStack
              clusterIP: 10.248.45.7
              clusterIPs: [10.248.45.7, "fd00:10:248:45::7"]
              selector: {app: further}
              ports: [{port: 80}]
            """).ok();
        kubectl.ok("wait", "--for=condition=Ready", "pod/further", "--timeout=60s");
        for (String host : new String[] {"10.248.45.7", "[fd00:10:248:45::7]"}) {
            Eventually.holds(
                    host + " answers",
                    () -> Command.of("curl", "-s", "-g", "-m", "5", "http://" + host + "/")
                            .run()
                            .out()
                            .contains("further"),
                    this::state);
            assertThat(kubectl.ok("exec", "further", "--", "wget", "-qO-", "http://" + host + "/"))
                    .isEqualTo("further");
        }
        assertThat(routes()).contains("10.248.45.0/28 dev lo").contains("fd00:10:248:45::/112 dev lo");
        argosy.kill();
        argosy.command("down").run().ok();
        assertThat(routes()).as("also after a crash").doesNotContain("10.248.45.", "10:248:45:");
        assertThat(Machine.traces(argosy.home())).noneMatch(trace -> trace.startsWith("mount"));
    }

    private static String routes() {
        return Command.of("ip", "-4", "route").run().ok()
                + Command.of("ip", "-6", "route").run().ok();
    }

    /** What stands between a question and its answer. */
    private String state() {
        return String.join(
                "\n",
                kubectl.run("get", "services,endpointslices", "-A", "-o", "wide")
                        .toString(),
                Command.of("ss", "-lunp").run().toString(),
                Command.of("nft", "list", "ruleset").run().toString());
    }
}
