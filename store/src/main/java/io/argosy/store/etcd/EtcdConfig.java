package io.argosy.store.etcd;

import java.nio.file.Path;
import java.util.List;

/**
 * Where etcd is, and how to be let in; null for what is not needed.
 *
 * @param endpoints such as {@code https://10.0.0.1:2379}, one for each member
 * @param authority a file with the certificates to trust, if not those of the system
 * @param certificate a file with our own certificate, for an etcd that asks for one; its key is in another file
 */
public record EtcdConfig(
        List<String> endpoints, Path authority, Path certificate, Path key, String user, String password) {
    public EtcdConfig {
        endpoints = List.copyOf(endpoints);
    }

    public static EtcdConfig of(String... endpoints) {
        return new EtcdConfig(List.of(endpoints), null, null, null, null, null);
    }

    /** The members, for messages. */
    String where() {
        return String.join(", ", endpoints);
    }

    @Override
    public String toString() {
        return "etcd at " + where() + (user == null ? "" : " as " + user);
    }
}
