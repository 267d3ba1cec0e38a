package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import java.time.Duration;

/**
 * What is wanted of an etcd cluster; the definition says more of each field and gives the defaults.
 *
 * @param recovery the user's consent to go on from one survivor
 * @param unreadable why it could not be read; null if it could
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@JsonDeserialize(using = EtcdClusterSpec.Reader.class)
public record EtcdClusterSpec(
        Integer size,
        String version,
        String repository,
        Boolean paused,
        PodPolicy pod,
        @JsonProperty("TLS") TlsPolicy tls,
        Integer failoverAfterSeconds,
        Recovery recovery,
        String unreadable) {
    /** Never fails. */
    static final class Reader extends SpecReader<EtcdClusterSpec> {
        private static final long serialVersionUID = 1;

        Reader() {
            super(
                    EtcdClusterSpec.class,
                    why -> new EtcdClusterSpec(null, null, null, null, null, null, null, null, why));
        }
    }

    private static final String REPOSITORY = "quay.io/coreos/etcd";
    private static final int FAILOVER_AFTER_SECONDS = 300;

    /**
     * Consent to go on from one survivor.
     *
     * @param acceptDataLoss that what the other members alone had is lost
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Recovery(String member, Boolean acceptDataLoss) {}

    public boolean pausing() {
        return Boolean.TRUE.equals(paused);
    }

    public PodPolicy podPolicy() {
        return pod == null ? PodPolicy.NONE : pod;
    }

    public Duration patience() {
        return Duration.ofSeconds(failoverAfterSeconds == null ? FAILOVER_AFTER_SECONDS : failoverAfterSeconds);
    }

    public String image(String ofVersion) {
        return (repository == null ? REPOSITORY : repository) + ":v" + ofVersion;
    }

    /** The member to go on from alone; null without consent. */
    public String consentedSurvivor() {
        return recovery != null && Boolean.TRUE.equals(recovery.acceptDataLoss) ? recovery.member : null;
    }
}
