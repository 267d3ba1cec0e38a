package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/web}: a number, a DNS record and a claim keep what a pod is, whichever pod it is. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class WebExampleTest {
    private static final int NETWORK = 49;
    private static final List<String> PODS = List.of("web-0", "web-1");

    @TempDir
    static Path folder;

    private Example example;
    private Kubectl kubectl;

    @BeforeAll
    void start() {
        example = new Example("web", folder.resolve("home"), NETWORK);
        kubectl = example.kubectl();
    }

    @AfterAll
    void stop() {
        if (example != null) {
            example.close();
        }
    }

    @Test
    @Order(1)
    void podsStartInOrderAndBearTheirNames() {
        example.apply("svc.yaml", "statefulset.yaml");
        assertThat(kubectl.ok("get", "service", "nginx")).containsPattern("nginx\\s+ClusterIP\\s+None\\s+<none>\\s+80");
        kubectl.ok("rollout", "status", "statefulset/web", "--timeout=120s");
        for (String pod : PODS) {
            assertThat(kubectl.ok("exec", pod, "--", "sh", "-c", "hostname")).isEqualTo(pod);
        }
        assertThat(kubectl.ok("get", "pvc", "-l", "app=nginx"))
                .containsPattern("www-web-0\\s+Bound")
                .containsPattern("www-web-1\\s+Bound");
        startedInOrder();
    }

    private void startedInOrder() {
        assertThat(example.field("pod/web-1", ".metadata.creationTimestamp"))
                .as("web-1 was made when web-0 was ready")
                .isGreaterThanOrEqualTo(example.readySince("web-0"));
    }

    @Test
    @Order(2)
    void eachPodHasARecordOfItsOwn() {
        recordsAnswer();
    }

    private void recordsAnswer() {
        String said = example.ask("busybox:1.36", "nslookup web-0.nginx\nnslookup web-1.nginx\n", "/bin/sh");
        assertThat(said).contains(example.argosy().dnsAddress());
        for (String pod : PODS) {
            assertThat(said)
                    .containsPattern("Name:\\s+" + pod + "\\.nginx\\S*\\s+Address( 1)?:\\s+" + example.address(pod));
        }
    }

    /** As the seeds do it: a person at a terminal, in a shell of a pod that goes with them. */
    @Test
    @Order(2)
    void aPersonLooksThemUpFromAShell() {
        assumeTrue(Machine.has("script"), "skipped: there is no script here to make a terminal");
        Command.Outcome outcome = kubectl.atTerminal(
                        100, 30, "run -i --tty --image busybox:1.36 dns-test --restart=Never --rm /bin/sh".split(" "))
                .input("nslookup web-0.nginx\nexit\n")
                .run();
        assertThat(outcome.out()).contains(example.address("web-0"), "pod \"dns-test\" deleted");
    }

    @Test
    @Order(3)
    void eachPodServesWhatItWroteIntoItsClaim() {
        for (String pod : PODS) {
            kubectl.ok("exec", pod, "--", "sh", "-c", "echo hello $(hostname) > /usr/share/nginx/html/index.html");
        }
        theyGreet();
    }

    private void theyGreet() {
        for (String pod : PODS) {
            assertThat(kubectl.ok("exec", pod, "--", "curl", "-s", "localhost")).isEqualTo("hello " + pod);
            assertThat(example.ask("busybox:1.36", "wget -qO- http://" + pod + ".nginx\n", "/bin/sh"))
                    .as("from another pod, by name")
                    .isEqualTo("hello " + pod);
        }
    }

    @Test
    @Order(4)
    void deletedPodsComeBackWithNameRecordAndData() {
        example.replace("web-0", "web-1");
        startedInOrder();
        recordsAnswer();
        theyGreet();
    }
}
