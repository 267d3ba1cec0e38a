package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;

/**
 * Where a restore is.
 *
 * @param succeeded null until it is over
 * @param seed the member that is made of the snapshot
 * @param version the etcd it runs
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record EtcdRestoreStatus(
        String phase,
        Boolean succeeded,
        String reason,
        String seed,
        String token,
        String version,
        Long size,
        String sha256,
        String startedAt,
        String completedAt,
        List<Condition> conditions) {}
