package io.argosy.operators.cluster;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells what was done, where {@code kubectl describe} shows it. An event that cannot be written is only logged: the work counts. */
public final class Events {
    private static final Logger LOG = LoggerFactory.getLogger(Events.class);

    private final KubernetesClient client;
    private final InstantSource clock;
    private final String component;

    public Events(KubernetesClient client, InstantSource clock, String component) {
        this.client = client;
        this.clock = clock;
        this.component = component;
    }

    public void normal(HasMetadata about, String reason, String message) {
        write(about, "Normal", reason, message);
    }

    public void warning(HasMetadata about, String reason, String message) {
        write(about, "Warning", reason, message);
    }

    private void write(HasMetadata about, String type, String reason, String message) {
        LOG.info(
                "{}/{}: {}: {}",
                about.getMetadata().getNamespace(),
                about.getMetadata().getName(),
                reason,
                message);
        String now = DateTimeFormatter.ISO_INSTANT.format(
                clock.instant().truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC));
        try {
            client.resource(new EventBuilder()
                            .withNewMetadata()
                            .withGenerateName(about.getMetadata().getName() + ".")
                            .withNamespace(about.getMetadata().getNamespace())
                            .endMetadata()
                            .withNewInvolvedObject()
                            .withApiVersion(about.getApiVersion())
                            .withKind(about.getKind())
                            .withName(about.getMetadata().getName())
                            .withNamespace(about.getMetadata().getNamespace())
                            .withUid(about.getMetadata().getUid())
                            .endInvolvedObject()
                            .withType(type)
                            .withReason(reason)
                            .withMessage(message)
                            .withCount(1)
                            .withFirstTimestamp(now)
                            .withLastTimestamp(now)
                            .withNewSource()
                            .withComponent(component)
                            .endSource()
                            .build())
                    .create();
        } catch (KubernetesClientException e) {
            LOG.warn("event {} could not be written: {}", reason, e.getMessage());
        }
    }
}
