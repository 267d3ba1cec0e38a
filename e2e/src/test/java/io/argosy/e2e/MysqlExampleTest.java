package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/mysql}: a real MariaDB with its replicas, grown, disturbed, cut off from its cluster, and renewed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MysqlExampleTest {
    private static final int NETWORK = 42;
    private static final String IMAGE = "mariadb:10.11";
    private static final String NEXT_IMAGE = "mariadb:10.11-2";
    private static final String MESSAGES = "SELECT message FROM test.messages";

    @TempDir
    static Path folder;

    private Example example;
    private Kubectl kubectl;

    @BeforeAll
    void start() {
        example = new Example("mysql", folder.resolve("home"), NETWORK);
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
    void threePodsStartEachFromACopyOfTheOneBefore() {
        example.apply("storage.yaml", "mysql-configmap.yaml", "mysql-services.yaml", "mysql-statefulset.yaml");
        settled();
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            assertThat(kubectl.ok("get", "pod", "mysql-" + ordinal)).containsPattern("2/2\\s+Running\\s+0");
        }
        kubectl.ok("run", "client", "--image=" + IMAGE, "--restart=Never", "--", "sleep", "3600");
        kubectl.ok("wait", "--for=condition=Ready", "pod/client", "--timeout=60s");
    }

    @Test
    @Order(2)
    void whatIsWrittenToTheMasterIsReadEverywhere() {
        example.ask(IMAGE, """
                CREATE DATABASE test;
                CREATE TABLE test.messages (message VARCHAR(250));
                INSERT INTO test.messages VALUES ('hello');
                """, "mysql", "-h", "mysql-0.mysql");
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            comesToRead("mysql-" + ordinal + ".mysql", "hello");
        }
        assertThat(example.ask(IMAGE, MESSAGES, "mysql", "-h", "mysql-read")).isEqualTo("message\nhello");
        Set<String> answered = new TreeSet<>();
        Eventually.holds(
                "all three are read from",
                () -> {
                    answered.add(sql("mysql-read", "SELECT @@server_id"));
                    return answered.equals(Set.of("100", "101", "102"));
                },
                answered::toString);
    }

    @Test
    @Order(3)
    void aReplicaRefusesWrites() {
        Command.Outcome outcome = mysql("mysql-1.mysql", "INSERT INTO test.messages VALUES ('astray')");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err()).contains("ERROR 1290", "--read-only");
        assertThat(sql("mysql-1.mysql", MESSAGES)).isEqualTo("hello");
    }

    @Test
    @Order(4)
    void newReplicasHaveTheOldRows() {
        kubectl.ok("scale", "statefulset", "mysql", "--replicas=5");
        settled();
        for (String host : List.of("mysql-3.mysql", "mysql-4.mysql")) {
            assertThat(sql(host, MESSAGES)).isEqualTo("hello");
        }
        assertThat(kubectl.ok("get", "pvc", "-o", "jsonpath={.items[*].status.phase}"))
                .isEqualTo("Bound Bound Bound Bound Bound");
    }

    @Test
    @Order(5)
    void deletedPodsComeBackWithNameRecordAndData() {
        example.replace("mysql-0", "mysql-2");
        for (String pod : List.of("mysql-0", "mysql-2")) {
            assertThat(sql(pod + ".mysql", MESSAGES)).isEqualTo("hello");
            assertThat(kubectl.ok("exec", "client", "--", "nslookup", pod + ".mysql.default.svc.cluster.local"))
                    .contains(example.address(pod));
        }
        sql("mysql-0.mysql", "INSERT INTO test.messages VALUES ('again')");
        for (int ordinal = 1; ordinal < 5; ordinal++) {
            comesToRead("mysql-" + ordinal + ".mysql", "hello\nagain");
        }
    }

    /** One connection writes all the while; it prints the number of each row when it is committed. */
    @Test
    @Order(6)
    void argosyKilledUnderWriteLoadLosesNoCommittedRow() {
        sql("mysql-0.mysql", "CREATE TABLE test.numbers (n INT PRIMARY KEY)");
        kubectl.apply("""
            apiVersion: v1
            kind: Pod
            metadata: {name: writer}
            spec:
              restartPolicy: Never
              containers:
              - name: writer
                image: %s
                command:
                - bash
                - -c
                - |
                  while [ ! -e /tmp/enough ]; do
                    echo "INSERT INTO test.numbers VALUES ($((++n))); SELECT $n; DO SLEEP(0.002);"
                  done | mysql -h mysql-0.mysql --skip-column-names --unbuffered
            """.formatted(IMAGE)).ok();
        long before = moreThan(0);
        example.argosy().kill();
        long without = moreThan(before);
        example.argosy().up();
        long after = moreThan(without);
        kubectl.ok("exec", "writer", "--", "touch", "/tmp/enough");
        kubectl.await(
                "its connection was never cut",
                out -> out.equals("Succeeded"),
                "get",
                "pod",
                "writer",
                "-o",
                "jsonpath={.status.phase}");
        List<String> committed = kubectl.ok("logs", "writer").lines().toList();
        assertThat(committed).hasSizeGreaterThanOrEqualTo(Math.toIntExact(after));
        for (int ordinal = 0; ordinal < 5; ordinal++) {
            comesToRead("mysql-" + ordinal + ".mysql", "SELECT n FROM test.numbers ORDER BY n", committed);
        }
        assertThat(example.field("statefulset/mysql", ".status.readyReplicas")).isEqualTo("5");
        assertThat(kubectl.ok("get", "pods", "-l", "app=mysql")).doesNotContain("Pending", "Error");
    }

    /** How many rows the writer has seen committed, once they are more than this; asks nobody but the disk. */
    private long moreThan(long known) {
        Eventually.holds("more rows are committed", () -> committedRows() > known, () -> known + " and no more");
        return committedRows();
    }

    private long committedRows() {
        try (Stream<Path> files = Files.walk(example.argosy().home().resolve("node"))) {
            List<Path> logs = files.filter(file -> file.toString().matches(".*_writer_.*\\.log"))
                    .toList();
            long rows = 0;
            for (Path log : logs) {
                rows += Files.readAllLines(log).size();
            }
            return rows;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    @Order(7)
    void anotherImageRollsFromTheLastOrdinalDown() {
        kubectl.ok("scale", "statefulset", "mysql", "--replicas=3");
        kubectl.await("three are left", out -> !out.contains("mysql-3") && !out.contains("mysql-4"), "get", "pods");
        assertThat(kubectl.names("pvc")).as("claims outlive the pods").hasSize(5);
        setImage(NEXT_IMAGE);
        settled();
        assertThat(images()).containsExactly(NEXT_IMAGE, NEXT_IMAGE, NEXT_IMAGE);
        assertThat(example.field("pod/mysql-1", ".metadata.creationTimestamp"))
                .isGreaterThanOrEqualTo(example.readySince("mysql-2"));
        assertThat(example.field("pod/mysql-0", ".metadata.creationTimestamp"))
                .isGreaterThanOrEqualTo(example.readySince("mysql-1"));
        assertThat(example.field("pod/mysql-0", ".status.containerStatuses[?(@.name==\"mysql\")].image"))
                .isEqualTo(NEXT_IMAGE);
        assertThat(sql("mysql-read", MESSAGES)).isEqualTo("hello\nagain");
    }

    @Test
    @Order(8)
    void aPartitionHoldsTheOrdinalsBelowIt() {
        kubectl.ok(
                "patch",
                "statefulset",
                "mysql",
                "-p",
                "{\"spec\":{\"updateStrategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"partition\":2}}}}");
        setImage(IMAGE);
        settled();
        assertThat(images()).containsExactly(NEXT_IMAGE, NEXT_IMAGE, IMAGE);
        example.replace("mysql-1");
        assertThat(images()).as("a deleted pod comes back as it was").containsExactly(NEXT_IMAGE, NEXT_IMAGE, IMAGE);
        sql("mysql-0.mysql", "INSERT INTO test.messages VALUES ('still')");
        for (int ordinal = 0; ordinal < 3; ordinal++) {
            comesToRead("mysql-" + ordinal + ".mysql", "hello\nagain\nstill");
        }
    }

    private void setImage(String image) {
        kubectl.ok(
                "patch",
                "statefulset",
                "mysql",
                "--type=json",
                "-p",
                "[{\"op\":\"replace\",\"path\":\"/spec/template/spec/containers/0/image\",\"value\":\"" + image
                        + "\"}]");
    }

    /** What the pods' database containers run, from mysql-0 on. */
    private List<String> images() {
        return List.of(
                kubectl.ok("get", "pods", "-l", "app=mysql", "-o", "jsonpath={.items[*].spec.containers[0].image}")
                        .split(" "));
    }

    private void settled() {
        kubectl.ok("rollout", "status", "statefulset/mysql", "--timeout=120s");
    }

    private Command.Outcome mysql(String host, String statement) {
        return kubectl.run("exec", "client", "--", "mysql", "-h", host, "--skip-column-names", "-e", statement);
    }

    private String sql(String host, String statement) {
        return mysql(host, statement).ok();
    }

    private void comesToRead(String host, String messages) {
        comesToRead(host, MESSAGES, messages.lines().toList());
    }

    /** Replication takes a while, and longer when the master was away. */
    private void comesToRead(String host, String question, List<String> answer) {
        Eventually.holds(
                host + " has all rows",
                () -> mysql(host, question).out().lines().toList().equals(answer),
                () -> mysql(host, question).all().lines().count() + " of " + answer.size() + "\n"
                        + mysql(host, "SHOW SLAVE STATUS\\G").all());
    }
}
