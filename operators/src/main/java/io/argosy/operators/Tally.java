package io.argosy.operators;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the control loops do, by the kind of object they look after. */
final class Tally implements Metrics {
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    private void count(String name, HasMetadata object) {
        String line = "etcd_operator_" + name + "{kind=\"" + object.getKind() + "\"}";
        counts.computeIfAbsent(line, missing -> new LongAdder()).increment();
    }

    @Override
    public void reconciliationStarted(HasMetadata object, Map<String, Object> more) {
        count("reconciliations_total", object);
    }

    @Override
    public void reconciliationFailed(HasMetadata object, RetryInfo retry, Exception failure, Map<String, Object> more) {
        count("reconciliation_errors_total", object);
    }

    String text() {
        Runtime runtime = Runtime.getRuntime();
        StringBuilder text = new StringBuilder();
        new TreeMap<>(counts)
                .forEach((line, count) ->
                        text.append(line).append(' ').append(count.sum()).append('\n'));
        return text.append("etcd_operator_heap_used_bytes ")
                .append(runtime.totalMemory() - runtime.freeMemory())
                .append('\n')
                .toString();
    }
}
