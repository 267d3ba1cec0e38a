package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Duration;

/**
 * What is wanted of a restore; the definition says more of each field.
 *
 * @param force also if the cluster is healthy
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record EtcdRestoreSpec(
        ClusterReference etcdCluster,
        String backupStorageType,
        StoragePlace.S3 s3,
        StoragePlace.Claim pvc,
        Boolean force,
        Long timeoutInSecond) {
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
