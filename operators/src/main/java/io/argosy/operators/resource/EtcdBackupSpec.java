package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import java.time.Duration;
import java.util.List;

/**
 * What is wanted of a backup; the definition says more of each field and gives the defaults.
 *
 * @param verify whether the snapshot is restored into a throw-away member
 * @param repository where that member's image is
 * @param securityContext as whom the pods run that take a snapshot to a volume or prove one
 * @param unreadable why it could not be read; null if it could
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonDeserialize(using = EtcdBackupSpec.Reader.class)
public record EtcdBackupSpec(
        List<String> etcdEndpoints,
        String storageType,
        StoragePlace.S3 s3,
        StoragePlace.Claim pvc,
        @JsonProperty("clientTLSSecret") String clientTlsSecret,
        BackupPolicy backupPolicy,
        Boolean verify,
        String repository,
        PodSecurityContext securityContext,
        String unreadable) {
    /** Never fails. */
    static final class Reader extends SpecReader<EtcdBackupSpec> {
        private static final long serialVersionUID = 1;

        Reader() {
            super(
                    EtcdBackupSpec.class,
                    why -> new EtcdBackupSpec(null, null, null, null, null, null, null, null, null, why));
        }
    }

    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final String REPOSITORY = "quay.io/coreos/etcd";

    /** How often, for how long, and how many of them. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record BackupPolicy(Long timeoutInSecond, Long backupIntervalInSecond, Integer maxBackups) {}

    public StoragePlace place() {
        return "PVC".equals(storageType) ? new StoragePlace(null, pvc) : new StoragePlace(s3, null);
    }

    public Duration timeout() {
        return backupPolicy == null || backupPolicy.timeoutInSecond == null || backupPolicy.timeoutInSecond <= 0
                ? TIMEOUT
                : Duration.ofSeconds(backupPolicy.timeoutInSecond);
    }

    /** Between the beginnings of two; null for one alone. */
    public Duration interval() {
        return backupPolicy == null
                        || backupPolicy.backupIntervalInSecond == null
                        || backupPolicy.backupIntervalInSecond <= 0
                ? null
                : Duration.ofSeconds(backupPolicy.backupIntervalInSecond);
    }

    /** How many are kept; 0 is all of them. */
    public int keep() {
        return backupPolicy == null || backupPolicy.maxBackups == null ? 0 : backupPolicy.maxBackups;
    }

    public boolean verifying() {
        return Boolean.TRUE.equals(verify);
    }

    public String image(String version) {
        return (repository == null ? REPOSITORY : repository) + ":v" + version;
    }
}
