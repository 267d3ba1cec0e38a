package io.argosy.server.audit;

import java.util.Locale;

/** Where a request may spend its time; what is written of a slow one says how much of it was spent where. */
public enum Layer {
    APF_QUEUE_WAIT,
    AUTHORIZATION,
    ETCD,
    MUTATING_WEBHOOK,
    VALIDATING_WEBHOOK;

    String annotation() {
        return "apiserver.latency.k8s.io/" + name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
