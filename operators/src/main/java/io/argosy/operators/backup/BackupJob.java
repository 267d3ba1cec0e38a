package io.argosy.operators.backup;

import io.argosy.operators.resource.EtcdBackup;
import io.argosy.operators.resource.EtcdBackupStatus;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Creates an EtcdBackup out of a manifest and waits for what becomes of it: what the job of a CronJob does. The object is the job's pod's, and
 * goes with it when the CronJob tidies up; the snapshot stays.
 */
public final class BackupJob {
    private static final Duration GRACE = Duration.ofMinutes(2);

    private final KubernetesClient client;
    private final PrintStream out;

    public BackupJob(KubernetesClient client, PrintStream out) {
        this.client = client;
        this.out = out;
    }

    /** Says how to exit. */
    public int run(Path manifest, Map<String, String> environment) throws IOException {
        EtcdBackup wanted = client.getKubernetesSerialization().unmarshal(Files.readString(manifest), EtcdBackup.class);
        String namespace = environment.get("MY_POD_NAMESPACE");
        if (namespace != null && wanted.getMetadata().getNamespace() == null) {
            wanted.getMetadata().setNamespace(namespace);
        }
        String pod = environment.get("MY_POD_NAME");
        String uid = environment.get("MY_POD_UID");
        if (pod != null && uid != null) {
            wanted.getMetadata()
                    .setOwnerReferences(List.of(new OwnerReferenceBuilder()
                            .withApiVersion("v1")
                            .withKind("Pod")
                            .withName(pod)
                            .withUid(uid)
                            .build()));
        }
        try {
            EtcdBackup created = client.resource(wanted).create();
            out.println("EtcdBackup " + created.getMetadata().getName() + " is created");
            Duration patience = created.getSpec().timeout().multipliedBy(2).plus(GRACE);
            EtcdBackup ended = client.resource(created)
                    .waitUntilCondition(BackupJob::isOver, patience.toSeconds(), TimeUnit.SECONDS);
            return told(ended.getStatus());
        } catch (KubernetesClientException e) {
            out.println("failed: " + e.getMessage());
            return 1;
        }
    }

    private static boolean isOver(EtcdBackup backup) {
        return backup != null
                && backup.getStatus() != null
                && ("Succeeded".equals(backup.getStatus().phase())
                        || "Failed".equals(backup.getStatus().phase()));
    }

    private int told(EtcdBackupStatus status) {
        boolean good = Boolean.TRUE.equals(status.succeeded());
        out.println(
                good
                        ? "saved: " + status.location() + ", revision " + status.etcdRevision() + ", " + status.size()
                                + " bytes"
                        : "failed: " + status.reason());
        return good ? 0 : 1;
    }
}
