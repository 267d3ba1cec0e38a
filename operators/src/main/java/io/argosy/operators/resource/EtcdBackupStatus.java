package io.argosy.operators.resource;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;

/**
 * What became of a backup.
 *
 * @param succeeded of the last snapshot; null until there is one
 * @param reason why not
 * @param etcdRevision the snapshot holds everything up to it
 * @param location where it is, as its storage calls it
 * @param key the same without the storage, for whoever restores it
 * @param verified whether a member was restored from it
 * @param unverified those, still there, of which no member could be made
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record EtcdBackupStatus(
        Long observedGeneration,
        String phase,
        Boolean succeeded,
        String reason,
        String etcdVersion,
        Long etcdRevision,
        Long size,
        String sha256,
        String location,
        String key,
        Boolean verified,
        List<String> unverified,
        String lastExecutionDate,
        String lastSuccessDate,
        List<Condition> conditions) {}
