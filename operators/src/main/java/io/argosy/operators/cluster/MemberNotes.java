package io.argosy.operators.cluster;

import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a member is started. Noted on its volume, or, if it has none, on its pod alone: a pod that comes back is started just as the one
 * before, whatever etcd or the spec say meanwhile.
 */
public record MemberNotes(String version, String initialCluster, String state, String token, boolean force) {
    public static MemberNotes seed(String version, String initialCluster, String token) {
        return new MemberNotes(version, initialCluster, "new", token, false);
    }

    static MemberNotes joining(String version, String initialCluster, String token) {
        return new MemberNotes(version, initialCluster, "existing", token, false);
    }

    MemberNotes version(String other) {
        return new MemberNotes(other, initialCluster, state, token, force);
    }

    MemberNotes force(boolean forced) {
        return new MemberNotes(version, initialCluster, state, token, forced);
    }

    static MemberNotes of(HasMetadata object) {
        Map<String, String> notes = object.getMetadata().getAnnotations();
        if (notes == null) {
            notes = Map.of();
        }
        return new MemberNotes(
                notes.get(Names.VERSION_NOTE),
                notes.get(Names.INITIAL_CLUSTER_NOTE),
                notes.get(Names.STATE_NOTE),
                notes.get(Names.TOKEN_NOTE),
                Boolean.parseBoolean(notes.get(Names.FORCE_NOTE)));
    }

    public Map<String, String> annotations() {
        Map<String, String> notes = new LinkedHashMap<>();
        notes.put(Names.VERSION_NOTE, version);
        notes.put(Names.INITIAL_CLUSTER_NOTE, initialCluster);
        notes.put(Names.STATE_NOTE, state);
        notes.put(Names.TOKEN_NOTE, token);
        notes.put(Names.FORCE_NOTE, Boolean.toString(force));
        return notes;
    }
}
