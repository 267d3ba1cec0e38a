package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.time.Duration;

/**
 * What is wanted of a restore; the definition says more of each field.
 *
 * @param force also if the cluster is healthy
 * @param unreadable why it could not be read; null if it could
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonDeserialize(using = EtcdRestoreSpec.Reader.class)
public record EtcdRestoreSpec(
        ClusterReference etcdCluster,
        String backupStorageType,
        StoragePlace.S3 s3,
        StoragePlace.Claim pvc,
        Boolean force,
        Long timeoutInSecond,
        String unreadable) {
    /** Never fails. */
    static final class Reader extends SpecReader<EtcdRestoreSpec> {
        private static final long serialVersionUID = 1;

        Reader() {
            super(EtcdRestoreSpec.class, why -> new EtcdRestoreSpec(null, null, null, null, null, null, why));
        }
    }

    private static final Duration TIMEOUT = Duration.ofMinutes(15);

    /** The EtcdCluster that is to hold what the snapshot has, in the same namespace. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record ClusterReference(String name) {}

    public StoragePlace place() {
        return "PVC".equals(backupStorageType) ? new StoragePlace(null, pvc) : new StoragePlace(s3, null);
    }

    public boolean forced() {
        return Boolean.TRUE.equals(force);
    }

    public Duration timeout() {
        return timeoutInSecond == null ? TIMEOUT : Duration.ofSeconds(timeoutInSecond);
    }
}
