package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;

/** Where a snapshot is kept: one of the two is given. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record StoragePlace(S3 s3, Claim pvc) {
    /**
     * A bucket of any storage that speaks S3.
     *
     * @param path bucket and key, with a slash between them
     * @param awsSecret a secret with credentials and config, as the AWS tools write them
     * @param endpoint of the storage; null is Amazon's
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record S3(String path, String awsSecret, String endpoint, Boolean forcePathStyle) {
        public String bucket() {
            return path.substring(0, path.indexOf('/'));
        }

        public String key() {
            return path.substring(path.indexOf('/') + 1);
        }
    }

    /**
     * A file on a volume.
     *
     * @param path relative to the volume's root
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Claim(String claimName, String path) {}

    /** The same place for another key. */
    public StoragePlace at(String key) {
        return s3 == null
                ? new StoragePlace(null, new Claim(pvc.claimName, key))
                : new StoragePlace(new S3(s3.bucket() + "/" + key, s3.awsSecret, s3.endpoint, s3.forcePathStyle), null);
    }

    /** The key or the file. */
    public String key() {
        return s3 == null ? pvc.path : s3.key();
    }
}
