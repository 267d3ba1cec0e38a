package io.argosy.operators;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands by which the seeds install the operator, save and restore, word for word but for the folder they are in. */
@ArgosyTest
class SeedsPathTest {
    private static final Path EXAMPLES =
            Path.of("../examples/etcd").toAbsolutePath().normalize();

    @TempDir
    Path folder;

    /** What the command hands to kubectl, which is played here. */
    private String handed(String command) throws Exception {
        Path bin = Files.createDirectories(folder.resolve("bin"));
        Path kubectl = bin.resolve("kubectl");
        Files.writeString(kubectl, "#!/bin/sh\ncat > '" + folder.resolve("handed") + "'\n");
        assertThat(kubectl.toFile().setExecutable(true)).isTrue();
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", command)
                .directory(EXAMPLES.toFile())
                .redirectErrorStream(true);
        builder.environment().merge("PATH", bin.toString(), (path, added) -> added + File.pathSeparator + path);
        Process process = builder.start();
        String said = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(said).isZero();
        return Files.readString(folder.resolve("handed"));
    }

    @Test
    void createRoleMakesTheRolesOfTheManifest() throws Exception {
        assertThat(handed("rbac/create_role.sh")).isEqualTo(Files.readString(Path.of("deploy/rbac.yaml")));
    }

    @Test
    void createRoleNamesThemAsItIsTold(Cluster cluster) throws Exception {
        String roles = handed("rbac/create_role.sh --namespace=databases --role-name=reader --role-binding-name=bound");
        cluster.apply("{apiVersion: v1, kind: Namespace, metadata: {name: databases}}");
        List<String> made = new ArrayList<>();
        for (String document : roles.split("(?m)^---.*$", -1)) {
            for (HasMetadata object : cluster.apply(document)) {
                made.add(object.getKind() + " " + object.getMetadata().getNamespace() + "/"
                        + object.getMetadata().getName());
            }
        }
        assertThat(made)
                .containsExactly(
                        "ServiceAccount databases/etcd-operator",
                        "ClusterRole null/reader",
                        "ClusterRoleBinding null/bound",
                        "Role databases/etcd-operator",
                        "RoleBinding databases/etcd-operator");
        assertThat(cluster.client()
                        .rbac()
                        .clusterRoleBindings()
                        .withName("bound")
                        .get())
                .satisfies(binding -> {
                    assertThat(binding.getRoleRef().getName()).isEqualTo("reader");
                    assertThat(binding.getSubjects().getFirst().getNamespace()).isEqualTo("databases");
                });
    }

    @Test
    void templatesBecomeWhatIsAccepted(Cluster cluster, KubernetesClient client) throws Exception {
        for (Definitions definition : Definitions.values()) {
            definition.install(client);
        }
        cluster.apply(handed("sed -e 's|<full-s3-path>|mybucket/etcd.backup|g' -e 's|<aws-secret>|aws|g'"
                + " -e 's|<etcd-cluster-endpoints>|\"http://example-etcd-cluster-client:2379\"|g'"
                + " etcd-backup-operator/backup_cr.yaml | kubectl create -f -"));
        cluster.apply(handed("sed -e 's|<full-s3-path>|mybucket/etcd.backup|g' -e 's|<aws-secret>|aws|g'"
                + " etcd-restore-operator/restore_cr.yaml | kubectl create -f -"));
    }

    @Test
    void everyExampleIsAccepted(Cluster cluster, KubernetesClient client) throws IOException {
        for (Definitions definition : Definitions.values()) {
            definition.install(client);
        }
        try (var files = Files.list(EXAMPLES)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".yaml")).toList()) {
                cluster.apply(Files.readString(file));
            }
        }
    }
}
