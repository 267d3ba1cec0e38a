package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;

/**
 * What there is of an etcd cluster.
 *
 * @param clusterId what etcd calls the cluster, in hex, once it has answered
 * @param silent who does not answer, and since when
 * @param recoveredFrom the survivor for which the consent in the spec has been used
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record EtcdClusterStatus(
        Long observedGeneration,
        String phase,
        String reason,
        Boolean controlPaused,
        String clusterId,
        Integer size,
        Members members,
        List<Silent> silent,
        String leader,
        String currentVersion,
        String targetVersion,
        String serviceName,
        Integer clientPort,
        @JsonProperty("clientURL") String clientUrl,
        String recoveredFrom,
        List<Condition> conditions) {
    public static final EtcdClusterStatus UNKNOWN = new EtcdClusterStatus(
            null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

    /** The same, with something else to say of it. */
    public EtcdClusterStatus because(Long generation, String other, List<Condition> now) {
        return new EtcdClusterStatus(
                generation,
                phase,
                other,
                controlPaused,
                clusterId,
                size,
                members,
                silent,
                leader,
                currentVersion,
                targetVersion,
                serviceName,
                clientPort,
                clientUrl,
                recoveredFrom,
                now);
    }

    /** Names of members, by whether they answer. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Members(List<String> ready, List<String> unready) {}

    /**
     * A member that does not answer.
     *
     * @param since when, were there no time in which nobody looked
     * @param lookedAt when it was seen to be silent, about
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Silent(String name, String since, String lookedAt) {}
}
